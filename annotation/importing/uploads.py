"""Importing by browser: a file is kept, checked without storing anything, and imported when a lead says so.

The upload's row is the truth about the work. A claim is a conditional update that counts the attempt up;
every later write checks it, so that of two workers on one upload only the last one stores a result.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any

from django.core.files import File
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext

from annotation.access import refuse_archived
from annotation.importing.files.bounds import FILE_BYTES as MAX_BYTES
from annotation.importing.files.rows import FileError, ItemRow, JudgementRow, Refusal
from annotation.importing.formats import judgement_table, screened
from annotation.importing.formats.item_table import KNOWN, NEEDED
from annotation.importing.items import items_import
from annotation.importing.judgements import judgements_import
from annotation.importing.reading import Opened, Reader, Reading, read_here
from annotation.importing.screening import screened_log, screened_write
from annotation.importing.staging import JUDGEMENTS, ImportReport
from annotation.importing.subprocess_reader import AT_ONCE, WORKER, TakesTooLong, read_apart
from annotation.limits import LIMITS, refuse_unfit
from annotation.models import Import, Membership, Project, Upload
from core.errors import Refused

AT_ONCE_BYTES = 512 * 1024
"""Files up to this size are checked and imported while the lead waits; larger ones by a worker."""

STALE_AFTER = timedelta(minutes=10)
STOPPED = "The work stopped before it was done, and nothing was stored. Try again."
ROWS_SHOWN = 8

State = Upload.State


def upload_create(
    *,
    project: Project,
    member: Membership,
    file: File,
    name: str,
    origin: str = "",
    round_name: str = "",
    asked: dict[str, Any] | None = None,
    keep_votes: bool = False,
    correct: bool = False,
) -> Upload:
    """Keep a file for checking. With `round_name` it holds finished judgements for that round, else items.

    `asked` says what that round asks of each item, as `judgements_import` takes it. `keep_votes` keeps
    answers whose span, reason or comment cannot be stored; `correct` takes over topic, split, source and
    licence of items that are there.
    """
    refuse_archived(project)
    if not file.size:
        raise Refused("invalid", gettext("%(name)s is empty.") % {"name": name})
    if file.size > MAX_BYTES:
        raise Refused(
            "invalid",
            gettext("%(name)s is larger than %(n)s MB: use manage.py import_items for it.")
            % {"name": name, "n": MAX_BYTES // 2**20},
        )
    refuse_unfit(LIMITS["upload"], origin=origin, round_name=round_name)
    return Upload.objects.create(
        project=project,
        member=member,
        file=File(file, name=f"{project.slug}-{Path(name).name}"[-80:]),
        name=Path(name).name[-255:],
        size=file.size,
        origin=origin.strip(),
        round_name=round_name.strip(),
        asked=asked or {},
        keep_votes=keep_votes,
        correct=correct,
        format=JUDGEMENTS if round_name.strip() else "",
    )


def columns_known(upload: Upload) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return which columns a file like this needs, and all that are known of it."""
    if upload.format == JUDGEMENTS:
        return judgement_table.NEEDED, judgement_table.COLUMNS
    return NEEDED, KNOWN


def upload_map_columns(*, upload: Upload, columns: dict[str, str]) -> None:
    """Say which column of the file stands for which known one, and have the file checked again."""
    chosen = {theirs: ours for ours, theirs in columns.items() if theirs}
    missing = [ours for ours in columns_known(upload)[0] if not columns.get(ours)]
    if missing:
        raise Refused(
            "invalid", gettext("Choose the column for: %(missing)s.") % {"missing": ", ".join(missing)}
        )
    if len(chosen) < sum(1 for theirs in columns.values() if theirs):
        raise Refused("invalid", gettext("One column was chosen twice: each can stand for one thing only."))
    there = upload.found.get("columns", [])
    # PostgreSQL stores no NUL, in a name as little as anywhere.
    unknown = next((theirs for theirs in chosen if theirs not in there or "\0" in theirs), None)
    if unknown is not None:
        raise Refused(
            "invalid",
            gettext("The file has no column “%(name)s” that can be used: choose another.")
            % {"name": unknown[:80]},
        )
    ready = Upload.objects.filter(pk=upload.pk, state__in=[State.NEW, State.CHECKED, State.FAILED])
    if not ready.update(columns=chosen, state=State.NEW, report={}, error="", heartbeat_at=timezone.now()):
        raise Refused("not_ready", gettext("This file is being worked on. Wait until that has ended."))
    upload.refresh_from_db()


def upload_retry(*, upload: Upload) -> None:
    """Have a failed or stopped upload checked again."""
    stopped = Upload.objects.filter(pk=upload.pk, state=State.FAILED)
    stopped.update(state=State.NEW, report={}, error="", heartbeat_at=timezone.now())
    upload.refresh_from_db()


def upload_request_import(*, upload: Upload, skip_invalid: bool) -> None:
    """Ask for a checked file to be imported. Raises Refused where it is not waiting for that."""
    checked = Upload.objects.filter(pk=upload.pk, state=State.CHECKED)
    if not checked.update(
        state=State.QUEUED, skip_invalid=skip_invalid, rows_read=0, heartbeat_at=timezone.now()
    ):
        raise Refused(
            "not_ready", gettext("This file is not waiting to be imported. Reload the page to see its state.")
        )
    upload.refresh_from_db()


def upload_check(*, upload_id: int, at_once: bool = False) -> bool:
    """Look through a file and say what importing it would do; nothing is stored.

    Returns whether the work is done. `at_once` somebody waits for it: what takes longer than that allows is
    left to a worker.
    """
    upload = _claimed(upload_id, State.NEW, State.CHECKING)
    return upload is None or _run(upload, dry_run=True, at_once=at_once)


def upload_import(*, upload_id: int, at_once: bool = False) -> bool:
    """Import a checked file, as a lead asked for; `at_once` and what is returned are those of the check."""
    upload = _claimed(upload_id, State.QUEUED, State.IMPORTING)
    return upload is None or _run(upload, dry_run=False, at_once=at_once)


def upload_expire(upload: Upload) -> None:
    """Mark an upload as failed whose work has given no sign of life for long."""
    dead = Upload.objects.filter(
        pk=upload.pk,
        state__in=[State.NEW, State.CHECKING, State.QUEUED, State.IMPORTING],
        heartbeat_at__lt=timezone.now() - STALE_AFTER,
    )
    if dead.update(state=State.FAILED, error=STOPPED, attempt=F("attempt") + 1):
        upload.refresh_from_db()


@dataclass
class _Found:
    """What reading a file has shown of it, for the page: the columns of a table, the first rows."""

    columns: tuple[str, ...] = ()
    rows: list[dict[str, str]] = field(default_factory=list)

    def hear(self, columns: tuple[str, ...]) -> None:
        self.columns = columns

    def seen(self, rows: Iterator[Any]) -> Iterator[Any]:
        for row in rows:
            if len(self.rows) < ROWS_SHOWN:
                self.rows.append(_row_shown(row))
            yield row

    def to_json(self) -> dict[str, Any]:
        return {"columns": list(self.columns), "rows": self.rows}


def _row_shown(row: Any) -> dict[str, str]:
    if isinstance(row, ItemRow):
        about = [
            row.topic,
            row.source,
            gettext("%(n)s questions") % {"n": len(row.questions)} if row.questions else "",
        ]
        return {
            "place": row.place,
            "id": row.external_id,
            "text": row.text[:200],
            "about": " · ".join(part for part in about if part),
        }
    if isinstance(row, JudgementRow):
        answer = row.label or (gettext("yes") if row.applicable else gettext("no"))
        unit = f"{row.annotator}: {row.type_code or row.question or row.question_position} {answer}"
        return {"place": row.place, "id": row.item, "text": unit, "about": (row.quote or row.comment)[:200]}
    if isinstance(row, Refusal):
        return {"place": row.place, "id": "", "text": "", "about": f"refused: {row.reason}"}
    return {"place": row.place, "id": "", "text": "", "about": row.message}


def _claimed(upload_id: int, waiting: str, working: str) -> Upload | None:
    claim = Upload.objects.filter(pk=upload_id, state=waiting)
    if not claim.update(state=working, attempt=F("attempt") + 1, rows_read=0, heartbeat_at=timezone.now()):
        return None
    return Upload.objects.select_related("project", "member", "screened_from").get(pk=upload_id)


def _run(upload: Upload, *, dry_run: bool, at_once: bool) -> bool:
    mine = Upload.objects.filter(pk=upload.pk, attempt=upload.attempt)
    found = _Found()

    def on_batch(n: int) -> None:
        mine.update(rows_read=F("rows_read") + n, heartbeat_at=timezone.now())

    def left_to_a_worker() -> bool:
        mine.update(state=State.NEW if dry_run else State.QUEUED, rows_read=0)
        return False

    with TemporaryDirectory() as folder:
        refused_path = Path(folder) / "refused.csv"
        try:
            with _as_path(upload) as path:
                reader = _reader(upload, found, at_once)
                report = _import(upload, path, refused_path, dry_run, on_batch, reader)
        except (FileError, Refused) as error:
            if at_once and isinstance(error, TakesTooLong):
                return left_to_a_worker()
            mine.update(state=State.FAILED, error=_words(error), found=found.to_json())
            return True
        except Exception:
            # Its message could quote a text: the log has it, the page says what to do.
            mine.update(state=State.FAILED, error=STOPPED)
            raise
        if refused_path.exists() and not mine.filter(refused_file="").exists():
            upload.refused_file.delete(save=False)
        if refused_path.exists():
            with refused_path.open("rb") as stream:
                stored = upload.refused_file.storage.save(
                    upload.refused_file.field.generate_filename(
                        upload, f"{Path(upload.name).stem}.refused.csv"
                    ),
                    File(stream),
                )
            mine.update(refused_file=stored)
    mine.update(
        state=State.CHECKED if dry_run or not report.stored else State.DONE,
        format=report.format,
        report=report.to_json(),
        found=found.to_json(),
        brought=None if dry_run or not report.stored else _brought(upload),
        error="",
    )
    return True


def _reader(upload: Upload, found: _Found, at_once: bool) -> Reader:
    """Return what reads the upload: another process, with less leave where somebody waits for it."""

    if upload.screened_from:
        return read_here  # what this process wrote itself a moment ago

    @contextmanager
    def read(reading: Reading) -> Iterator[Opened]:
        with read_apart(reading, leave=AT_ONCE if at_once else WORKER, columns=found.hear) as opened:
            yield Opened(opened.format, found.seen(opened.rows))

    return read


def _import(
    upload: Upload,
    path: Path,
    refused_path: Path,
    dry_run: bool,
    on_batch: Callable[[int], None],
    reader: Reader,
) -> ImportReport:
    shared: dict[str, Any] = {
        "project": upload.project,
        "path": path,
        "name": upload.name,
        "skip_invalid": upload.skip_invalid,
        "dry_run": dry_run,
        "refused_path": refused_path,
        "member": upload.member,
        "on_batch": on_batch,
        "reader": reader,
    }
    if upload.format == JUDGEMENTS:
        return judgements_import(
            round_name=upload.round_name,
            asked=upload.asked,
            keep_votes=upload.keep_votes,
            columns=upload.columns or None,
            **shared,
        )
    format = screened.FORMAT if upload.screened_from else ""
    report = items_import(
        origin=upload.origin, columns=upload.columns or None, format=format, correct=upload.correct, **shared
    )
    if upload.screened_from and report.stored:
        screened_log(upload, report)
    return report


def _brought(upload: Upload) -> Import | None:
    mine = upload.project.imports.filter(
        member=upload.member, file_name=upload.name, state=Import.State.DONE, created_at__gt=upload.created_at
    )
    return mine.order_by("-id").first()


def _words(error: FileError | Refused) -> str:
    if isinstance(error, FileError):
        return (
            f"{error.place}: {error.message}"
            if error.place
            else gettext("The file %(message)s.") % {"message": error.message}
        )
    return error.message


@contextmanager
def _as_path(upload: Upload) -> Iterator[Path]:
    """Copy the stored file to the local disk for the block: the storage may be elsewhere."""
    with NamedTemporaryFile(suffix=Path(upload.name).suffix) as local:
        if upload.screened_from is not None:
            screened_write(upload, Path(local.name))
            yield Path(local.name)
            return
        with upload.file.open("rb") as stored:
            shutil.copyfileobj(stored, local)
        local.flush()
        yield Path(local.name)
