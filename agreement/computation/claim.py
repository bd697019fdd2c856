"""Who may write to a report, and for how long.

A claim is a conditional update that writes a fresh attempt token and a lease. Every later write checks the
token, so that of two workers on one report only the one that holds the claim can store anything.
"""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.db.models import F, Q
from django.utils import timezone

from agreement.models import AgreementReport, ReportPart

LEASE = timedelta(minutes=10)
PATIENCE = timedelta(minutes=1)
"""How long a report or a part may wait for a worker before the sweep sends it again."""

ATTEMPTS = 3
STOPPED = f"The worker stopped {ATTEMPTS} times before the report was done (killed, or out of memory)."

State = AgreementReport.State


class ClaimLost(Exception):
    """Another worker took the report over; this one stores nothing more."""


def claim_values() -> dict[str, Any]:
    """Return what a claim writes to a report or a part; `attempt` is the token."""
    return {
        "attempt": uuid.uuid4().hex,
        "attempts": F("attempts") + 1,
        "lease_until": timezone.now() + LEASE,
    }


def report_claim(*, report_id: int) -> str | None:
    """Claim a report that waits, that lost its worker, or all of whose parts are done.

    Return the attempt token, None if there is nothing to do. The last of its parts to be done is found here:
    whoever asks then gets the claim, once.
    """
    values = claim_values()
    unfinished = ReportPart.objects.exclude(state=ReportPart.State.DONE).values("report_id")
    claimable = (
        Q(state=State.QUEUED)
        | Q(state=State.RUNNING, lease_until__lt=timezone.now())
        | (Q(state=State.IN_PARTS) & ~Q(id__in=unfinished))
    )
    claimed = AgreementReport.objects.filter(claimable, id=report_id).update(state=State.RUNNING, **values)
    return values["attempt"] if claimed else None


def report_write(report_id: int, token: str, **values: Any) -> None:
    """Write to the claimed report and renew the lease; raise ClaimLost where the claim is another's."""
    values = {"lease_until": timezone.now() + LEASE, **values}
    held = AgreementReport.objects.filter(id=report_id, attempt=token, state=State.RUNNING)
    if not held.update(**values):
        raise ClaimLost
