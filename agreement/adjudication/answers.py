"""What single annotators answered about single units, for people to read; never of a round that is open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from agreement.report.judgements import MATCHED
from agreement.report.loading import counted_rows, judgements_stamp
from annotation.access import kept_from, readable
from annotation.codebooks.definition import FOCUS
from annotation.models import Item, Membership, Question, QuestionAnnotation, Round, TypeAnnotation
from core.cache import cached


@dataclass(frozen=True, slots=True)
class Answer:
    """What one annotator answered about one unit, or that it cannot be judged."""

    member_id: int
    pseudonym: str
    answer: (
        str  # "yes", "no", a label code, "REF:" with the place of a picked reference, "?" for cannot judge
    )
    reason: str
    start: int | None
    end: int | None
    quote: str
    comment: str
    unsure: bool
    seconds: int | None
    incomplete: bool = False
    reference: str = ""


UnitKey = tuple[int, str, int | None]
"""Item id, type code ("" for a question), question id (None for a type)."""


def judged_units(round: Round, member: Membership, type_code: str = "") -> list[int]:
    """Return the ids of the items with an answer on a type, or of the questions with one, in the order of
    the ids that their file gave; without the texts that the member judges now.
    """
    if kept_from(member, round):
        typology = round.project.protocol == FOCUS
        units: QuerySet[Any] = _judged_units(round, type_code)
        return list(readable(units, member, "pk" if typology else "item").values_list("pk", flat=True))
    name = f"judged-units:{round.pk}:{type_code}:{judgements_stamp(round)}"
    return cached(name, lambda: list(_judged_units(round, type_code).values_list("pk", flat=True)))


def _judged_units(round: Round, type_code: str) -> QuerySet[Item] | QuerySet[Question]:
    if round.project.protocol == FOCUS:
        answered = counted_rows(TypeAnnotation.objects.all(), round).filter(
            type_code=type_code, applicable__isnull=False
        )
        return round.items.filter(
            id__in=answered.values("assignment__item_id"), withdrawn_at__isnull=True
        ).order_by("external_id", "id")
    labelled = counted_rows(QuestionAnnotation.objects.all(), round).filter(label__isnull=False)
    return Question.objects.filter(
        id__in=labelled.values("question_id"), item__withdrawn_at__isnull=True
    ).order_by("item__external_id", "position")


def read_answers(round: Round, units: Iterable[UnitKey]) -> dict[UnitKey, list[Answer]]:
    """Return the answers that count in figures, and "cannot judge", of some units, in any order."""
    wanted = set(units)
    found: dict[UnitKey, list[Answer]] = {}
    if round.project.protocol == FOCUS:
        rows = counted_rows(TypeAnnotation.objects.all(), round).filter(
            assignment__item_id__in={item for item, _, _ in wanted},
            type_code__in={code for _, code, _ in wanted},
        )
        for row in rows.exclude(applicable__isnull=True, cannot_judge=False).select_related(
            "assignment__member"
        ):
            key = (row.assignment.item_id, row.type_code, None)
            if key in wanted:
                answer = "?" if row.applicable is None else "yes" if row.applicable else "no"
                found.setdefault(key, []).append(
                    _answer(row, answer, "", start=row.start, end=row.end, quote=row.quote or "")
                )
        return found
    labels = counted_rows(QuestionAnnotation.objects.all(), round).filter(
        question_id__in={question for _, _, question in wanted}
    )
    for said in labels.exclude(label__isnull=True, cannot_judge=False).select_related(
        "assignment__member", "reference"
    ):
        of_question = (said.assignment.item_id, "", said.question_id)
        if said.reference is None:
            answer, reference = said.label or "?", ""
        else:
            answer, reference = picked(said.reference.place), said.reference.text
        found.setdefault(of_question, []).append(_answer(said, answer, said.reason, reference=reference))
    return found


def picked(place: int) -> str:
    """Return the answer that a picked reference is, by its place in the release's file."""
    return f"{MATCHED}:{place}"


def _answer(
    row: TypeAnnotation | QuestionAnnotation,
    answer: str,
    reason: str,
    *,
    start: int | None = None,
    end: int | None = None,
    quote: str = "",
    reference: str = "",
) -> Answer:
    return Answer(
        member_id=row.assignment.member_id,
        pseudonym=row.assignment.member.pseudonym,
        answer=answer,
        reason=reason,
        start=start,
        end=end,
        quote=quote,
        comment=row.comment,
        unsure=row.unsure,
        seconds=row.active_seconds,
        incomplete=row.incomplete,
        reference=reference,
    )
