"""The stored rows that a release is made from: tuples, streamed a range of items at a time.

Rows come in the order of the database, which says nothing: whoever decides about bytes sorts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import Q

from agreement.report.judgements import natural_key
from annotation.models import (
    Assignment,
    Import,
    Project,
    Question,
    QuestionAnnotation,
    Resolution,
    TypeAnnotation,
)
from exports.selection.decisions import Judgement, Resolved

if TYPE_CHECKING:
    from exports.selection.selection import Selection


BROUGHT_WHOLE = Q(brought_by=None) | Q(brought_by__state=Import.State.DONE)
"""Resolutions of an import at work are stored already, and count once it has ended."""


class ItemRow(NamedTuple):
    """An item as it is stored."""

    pk: int
    external_id: str
    text: str
    source: str
    licence: str
    topic: str
    split: str
    metadata: dict[str, Any]


class QuestionRow(NamedTuple):
    """A question as it is stored; `external_id` is a text, a number or None."""

    item: int
    pk: int
    position: int
    external_id: Any
    text: str
    origin: str


def read_questions(selection: Selection, within: tuple[int, int]) -> Iterator[QuestionRow]:
    """Yield the questions of the items whose keys lie within a range, both ends in."""
    rows = Question.objects.filter(
        item__project=selection.project,
        item__id__range=within,
        brought_by__state=Import.State.DONE,
        candidate=False,
    )
    for row in rows.order_by().values_list("item_id", "pk", "position", "external_id", "text", "origin"):
        yield QuestionRow(*row)


def read_origins(selection: Selection) -> list[str]:
    """Return who the project's questions come from, sorted; nobody is none."""
    rows = Question.objects.filter(
        item__project=selection.project, brought_by__state=Import.State.DONE, candidate=False
    ).exclude(origin="")
    found = rows.order_by().values_list("origin", flat=True).distinct()
    return sorted({origin for text in found for origin in origins_of(text)})


def origins_of(origin: str) -> list[str]:
    """Return who a question comes from, one a line: several where systems asked it in the same words."""
    return [one for one in origin.split("\n") if one]


def read_annotators(selection: Selection, wanted: Callable[[int], bool] | None = None) -> list[int]:
    """Return who was given an item in the chosen rounds, `wanted` ones alone, in the order of pseudonyms.

    To be given an item says nothing of what was answered, which a release may withhold.
    """
    given = Assignment.objects.filter(
        round__in=[row.pk for row in selection.rounds], member__left_out_at__isnull=True, repeat=False
    ).order_by()
    if wanted is None:
        found = set(given.values_list("member_id", flat=True).distinct())
    else:
        pairs = given.values_list("member_id", "item_id").iterator(chunk_size=10_000)
        found = {member for member, item in pairs if wanted(item)}
    return sorted(found, key=lambda member: natural_key(selection.members[member]))


def has_published_labels(project: Project) -> bool:
    """Return whether labels came with a file of this project."""
    published = Resolution.objects.filter(
        BROUGHT_WHOLE, item__project=project, source=Resolution.Source.IMPORTED, superseded_at=None
    )
    return published.exists()


def read_resolutions(selection: Selection, within: tuple[int, int]) -> Iterator[Resolved]:
    """Yield the current resolutions of the items within a range of keys."""
    rows = Resolution.objects.filter(
        BROUGHT_WHOLE,
        item__project=selection.project,
        item__id__range=within,
        superseded_at=None,
    ).exclude(question__candidate=True)
    for item, type_code, question, applicable, label, spans, *rest in rows.order_by().values_list(
        "item_id",
        "type_code",
        "question_id",
        "applicable",
        "label",
        "spans",
        "reason",
        "edited_question",
        "source",
    ):
        unit, answer = (type_code, applicable) if question is None else (question, label)
        yield Resolved(item, unit, answer, spans, *rest)


def read_judgements(selection: Selection, within: tuple[int, int]) -> Iterator[Judgement]:
    """Yield the judgements of the chosen rounds about the items within a range of keys."""
    model = TypeAnnotation if selection.typology else QuestionAnnotation
    unit, answer = ("type_code", "applicable") if selection.typology else ("question_id", "label")
    own = ("start", "end", "quote") if selection.typology else ("reason", "edited_question")
    rows = (
        model.objects.filter(
            assignment__round__in=[row.pk for row in selection.rounds],
            assignment__item__id__range=within,
            assignment__member__left_out_at__isnull=True,
            assignment__repeat=False,
        )
        .exclude(**{answer: None}, cannot_judge=False)
        .order_by()
        .values_list(
            "assignment__item_id",
            unit,
            "assignment__round_id",
            "assignment__member_id",
            answer,
            "cannot_judge",
            "comment",
            "unsure",
            "active_seconds",
            "after_reopening",
            "decided_at",
            *own,
            "incomplete",
        )
    )
    if selection.typology:
        for row in rows:
            yield Judgement._make((*row[:-1], "", "", row[-1]))
    else:
        for row in rows:
            yield Judgement._make((*row[:11], None, None, None, *row[11:]))
