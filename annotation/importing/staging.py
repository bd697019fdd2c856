"""The life of one import: staged in batches that nobody sees, then done by one flip, or taken back."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext

from annotation.access import refuse_archived
from annotation.importing.append import roll_back_append
from annotation.importing.files.bounds import batches
from annotation.importing.files.encodings import first_bytes
from annotation.importing.files.refused_rows import RefusedRows
from annotation.importing.files.rows import ItemRow, JudgementRow, Notice, Refusal
from annotation.models import (
    AnnotationEvent,
    Import,
    Item,
    Membership,
    Project,
    ProjectEvent,
    Question,
    QuestionAnnotation,
    Resolution,
    Round,
    TypeAnnotation,
)
from core.delete_in_batches import delete_in_batches
from core.errors import Refused
from core.file_digest import file_sha256
from core.jobs import LEASE, beating

BATCH = 1_000
Row = TypeVar("Row", ItemRow, JudgementRow)
JUDGEMENTS = "judgements"
"""The format of imports that bring judgements; all others bring items."""

SHOWN = 100
"""Refusals and notices that a report shows in full; all are counted, and refused rows go to a file."""

ALIKE_SHOWN = 5
"""Of these, refusals for one and the same reason."""

_STAGED = (Import.State.STAGING, Import.State.CHECKED)

STALE_AFTER = LEASE
"""How long an import may be silent until what it staged is taken away."""

CHECKED_KEPT = timedelta(days=1)
"""How long what a check has staged waits for a lead; later it is staged anew when it is imported."""

OnStored = Callable[[Import, "ImportReport"], None]
"""What is told inside the transaction that makes an import visible: an exception in it takes all back."""


@dataclass
class ImportReport:
    """What an import did, or would do: counts, and the first refusals and notices with their places."""

    file: str
    format: str
    stored: bool = False
    rows: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    refused: int = 0
    refusals: list[dict[str, Any]] = field(default_factory=list)
    noticed: int = 0
    notices: list[dict[str, str]] = field(default_factory=list)
    people: dict[str, str] = field(
        default_factory=dict
    )  # who is who, for leads: pseudonym by name in the file

    def count(self, what: str, n: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + n

    def notice(self, notice: Notice) -> None:
        self.noticed += 1
        if len(self.notices) < SHOWN:
            self.notices.append({"place": notice.place, "message": notice.message})

    def refuse(self, refusal: Refusal) -> None:
        """Count a refused row. A reason is shown for its first rows; the others are counted as `more`."""
        self.refused += 1
        alike = [shown for shown in self.refusals if shown["reason"] == refusal.reason]
        if len(alike) >= ALIKE_SHOWN:
            alike[-1]["more"] = alike[-1].get("more", 0) + 1
        elif len(self.refusals) < SHOWN:
            self.refusals.append({"place": refusal.place, "reason": refusal.reason})

    @property
    def not_shown(self) -> int:
        """How many refused rows are neither shown nor counted with one that is."""
        found: int = self.refused - sum(1 + shown.get("more", 0) for shown in self.refusals)
        return found

    @property
    def changed(self) -> bool:
        """Whether anything new was (or would be) stored."""
        return any(n for what, n in self.counts.items() if what.startswith("new "))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@contextmanager
def staged_import(
    *,
    project: Project,
    path: Path,
    name: str,
    format: str,
    member: Membership | None,
    on_staged: Callable[[Import], None] | None = None,
) -> Iterator[Import]:
    """Open an import for the block. Whatever ends the block without `import_finish` discards what it staged.

    `on_staged` is told of it before anything is staged. One import a project runs at a time; what a dead one
    left, or a check has kept, is taken away first. Raises Refused where another is under way, FileError for a
    file that cannot be read.
    """
    refuse_archived(project)
    first_bytes(path, name)
    dead = _dead()
    leftover = Q(state__in=[Import.State.FAILED, Import.State.UNDONE]) & (
        Exists(Item.objects.filter(brought_by=OuterRef("pk")))
        | Exists(Question.objects.filter(brought_by=OuterRef("pk")))
    )
    for left in project.imports.filter(dead | leftover | Q(state=Import.State.CHECKED)):
        import_discard(left)
    try:
        with transaction.atomic():
            staged = Import.objects.create(
                project=project,
                member=member,
                file_name=name[-255:],
                file_sha256=file_sha256(path),
                format=format,
            )
    except IntegrityError:
        raise Refused(
            "import_under_way",
            gettext("Another import into this project is under way. Wait until it has ended."),
        ) from None
    try:
        if on_staged is not None:
            on_staged(staged)
        # What could hang is read in a process with limits of its own (subprocess_reader).
        with beating(lambda: _renewed(staged), time.monotonic, "an import"):
            yield staged
    finally:
        if Import.objects.filter(pk=staged.pk, state=Import.State.STAGING).exists():
            import_discard(staged)


def _dead() -> Q:
    return Q(state=Import.State.STAGING, heartbeat_at__lt=timezone.now() - STALE_AFTER)


def imports_sweep() -> None:
    """Take away what imports have staged whose work gave no sign of life for long, and old checks."""
    old = Q(state=Import.State.CHECKED, heartbeat_at__lt=timezone.now() - CHECKED_KEPT)
    for left in Import.objects.filter(_dead() | old).select_related("project"):
        import_discard(left)


def import_heartbeat(staged: Import) -> None:
    """Say that the import is alive. Raises Refused where it was taken for dead and discarded."""
    if not _renewed(staged):
        raise _discarded()


def _renewed(staged: Import) -> bool:
    alive = Import.objects.filter(pk=staged.pk, state=Import.State.STAGING)
    return bool(alive.update(heartbeat_at=timezone.now()))


def _discarded() -> Refused:
    return Refused(
        "import_discarded", gettext("This import took too long and was discarded. Start it again.")
    )


def good_batches(
    rows: Iterable[Row | Refusal | Notice],
    *,
    staged: Import,
    report: ImportReport,
    refused: RefusedRows,
    heartbeat: Callable[[int], None] | None = None,
) -> Iterator[list[Row]]:
    """Give the rows that a reader found good, a batch at a time, and file refusals and notices.

    Each batch is a sign of life of the import; `heartbeat` hears how many rows of the file it was.
    """
    for batch in batches(rows, BATCH):
        good: list[Row] = []
        report.rows += sum(not isinstance(row, Notice) for row in batch)
        for row in batch:
            if isinstance(row, Refusal):
                refused.add(row)
            elif isinstance(row, Notice):
                report.notice(row)
            else:
                good.append(row)
        import_heartbeat(staged)
        if heartbeat is not None:
            heartbeat(len(batch))
        yield good


def import_hold(staged: Import, report: ImportReport, on_held: OnStored) -> None:
    """Keep what was staged until a lead has it imported; `on_held` is told in the same transaction."""
    with transaction.atomic():
        alive = Import.objects.filter(pk=staged.pk, state=Import.State.STAGING)
        if not alive.update(state=Import.State.CHECKED):
            raise _discarded()
        on_held(staged, report)


def import_finish(staged: Import, report: ImportReport, on_stored: OnStored | None = None) -> None:
    """Make everything that was staged visible at once; `on_stored` is told in the same transaction."""
    report.stored = True
    with transaction.atomic():
        alive = Import.objects.filter(pk=staged.pk, state__in=_STAGED)
        if not alive.update(state=Import.State.DONE, report=report.to_json()):
            raise _discarded()
        ProjectEvent.objects.create(
            project=staged.project,
            member=staged.member,
            action="file imported",
            details={"file": staged.file_name, "counts": report.counts, "refused": report.refused},
        )
        if on_stored is not None:
            on_stored(staged, report)


def import_discard(brought_by: Import) -> None:
    """Take away what an import that did not finish has staged."""
    rows = Import.objects.filter(pk=brought_by.pk)
    if brought_by.format == JUDGEMENTS:
        roll_back_append(brought_by)
        _discard_imported_drafts(brought_by.project)
        rows.filter(state__in=_STAGED).update(state=Import.State.FAILED)
        return
    # First the state, so that nobody can make visible what is being taken away.
    rows.filter(state__in=_STAGED).update(state=Import.State.FAILED)
    if rows.filter(state__in=[Import.State.FAILED, Import.State.UNDONE]).exists():
        delete_brought(brought_by)


def delete_brought(brought_by: Import) -> None:
    """Delete the items, questions and published labels that an import brought."""
    for model in (Resolution, Question, Item):
        delete_in_batches(model.objects.filter(brought_by=brought_by))


def _discard_imported_drafts(project: Project) -> None:
    """Delete imported rounds that are still drafts, with the members that only they brought."""
    for round in project.rounds.filter(imported=True, status=Round.Status.DRAFT):
        members = set(round.assignments.values_list("member", flat=True))
        delete_in_batches(TypeAnnotation.objects.filter(assignment__round=round))
        delete_in_batches(QuestionAnnotation.objects.filter(assignment__round=round))
        delete_in_batches(AnnotationEvent.objects.filter(assignment__round=round))
        delete_in_batches(round.assignments.all())
        delete_in_batches(round.round_questions.all())
        delete_in_batches(round.round_items.all())
        round.delete()
        Membership.objects.filter(pk__in=members, user=None, assignments__isnull=True).delete()
