"""A release that waits or is being built is cancelled: its worker notices, and nothing is left of it.

The row keeps the token and the lease of a worker that is at it until what this one wrote is deleted: by
itself, as soon as it notices, or by the sweep once its lease is over.
"""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.errors import Refused
from annotation.models import Membership, ProjectEvent
from exports.attempts import attempt_forget
from exports.models import Release

State = Release.State
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
