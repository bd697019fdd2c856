"""Claiming and cancelling a release, and what a worker leaves behind that lost it."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.models import Membership, ProjectEvent
from core.errors import Refused
from core.jobs import Lease, cancel
from exports.models import Release
from exports.releases.storage import forget_attempt


def release_claim(release_id: int) -> Lease | None:
    """Claim a release that waits or lost its worker; None if there is none."""
    rows = Release.objects.filter(pk=release_id)
    before = rows.values_list("lease_token", flat=True).first()
    lease = Lease.claim(rows, progress_done=0, progress_total=0)
    if lease is not None and before:
        forget_attempt(release_id, before)
    return lease


_ACTION = "release cancelled"


def release_cancel(*, release: Release, by: Membership | None) -> None:
    """Stop a release that waits or is being built; its version can be asked for again at once.

    Raises Refused where nobody builds it, because it is done by now for instance.
    """
    with transaction.atomic():
        if not cancel(Release.objects.filter(pk=release.pk)):
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


def drop_cancelled_claim(release_id: int, token: str) -> None:
    """Take a worker's token off a cancelled release: nothing is left of this attempt."""
    left = Release.objects.filter(pk=release_id, lease_token=token, state=Release.State.CANCELLED)
    left.update(lease_token="", lease_until=None)


def sweep_cancelled() -> None:
    """Delete what workers left that died before they noticed that their release was cancelled."""
    lost = Release.objects.filter(state=Release.State.CANCELLED, lease_until__lt=timezone.now())
    for release_id, token in list(lost.values_list("id", "lease_token")):
        forget_attempt(release_id, token)
        drop_cancelled_claim(release_id, token)
