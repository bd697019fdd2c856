"""The disputed units of a report, most disputed first, and the answers behind them.

See docs/decisions/agreement.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db.models import Count, Exists, Max, Model, OuterRef, QuerySet

from agreement.adjudication.answers import Answer, read_answers
from agreement.models import AgreementReport, ConsensusSpan, DisputedUnit
from agreement.report.judgements import natural_key
from annotation.access import readable
from annotation.adjudication.adjudication import (
    claims_of_others,
    resolutions_current,
    unit_claim,
    unit_release,
    with_state,
)
from annotation.judging.recording import Unit
from annotation.models import Item, Membership, Protocol, Question
from core.cache import cached
from core.errors import Refused


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

    def count() -> list[DisputedKind]:
        rows = report.disputed_units.order_by().values_list("type_code", "votes", "why")
        return [DisputedKind(*row) for row in rows.annotate(n=Count("*"))]

    # What a finished report found never changes, and the digest names all that it was computed from.
    return cached(f"disputed-kinds:{report.pk}:{report.digest}", count)


def disputed_units(
    report: AgreementReport,
    *,
    member: Membership,
    types: Iterable[str] = (),
    why: str = "",
    only_queue: bool = False,
) -> QuerySet[DisputedUnit]:
    """Return the disputed units that a member may read, of some types, waiting for one reason, or all."""
    units = readable(report.disputed_units.select_related("item", "question"), member)
    types = list(types)
    if types:
        units = units.filter(type_code__in=types)
    if why:
        units = units.filter(why=why)
    elif only_queue:
        units = units.exclude(why="")
    return units


def units_of(report: AgreementReport, keys: Sequence[int], type_code: str = "") -> list[DisputedUnit]:
    """Return the units of judged items or questions, by their ids: stored where disputed, else unsaved."""
    rows = report.disputed_units.select_related("item", "question")
    units: dict[int, DisputedUnit] = {}
    if type_code:
        for item in Item.objects.filter(pk__in=keys):
            units[item.pk] = DisputedUnit(report=report, item=item, type_code=type_code, votes=[])
        stored = rows.filter(type_code=type_code, item__in=keys, question__isnull=True)
        units.update({row.item_id: row for row in stored})
    else:
        for question in Question.objects.filter(pk__in=keys).select_related("item"):
            units[question.pk] = DisputedUnit(report=report, item=question.item, question=question, votes=[])
        units.update({row.question_id or 0: row for row in rows.filter(question__in=keys)})
    return [units[key] for key in keys if key in units]


def units_view(report: AgreementReport, units: Iterable[DisputedUnit]) -> list[UnitView]:
    """Return the units of one page with their answers; three queries, however many units."""
    units = list(units)
    answers = read_answers(report.round, [(unit.item_id, unit.type_code, unit.question_id) for unit in units])
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


AT_ONCE = 20
"""Units looked at in one query; other leads may take some of them meanwhile."""


@dataclass(frozen=True, slots=True)
class QueueProgress:
    """How far the queue is: units that have to be decided, decided ones, and those other leads have now."""

    total: int
    decided: int
    taken: int

    @property
    def left(self) -> int:
        return self.total - self.decided


def queue_units(report: AgreementReport, member: Membership) -> QuerySet[Any]:
    """Return what has to be decided and a member may read, most disputed first, with `decided`, `taken`."""
    return with_state(readable(report.disputed_units.exclude(why=""), member), member)


def queue_progress(report: AgreementReport, member: Membership) -> QueueProgress:
    """Return how far the queue of a report is."""
    return QueueProgress(
        total=_total(report),
        decided=_decided(report),
        taken=_in_queue(report, claims_of_others(member)).count(),
    )


def queue_left(report: AgreementReport) -> int:
    """Return how many units of the queue of a report wait for a decision."""
    total = _total(report)
    return total and total - _decided(report)


def _total(report: AgreementReport) -> int:
    return sum(kind.n for kind in disputed_kinds(report) if kind.why)


def _decided(report: AgreementReport) -> int:
    # Counted from the resolutions, which are few, not by asking every unit for its own. None holds again once
    # another took its place, so that the newest one and their number tell any change.
    resolutions = resolutions_current(report.round.project)
    told = resolutions.aggregate(last=Max("id"), n=Count("id"))
    name = f"queue-decided:{report.pk}:{report.digest}:{told['last']}:{told['n']}"
    return cached(name, lambda: _in_queue(report, resolutions).count())


AboutUnit = TypeVar("AboutUnit", bound=Model)


def _in_queue(report: AgreementReport, rows: QuerySet[AboutUnit]) -> QuerySet[AboutUnit]:
    """Return the resolutions or claims that are about a unit of the queue."""
    queue = report.disputed_units.exclude(why="").filter(item=OuterRef("item"))
    if report.round.project.protocol == Protocol.CQS_GEN:
        return rows.filter(Exists(queue.filter(question=OuterRef("question"))))
    return rows.filter(Exists(queue.filter(type_code=OuterRef("type_code"), question__isnull=True)))


def queue_claim_next(
    report: AgreementReport, member: Membership, *, types: tuple[str, ...] = ()
) -> DisputedUnit | None:
    """Claim the most disputed unit that is neither decided nor taken; None when nothing is left to take."""
    waiting = queue_units(report, member).filter(decided=False, taken=False).select_related("item")
    if types:
        waiting = waiting.filter(type_code__in=types)
    # What others take or decide between our look and our claim is gone from the next look.
    while candidates := list(waiting[:AT_ONCE]):
        found: DisputedUnit
        for found in candidates:
            unit = Unit(found.type_code, found.question_id)
            try:
                unit_claim(item=found.item, unit=unit, member=member)
            except Refused:
                continue
            if waiting.filter(pk=found.pk).exists():
                return found
            unit_release(item=found.item, unit=unit, member=member)
    return None
