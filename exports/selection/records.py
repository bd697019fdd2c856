"""Stored judgements, their consensus and the resolutions, as one record an item: read in batches, then pure.

Items come in the order they were imported. Whatever decides about bytes is sorted here and not in the
database, whose collations differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.models import (
    Resolution,
)
from exports.selection.asked_types import asked_types, read_asked
from exports.selection.decisions import (
    UNJUDGED,
    FinalLabel,
    FinalType,
    Judgement,
    Resolved,
    final_label,
    final_type,
    latest,
)
from exports.selection.refined_questions import Refined, SpanKey, read_refinements, refined_of
from exports.selection.rows import ItemRow, QuestionRow, read_judgements, read_questions, read_resolutions
from exports.selection.selection import Selection, items_chosen

BATCH = 1000
"""Items in memory at a time, with everything that hangs on them."""


@dataclass(slots=True)
class ItemRecord:
    """One item with all that the chosen rounds say about it.

    `judgements` are all that were made, `counted` marks the latest of each annotator by its place among them.
    `types` are those that it was asked, in the order of the codebook: none for another it was not asked.
    `refined` are the reworded questions of its gold spans, where the release takes them in. `outvoted` counts
    the published labels that do not stand because somebody voted.
    """

    item: ItemRow
    questions: list[QuestionRow] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)
    counted: list[bool] = field(default_factory=list)
    resolutions: dict[str | int, Resolved] = field(default_factory=dict)
    types: dict[str, FinalType] = field(default_factory=dict)
    answers: dict[int, FinalLabel] = field(default_factory=dict)
    refined: dict[SpanKey, Refined] = field(default_factory=dict)
    outvoted: int = 0


def read_records(selection: Selection) -> Iterator[ItemRecord]:
    """Yield the record of every item of the release in import order, a batch in memory at a time."""
    items = items_chosen(selection).order_by("pk").values_list(*ItemRow._fields)
    last = 0
    while batch := [ItemRow(*row) for row in items.filter(pk__gt=last)[:BATCH]]:
        last = batch[-1].pk
        yield from _batch_records(selection, batch)


def records_of(selection: Selection, keys: Sequence[int]) -> Iterator[ItemRecord]:
    """Yield the records of these items of the release, by their keys, in import order."""
    rows = items_chosen(selection).filter(pk__in=keys).order_by("pk").values_list(*ItemRow._fields)
    if batch := [ItemRow(*row) for row in rows]:
        yield from _batch_records(selection, batch)


def _batch_records(selection: Selection, batch: list[ItemRow]) -> Iterator[ItemRecord]:
    records = {item.pk: ItemRecord(item) for item in batch}
    within = batch[0].pk, batch[-1].pk
    if not selection.typology:
        for question in read_questions(selection, within):
            if question.item in records:
                records[question.item].questions.append(question)
    for resolved in read_resolutions(selection, within):
        if resolved.item in records:
            records[resolved.item].resolutions[resolved.unit] = resolved
    for judgement in read_judgements(selection, within):
        if judgement.item in records:
            records[judgement.item].judgements.append(judgement)
    unit_order: dict[str | int, int] = {
        kind.code: place for place, kind in enumerate(selection.codebook.types)
    }
    numbers = {row.pk: row.number for row in selection.rounds}
    asked = read_asked(selection, within) if selection.asks_some else {}
    refined = read_refinements(selection.project, within) if selection.parameters.refined_questions else {}
    for record in records.values():
        if not selection.typology:
            record.questions.sort(key=lambda question: question.position)
            unit_order = {question.pk: place for place, question in enumerate(record.questions)}
        _sort_judgements(record, unit_order, numbers)
        _decide(record, selection, numbers, asked.get(record.item.pk))
        if stored := refined.get(record.item.pk):
            record.refined = refined_of(record.item.text, selection.codebook.types, record.types, stored)
        yield record


def _sort_judgements(record: ItemRecord, unit_order: dict[Any, int], numbers: dict[int, int]) -> None:
    last = len(unit_order)
    record.judgements.sort(
        key=lambda row: (
            unit_order.get(row.unit, last),
            str(row.unit) if row.unit not in unit_order else "",
            numbers[row.round],
            row.annotator,
        )
    )


def _decide(
    record: ItemRecord, selection: Selection, numbers: dict[int, int], asked: set[str] | None
) -> None:
    parameters = selection.parameters
    record.counted = latest(record.judgements, numbers)
    voting: dict[str | int, list[Judgement]] = defaultdict(list)
    for judgement, counted in zip(record.judgements, record.counted, strict=True):
        if counted and judgement.answer is not None:
            voting[judgement.unit].append(judgement)
    if parameters.published_labels == "votes":
        for unit in voting.keys() & record.resolutions.keys():
            if record.resolutions[unit].source == Resolution.Source.IMPORTED:
                del record.resolutions[unit]
                record.outvoted += 1
    only = parameters.adjudicated_only
    answered = voting.keys() | record.resolutions.keys()
    record.types = dict.fromkeys(asked_types(selection, asked, answered), UNJUDGED)
    for code in record.types.keys() & answered:
        record.types[code] = final_type(
            record.item.text,
            voting.get(code, ()),
            record.resolutions.get(code),
            jaccard=parameters.jaccard,
            adjudicated_only=only,
        )
    for question in record.questions:
        record.answers[question.pk] = final_label(
            voting.get(question.pk, ()), record.resolutions.get(question.pk), adjudicated_only=only
        )
