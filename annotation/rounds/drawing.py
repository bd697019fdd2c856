"""Drawing items into a draft round, in batches: the round has them all at once, or none of them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext

from annotation.access import visible_questions
from annotation.models import Membership, Protocol, Round, RoundItem, RoundQuestion
from annotation.rounds.asked_types import FIELD, drawn_types
from annotation.rounds.draft_claim import BATCH, draft_claim, draft_work, locked_draft, round_log
from annotation.rounds.sampling import drawn_items
from core.bulk_insert import bulk_insert_values
from core.delete_in_batches import delete_in_batches
from core.errors import Refused

AT_ONCE = 5_000
"""Up to so many items are drawn while the lead waits; more by a worker."""


def round_draw(round: Round, *, member: Membership | None = None, **options: Any) -> int:
    """Draw items, with their questions, into a draft round in place of what it had; return how many.

    The options are those of `annotation.rounds.sampling.drawn_items`.
    """
    drawn = drawn_items(round, **options)
    return draw_run(round, draw_claim(round, len(drawn)), options, drawn=drawn, member=member)


def draw_claim(round: Round, n_items: int, *, waits: bool = False) -> datetime:
    """Keep a draft from being changed while items are drawn into it; return the claim for `draw_run`."""
    with transaction.atomic():
        locked_draft(round, gettext("Items can be drawn only while the round is a draft."))
        if round.matching:
            told = gettext("%(name)s has the questions that it was made of. Make another matching round.")
            raise Refused("invalid", told % {"name": round.name})
        last = round.round_items.aggregate(last=Max("pk"))["last"] or 0
        draw = {"items": n_items, "after": last}
        return draft_claim(round, Round.Work.DRAWING, waits=waits, draw=draw)


def drawing_progress(round: Round) -> dict[str, int]:
    """Return how many items are in a round that is being drawn, and how many will be."""
    done = round.round_items.filter(pk__gt=round.draw.get("after", 0)).count()
    return {"done": done, "total": round.draw.get("items", 0)}


def draw_run(
    round: Round,
    claim: datetime,
    options: dict[str, Any],
    *,
    drawn: Sequence[int] | None = None,
    member: Membership | None = None,
) -> int:
    """Write the items of a claimed round; `drawn` are those that the options draw, where they are known.

    Raises Refused where another took it over.
    """
    items_of: Round | None = options.get("items_of")
    with draft_work(round, claim) as work:
        drawn = drawn_items(round, **options) if drawn is None else drawn
        for rows in (round.assignments, round.suggested, round.round_questions, round.round_items):
            # Of what it had, and of openings and draws that stopped halfway.
            delete_in_batches(rows.all(), each=work.batch)
        for start in range(0, len(drawn), BATCH):
            with work.batch():
                round_items_add(
                    round, drawn[start : start + BATCH], first_position=start + 1, items_of=items_of
                )
        with transaction.atomic():
            work.end(draw=_described(round, options), asked=_asked(round, items_of))
            round.key_answers.exclude(item__round_items__round=round).delete()
            round_log(round, member, "items drawn", items=len(drawn))
    return len(drawn)


def _asked(round: Round, items_of: Round | None) -> dict[str, Any]:
    """Return how the types of newly drawn items were chosen: what a file said was about the items before."""
    if items_of is not None:
        found: dict[str, Any] = items_of.asked
        return found
    return round.asked if round.asked.get("by") == FIELD else {}


def _described(round: Round, options: dict[str, Any]) -> dict[str, Any]:
    """Return how a round was drawn, as it is kept."""
    draw = {
        "size": options.get("size"),
        "questions": options.get("questions"),
        "stratify_by": options.get("stratify_by", ""),
        "picked": options.get("external_ids") is not None,
        "exclude_drawn": options.get("exclude_drawn", False),
        "seed": round.seed,
        **({"include_filtered": True} if options.get("include_filtered") else {}),
    }
    items_of = options.get("items_of")
    return draw if items_of is None else {**draw, "items_of": items_of.number}


def round_items_add(
    round: Round, item_ids: Sequence[int], *, first_position: int, items_of: Round | None = None
) -> None:
    """Add items to a round with what it asks of each, or what the round `items_of` asks of them.

    Raises Refused where the round's field does not say what is asked of one of them.
    """
    for start in range(0, len(item_ids), BATCH):
        batch = item_ids[start : start + BATCH]
        types = drawn_types(round, batch, items_of)
        bulk_insert_values(
            RoundItem,
            ("round_id", "item_id", "position", "types"),
            [
                (round.pk, item, first_position + start + index, types.get(item))
                for index, item in enumerate(batch)
            ],
        )
        if round.project.protocol == Protocol.CQS_GEN:
            asked = visible_questions(round.project).filter(item__in=batch)
            if items_of is not None:
                asked = asked.filter(round_questions__round=items_of)
            questions = asked.order_by("item", "position").values_list("id", flat=True)
            bulk_insert_values(
                RoundQuestion, ("round_id", "question_id"), [(round.pk, question) for question in questions]
            )
