"""Bring finished judgements into a closed round: made elsewhere, analysed here.

The same path as the browser's: each row is checked by the protocol, then event and current row are
written. A new round stays a draft that nobody judges in until everything is there.

See docs/decisions/importing.md.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone
from django.utils.translation import gettext

from annotation.access import visible_items
from annotation.codebooks.definition import Codebook as CodebookDefinition
from annotation.importing.append import begin_append, end_append, roll_back_append
from annotation.importing.asked_judgements import ItemsAsked, choose_asked, settle_asked
from annotation.importing.files.refused_rows import RefusedRows
from annotation.importing.files.rows import FileError, JudgementRow, Notice, Refusal
from annotation.importing.formats import judgement_table as judgements
from annotation.importing.formats.common import named_as
from annotation.importing.items import LOOKS_LIKE
from annotation.importing.judgement_rules import (
    AcceptedRow,
    RowRefused,
    WrongProject,
    check_row,
    row_shown,
)
from annotation.importing.reading import Reader, Reading, read_here
from annotation.importing.staging import (
    JUDGEMENTS,
    SHOWN,
    ImportReport,
    OnStored,
    good_batches,
    import_finish,
    staged_import,
)
from annotation.importing.stored_judgements import IdsLike, Stored, read_stored
from annotation.judging.recording import Row, Unit, fill, new_event, payload_digest
from annotation.models import (
    AnnotationEvent,
    Assignment,
    Import,
    Membership,
    Project,
    QuestionAnnotation,
    Round,
    TypeAnnotation,
)
from annotation.projects.projects import bring_in_members
from annotation.rounds.drawing import round_items_add
from annotation.rounds.lifecycle import round_create
from annotation.signals import round_closed
from core.errors import Refused
from core.lookalikes import Names


def judgements_import(
    *,
    project: Project,
    path: Path,
    round_name: str,
    asked: Mapping[str, Any] | None = None,
    name: str = "",
    format: str | None = None,
    skip_invalid: bool = False,
    dry_run: bool = False,
    refused_path: Path | None = None,
    member: Membership | None = None,
    columns: Mapping[str, str] | None = None,
    keep_votes: bool = False,
    on_staged: Callable[[Import], None] | None = None,
    heartbeat: Callable[[int], None] | None = None,
    on_stored: OnStored | None = None,
    reader: Reader = read_here,
) -> ImportReport:
    """Import finished judgements into the round of this name, which is made if it is new.

    `asked` says what a new round asks of each item, as `asked_judgements.choose_asked` reads it.
    `format` is one of judgement_formats.FORMATS, by default what the content of the file is. Annotators
    become members by pseudonym; their names stay private. A row that breaks a rule of the protocol, names an
    unknown item or type, or differs from what is stored for the same unit and annotator is refused; then
    nothing is stored unless `skip_invalid`. `columns` says which of the file's columns stand for the known
    ones. `keep_votes` keeps an answer without its span, reason or comment where that cannot be stored.
    `on_staged`, `heartbeat`, `on_stored` and `reader` are those of `items_import`. Raises FileError for what
    refuses the file, Refused for a round that was annotated here.
    """
    name = name or path.name
    if not round_name.strip():
        raise Refused("invalid", gettext("Name the round that the judgements go into."))
    refuse_unless_imported(project, round_name)
    report = ImportReport(file=name, format=JUDGEMENTS)
    refused = RefusedRows(report, refused_path, judgements.columns_of(project.protocol))
    with staged_import(
        project=project, path=path, name=name, format=JUDGEMENTS, member=member, on_staged=on_staged
    ) as staged:
        existing = refuse_unless_imported(project, round_name)
        target = existing or round_create(
            project=project,
            name=round_name,
            purpose=Round.Purpose.MAIN,
            overlap=1,
            imported=True,
            member=member,
        )
        choose_asked(target, asked or {}, is_new=existing is None)
        if existing is not None and not dry_run:
            begin_append(staged, existing)
        try:
            # What people read stays as it is while a file is looked through.
            loader = _Loader(staged, target, report, refused, writes=existing is None or not dry_run)
            loader.keep_votes = keep_votes
            options = {
                "codebook": target.codebook.definition,
                "renamed": dict(columns) if columns else None,
                "keep_votes": keep_votes,
            }
            with reader(Reading(JUDGEMENTS, path, name, format or "", options)) as opened:
                loader.load(opened.rows, heartbeat)
        finally:
            refused.close()
        if not dry_run and (skip_invalid or not report.refused) and (existing is None or report.changed):
            with transaction.atomic():
                settle_asked(target, after=staged.report.get("before", {}).get("RoundItem", 0))
                if existing is None:
                    _close_imported(target)
                else:
                    end_append(target)
                    round_closed.send(sender=Round, round=target)
                import_finish(staged, report, on_stored)
        elif not dry_run and (skip_invalid or not report.refused):
            # Nothing new.
            roll_back_append(staged)
            import_finish(staged, report, on_stored)
    return report


def refuse_unless_imported(project: Project, name: str) -> Round | None:
    """Return the round of this name, if there is one. Raises Refused where it was annotated here."""
    existing = project.rounds.filter(name=name.strip()).first()
    if existing is not None and not existing.imported:
        raise Refused(
            "round_not_imported",
            gettext(
                "%(name)s is %(status)s and was annotated here: bring the judgements into a round of "
                "another name."
            )
            % {"name": existing.name, "status": existing.status_word},
        )
    return existing


def _close_imported(round: Round) -> None:
    most = round.assignments.values("item").annotate(n=Count("id")).aggregate(most=Max("n"))["most"]
    if not most:
        raise Refused("invalid", gettext("The file has no judgement that can be stored; no round was made."))
    now = timezone.now()
    round.overlap, round.status, round.opened_at, round.closed_at = most, Round.Status.CLOSED, now, now
    round.save(update_fields=["overlap", "status", "opened_at", "closed_at"])
    round_closed.send(sender=Round, round=round)


_Key = tuple[int, str, Unit]
"""Item, annotator and unit of a judgement."""


class _Loader:
    """Checks and writes the rows of one file, batch by batch."""

    def __init__(
        self, staged: Import, round: Round, report: ImportReport, refused: RefusedRows, *, writes: bool
    ) -> None:
        self.staged = staged
        self.project = staged.project
        self.round = round
        self.report = report
        self.refused = refused
        self.codebook = CodebookDefinition.from_json(round.codebook.definition)
        self.spans = {entry.code: entry.span for entry in self.codebook.types}
        self.members = {
            member.private_name or member.pseudonym: member
            for member in self.project.memberships.filter(user=None)
        }
        self.names = Names()
        for known in self.members:
            self.names.note(known)
        self.ids_like = IdsLike(visible_items(self.project))
        last = Max("position")
        self.next_item = (round.round_items.aggregate(last=last)["last"] or 0) + 1
        positions = round.assignments.order_by().values_list("member").annotate(last=last)
        self.next_position = defaultdict(lambda: 1, {pk: position + 1 for pk, position in positions})
        self.number = 0
        self.writes = writes
        self.keep_votes = False
        self.unwritten: dict[_Key, AcceptedRow] = {}
        self.asked = ItemsAsked(round)

    def load(
        self, rows: Iterable[JudgementRow | Refusal | Notice], heartbeat: Callable[[int], None] | None = None
    ) -> None:
        batches = good_batches(
            rows, staged=self.staged, report=self.report, refused=self.refused, heartbeat=heartbeat
        )
        for good in batches:
            with transaction.atomic():
                stored = read_stored(self.round, {row.item for row in good}, self.ids_like)
                self.asked.read(stored.items.values(), stored.drawn)
                accepted = self._accepted(good, stored)
                if self.writes:
                    self._write(list(accepted.values()), stored)
                else:
                    self._count(accepted)

    def _accepted(self, rows: list[JudgementRow], stored: Stored) -> dict[_Key, AcceptedRow]:
        """Check the rows; refuse those that break a rule, leave out those that are stored already."""
        accepted: dict[_Key, AcceptedRow] = {}
        for given in rows:
            try:
                row = check_row(
                    named_as(self.codebook, given), self.codebook, stored, keep_votes=self.keep_votes
                )
                self.asked.check(row)
                self._check_name(given)
                key = (row.item.pk, given.annotator, row.unit)
                if self._is_there(row, accepted.get(key) or self.unwritten.get(key), stored):
                    self.report.count("judgements already there")
                else:
                    accepted[key] = row
                    if row.incomplete:
                        self.report.count("votes kept alone")
            except WrongProject as problem:
                # Said once of the file: it would be said of every row.
                raise FileError(self.report.file, given.place, str(problem)) from None
            except RowRefused as problem:
                self.refused.add(Refusal(given.place, str(problem), row_shown(given, stored)))
        return accepted

    def _check_name(self, given: JudgementRow) -> None:
        """Note an annotator named like another but for case. Raises RowRefused for the same look."""
        name = given.annotator
        if name not in self.names.noted and (other := self.names.unseen(name)):
            told = gettext("the annotator “%(name)s” %(looks)s")
            raise RowRefused(told % {"name": name, "looks": LOOKS_LIKE % {"other": other}})
        if other := self.names.note(name):
            told = gettext("the annotators “%(name)s” and “%(other)s” look alike and are taken as two people")
            self.report.notice(Notice(given.place, told % {"name": name, "other": other}))

    def _count(self, accepted: dict[_Key, AcceptedRow]) -> None:
        """Count what writing would store, and keep it to compare later rows with."""
        known = {annotator for _, annotator, _ in self.unwritten} | set(self.members)
        self.report.count("new annotators", len({annotator for _, annotator, _ in accepted} - known))
        self.report.count("new judgements", len(accepted))
        self.unwritten.update(accepted)

    def _is_there(self, row: AcceptedRow, earlier: AcceptedRow | None, stored: Stored) -> bool:
        """Whether the same judgement is there already. Raises RowRefused where another one is."""
        member = self.members.get(row.given.annotator)
        before = stored.rows.get((row.item.pk, member.pk, row.unit)) if member else None
        if earlier is None and before is None:
            return False
        same = (
            (earlier.checked, earlier.incomplete) == (row.checked, row.incomplete)
            if earlier is not None
            else before is not None
            and before.incomplete == row.incomplete
            and all(getattr(before, field) == value for field, value in asdict(row.checked).items())
        )
        if same:
            return True
        in_round = gettext("in %(name)s") % {"name": self.round.name}
        where = gettext("further up in the file") if earlier is not None else in_round
        raise RowRefused(
            gettext("%(annotator)s has another judgement of this unit %(where)s; it stays as it is")
            % {"annotator": row.given.annotator, "where": where}
        )

    def _write(self, accepted: list[AcceptedRow], stored: Stored) -> None:
        fresh = {row.item.pk: None for row in accepted if row.item.pk not in stored.drawn}
        round_items_add(self.round, list(fresh), first_position=self.next_item)
        self.next_item += len(fresh)
        self._assign(accepted, stored)
        events: list[AnnotationEvent] = []
        rows: list[Row] = []
        for row in accepted:
            member = self.members[row.given.annotator]
            new = self._new_row(stored.assignments[(row.item.pk, member.pk)], row)
            rows.append(new)
            self.number += 1
            events.append(
                new_event(
                    new,
                    member=member,
                    client_event_id=f"import-{self.staged.pk}-{self.number}",
                    digest=payload_digest(new.assignment_id, row.unit, row.answer),
                    before=None,
                )
            )
        AnnotationEvent.objects.bulk_create(events)
        TypeAnnotation.objects.bulk_create(row for row in rows if isinstance(row, TypeAnnotation))
        QuestionAnnotation.objects.bulk_create(row for row in rows if isinstance(row, QuestionAnnotation))
        self.report.count("new judgements", len(events))

    def _assign(self, accepted: list[AcceptedRow], stored: Stored) -> None:
        names = {row.given.annotator: None for row in accepted if row.given.annotator not in self.members}
        self.members.update(bring_in_members(project=self.project, names=names))
        for name in dict.fromkeys(row.given.annotator for row in accepted):
            if len(self.report.people) < SHOWN:
                self.report.people[name] = self.members[name].pseudonym
        self.report.count("new annotators", len(names))
        new: dict[tuple[int, int], Assignment] = {}
        for row in accepted:
            name = row.given.annotator
            key = (row.item.pk, self.members[name].pk)
            if key in stored.assignments or key in new:
                continue
            new[key] = Assignment(
                round=self.round,
                item=row.item,
                member=self.members[name],
                position=self.next_position[key[1]],
                types=self.asked.types.get(row.item.pk),
            )
            self.next_position[key[1]] += 1
        Assignment.objects.bulk_create(new.values())
        stored.assignments.update(new)

    def _new_row(self, assignment: Assignment, accepted: AcceptedRow) -> Row:
        unit = accepted.unit
        row: Row = (
            QuestionAnnotation(assignment=assignment, question_id=unit.question_id)
            if unit.question_id is not None
            else TypeAnnotation(
                assignment=assignment,
                type_code=unit.type_code,
                span_required=self.spans[unit.type_code],
                text_length=accepted.item.text_length,
            )
        )
        fill(row, accepted.checked)
        row.incomplete = accepted.incomplete
        row.active_seconds, row.decided_at = accepted.given.active_seconds, accepted.given.decided_at
        return row
