"""Releases that hold an item which is erased for good: their files go, what they were stays known.

A release is never changed. Its files are deleted from the storage, its page is closed to the public, and
whoever asks for a file is told why. A new version is built without the item.

See docs/decisions/releases.md.
"""

from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext

from annotation.database.erasure import blocks
from annotation.models import Item, Project, Question, Resolution, Round, RoundItem
from core.errors import Refused
from core.stored_files import forget_stored
from exports.models import QuestionRefinement, Release
from exports.releases.comparison import forget_changes

STANDING = (Release.State.QUEUED, Release.State.RUNNING, Release.State.DONE)


def releases_with(item: Item) -> list[Release]:
    """Return the releases that have the item, or get it as they are built, oldest first."""
    project = item.project
    return [
        release
        for release in project.releases.filter(state__in=STANDING).order_by("id")
        if not (item.withdrawn_at and item.withdrawn_at < release.created_at) and _has(release, item)
    ]


def _has(release: Release, item: Item) -> bool:
    named = release.parameters.get("rounds")
    rounds = item.project.rounds.filter(matching=False).exclude(purpose=Round.Purpose.TRAINING)
    rounds = (
        rounds.filter(opened_at__lte=release.created_at) if named is None else rounds.filter(name__in=named)
    )
    of_item = Q(item=OuterRef("pk"))
    wanted = Q(Exists(RoundItem.objects.filter(of_item, round__in=rounds)))
    if named is None:
        wanted |= Q(Exists(Resolution.objects.filter(of_item, source=Resolution.Source.IMPORTED)))
        wanted |= Q(Exists(Question.objects.filter(of_item, candidate=False)))
    return Item.objects.filter(wanted, pk=item.pk).exists()


def releases_take_down(*, item: Item, **_signal: Any) -> list[str]:
    """Take down what holds an item that is erased; return its names. Raises Refused while one is built."""
    found = releases_with(item)
    if any(release.state != Release.State.DONE for release in found):
        raise Refused(
            "not_ready",
            gettext(
                "A release that would hold the text is being built: wait for it, or cancel it, then erase."
            ),
        )
    for row in QuestionRefinement.objects.filter(item=item):
        QuestionRefinement.objects.filter(pk=row.pk).update(
            question=blocks(row.question),
            question_template=blocks(row.question_template),
            reason=blocks(row.reason),
        )
    standing = [release for release in found if release.taken_down_at is None]
    Release.objects.filter(pk__in=[release.pk for release in standing]).update(
        taken_down_at=timezone.now(), is_public=False
    )
    for release in standing:
        transaction.on_commit(partial(forget_release_files, release))
    return [release.version for release in standing]


def forget_release_files(release: Release) -> None:
    """Delete the files of a release, and what was stored of comparing it with others."""
    forget_changes(release)
    # The ZIP lies in no place of its own: it is put together while it is sent.
    forget_stored(file["storage"] for file in release.files if file["storage"])


def forget_project_files(*, project: Project, **_signal: Any) -> None:
    """Delete the files of all releases of a project that is deleted."""
    for release in project.releases.all():
        forget_release_files(release)
