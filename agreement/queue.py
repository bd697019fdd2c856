"""The disputed units of a report, most disputed first, and the answers behind them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import Count, QuerySet

from agreement.answers import Answer, answers_read
from agreement.judgements import natural_key
from agreement.models import AgreementReport, ConsensusSpan, DisputedUnit
from annotation.models import Item, Question


@dataclass(frozen=True, slots=True)
class UnitView:
    """A disputed unit with every annotator's answer and the spans that the report made of them."""

    unit: DisputedUnit
    answers: list[Answer]
    spans: list[ConsensusSpan]


@dataclass(frozen=True, slots=True)
class DisputedKind:
    """Disputed units of a report that are alike: type ("" for questions), votes, what is open; how many."""

    type_code: str
    votes: list[list[Any]]
    why: str
    n: int


def disputed_kinds(report: AgreementReport) -> list[DisputedKind]:
    """Return how many disputed units of each kind a finished report has."""
    # What a finished report found never changes, and the digest names all that it was computed from.
    key = f"disputed-kinds:{report.pk}:{report.digest}"
    kinds: list[DisputedKind] | None = cache.get(key)
    if kinds is None:
        rows = report.disputed_units.order_by().values_list("type_code", "votes", "why")
        kinds = [DisputedKind(*row) for row in rows.annotate(n=Count("*"))]
        cache.set(key, kinds)
    return kinds


def disputed_units(
    report: AgreementReport, *, types: Iterable[str] = (), why: str = "", only_queue: bool = False
) -> QuerySet[DisputedUnit]:
    """Return the disputed units of a report, of some types, waiting for one reason, or all that wait."""
    units = report.disputed_units.select_related("item", "question")
    types = list(types)
    if types:
        units = units.filter(type_code__in=types)
    if why:
        units = units.filter(why=why)
    elif only_queue:
        units = units.exclude(why="")
    return units


def units_of(
    report: AgreementReport, judged: Iterable[Item | Question], type_code: str = ""
) -> list[DisputedUnit]:
    """Return the units of judged items or questions: stored rows where disputed, else unsaved ones."""
    judged = list(judged)
    keys = [found.pk for found in judged]
    stored: dict[int | None, DisputedUnit]
    rows = report.disputed_units.select_related("item", "question")
    if type_code:
        stored = {row.item_id: row for row in rows.filter(type_code=type_code, item__in=keys)}
    else:
        stored = {row.question_id: row for row in rows.filter(question__in=keys)}
    return [
        stored.get(found.pk)
        or DisputedUnit(
            report=report,
            item=found if isinstance(found, Item) else found.item,
            question=None if isinstance(found, Item) else found,
            type_code=type_code,
            votes=[],
        )
        for found in judged
    ]


def units_view(report: AgreementReport, units: Iterable[DisputedUnit]) -> list[UnitView]:
    """Return the units of one page with their answers; three queries, however many units."""
    units = list(units)
    answers = answers_read(report.round, [(unit.item_id, unit.type_code, unit.question_id) for unit in units])
    spans: dict[tuple[int, str], list[ConsensusSpan]] = {}
    for span in report.consensus_spans.filter(item_id__in={unit.item_id for unit in units}):
        spans.setdefault((span.item_id, span.type_code), []).append(span)
    return [
        UnitView(
            unit=unit,
            answers=sorted(
                answers.get((unit.item_id, unit.type_code, unit.question_id), []),
                key=lambda answer: natural_key(answer.pseudonym),
            ),
            spans=spans.get((unit.item_id, unit.type_code), []),
        )
        for unit in units
    ]


def unit_json(unit: DisputedUnit) -> dict[str, Any]:
    """Return what the API tells of a disputed unit."""
    return {
        "item": unit.item.external_id,
        "type": unit.type_code or None,
        "question": unit.question_id,
        "question_text": unit.question.text if unit.question else None,
        "why": unit.why,
        "disputed": unit.disputed,
        "votes": [{"answer": answer, "n": number} for answer, number in unit.votes],
    }
