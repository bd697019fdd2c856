"""What a release's pages show of the release before it."""

import logging
from typing import Any

from django.http import HttpRequest

from exports.changes import changes_between, release_before, withdrawn_among
from exports.models import Release
from frontend.pages.common import page_of

logger = logging.getLogger(__name__)

IDS_SHOWN = 200
PAGE_SIZE = 50


def changes_context(request: HttpRequest, release: Release, *, public: bool) -> dict[str, Any]:
    """Return what `_release_changes.html` needs, nothing where there is no release to compare with.

    In public only public releases are compared: nothing of one that is not may be seen through another.
    """
    before = release_before(release, public=public)
    if before is None:
        return {}
    try:
        changes = changes_between(before, release)
    except OSError as error:
        logger.warning("release %s cannot be compared (%s)", release.pk, type(error).__name__)
        return {"before": before}
    return {
        "before": before,
        "changes": changes,
        "added": changes.added[:IDS_SHOWN],
        "removed": changes.removed[:IDS_SHOWN],
        "withdrawn": withdrawn_among(release, changes.removed),
        "page": page_of(request, changes.changes, PAGE_SIZE),
    }
