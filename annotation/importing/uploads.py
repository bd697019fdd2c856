"""Importing by browser: a file is kept, checked without storing anything, and imported when a lead says so.

An upload is a job (core.jobs). An import becomes visible in the transaction that ends its job: a worker
that lost the upload has stored nothing, and whoever takes it up again begins anew.
"""

import logging
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory, TemporaryFile
from typing import Any

from django.core.files import File
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import get_language, gettext, ngettext

from annotation.access import refuse_archived
from annotation.importing.files.bounds import FILE_BYTES as MAX_BYTES
from annotation.importing.files.rows import FileError, ItemRow, JudgementRow, Refusal
from annotation.importing.focus import check_set, focus_import
from annotation.importing.formats import judgement_table, screened
from annotation.importing.formats.focus_sets import FileReport
from annotation.importing.formats.item_table import KNOWN, NEEDED
from annotation.importing.items import items_import
from annotation.importing.judgements import judgements_import
from annotation.importing.reading import FOCUS, Opened, Reader, Reading, read_here
from annotation.importing.screening import screened_log, write_screened
from annotation.importing.staging import JUDGEMENTS, ImportReport, import_discard, import_finish
from annotation.importing.subprocess_reader import AT_ONCE, WORKER, TakesTooLong, read_apart
from annotation.limits import LIMITS, refuse_unfit
from annotation.models import Import, Membership, Project, Upload
from core.errors import Refused
from core.jobs import QUEUED, RUNNING, ClaimLost, Job, Lease, cancel, sweep

AT_ONCE_BYTES = 512 * 1024
"""Files up to this size are checked and imported while the lead waits; larger ones by a worker."""

STOPPED = "The work stopped before it was done, and nothing was stored. Try again."
ROWS_SHOWN = 8

logger = logging.getLogger(__name__)

Work = Upload.Work


def upload_create(
    *,
    project: Project,
    member: Membership,
    file: "File[Any]",
    name: str,
    origin: str = "",
    round_name: str = "",
    asked: dict[str, Any] | None = None,
    keep_votes: bool = False,
    correct: bool = False,
    format: str = "",
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
        format=format or (JUDGEMENTS if round_name.strip() else ""),
        language=get_language() or "",
    )


def focus_upload_create(
    *,
    project: Project,
    member: Membership,
    files: "Sequence[File[Any]]",
    set_name: str,
    keep_votes: bool = False,
) -> Upload:
    """Keep the FOCUS authors' files of one set for checking, in one archive. Raises Refused."""
    names = [Path(file.name or "").name for file in files]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Refused(
            "invalid", gettext("%(name)s is there twice: choose every file once.") % {"name": twice}
        )
    if sum(file.size for file in files) > MAX_BYTES:
        told = gettext("The files are larger than %(n)s MB: use manage.py import_focus for them.")
        raise Refused("invalid", told % {"n": MAX_BYTES // 2**20})
    check_set(project, set_name)
    with TemporaryFile() as archived:
        with zipfile.ZipFile(archived, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, file in zip(names, files, strict=True):
                with archive.open(name, "w") as entry:
                    shutil.copyfileobj(file, entry)
        archived.seek(0)
        upload = upload_create(
            project=project,
            member=member,
            file=File(archived, name=f"{set_name}.zip"),
            name=gettext("%(n)s FOCUS files") % {"n": len(files)} if len(files) > 1 else names[0],
            round_name=set_name,
            keep_votes=keep_votes,
            format=FOCUS,
        )
    return upload


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
    _refuse_without_file(upload)
    if not _ask(_idle(upload), upload, columns=chosen, report={}):
        raise Refused("not_ready", gettext("This file is being worked on. Wait until that has ended."))


def upload_retry(*, upload: Upload) -> None:
    """Have a failed or cancelled upload checked again."""
    _refuse_without_file(upload)
    _ask(_idle(upload).exclude(state=Job.State.DONE), upload, report={})


def upload_request_import(*, upload: Upload, skip_invalid: bool) -> None:
    """Ask for a checked file to be imported. Raises Refused where it is not waiting for that."""
    _refuse_without_file(upload)
    checked = Upload.objects.filter(pk=upload.pk, work=Work.CHECK, state=Job.State.DONE)
    if not _ask(checked, upload, work=Work.IMPORT, skip_invalid=skip_invalid):
        raise Refused(
            "not_ready", gettext("This file is not waiting to be imported. Reload the page to see its state.")
        )


def upload_cancel(*, upload: Upload) -> None:
    """Stop a check or an import; nothing of it is stored. Raises Refused where it has ended already."""
    if not cancel(Upload.objects.filter(pk=upload.pk), lease_until=None):
        raise Refused("not_ready", gettext("The work on %(name)s has ended already.") % {"name": upload.name})
    upload.refresh_from_db()


def say_file_is_gone(upload: Upload) -> str:
    """Return a sentence where an upload has lost its file: after a time, or to an erasure; else nothing."""
    if upload.file or upload.screened_from_id is not None:
        return ""
    words = gettext("The file %(name)s is kept here no longer: bring it once more.")
    return words % {"name": upload.name}


def _refuse_without_file(upload: Upload) -> None:
    if told := say_file_is_gone(upload):
        raise Refused("not_ready", told)


def _idle(upload: Upload) -> QuerySet[Upload]:
    """Return the upload unless it is waiting, worked on or imported."""
    rows = Upload.objects.filter(pk=upload.pk).exclude(state=RUNNING)
    return rows.exclude(work=Work.IMPORT, state__in=[QUEUED, Job.State.DONE])


def _ask(rows: QuerySet[Upload], upload: Upload, **values: Any) -> bool:
    """Have a worker do something with an upload, a check if nothing else is said."""
    anew = {
        "state": QUEUED,
        "work": Work.CHECK,
        "error": "",
        "attempts": 0,
        "rows_read": 0,
        "progress_done": 0,
        "progress_total": 0,
        "enqueued_at": timezone.now(),
        "language": get_language() or "",
    }
    asked = rows.update(**{**anew, **values})
    upload.refresh_from_db()
    return bool(asked)


def upload_check(*, upload_id: int, at_once: bool = False) -> bool:
    """Look through a file and say what importing it would do; nothing is stored.

    Returns whether the work is done. `at_once` somebody waits for it: what takes longer than that allows is
    left to a worker.
    """
    return _work(upload_id, Work.CHECK, at_once)


def upload_import(*, upload_id: int, at_once: bool = False) -> bool:
    """Import a checked file, as a lead asked for; `at_once` and what is returned are those of the check."""
    return _work(upload_id, Work.IMPORT, at_once)


def uploads_sweep() -> list[Upload]:
    """Return the uploads to send to a worker again; give up those that stopped several workers."""
    return list(Upload.objects.filter(pk__in=sweep(Upload.objects.all(), stopped=STOPPED).again))


@dataclass
class _Found:
    """What reading a file has shown of it, for the page: the columns of a table, the first rows."""

    columns: tuple[str, ...] = ()
    rows: list[dict[str, str]] = field(default_factory=list)

    def hear(self, columns: tuple[str, ...]) -> None:
        self.columns = columns

    def seen(self, rows: Iterator[Any]) -> Iterator[Any]:
        for row in rows:
            if not isinstance(row, FileReport):
                self.rows.append(_row_shown(row))
            yield row
            if len(self.rows) >= ROWS_SHOWN:
                break
        yield from rows

    def to_json(self) -> dict[str, Any]:
        return {"columns": list(self.columns), "rows": self.rows}


def _row_shown(row: Any) -> dict[str, str]:
    if isinstance(row, ItemRow):
        about = [
            row.topic,
            row.source,
            ngettext("%(n)s question", "%(n)s questions", len(row.questions)) % {"n": len(row.questions)}
            if row.questions
            else "",
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


def _work(upload_id: int, work: str, at_once: bool) -> bool:
    lease = Lease.claim(
        Upload.objects.filter(pk=upload_id, work=work), rows_read=0, progress_done=0, progress_total=0
    )
    if lease is None:
        return True
    upload = Upload.objects.select_related("project", "member", "screened_from", "brought").get(pk=upload_id)
    try:
        with lease.kept():
            if upload.brought is not None and upload.brought.state == Import.State.STAGING:
                import_discard(upload.brought)  # of a worker that died
            return _run(upload, lease, at_once)
    except ClaimLost:
        logger.warning("upload %s was cancelled or taken over by another worker", upload_id)
    except Exception:
        # Its message could quote a text: the log has it, the page says what to do.
        lease.fail(STOPPED)
        raise
    return True


def _run(upload: Upload, lease: Lease, at_once: bool) -> bool:
    """Check or import a claimed upload; return False where it is left to a worker."""
    dry_run = upload.work == Work.CHECK
    total = 0 if dry_run else upload.report.get("rows", 0)
    found = _Found()
    read = 0

    def heartbeat(n: int) -> None:
        nonlocal read
        read += n
        lease.renew(rows_read=read, progress_done=min(read, total), progress_total=total)

    with TemporaryDirectory() as folder:
        refused_path = Path(folder) / "refused.csv"

        def finish(report: ImportReport, **values: Any) -> None:
            values |= {"format": report.format, "report": report.to_json(), "found": found.to_json()}
            with _refused_kept(upload, refused_path) as name, transaction.atomic():
                lease.finish(refused_file=name, **values)

        def on_stored(staged: Import, report: ImportReport) -> None:
            finish(report, brought=staged)
            if upload.screened_from:
                screened_log(upload, report)

        def on_held(staged: Import, report: ImportReport) -> None:
            finish(report, work=Work.CHECK, brought=staged)

        if _is_held(upload):
            try:
                _import_held(upload, lease)
            except Refused:
                pass  # another import has taken it away meanwhile: it is staged anew
            else:
                return True
        telling = {
            "on_staged": lambda staged: lease.renew(brought=staged),
            "heartbeat": heartbeat,
            "on_stored": on_stored,
            # What was screened is read anew: more may have passed by then.
            "on_held": on_held if upload.screened_from is None else None,
        }
        try:
            with _as_path(upload) as path:
                report = _import(upload, path, refused_path, telling, _reader(upload, found, at_once))
        except (FileError, Refused) as error:
            if at_once and isinstance(error, TakesTooLong):
                lease.drop(rows_read=0, attempts=0)
                return False
            lease.fail(_words(upload, error), found=found.to_json())
            return True
        if not report.stored and not _holds(upload):
            finish(report, work=Work.CHECK, brought=None)
    return True


def _holds(upload: Upload) -> bool:
    """Whether what a check staged is kept for the import."""
    return Upload.objects.filter(pk=upload.pk, brought__state=Import.State.CHECKED).exists()


def _is_held(upload: Upload) -> bool:
    """Whether what is to be imported was staged by its check and may be stored as it is."""
    return (
        upload.work == Work.IMPORT
        and upload.brought is not None
        and upload.brought.state == Import.State.CHECKED
        and (upload.skip_invalid or not upload.report.get("refused"))
    )


def _import_held(upload: Upload, lease: Lease) -> None:
    """Make visible what the check has staged. Raises Refused where that is gone."""
    refuse_archived(upload.project)
    assert upload.brought is not None

    def on_stored(staged: Import, report: ImportReport) -> None:
        rows = report.rows
        told = {"rows_read": rows, "progress_done": rows, "progress_total": rows}
        lease.finish(brought=staged, report=report.to_json(), **told)

    import_finish(upload.brought, ImportReport(**upload.report), on_stored)


@contextmanager
def _refused_kept(upload: Upload, refused_path: Path) -> Iterator[str]:
    """Keep the refused rows for the block to name, in place of those of an earlier reading."""
    kept = upload.refused_file
    before, name = kept.name, ""
    if refused_path.exists():
        name = kept.field.generate_filename(upload, f"{Path(upload.name).stem}.refused.csv")
        with refused_path.open("rb") as stream:
            name = kept.storage.save(name, File(stream))
    try:
        yield name
    except ClaimLost:
        if name:
            kept.storage.delete(name)
        raise
    if before:
        transaction.on_commit(lambda: kept.storage.delete(before))


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
    upload: Upload, path: Path, refused_path: Path, telling: dict[str, Any], reader: Reader
) -> ImportReport:
    shared: dict[str, Any] = {
        "project": upload.project,
        "path": path,
        "name": upload.name,
        "skip_invalid": upload.skip_invalid,
        "dry_run": upload.work == Work.CHECK,
        "refused_path": refused_path,
        "member": upload.member,
        "reader": reader,
        **telling,
    }
    if upload.format in (JUDGEMENTS, FOCUS):
        del shared["on_held"]
    if upload.format == FOCUS:
        for name in ("skip_invalid", "refused_path"):
            del shared[name]
        of_set = focus_import(set_name=upload.round_name, keep_votes=upload.keep_votes, **shared)
        return of_set.report
    if upload.format == JUDGEMENTS:
        return judgements_import(
            round_name=upload.round_name,
            asked=upload.asked,
            keep_votes=upload.keep_votes,
            columns=upload.columns or None,
            **shared,
        )
    format = screened.FORMAT if upload.screened_from else ""
    return items_import(
        origin=upload.origin, columns=upload.columns or None, format=format, correct=upload.correct, **shared
    )


def _words(upload: Upload, error: FileError | Refused) -> str:
    if isinstance(error, FileError):
        if upload.format == FOCUS:
            return str(error)  # which of the files it is
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
            write_screened(upload, Path(local.name))
            yield Path(local.name)
            return
        _refuse_without_file(upload)
        with upload.file.open("rb") as stored:
            shutil.copyfileobj(stored, local)
        local.flush()
        yield Path(local.name)
