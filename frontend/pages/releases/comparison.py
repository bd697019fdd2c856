"""What a release's pages show of the release before it."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext

from annotation.access import judging_now
from annotation.models import Membership
from exports.models import Release
from exports.releases.comparison import (
    NOTHING,
    choice_words,
    comparable,
    read_stored_changes,
    release_before,
    withdrawn_among,
)
from exports.selection.parameters import CREDITS
from exports.tasks import comparison_start
from frontend.forms.releases import SPLITS
from frontend.pages.common import page_of

IDS_SHOWN = 200
PAGE_SIZE = 50


def choices_of(release: Release) -> list[tuple[str, str]]:
    """Return what was chosen for a release, without what only the data card says of its makers."""
    chosen = {
        **release.parameters,
        "rounds": release.parameters.get("rounds") or gettext("every closed round"),
    }
    chosen["split_by"] = dict(SPLITS).get(chosen.get("split_by", ""), "")
    told = [(name, value) for name, value in chosen.items() if name not in CREDITS]
    return [(name.replace("_", " "), choice_words(value) or NOTHING) for name, value in told]


def changes_context(
    request: HttpRequest, release: Release, *, public: bool, member: Membership | None = None
) -> dict[str, Any]:
    """Return what `releases/_changes.html` needs, nothing where there is no release to compare with.

    Changes about texts that an open round asks the member about are left out.

    In public only public releases are compared: nothing of one that is not may be seen through another.
    Reads what a worker has stored: where that is missing (releases of before an update, a release that was
    made public later) a worker is asked for it.
    """
    before = release_before(release, public=public)
    if before is None:
        return {}
    changes = read_stored_changes(before, release)
    if changes is None:
        if not comparable(before, release):
            return {"before": before}
        comparison_start(before, release)
        return {"before": before, "changes_coming": True}
    judged = judging_now(member).values_list("item__external_id", flat=True) if member else ()
    kept = set(judged)
    return {
        "before": before,
        "changes": changes,
        "added": changes.added[:IDS_SHOWN],
        "removed": changes.removed[:IDS_SHOWN],
        "withdrawn": withdrawn_among(release, changes.removed),
        "page": page_of(request, [one for one in changes.changes if one.item not in kept], PAGE_SIZE),
    }
