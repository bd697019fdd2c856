"""Importing by browser: a file is kept, checked without storing anything, and imported when a lead says so.

The upload's row is the truth about the work. A claim is a conditional update that counts the attempt up;
every later write checks it, so that of two workers on one upload only the last one stores a result.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import islice
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any

from django.core.files import File
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext

from annotation.access import refuse_archived
from annotation.codebooks.definition import Codebook as CodebookDefinition
from annotation.errors import Refused
from annotation.importing import screened
from annotation.importing.items_loader import items_import
from annotation.importing.judgement_formats import judgement_rows
from annotation.importing.judgements_loader import judgements_import
from annotation.importing.recognise import FORMATS, recognise
from annotation.importing.rows import FileError, ItemRow, JudgementRow, Refusal
from annotation.importing.staging import JUDGEMENTS, ImportReport
from annotation.importing.table import NEEDED
from annotation.importing.tabular import columns_of
from annotation.limits import LIMITS, refuse_unfit
from annotation.models import Import, Membership, Project, Upload
from annotation.screening import screened_log, screened_write

MAX_BYTES = 200 * 1024 * 1024
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


def upload_map_columns(*, upload: Upload, columns: dict[str, str]) -> None:
    """Say which column of the file stands for which known one, and have the file checked again."""
    chosen = {theirs: ours for ours, theirs in columns.items() if theirs}
    missing = [ours for ours in NEEDED if not columns.get(ours)]
    if missing:
        raise Refused(
            "invalid", gettext("Choose the column for: %(missing)s.") % {"missing": ", ".join(missing)}
        )
    if len(chosen) < sum(1 for theirs in columns.values() if theirs):
        raise Refused("invalid", gettext("One column was chosen twice: each can stand for one thing only."))
    there = upload_columns(upload)
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


def upload_check(*, upload_id: int) -> None:
    """Look through a file and say what importing it would do; nothing is stored."""
    upload = _claimed(upload_id, State.NEW, State.CHECKING)
    if upload is not None:
        _run(upload, dry_run=True)


def upload_import(*, upload_id: int) -> None:
    """Import a checked file, as a lead asked for."""
    upload = _claimed(upload_id, State.QUEUED, State.IMPORTING)
    if upload is not None:
        _run(upload, dry_run=False)


def upload_expire(upload: Upload) -> None:
    """Mark an upload as failed whose work has given no sign of life for long."""
    dead = Upload.objects.filter(
        pk=upload.pk,
        state__in=[State.NEW, State.CHECKING, State.QUEUED, State.IMPORTING],
        heartbeat_at__lt=timezone.now() - STALE_AFTER,
    )
    if dead.update(state=State.FAILED, error=STOPPED, attempt=F("attempt") + 1):
        upload.refresh_from_db()


def upload_columns(upload: Upload) -> tuple[str, ...]:
    """Return the columns of an uploaded table, for choosing which is which; none where it is no table."""
    with _as_path(upload) as path:
        try:
            return columns_of(path, upload.name)
        except FileError:
            return ()


def upload_first_rows(upload: Upload) -> list[dict[str, str]]:
    """Return the first rows as they will be understood: place, id, text, and what else is said of them."""
    with _as_path(upload) as path:
        try:
            rows = _reader(upload, path)
            return [_row_shown(row) for row in islice(rows, ROWS_SHOWN)]
        except FileError:
            return []


def _reader(upload: Upload, path: Path) -> Iterator[Any]:
    if upload.format == JUDGEMENTS:
        codebook = CodebookDefinition.from_json(upload.project.codebooks.latest("version").definition)
        return judgement_rows(path, name=upload.name, codebook=codebook)
    if upload.columns:
        return FORMATS["table"](path, name=upload.name, renamed=upload.columns)
    found = upload.format or recognise(path, upload.name)
    return FORMATS[found](path, name=upload.name, origin=upload.origin or None)


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


def _run(upload: Upload, *, dry_run: bool) -> None:
    mine = Upload.objects.filter(pk=upload.pk, attempt=upload.attempt)

    def on_batch(n: int) -> None:
        mine.update(rows_read=F("rows_read") + n, heartbeat_at=timezone.now())

    with TemporaryDirectory() as folder:
        refused_path = Path(folder) / "refused.csv"
        try:
            with _as_path(upload) as path:
                report = _import(upload, path, refused_path, dry_run, on_batch)
        except (FileError, Refused) as error:
            mine.update(state=State.FAILED, error=_words(error))
            return
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
        brought=None if dry_run or not report.stored else _brought(upload),
        error="",
    )


def _import(
    upload: Upload, path: Path, refused_path: Path, dry_run: bool, on_batch: Callable[[int], None]
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
    }
    if upload.format == JUDGEMENTS:
        return judgements_import(
            round_name=upload.round_name, asked=upload.asked, keep_votes=upload.keep_votes, **shared
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
