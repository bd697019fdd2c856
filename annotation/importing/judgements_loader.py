"""Bring finished judgements into a closed round: made elsewhere, analysed here.

The same path as the browser's: each row is checked by the protocol, then event and current row are
written. A new round stays a draft that nobody judges in until everything is there.
"""

from collections import defaultdict
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone

from annotation.access import visible_items
from annotation.codebooks.definition import Codebook as CodebookDefinition
from annotation.errors import Refused
from annotation.importing import judgements
from annotation.importing.rows import JudgementRow, Notice, Refusal
from annotation.importing.staging import (
    BATCH,
    ImportReport,
    RefusedRows,
    delete_in_batches,
    import_finish,
    import_heartbeat,
    staged_import,
)
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
    RoundItem,
    RoundQuestion,
    TypeAnnotation,
)
from annotation.projects import member_add
from annotation.recording import Answer, Row, Unit, answer_of, check_answer, fill, new_event, payload_digest
from annotation.rounds import round_create, round_items_add
from annotation.signals import round_closed

_ANSWER_FIELDS = ("applicable", "start", "end", "quote", "comment", "cannot_judge", "unsure")
_LABEL_FIELDS = ("label", "reason", "comment", "edited_question", "cannot_judge", "unsure")


def judgements_import(
    *,
    project: Project,
    path: Path,
    round_name: str,
    name: str = "",
    skip_invalid: bool = False,
    dry_run: bool = False,
    refused_path: Path | None = None,
    member: Membership | None = None,
) -> ImportReport:
    """Import finished judgements in long form into the round of this name, which is made if it is new.

    Annotators become members by pseudonym; their names stay private. A row that breaks a rule of the
    protocol, names an unknown item or type, or differs from what is stored for the same unit and annotator
    is refused; then nothing is stored unless `skip_invalid`. Raises FileError for what refuses the file,
    Refused for a round that was annotated here.
    """
    name = name or path.name
    if not round_name.strip():
        raise Refused("invalid", "Name the round that the judgements go into.")
    existing = project.rounds.filter(name=round_name.strip()).first()
    if existing is not None and not existing.imported:
        raise Refused(
            "round_not_imported",
            f"{existing.name} is {existing.status} and was annotated here: bring the judgements into a round "
            "of another name.",
        )
    rows = judgements.read(path, name=name)
    report = ImportReport(file=name, format="judgements")
    refused = RefusedRows(report, refused_path)
    with staged_import(
        project=project, path=path, name=name, format="judgements", member=member, discard=judgements_discard
    ) as staged:
        new_round = existing is None or existing.status == Round.Status.DRAFT
        target = existing or round_create(
            project=project, name=round_name, purpose=Round.Purpose.MAIN, overlap=1, imported=True, member=member
        )
        # A new round is invisible, so it may grow batch by batch; one that people read changes at once.
        with nullcontext() if new_round else transaction.atomic():
            try:
                loader = _Loader(staged, target, report, refused)
                loader.load(rows)
            finally:
                refused.close()
            kept = not dry_run and (skip_invalid or not report.refused)
            if not kept and not new_round:
                transaction.set_rollback(True)
        if kept:
            with transaction.atomic():
                if new_round:
                    _close_imported(target)
                elif report.changed:
                    round_closed.send(sender=Round, round=target)
                import_finish(staged, report)
    return report


def _close_imported(round: Round) -> None:
    most = round.assignments.values("item").annotate(n=Count("id")).aggregate(most=Max("n"))["most"]
    if not most:
        raise Refused("invalid", "The file has no judgement that can be stored; no round was made.")
    now = timezone.now()
    round.overlap, round.status, round.opened_at, round.closed_at = most, Round.Status.CLOSED, now, now
    round.save(update_fields=["overlap", "status", "opened_at", "closed_at"])
    round_closed.send(sender=Round, round=round)


def judgements_discard(staged: Import) -> None:
    """Take away the drafts of imported rounds: what an import that has not finished left."""
    for round in staged.project.rounds.filter(imported=True, status=Round.Status.DRAFT):
        for model in (TypeAnnotation, QuestionAnnotation, AnnotationEvent):
            delete_in_batches(model.objects.filter(assignment__round=round))
        members = set(round.assignments.values_list("member", flat=True))
        for model in (Assignment, RoundQuestion, RoundItem):
            delete_in_batches(model.objects.filter(round=round))
        round.delete()
        Membership.objects.filter(pk__in=members, user=None, assignments__isnull=True).delete()
    Import.objects.filter(pk=staged.pk, state=Import.State.STAGING).update(state=Import.State.FAILED)


@dataclass
class _Batch:
    """What is stored for the items of one batch of rows."""

    items: dict[str, Item]
    questions: dict[tuple[int, str], list[int]]
    assignments: dict[tuple[int, int], Assignment]
    stored: dict[tuple[int, Unit], Row]


class _Loader:
    def __init__(self, staged: Import, round: Round, report: ImportReport, refused: RefusedRows) -> None:
        self.staged = staged
        self.project = staged.project
        self.round = round
        self.report = report
        self.refused = refused
        self.codebook = CodebookDefinition.from_json(round.codebook.definition)
        self.spans = {entry.code: entry.span for entry in self.codebook.types}
        self.members = {
            member.private_name: member for member in self.project.memberships.exclude(private_name="")
        }
        last = Max("position")
        self.next_item = (round.round_items.aggregate(last=last)["last"] or 0) + 1
        positions = round.assignments.order_by().values_list("member").annotate(last=last)
        self.next_position = defaultdict(lambda: 1, {pk: position + 1 for pk, position in positions})
        self.number = 0

    def load(self, rows: Iterable[JudgementRow | Refusal | Notice]) -> None:
        iterator = iter(rows)
        while batch := list(islice(iterator, BATCH)):
            good = []
            for row in batch:
                if isinstance(row, JudgementRow):
                    good.append(row)
                elif isinstance(row, Refusal):
                    self.refused.add(row)
                else:
                    self.report.notice(row)
            import_heartbeat(self.staged)
            with transaction.atomic():
                self._stage(good)

    def _stage(self, rows: list[JudgementRow]) -> None:
        batch = self._read(rows)
        events: list[AnnotationEvent] = []
        written: dict[type[Row], list[Row]] = {TypeAnnotation: [], QuestionAnnotation: []}
        for given in rows:
            try:
                stored = self._row(given, batch, written)
            except _RowRefused as problem:
                self.refused.add(Refusal(given.place, str(problem), _shown(given)))
                continue
            if stored is not None:
                events.append(stored)
        AnnotationEvent.objects.bulk_create(events)
        for model, new in written.items():
            model.objects.bulk_create(new)
        self.report.count("new judgements", len(events))

    def _row(
        self, given: JudgementRow, batch: _Batch, written: dict[type[Row], list[Row]]
    ) -> AnnotationEvent | None:
        """Stage one judgement and return its event; None where the same is stored already."""
        item = batch.items.get(given.item)
        if item is None:
            raise _RowRefused(f"there is no item “{given.item}” in this project")
        unit = self._unit(given, item, batch)
        answer = _answer(given, item)
        member = self.members.get(given.annotator)
        assignment = batch.assignments.get((item.pk, member.pk)) if member else None
        stored = batch.stored.get((assignment.pk, unit)) if assignment else None
        if assignment is None:
            # Checked before anything is made, so that a refused row leaves no member and no assignment.
            checked = self._checked(Assignment(item=item), unit, answer)
            member = member or self._new_member(given.annotator)
            assignment = self._new_assignment(item, member, batch)
        else:
            checked = self._checked(assignment, unit, answer)
        row = self._new_row(assignment, item, unit)
        fill(row, checked)
        if stored is not None:
            if answer_of(stored) == {**answer_of(row), "active_seconds": stored.active_seconds}:
                self.report.count("judgements already there")
                return None
            raise _RowRefused(
                f"{given.annotator} has another judgement of this unit in {self.round.name}; it stays as it is"
            )
        batch.stored[(assignment.pk, unit)] = row
        written[type(row)].append(row)
        self.number += 1
        return new_event(
            row,
            member=member,
            client_event_id=f"import-{self.staged.pk}-{self.number}",
            digest=payload_digest(assignment.pk, unit, answer),
            before=None,
        )

    def _checked(self, assignment: Assignment, unit: Unit, answer: dict) -> Answer:
        try:
            return check_answer(self.codebook, assignment, unit, answer)
        except Refused as refusal:
            raise _RowRefused("; ".join(f"{name}: {why}" for name, why in refusal.errors.items())) from None

    def _unit(self, given: JudgementRow, item: Item, batch: _Batch) -> Unit:
        if self.project.protocol == Protocol.FOCUS:
            if given.type_code is None:
                raise _RowRefused("judges a question, and this project judges types")
            return Unit(type_code=given.type_code)
        if given.question is None:
            raise _RowRefused("judges a type, and this project judges questions")
        found = batch.questions.get((item.pk, str(given.question)), [])
        if len(found) != 1:
            count = "no question" if not found else f"{len(found)} questions"
            raise _RowRefused(f"“{given.item}” has {count} with the id “{given.question}”")
        return Unit(question_id=found[0])

    def _new_row(self, assignment: Assignment, item: Item, unit: Unit) -> Row:
        if unit.question_id is not None:
            return QuestionAnnotation(assignment=assignment, question_id=unit.question_id)
        return TypeAnnotation(
            assignment=assignment,
            type_code=unit.type_code,
            span_required=self.spans[unit.type_code],
            text_length=item.text_length,
        )

    def _new_member(self, name: str) -> Membership:
        member = member_add(project=self.project, private_name=name)
        self.members[name] = member
        self.report.count("new annotators")
        return member

    def _new_assignment(self, item: Item, member: Membership, batch: _Batch) -> Assignment:
        assignment = Assignment.objects.create(
            round=self.round, item=item, member=member, position=self.next_position[member.pk]
        )
        self.next_position[member.pk] += 1
        batch.assignments[(item.pk, member.pk)] = assignment
        return assignment

    def _read(self, rows: list[JudgementRow]) -> _Batch:
        wanted = {row.item for row in rows}
        items = {item.external_id: item for item in visible_items(self.project).filter(external_id__in=wanted)}
        by_pk = {item.pk: item for item in items.values()}
        drawn = set(self.round.round_items.filter(item__in=by_pk).values_list("item", flat=True))
        fresh = [pk for pk in sorted(by_pk) if pk not in drawn]
        round_items_add(self.round, fresh, first_position=self.next_item)
        self.next_item += len(fresh)
        self.report.count("items in the round", len(fresh))
        questions: dict[tuple[int, str], list[int]] = defaultdict(list)
        if self.project.protocol == Protocol.CQS_GEN:
            asked = self.round.round_questions.filter(question__item__in=by_pk).values_list(
                "question__item", "question__external_id", "question"
            )
            for item, external_id, question in asked:
                questions[(item, str(external_id))].append(question)
        assignments = {
            (assignment.item_id, assignment.member_id): assignment
            for assignment in self.round.assignments.filter(item__in=by_pk)
        }
        keys = [assignment.pk for assignment in assignments.values()]
        stored: dict[tuple[int, Unit], Row] = {
            (row.assignment_id, Unit(type_code=row.type_code)): row
            for row in TypeAnnotation.objects.filter(assignment__in=keys)
        }
        for row in QuestionAnnotation.objects.filter(assignment__in=keys):
            stored[(row.assignment_id, Unit(question_id=row.question_id))] = row
        for assignment in assignments.values():
            assignment.item = by_pk[assignment.item_id]
        return _Batch(items, questions, assignments, stored)


class _RowRefused(ValueError):
    """Why one row is refused."""


def _answer(given: JudgementRow, item: Item) -> dict:
    """Return the answer as the browser would send it; an absent quote is taken from the text."""
    if given.type_code is None:
        return {name: getattr(given, name) for name in _LABEL_FIELDS}
    answer = {name: getattr(given, name) for name in _ANSWER_FIELDS}
    if given.quote is None and given.start is not None and given.end is not None:
        answer["quote"] = item.text[max(given.start, 0) : max(given.end, 0)]
    return answer


def _shown(given: JudgementRow) -> dict:
    """Return a row as its file would have it, for the file of refused rows."""
    unit = (
        {"type": given.type_code, "applicable": _yes_no(given.applicable)}
        if given.type_code is not None
        else {"question": given.question, "label": given.label or ""}
    )
    shown = {"item": given.item, **unit, "annotator": given.annotator}
    for name in ("start", "end", "quote"):
        value = getattr(given, name)
        shown[name] = "" if value is None else value
    return {**shown, "reason code": given.reason, "comment": given.comment}


def _yes_no(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"
