"""The adjudication queue of a report: what waits, what is decided, and whose turn is which unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, QuerySet

from agreement.models import AgreementReport, DisputedUnit
from agreement.queue import disputed_kinds
from annotation.access import readable
from annotation.adjudicating import (
    claims_of_others,
    rulings_current,
    unit_claim,
    unit_release,
    with_state,
)
from annotation.errors import Refused
from annotation.models import Membership, Protocol
from annotation.recording import Unit
from annotation.remembering import remembered

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
    # Counted from the rulings, which are few, and not by asking every unit for its own. A ruling never holds
    # again once another took its place, so that the newest one and their number tell any change.
    rulings = rulings_current(report.round.project)
    told = rulings.aggregate(last=Max("id"), n=Count("id"))
    name = f"queue-decided:{report.pk}:{report.digest}:{told['last']}:{told['n']}"
    return remembered(name, lambda: _in_queue(report, rulings).count())


def _in_queue(report: AgreementReport, rows: QuerySet) -> QuerySet:
    """Return the rulings or claims that are about a unit of the queue."""
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
