"""Reassign whole texts of an annotator who dropped out. Nothing judged is deleted by it."""

from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import F, Max, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from annotation.models import Assignment, Membership, ProjectEvent, Protocol, Round, TypeAnnotation
from annotation.models.rounds import types_named, types_text
from annotation.projects.projects import judges_name
from annotation.rounds.progress import DECIDED_TYPE
from core.errors import Refused

BATCH = 2_000


@dataclass(frozen=True, slots=True)
class Reassignment:
    """What was reassigned: texts with a new annotator, and texts that nobody could take."""

    moved: int
    left_over: int


def unfinished_texts(round: Round, member: Membership) -> QuerySet[Assignment]:
    """Return the member's texts in a round that have an undecided unit, in the member's order."""
    own = round.assignments.filter(member=member, released_at__isnull=True)
    if round.project.protocol != Protocol.FOCUS:
        return own.filter(decided__lt=F("questions")).order_by("position")
    asked = round.type_codes
    named = own.filter(types__isnull=False).order_by().values_list("pk", "types", "decided")
    left = [pk for pk, types, decided in named if decided < len(types_named(types, asked))]
    return own.filter(Q(pk__in=left) | Q(types__isnull=True, decided__lt=len(asked))).order_by("position")


def round_reassign(
    *, round: Round, target: Membership, members: list[Membership], member: Membership
) -> Reassignment:
    """Take the texts that `target` has not finished and share them out among `members`.

    Each goes, whole, to the member with the fewest texts who does not have it yet; ties by the round's
    seed. Whoever had it before gets it back only where nobody else can take it. What `target`
    decided stays and counts. Texts that all `members` have already are left over and stay with `target`.
    Raises Refused where the round is not open or there is nobody to take them.
    """
    takers = takers_among(members, target)
    judges_name(project=target.project, members=takers)
    with transaction.atomic():
        lock_open_round(round)
        left = list(unfinished_texts(round, target))
        unfinished = [one for one in left if not one.repeat]
        moved = _reassign(round, unfinished, takers)
        # Only who judged a text first can repeat it: open repeats are released.
        gone = [one.pk for one in (*moved, *(one for one in left if one.repeat))]
        Assignment.objects.filter(pk__in=gone).update(released_at=timezone.now())
        result = Reassignment(len(moved), len(unfinished) - len(moved))
        ProjectEvent.objects.create(
            project=round.project,
            member=member,
            action="texts reassigned",
            details={
                "round": round.name,
                "from": target.pseudonym,
                "to": [one.pseudonym for one in takers],
                "texts": result.moved,
                "left_over": result.left_over,
            },
        )
    return result


def takers_among(members: list[Membership], target: Membership) -> list[Membership]:
    """Return those who can take what `target` had. Raises Refused where there is nobody."""
    takers = [one for one in members if one.pk != target.pk and one.is_active and one.is_annotator]
    if not takers:
        raise Refused("invalid", gettext("Choose at least one other active annotator who takes the texts."))
    return takers


def lock_open_round(round: Round) -> None:
    """Hold off judgements until this transaction ends. Raises Refused unless the round is open."""
    current = Round.objects.select_for_update().get(pk=round.pk)
    if current.status != Round.Status.OPEN or current.imported:
        raise Refused(
            "round_not_open",
            gettext("%(name)s is %(status)s: only an open round changes.")
            % {"name": current.name, "status": current.status_word},
        )


def last_places(round: Round, members: list[Membership]) -> dict[int, int]:
    """Return each member's last position in a round, of those who have texts."""
    own = round.assignments.filter(member__in=members).order_by()
    return dict(own.values_list("member").annotate(Max("position")))


def judged_types(assignments: QuerySet[Assignment]) -> dict[int, set[str]]:
    """Return the types that are decided in each of the assignments."""
    judged: dict[int, set[str]] = {}
    rows = TypeAnnotation.objects.filter(DECIDED_TYPE, assignment__in=assignments).order_by()
    for pk, code in rows.values_list("assignment", "type_code"):
        judged.setdefault(pk, set()).add(code)
    return judged


def update_in_batches(pks: list[int], **values: Any) -> None:
    """Change assignments, so many at a time as a database takes parameters."""
    for start in range(0, len(pks), BATCH):
        Assignment.objects.filter(pk__in=pks[start : start + BATCH]).update(**values)


def _reassign(round: Round, unfinished: list[Assignment], takers: list[Membership]) -> list[Assignment]:
    random = Random(f"{round.seed}:reassign")
    theirs = round.assignments.filter(member__in=takers, repeat=False)
    held = {(one.member_id, one.item_id): one for one in theirs}
    loads = Counter(one.member_id for one in held.values() if one.released_at is None)
    judged = judged_types(theirs.filter(released_at__isnull=False))
    places = last_places(round, takers)
    moved, new = [], []
    given_back: dict[str | None, list[int]] = {}
    for old in unfinished:
        # Whoever handed the text on comes last.
        ranked = [
            ((there is not None, loads[one.pk], random.random()), one, there)
            for one in takers
            if (there := held.get((one.pk, old.item_id))) is None or there.released_at is not None
        ]
        if not ranked:
            continue
        _, chosen, there = min(ranked, key=lambda entry: entry[0])
        loads[chosen.pk] += 1
        moved.append(old)
        if there is not None:
            asked = {*types_named(old.types, round.type_codes), *judged.get(there.pk, ())}
            given_back.setdefault(types_text(asked, round.type_codes), []).append(there.pk)
            continue
        places[chosen.pk] = places.get(chosen.pk, 0) + 1
        new.append(
            Assignment(
                round=round,
                item_id=old.item_id,
                member=chosen,
                position=places[chosen.pk],
                types=old.types,
            )
        )
    Assignment.objects.bulk_create(new, batch_size=BATCH)
    for types, pks in given_back.items():
        update_in_batches(pks, types=types, released_at=None)
    return moved
