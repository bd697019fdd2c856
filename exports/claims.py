"""Who may write to a release, and for how long.

A claim is a conditional update that writes a fresh attempt token and a lease. Every later write checks the
token, so that of two workers on one release, or of a worker and a lead who cancels, only one has its way.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from agreement.claims import LEASE, claim_values
from exports.attempts import attempt_forget
from exports.models import Release
from exports.records import BATCH

ITEMS_LEASE = timedelta(minutes=2)
"""While items are written, each batch of them in seconds (docs/scale.md): most of the time of a release."""

PATIENCE = timedelta(minutes=1)
"""How long a release may wait for a worker before the sweep sends it again."""

ATTEMPTS = 3

State = Release.State


class ClaimLost(Exception):
    """The release was cancelled, or another worker took it over; this one stores nothing more."""


def release_claim(release_id: int) -> str | None:
    """Claim a release that waits or lost its worker; return the attempt token, None if there is none."""
    values = claim_values()
    before = Release.objects.filter(pk=release_id).values_list("attempt", flat=True).first()
    claimable = Q(state=State.QUEUED) | Q(state=State.RUNNING, lease_until__lt=timezone.now())
    claimed = Release.objects.filter(claimable, pk=release_id).update(
        state=State.RUNNING, progress_done=0, progress_total=0, **values
    )
    if claimed and before:
        attempt_forget(release_id, before)
    return values["attempt"] if claimed else None


def release_hold(release_id: int, token: str, **values: Any) -> None:
    """Write to the claimed row and renew the lease; raise ClaimLost where the claim is another's."""
    lease = _lease(values.get("progress_done", 0), values.get("progress_total", 0))
    values = {"lease_until": timezone.now() + lease, **values}
    if not Release.objects.filter(pk=release_id, attempt=token, state=State.RUNNING).update(**values):
        raise ClaimLost


def silent_minutes(release: Release) -> int:
    """Return for how many whole minutes nothing was heard of the worker that builds a release."""
    if release.state != State.RUNNING or release.lease_until is None:
        return 0
    heard = release.lease_until - _lease(release.progress_done, release.progress_total)
    return max(timedelta(), timezone.now() - heard) // timedelta(minutes=1)


def _lease(done: int, total: int) -> timedelta:
    """Return for how long a worker may be silent that has written so many of the items.

    The long one is for what takes how long nobody can say: tables of a large round, a slow storage.
    """
    # The next sign of life is a batch of items away only while a whole batch is left.
    return ITEMS_LEASE if done > 0 and done + BATCH <= total else LEASE
