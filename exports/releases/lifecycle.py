"""The life of a release: asked for, built by a worker whole or not at all, or cancelled before it is.

Every write of a worker checks its claim (core.jobs). Files go through Django's storage below a folder of the
attempt, and count only once the row is `done`.

See docs/decisions/releases.md.
"""

from __future__ import annotations

import logging
import re

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.models import Membership, Project, ProjectEvent, Round
from core.errors import Refused
from core.failure import failure_words
from core.gc import gc_relaxed
from core.jobs import ATTEMPTS, ClaimLost, Lease, requeue, sweep
from exports.documentation.card import description, licence_of
from exports.models import Release
from exports.releases.build import build_files, nothing_to_release, release_digest
from exports.releases.claim import drop_cancelled_claim, release_claim, sweep_cancelled
from exports.releases.comparison import compute_comparison
from exports.releases.storage import (
    forget_attempt,
    forget_files,
    mark_files_verified,
    scratch_folder,
    store_files,
)
from exports.selection.parameters import Parameters
from exports.selection.selection import items_chosen, items_present, read_selection

logger = logging.getLogger(__name__)

State = Release.State

_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}")


def release_request(
    *, project: Project, version: str, parameters: Parameters, by: Membership | None = None
) -> Release:
    """Ask for a release: a new row, or that of this version where its building failed or was cancelled.

    A release of this version that is done is returned where the judgements, the choices and the code are
    still those it was built from. Raises Refused where they are not, and while a worker builds it.
    """
    if not _VERSION.fullmatch(version):
        raise Refused(
            "invalid",
            gettext("“%(version)s” cannot be a version: use letters, digits, dots and hyphens, as in 1.0.")
            % {"version": version},
            errors={"version": gettext("Use letters, digits, dots and hyphens, as in 1.0.")},
        )
    selection = read_selection(project, parameters)
    existing = project.releases.filter(version=version).first()
    if existing is not None and existing.state == State.DONE:
        if release_digest(selection) == existing.digest:
            return existing
        raise _taken(
            gettext(
                "Release %(version)s exists and was built from other judgements, choices or code: "
                "give this one a new version."
            )
            % {"version": version}
        )
    if not items_chosen(selection).exists():
        raise Refused("not_ready", nothing_to_release(selection))
    values = {"parameters": parameters.to_json(), "member": by}
    try:
        with transaction.atomic():
            if existing is None:
                release = project.releases.create(version=version, **values)
            elif _waits_with_other_choices(existing, parameters, by):
                raise _asked_for(existing)
            elif requeue(project.releases.filter(pk=existing.pk), **values):
                release = project.releases.get(pk=existing.pk)
            else:
                raise _being_built(version)
            ProjectEvent.objects.create(
                project=project, member=by, action="release requested", details={"version": version}
            )
    except IntegrityError:
        raise _being_built(version) from None
    return release


def release_build(
    *, project: Project, version: str, parameters: Parameters, by: Membership | None = None
) -> Release:
    """Build a release here and now, without a worker. Raises Refused with what stands in the way."""
    release = release_request(project=project, version=version, parameters=parameters, by=by)
    if release.state == State.QUEUED:
        try:
            _run(release.pk)
        except ClaimLost:
            pass  # its row says to whom
        except OSError as error:
            raise Refused("not_written", failure_words(error)) from error
        release.refresh_from_db()
    if release.state == State.CANCELLED:
        raise Refused(
            "not_ready",
            gettext("Release %(version)s was cancelled before it was built.") % {"version": version},
        )
    if release.state != State.DONE:
        raise _being_built(version)
    return release


def release_run(*, release_id: int) -> bool:
    """Build a waiting release if it can be claimed. Return whether it was built by this call."""
    try:
        return _run(release_id)
    except ClaimLost:
        logger.warning("release %s was cancelled or taken over by another worker", release_id)
    except Exception:
        # No traceback: its message could quote a judgement.
        error = Release.objects.filter(pk=release_id).values_list("error", flat=True).first()
        logger.warning("release %s failed: %s", release_id, error)
    return False


def release_sweep() -> list[int]:
    """Return the releases to send to a worker again; give up on those whose worker died ATTEMPTS times."""
    stopped = gettext(
        "The worker stopped %(attempts)s times before the release was built (killed, or out of memory)."
    ) % {"attempts": ATTEMPTS}
    swept = sweep(Release.objects.all(), stopped=stopped)
    for release_id, token in swept.given_up:
        forget_attempt(release_id, token)
    sweep_cancelled()
    return swept.again


def _waits_with_other_choices(waiting: Release, parameters: Parameters, by: Membership | None) -> bool:
    """Return whether somebody else waits for this version to be built in another way."""
    if waiting.state != State.QUEUED or waiting.member_id == (by.pk if by is not None else None):
        return False
    return bool(waiting.parameters != parameters.to_json())


def _asked_for(waiting: Release) -> Refused:
    name = waiting.member.pseudonym if waiting.member is not None else gettext("the command line")
    return _taken(
        gettext(
            "Release %(version)s was asked for by %(name)s with other choices and waits for a worker: give "
            "this one another version, or wait until it is built."
        )
        % {"version": waiting.version, "name": name}
    )


def _being_built(version: str) -> Refused:
    return _taken(
        gettext("Release %(version)s is being built already: wait until it is done.") % {"version": version}
    )


def _taken(message: str) -> Refused:
    return Refused("taken", message, errors={"version": message})


@gc_relaxed()
def _run(release_id: int) -> bool:
    lease = release_claim(release_id)
    if lease is None:
        return False
    try:
        with lease.kept():
            release = _build(release_id, lease)
    except ClaimLost:
        _give_up(release_id, lease)
        raise
    except Exception as error:
        failed = lease.fail(failure_words(error))
        _give_up(release_id, lease)
        if not failed:
            # Whoever has the release now deletes the files of this attempt, which is an error here.
            raise ClaimLost from error
        raise
    try:
        mark_files_verified(release.files)
        compute_comparison(release)
    except Exception as error:
        # The release is built; the pages ask for the comparison again.
        name = type(error).__name__
        logger.warning("release %s is not compared with the one before it (%s)", release_id, name)
    return True


def _give_up(release_id: int, lease: Lease) -> None:
    """Delete what this attempt stored; what it wrote beside the storage is gone by now."""
    forget_files(release_id, lease.token)
    drop_cancelled_claim(release_id, lease.token)


def _build(release_id: int, lease: Lease) -> Release:
    release = Release.objects.select_related("project").get(pk=release_id)
    _refuse_if_reopened(release)
    selection = read_selection(release.project, Parameters.from_json(release.parameters))
    with scratch_folder(lease.token) as folder:
        built = build_files(selection, release.version, folder, lease.progress)
        files = store_files(release_id, lease.token, folder, built, stored=lease.renew)
    with transaction.atomic():
        lease.finish(
            built_at=timezone.now(),
            digest=built.inside.digest,
            counts={
                **built.inside.counts,
                "items_left_out": items_present(release.project).count() - built.counts["items"],
                "labels": built.inside.labels,
                "splits": built.splits,
            },
            public={"digest": built.digest, "counts": built.counts},
            card=built.card,
            name=selection.project.name,
            licence=licence_of(selection),
            description=description(selection),
            files=files,
        )
        ProjectEvent.objects.create(
            project=release.project,
            member=release.member,
            action="release built",
            details={"version": release.version, "digest": built.inside.digest},
        )
    release.refresh_from_db()
    return release


def _refuse_if_reopened(release: Release) -> None:
    """Refuse to pool less than was asked for: every closed round means those that were closed by then."""
    asked = release.project.events.filter(
        action="release requested", details__version=release.version
    ).first()
    if release.parameters.get("rounds") is not None or asked is None:
        return
    reopened = release.project.rounds.filter(status=Round.Status.OPEN, reopened_at__gt=asked.created_at)
    names = list(
        reopened.filter(matching=False).exclude(purpose=Round.Purpose.TRAINING).values_list("name", flat=True)
    )
    if names:
        raise Refused(
            "not_ready",
            gettext(
                "%(names)s was reopened after this release was asked for: close it again, or ask again for a "
                "release without it."
            )
            % {"names": ", ".join(names)},
        )
