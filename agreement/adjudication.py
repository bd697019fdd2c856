"""The adjudication queue of a report: what waits, what is decided, and whose turn is which unit."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from agreement.models import AgreementReport, DisputedUnit
from annotation.adjudicating import unit_claim, unit_release, with_state
from annotation.errors import Refused
from annotation.models import Membership
from annotation.recording import Unit

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


def queue_units(report: AgreementReport, member: Membership) -> QuerySet[DisputedUnit]:
    """Return the units that have to be decided, most disputed first, with `decided` and `taken`."""
    return with_state(report.disputed_units.exclude(why=""), member)


def queue_progress(report: AgreementReport, member: Membership) -> QueueProgress:
    """Return how far the queue of a report is."""
    counts = queue_units(report, member).aggregate(
        total=Count("id"),
        done=Count("id", filter=Q(decided=True)),
        held=Count("id", filter=Q(decided=False, taken=True)),
    )
    return QueueProgress(counts["total"], counts["done"], counts["held"])


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
