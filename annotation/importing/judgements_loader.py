"""Bring finished judgements into a closed round: made elsewhere, analysed here.

The same path as the browser's: each row is checked by the protocol, then event and current row are
written. A new round stays a draft that nobody judges in until everything is there.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone
from django.utils.translation import gettext

from annotation.codebooks.definition import Codebook as CodebookDefinition
from annotation.errors import Refused
from annotation.importing import judgements
from annotation.importing.growing import growing_begin, growing_end, growing_take_back
from annotation.importing.judgement_formats import judgement_rows
from annotation.importing.rows import JudgementRow, Notice, Refusal
from annotation.importing.staging import (
    JUDGEMENTS,
    ImportReport,
    RefusedRows,
    good_batches,
    import_finish,
    staged_import,
)
from annotation.importing.stored_judgements import Stored, stored_read
from annotation.limits import LIMITS, unfit
from annotation.models import (
    AnnotationEvent,
    Assignment,
    Import,
    Item,
    Membership,
    Project,
    Protocol,
    QuestionAnnotation,
    Round,
    TypeAnnotation,
)
from annotation.projects import members_bring_in
from annotation.recording import Answer, Row, Unit, check_answer, fill, new_event, payload_digest
from annotation.round_drawing import round_items_add
from annotation.rounds import round_create
from annotation.signals import round_closed


def judgements_import(
    *,
    project: Project,
    path: Path,
    round_name: str,
    name: str = "",
    format: str | None = None,
    skip_invalid: bool = False,
    dry_run: bool = False,
    refused_path: Path | None = None,
    member: Membership | None = None,
    on_batch: Callable[[int], None] | None = None,
) -> ImportReport:
    """Import finished judgements into the round of this name, which is made if it is new.

    `format` is one of judgement_formats.FORMATS, by default what the content of the file is.

    Annotators become members by pseudonym; their names stay private. A row that breaks a rule of the
    protocol, names an unknown item or type, or differs from what is stored for the same unit and annotator
    is refused; then nothing is stored unless `skip_invalid`. `on_batch` is told how many rows were
    read. Raises FileError for what refuses the file,
    Refused for a round that was annotated here.
    """
    name = name or path.name
    if not round_name.strip():
        raise Refused("invalid", gettext("Name the round that the judgements go into."))
    _refuse_unless_imported(project, round_name)
    report = ImportReport(file=name, format=JUDGEMENTS)
    refused = RefusedRows(report, refused_path)
    with staged_import(project=project, path=path, name=name, format=JUDGEMENTS, member=member) as staged:
        existing = _refuse_unless_imported(project, round_name)
        target = existing or round_create(
            project=project,
            name=round_name,
            purpose=Round.Purpose.MAIN,
            overlap=1,
            imported=True,
            member=member,
        )
        if existing is not None and not dry_run:
            growing_begin(staged, existing)
        try:
            # What people read stays as it is while a file is looked through.
            loader = _Loader(staged, target, report, refused, writes=existing is None or not dry_run)
            loader.load(judgement_rows(path, name=name, codebook=loader.codebook, format=format), on_batch)
        finally:
            refused.close()
        if not dry_run and (skip_invalid or not report.refused) and (existing is None or report.changed):
            with transaction.atomic():
                if existing is None:
                    _close_imported(target)
                else:
                    growing_end(target)
                    round_closed.send(sender=Round, round=target)
                import_finish(staged, report)
        elif not dry_run and (skip_invalid or not report.refused):
            # Nothing new.
            growing_take_back(staged)
            import_finish(staged, report)
    return report


def _refuse_unless_imported(project: Project, name: str) -> Round | None:
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


@dataclass(frozen=True, slots=True)
class _Accepted:
    """A row that keeps the rules, ready to be written."""

    given: JudgementRow
    item: Item
    unit: Unit
    answer: dict
    checked: Answer


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
        last = Max("position")
        self.next_item = (round.round_items.aggregate(last=last)["last"] or 0) + 1
        positions = round.assignments.order_by().values_list("member").annotate(last=last)
        self.next_position = defaultdict(lambda: 1, {pk: position + 1 for pk, position in positions})
        self.number = 0
        self.writes = writes
        self.unwritten: dict[_Key, _Accepted] = {}

    def load(
        self, rows: Iterable[JudgementRow | Refusal | Notice], on_batch: Callable[[int], None] | None = None
    ) -> None:
        batches = good_batches(
            rows, staged=self.staged, report=self.report, refused=self.refused, on_batch=on_batch
        )
        for good in batches:
            with transaction.atomic():
                stored = stored_read(self.round, {row.item for row in good})
                accepted = self._accepted(good, stored)
                if self.writes:
                    self._write(list(accepted.values()), stored)
                else:
                    self._count(accepted)

    def _accepted(self, rows: list[JudgementRow], stored: Stored) -> dict[_Key, _Accepted]:
        """Check the rows; refuse those that break a rule, leave out those that are stored already."""
        accepted: dict[_Key, _Accepted] = {}
        for given in rows:
            try:
                row = self._check(given, stored)
                key = (row.item.pk, given.annotator, row.unit)
                if self._is_there(row, accepted.get(key) or self.unwritten.get(key), stored):
                    self.report.count("judgements already there")
                else:
                    accepted[key] = row
            except _RowRefused as problem:
                self.refused.add(Refusal(given.place, str(problem), _shown(given, stored)))
        return accepted

    def _count(self, accepted: dict[_Key, _Accepted]) -> None:
        """Count what writing would store, and keep it to compare later rows with."""
        known = {annotator for _, annotator, _ in self.unwritten} | set(self.members)
        self.report.count("new annotators", len({annotator for _, annotator, _ in accepted} - known))
        self.report.count("new judgements", len(accepted))
        self.unwritten.update(accepted)

    def _check(self, given: JudgementRow, stored: Stored) -> _Accepted:
        item = stored.items.get(given.item)
        if item is None:
            raise _RowRefused(gettext("there is no item “%(item)s” in this project") % {"item": given.item})
        if problem := unfit(given.annotator, LIMITS["membership"]["private_name"]):
            raise _RowRefused(f"annotator: {problem}")
        unit = self._unit(given, item, stored)
        answer = _answer(given, item)
        try:
            checked = check_answer(self.codebook, item.text, unit, answer)
        except Refused as refusal:
            errors = refusal.errors
            if given.quote is None and errors.keys() > {"quote"}:
                errors = {name: why for name, why in errors.items() if name != "quote"}
            raise _RowRefused(" ".join(f"{name}: {why}" for name, why in errors.items())) from None
        return _Accepted(given, item, unit, answer, checked)

    def _unit(self, given: JudgementRow, item: Item, stored: Stored) -> Unit:
        if self.project.protocol == Protocol.FOCUS:
            if given.type_code is None:
                raise _RowRefused(gettext("judges a question, and this project judges types"))
            return Unit(type_code=given.type_code)
        if given.question_position is not None:
            if (item.pk, given.question_position) not in stored.positions:
                raise _RowRefused(
                    gettext("“%(item)s” has no question %(question_position)s")
                    % {"item": given.item, "question_position": given.question_position}
                )
            key, external_id = stored.positions[(item.pk, given.question_position)]
            if given.question is not None and str(given.question) != external_id:
                raise _RowRefused(
                    gettext(
                        "question %(question_position)s of “%(item)s” has the id “%(id)s”, not “%(question)s”"
                    )
                    % {
                        "item": given.item,
                        "question_position": given.question_position,
                        "id": external_id,
                        "question": given.question,
                    }
                )
            return Unit(question_id=key)
        if given.question is None:
            raise _RowRefused(gettext("judges a type, and this project judges questions"))
        found = stored.questions.get((item.pk, str(given.question)), [])
        if len(found) != 1:
            count = gettext("no question") if not found else gettext("%(n)s questions") % {"n": len(found)}
            raise _RowRefused(
                gettext("“%(item)s” has %(count)s with the id “%(question)s”")
                % {"item": given.item, "count": count, "question": given.question}
            )
        return Unit(question_id=found[0])

    def _is_there(self, row: _Accepted, earlier: _Accepted | None, stored: Stored) -> bool:
        """Whether the same judgement is there already. Raises _RowRefused where another one is."""
        member = self.members.get(row.given.annotator)
        before = stored.rows.get((row.item.pk, member.pk, row.unit)) if member else None
        if earlier is None and before is None:
            return False
        same = (
            earlier.checked == row.checked
            if earlier is not None
            else all(getattr(before, field) == value for field, value in asdict(row.checked).items())
        )
        if same:
            return True
        in_round = gettext("in %(name)s") % {"name": self.round.name}
        where = gettext("further up in the file") if earlier is not None else in_round
        raise _RowRefused(
            gettext("%(annotator)s has another judgement of this unit %(where)s; it stays as it is")
            % {"annotator": row.given.annotator, "where": where}
        )

    def _write(self, accepted: list[_Accepted], stored: Stored) -> None:
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

    def _assign(self, accepted: list[_Accepted], stored: Stored) -> None:
        names = {row.given.annotator: None for row in accepted if row.given.annotator not in self.members}
        self.members.update(members_bring_in(project=self.project, names=names))
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
            )
            self.next_position[key[1]] += 1
        Assignment.objects.bulk_create(new.values())
        stored.assignments.update(new)

    def _new_row(self, assignment: Assignment, accepted: _Accepted) -> Row:
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
        return row


class _RowRefused(ValueError):
    """Why one row is refused."""


def _answer(given: JudgementRow, item: Item) -> dict:
    """Return the answer as the browser would send it; an absent quote is taken from the text."""
    answer = judgements.answer_fields(given)
    if given.type_code and given.quote is None and given.start is not None and given.end is not None:
        answer["quote"] = item.text[max(given.start, 0) : max(given.end, 0)]
    return answer


def _shown(given: JudgementRow, stored: Stored) -> dict:
    """Return a row in long form, for the file of refused rows."""
    question = given.question
    if given.question_position is not None and given.item in stored.items:
        place = (stored.items[given.item].pk, given.question_position)
        question = stored.positions.get(place, (None, None))[1]
    unit = (
        {"type": given.type_code, "applicable": _yes_no(given.applicable)}
        if given.type_code is not None
        else {"question": question, "label": given.label or ""}
    )
    shown = {"item": given.item, **unit, "annotator": given.annotator}
    for name in ("start", "end", "quote"):
        value = getattr(given, name)
        shown[name] = "" if value is None else value
    shown |= {"reason": given.reason, "comment": given.comment}
    return (
        shown if given.question_position is None else {**shown, "question_position": given.question_position}
    )


def _yes_no(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"
