"""Who may write to a release, and for how long.

A claim is a conditional update that writes a fresh attempt token and a lease. Every later write checks the
token, so that of two workers on one release, or of a worker and a lead who cancels, only one has its way.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from agreement.computation.claim import LEASE, claim_values
from annotation.models import Membership, ProjectEvent
from core.errors import Refused
from exports.models import Release
from exports.releases.storage import attempt_forget
from exports.selection.records import BATCH

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


WORKING = (State.QUEUED, State.RUNNING)

_ACTION = "release cancelled"


def release_cancel(*, release: Release, by: Membership | None) -> None:
    """Stop a release that waits or is being built; its version can be asked for again at once.

    Raises Refused where nobody builds it, because it is done by now for instance.
    """
    with transaction.atomic():
        stopped = Release.objects.filter(pk=release.pk, state__in=WORKING).update(state=State.CANCELLED)
        if not stopped:
            raise Refused(
                "not_ready",
                gettext("Release %(version)s is not being built any more, so it cannot be cancelled.")
                % {"version": release.version},
            )
        ProjectEvent.objects.create(
            project=release.project, member=by, action=_ACTION, details={"version": release.version}
        )
    release.refresh_from_db()


def release_cancellation(release: Release) -> ProjectEvent | None:
    """Return what the log says of the last time that a release was cancelled."""
    events = release.project.events.select_related("member")
    return events.filter(action=_ACTION, details__version=release.version).first()


def attempt_let_go(release_id: int, token: str) -> None:
    """Take a worker's token off a cancelled release: nothing is left of this attempt."""
    left = Release.objects.filter(pk=release_id, attempt=token, state=State.CANCELLED)
    left.update(attempt="", lease_until=None)


def cancelled_sweep() -> None:
    """Delete what workers left that died before they noticed that their release was cancelled."""
    lost = Release.objects.filter(state=State.CANCELLED, lease_until__lt=timezone.now())
    for release_id, token in list(lost.values_list("id", "attempt")):
        attempt_forget(release_id, token)
        attempt_let_go(release_id, token)
