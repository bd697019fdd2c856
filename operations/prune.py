"""What is deleted by itself, because nobody needs it any more and it may hold somebody's data.

See docs/decisions/operations.md.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from django.apps import apps
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.files.storage import default_storage
from django.db.models import FileField, Max, Q, QuerySet
from django.utils import timezone

from agreement.models import AgreementReport
from annotation.models import Upload
from core.jobs import CANCELLED, DONE, FAILED
from exports.models import Release
from operations.heartbeats import FORGOTTEN, forget_heartbeats
from operations.models import Heartbeat
from scoring.models import SubmissionFile

logger = logging.getLogger(__name__)

ORPHANED_AFTER = timedelta(days=2)
"""A file without a row may belong to work that is under way: no attempt lasts so long."""

FOLDERS = ("uploads", "submissions", "releases", "healthz")
BATCH = 200


@dataclass(frozen=True, slots=True)
class Pruned:
    """One kind of thing that went, or would go."""

    what: str
    count: int


def prune(*, dry_run: bool = False) -> list[Pruned]:
    """Delete what has had its time; with `dry_run` only count it."""
    days = settings.KEEP_DAYS or 365_000  # 0 is for ever
    before = timezone.now() - timedelta(days=days)
    done = [
        Pruned("sessions that ended", _rows(Session.objects.filter(expire_date__lt=timezone.now()), dry_run)),
        Pruned("files of uploads and refused rows", _upload_files(before, dry_run)),
        Pruned("reports that newer ones replaced", _rows(old_reports(before), dry_run)),
        Pruned("files that no row names", _each(orphaned_files(), default_storage.delete, dry_run)),
        Pruned("signs of life of machines that are no more", _heartbeats(dry_run)),
    ]
    if not dry_run:
        logger.info("pruned", extra={one.what.replace(" ", "_"): one.count for one in done})
    return done


def _heartbeats(dry_run: bool) -> int:
    if not dry_run:
        return forget_heartbeats()
    return Heartbeat.objects.filter(at__lt=timezone.now() - FORGOTTEN).count()


def _rows(rows: QuerySet[Session] | QuerySet[AgreementReport], dry_run: bool) -> int:
    """Delete rows in batches, so that nobody waits long for the one writer of SQLite."""
    if dry_run:
        return rows.count()
    gone = 0
    while found := list(rows[:BATCH]):
        rows.model._default_manager.filter(pk__in=[row.pk for row in found]).delete()
        gone += len(found)
    return gone


def _each(names: Iterator[str], forget: Callable[[str], None], dry_run: bool) -> int:
    count = 0
    for name in names:
        if not dry_run:
            try:
                forget(name)
            except OSError as error:
                logger.warning("a file that no row names stays (%s)", type(error).__name__)
                continue
        count += 1
    return count


def _upload_files(before: datetime, dry_run: bool) -> int:
    """Delete the files of uploads whose work ended long ago; their rows stay with what came of them."""
    ended = Upload.objects.filter(state__in=[DONE, FAILED, CANCELLED], enqueued_at__lt=before)
    count = 0
    for upload in ended.filter(~Q(file="") | ~Q(refused_file="")).iterator():
        names = [str(name) for name in (upload.file.name, upload.refused_file.name) if name]
        if not dry_run:
            # The row first: a file without a row is found by the next run, a row without a file by a person.
            if not ended.filter(pk=upload.pk).update(file="", refused_file=""):
                continue  # somebody has just asked for it
            _each(iter(names), default_storage.delete, False)
        count += len(names)
    return count


def old_reports(before: datetime) -> QuerySet[AgreementReport]:
    """Return the reports that were replaced by a newer one of their round, and those that failed, long ago.

    The newest finished report of a round is what its page shows; it stays whatever its age.
    """
    newest = (
        AgreementReport.objects.order_by()
        .filter(state=DONE)
        .values("round", "parameters_sha256")
        .annotate(newest=Max("pk"))
        .values("newest")
    )
    return (
        AgreementReport.objects.filter(state__in=[DONE, FAILED], enqueued_at__lt=before)
        .exclude(pk__in=list(newest.values_list("newest", flat=True)))
        .order_by("pk")
    )


def orphaned_files() -> Iterator[str]:
    """Find files in the storage that no row names and that are older than any work under way."""
    limit = timezone.now() - ORPHANED_AFTER
    names = _stored()
    while batch := list(islice(names, BATCH)):
        known = named_among(batch)
        for name in batch:
            if name not in known and default_storage.get_modified_time(name) < limit:
                yield name


def _stored() -> Iterator[str]:
    for folder in FOLDERS:
        yield from _files_below(folder)


def _files_below(folder: str) -> Iterator[str]:
    try:
        folders, files = default_storage.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in files:
        yield f"{folder}/{name}"
    for name in folders:
        yield from _files_below(f"{folder}/{name}")


def named_among(names: list[str]) -> set[str]:
    """Return those of the names that a row has: of an upload, a submission, or a release with its files."""
    known = set(SubmissionFile.objects.filter(storage__in=names).values_list("storage", flat=True))
    for model in apps.get_models():
        for field in model._meta.get_fields():
            if isinstance(field, FileField):
                rows = model._default_manager.filter(**{f"{field.name}__in": names})
                known |= set(rows.values_list(field.name, flat=True))
    # A release's folder begins with its number: while the row is there and is not given up, so is the folder.
    releases = {name: name.split("/")[1].partition("-")[0] for name in names if name.startswith("releases/")}
    numbers = {int(number) for number in releases.values() if number.isdecimal()}
    kept = _release_files(numbers)
    known |= {name for name in releases if name in kept or not releases[name].isdecimal()}
    return known


def _release_files(numbers: set[int]) -> set[str]:
    found: set[str] = set()
    standing = Release.objects.filter(pk__in=numbers, taken_down_at=None)
    for files in standing.values_list("files", flat=True):
        found |= {file["storage"] for file in files or ()}
    return found
