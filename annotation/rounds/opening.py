"""Opening a round: its items are shared out among the annotators, then the round is theirs at once.

The assignments are written in batches into the claimed draft, where nobody sees them, so that others' saves
get their turn; one conditional update opens the round (`annotation.rounds.draft_claim`). An opening that was
killed starts again from the beginning.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from operator import itemgetter
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from annotation.access import refuse_archived
from annotation.models import Assignment, Membership, Protocol, Round, RoundQuestion
from annotation.projects.projects import judges_name
from annotation.rounds.assignment import order_for, share_out, with_repeats
from annotation.rounds.draft_claim import (
    BATCH,
    draft_claim,
    draft_work,
    locked_draft,
    refuse_half_drawn,
    round_log,
)
from annotation.rounds.suggestions import SuggestionChoice, chosen_values, write_suggestions
from annotation.rounds.training import missing_key
from core.bulk_insert import bulk_insert_values
from core.delete_in_batches import delete_in_batches
from core.errors import Refused

AT_ONCE = 5_000
"""Up to so many assignments a round opens while the lead waits; a larger one is opened by a worker."""


def round_open(
    round: Round,
    *,
    members: Iterable[Membership] | None = None,
    by: Membership | None = None,
    suggestions: SuggestionChoice | None = None,
) -> Round:
    """Open a drawn round: share its items out and let the annotators in.

    `members` are those who take part (default: every active annotator); `suggestions` are shown to them, by
    default none. Raises Refused with what is missing: items, questions, annotators.
    """
    taking_part = annotators_of(round, members)
    claim = opening_claim(round, taking_part, suggestions=suggestions)
    return opening_run(round, claim, members=taking_part, by=by)


def annotators_of(round: Round, members: Iterable[Membership] | None) -> list[Membership]:
    """Return those who take part in a round, in the order in which items are shared out."""
    active = round.project.memberships.filter(is_annotator=True, is_active=True)
    return sorted(active if members is None else members, key=lambda member: member.pk)


def is_large(round: Round) -> bool:
    """Whether opening the round takes longer than a lead should wait."""
    return round.round_items.count() * round.overlap > AT_ONCE


def opening_claim(
    round: Round,
    members: Sequence[Membership],
    *,
    waits: bool = False,
    suggestions: SuggestionChoice | None = None,
) -> datetime:
    """Check that a round can open and keep it from being changed; return the claim for `opening_run`."""
    with transaction.atomic():
        locked_draft(round, gettext("Only a draft round can be opened."))
        refuse_archived(round.project)
        refuse_half_drawn(round)
        _refuse_without_material(round)
        if round.overlap > len(members):
            raise Refused(
                "not_ready",
                gettext(
                    "The round cannot open: an overlap of %(overlap)s needs as many annotators; taking part: "
                    "%(n)s. Invite people or lower the overlap."
                )
                % {"overlap": round.overlap, "n": len(members)},
            )
        return draft_claim(round, Round.Work.OPENING, waits=waits, **chosen_values(round, suggestions))


def opening_run(
    round: Round, claim: datetime, *, members: Sequence[Membership], by: Membership | None = None
) -> Round:
    """Write the assignments of a claimed round and open it. Raises Refused where another took it over."""
    with draft_work(round, claim) as work:
        delete_in_batches(round.assignments.all(), each=work.batch)  # of an opening that stopped halfway
        write_suggestions(round, work)
        judges_name(project=round.project, members=members)
        assignments = _assignments(round, members)
        while batch := list(islice(assignments, BATCH)):
            with work.batch():
                bulk_insert_values(Assignment, _COLUMNS, batch)
        with transaction.atomic():
            work.end(status=Round.Status.OPEN, opened_at=timezone.now())
            chosen = {"suggestions": round.suggestions, "run": round.suggestion_run}
            told = chosen if round.suggestions else {}
            round_log(round, by, "round opened", annotators=[member.pseudonym for member in members], **told)
    return round


_COLUMNS = (
    *("round_id", "item_id", "member_id", "position", "types", "repeat", "created_at", "started_at"),
    *("released_at", "questions", "decided", "active_seconds", "judged_at"),
)
_REPEAT = itemgetter(_COLUMNS.index("repeat"))


def _assignments(round: Round, members: Sequence[Membership]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of all assignments, with `_COLUMNS`; triggers count what the last of them say."""
    asked = dict(round.round_items.order_by("position").values_list("item_id", "types"))
    items = list(asked)
    shares = share_out(len(items), len(members), overlap=round.overlap, seed=round.seed)
    of_member: list[list[int]] = [[] for _ in members]
    for item, chosen in zip(items, shares, strict=True):
        for index in chosen:
            of_member[index].append(item)
    now = timezone.now()
    for index, (member, own) in enumerate(zip(members, of_member, strict=True)):
        order = order_for(len(own), shuffled=round.shuffled, seed=round.seed, member=index)
        met = with_repeats(order, repeats=round.repeats, seed=round.seed, member=index)
        rows = [
            (
                *(round.pk, own[place], member.pk, position, asked[own[place]], repeat, now, None),
                *(None, 0, 0, 0, None),
            )
            for position, (place, repeat) in enumerate(met, start=1)
        ]
        # First what is repeated, which the database looks for.
        yield from sorted(rows, key=_REPEAT)


def _refuse_without_material(round: Round) -> None:
    n_items = round.round_items.count()
    if not n_items:
        raise Refused("not_ready", gettext("The round has no items yet: draw items into it first."))
    if round.purpose == Round.Purpose.TRAINING:
        _refuse_without_key(round)
    if round.project.protocol != Protocol.CQS_GEN:
        return
    asked = RoundQuestion.objects.filter(round=round, question__item=OuterRef("item"))
    bare = round.round_items.filter(~Exists(asked)).order_by("position")
    n_bare = bare.count()
    if n_bare:
        names = list(bare.values_list("item__external_id", flat=True)[:5])
        raise Refused(
            "not_ready",
            ngettext(
                "%(n_bare)s of %(n_items)s items has no questions to judge: %(names)s. Import "
                "questions for it, or draw the round without it.",
                "%(n_bare)s of %(n_items)s items have no questions to judge: %(names)s. Import "
                "questions for them, or draw the round without them.",
                n_bare,
            )
            % {"n_bare": n_bare, "n_items": n_items, "names": _some(names, n_bare)},
        )


def _refuse_without_key(round: Round) -> None:
    n_missing, names = missing_key(round)
    if n_missing:
        raise Refused(
            "not_ready",
            ngettext(
                "The key of this training round has no answer for %(n_missing)s unit, of %(names)s. "
                "Complete the key, or draw the round without this item.",
                "The key of this training round has no answer for %(n_missing)s units, of %(names)s. "
                "Complete the key, or draw the round without these items.",
                n_missing,
            )
            % {"n_missing": n_missing, "names": _some(names)},
        )


def _some(names: Sequence[str], total: int | None = None) -> str:
    """Name up to five, and say how many more there are."""
    total = len(names) if total is None else total
    shown = ", ".join(names[:5])
    return shown if total <= 5 else gettext("%(shown)s and %(n)s more") % {"shown": shown, "n": total - 5}
