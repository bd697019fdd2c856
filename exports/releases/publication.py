"""Who may see a release without logging in: nobody, until a lead says so."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from annotation.models import Membership, ProjectEvent
from core.errors import NotFound, Refused
from exports.disclosure.disclosure import keeps_back
from exports.documentation.contents import StoredFile
from exports.models import Release
from exports.releases.storage import refuse_taken_down

DATA_ALONE = ("data/", "focus", "cqs_gen", "schemas/", "scripts/")
"""How the files of a release begin that say nothing of anything kept back, whenever it was built."""


def release_publish(*, release: Release, by: Membership) -> None:
    """Make a release's page and its files public. Raises Refused where it is not built, or has no files."""
    refuse_taken_down(release)
    if not _switch(release, public=True, by=by) and release.state != Release.State.DONE:
        raise Refused(
            "not_ready",
            gettext("Release %(version)s is not built, so it cannot be made public.")
            % {"version": release.version},
        )


def release_unpublish(*, release: Release, by: Membership) -> None:
    """Close the public page of a release again. What somebody has downloaded stays with them."""
    _switch(release, public=False, by=by)


def public_releases() -> QuerySet[Release]:
    """Return the releases of all projects that anybody may see."""
    return Release.objects.filter(is_public=True, state=Release.State.DONE)


def public_releases_newest() -> list[Release]:
    """Return the newest public release of each project that is not archived, by the project's name."""
    newest: dict[int, Release] = {}
    rows = public_releases().filter(project__archived_at__isnull=True).select_related("project")
    for release in rows.defer("card", "files").order_by("project__name", "-built_at", "-id"):
        newest.setdefault(release.project_id, release)
    return list(newest.values())


def public_release_or_404(slug: str, version: str) -> Release:
    """Return a release that a lead made public. Raises NotFound for any other, whether it exists or not."""
    found = public_releases().select_related("project").filter(project__slug=slug, version=version).first()
    if found is None:
        raise NotFound(gettext("There is no public release at this address."))
    return found


def public_release_newer(release: Release) -> Release | None:
    """Return the newest public release of the project that was built after this one."""
    public = public_releases().filter(project=release.project)
    return public.filter(built_at__gt=release.built_at).order_by("-built_at", "-id").first()


def public_files(release: Release) -> list[StoredFile]:
    """Return the files that anybody may have: all but those that hold what is kept back."""
    files: list[StoredFile] = [file for file in release.files if not file["internal"]]
    if not tells_too_much(release):
        return files
    return [file for file in files if file["name"].startswith(DATA_ALONE)]


def public_facts(release: Release) -> tuple[str, dict[str, Any]]:
    """Return the digest and the counts that anybody may see; none where these were not told apart."""
    if release.public:
        return release.public["digest"], release.public["counts"]
    return ("", {}) if tells_too_much(release) else (release.digest, release.counts)


def tells_too_much(release: Release) -> bool:
    """Return whether a release older than `exports.disclosure.disclosure` keeps something back that its files
    give away.

    Counts, agreement tables and digest of such a release are of withheld items too, and tables of a release
    without texts may have texts in them.
    """
    return not release.public and keeps_back(release.parameters)


def _switch(release: Release, *, public: bool, by: Membership) -> bool:
    """Switch the page on or off and log it; return whether it was the other way before."""
    with transaction.atomic():
        switched = Release.objects.filter(
            pk=release.pk, state=Release.State.DONE, is_public=not public
        ).update(is_public=public)
        if switched:
            ProjectEvent.objects.create(
                project=release.project,
                member=by,
                action="release made public" if public else "release closed to the public",
                details={"version": release.version},
            )
    release.refresh_from_db()
    return bool(switched)
