"""Recording judgements: first the event, then the current row, in one transaction.

A repeat of an event returns the row as it is now and changes nothing, so that a late retry never
reapplies an answer over a later one.

See docs/decisions/storage.md.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.access import get_or_none, round_or_404
from annotation.codebooks.definition import Codebook as CodebookDefinition
from annotation.judging import prepared
from annotation.judging.matching import check_matching
from annotation.models import (
    AnnotationEvent,
    Assignment,
    Codebook,
    Membership,
    QuestionAnnotation,
    Round,
    Suggestion,
    TypeAnnotation,
)
from annotation.protocols.cqs_gen import QuestionAnswer, check_question_judgement
from annotation.protocols.focus import TypeAnswer, check_type_judgement
from annotation.protocols.rules import RuleError, refused_by_rules
from annotation.rounds.training import refuse_second_answer
from core.errors import NotFound, Refused


@lru_cache(maxsize=64)
def used_codebook(pk: int, created_at: datetime) -> CodebookDefinition:
    """Return the definition of a codebook that a round uses.

    With its translations it is the longest thing that a judgement would read. `created_at` tells it from
    another one under the same key, as in a restored database.
    """
    return CodebookDefinition.from_json(
        Codebook.objects.values_list("definition", flat=True).get(pk=pk, created_at=created_at)
    )


MAX_ACTIVE_SECONDS = 24 * 60 * 60

Row = TypeAnnotation | QuestionAnnotation
Answer = TypeAnswer | QuestionAnswer

UNDECIDED_TYPE = TypeAnswer(None, False, None, None, None, "", False)
UNDECIDED_QUESTION = QuestionAnswer(None, False, "", "", "", False)


@dataclass(frozen=True, slots=True)
class Unit:
    """What is judged within an assignment: a type by its code, or a question by its key."""

    type_code: str = ""
    question_id: int | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """The suggestion that was visible before the input, by its key, and whether the answer is it, taken."""

    suggestion: int
    taken: bool = False


@dataclass(frozen=True, slots=True)
class Recorded:
    """The judgement as it stands, and whether the event had been recorded before."""

    row: Row
    replayed: bool


def judgement_record(
    *,
    member: Membership,
    round_number: int,
    assignment_id: int,
    unit: Unit,
    answer: dict[str, Any] | None,
    base_revision: int,
    client_event_id: str,
    active_seconds: int = 0,
    seen: Seen | None = None,
) -> Recorded:
    """Record a member's answer for one unit, or with `answer` None take it back to undecided.

    `round_number` is that of a round of the member's project; `base_revision` is the revision the member saw
    (0: none); `active_seconds` is added to the unit's; `seen` is the suggestion that was visible.
    Raises Refused with code `invalid` and a message a field where the protocol forbids the answer,
    `stale_revision` with the stored row where somebody was quicker, `event_id_reused`, `round_not_open`,
    `round_paused`.
    """
    digest = payload_digest(assignment_id, unit, answer, seen)
    try:
        with transaction.atomic():
            return _record(
                member,
                round_number,
                assignment_id,
                unit,
                answer,
                base_revision,
                client_event_id,
                active_seconds,
                digest,
                seen,
            )
    except (Refused, IntegrityError):
        # A repeat meets its own answer and looks stale, or the round has closed since; the constraint on
        # event ids refuses one that looks new. So only what was refused is looked up.
        replay = _replay(member, client_event_id, digest)
        if replay is None:
            raise
        return replay


def _record(
    member: Membership,
    round_number: int,
    assignment_id: int,
    unit: Unit,
    answer: dict[str, Any] | None,
    base_revision: int,
    client_event_id: str,
    active_seconds: int,
    digest: str,
    seen: Seen | None,
) -> Recorded:
    assignment = _assignment_locked(member, round_number, assignment_id)
    round = assignment.round
    if _is_kept_from(round, assignment, unit):
        raise NotFound(gettext("You are not asked this type of this text in this round. Reload the page."))
    closed = why_closed(round)
    if closed:
        raise Refused("round_not_open", closed)
    if round.paused_at is not None:
        raise Refused(
            "round_paused",
            gettext("%(name)s is paused: nothing can be recorded until a lead lets it go on.")
            % {"name": round.name},
        )
    row = _current(assignment, unit)
    refuse_second_answer(round, row)
    if (row.revision if row else 0) != base_revision:
        raise Refused(
            "stale_revision",
            gettext("This unit was changed elsewhere meanwhile. Compare the two answers and choose one."),
            row=answer_of(row) if row else None,
        )
    codebook = used_codebook(round.codebook_id, round.codebook.created_at)
    if round.matching and unit.question_id is not None and answer is not None:
        checked: Answer = check_matching(codebook, assignment, unit.question_id, answer)
    else:
        checked = check_answer(codebook, assignment.item.text, unit, answer)
    suggestion = None if seen is None else _suggestion_seen(assignment, unit, seen, checked)
    before = answer_of(row) if row else None
    if row is None:
        row = new_row(assignment, unit, codebook)
        row.suggestion_id = suggestion.pk if suggestion else None
    # Of an answer from before the suggestion was seen, if there is one, it never was.
    row.suggestion_taken = seen is not None and seen.taken and row.suggestion_id == seen.suggestion
    row.revision = base_revision + 1
    row.active_seconds = min((row.active_seconds or 0) + max(active_seconds, 0), MAX_ACTIVE_SECONDS)
    row.decided_at = timezone.now()
    row.after_reopening = round.reopened_at is not None
    fill(row, checked)
    event = new_event(row, member=member, client_event_id=client_event_id, digest=digest, before=before)
    prepared.INSERTS[AnnotationEvent].insert(event)
    if row.pk is None:
        prepared.INSERTS[type(row)].insert(row)
    else:
        row.save(force_update=True)
    if assignment.started_at is None:
        Assignment.objects.filter(pk=assignment.pk).update(started_at=timezone.now())
    return Recorded(row, replayed=False)


def why_closed(round: Round) -> str:
    """Say why a round takes no judgement, until a lead does something about it; empty where it does."""
    if round.imported:
        return gettext("The judgements of %(name)s were made elsewhere: none can be recorded here.") % {
            "name": round.name
        }
    if round.status != Round.Status.OPEN:
        return gettext(
            "%(name)s is %(status)s: judgements can be recorded only while it is open. Ask a lead."
        ) % {"name": round.name, "status": round.status_word}
    return ""


def _assignment_locked(member: Membership, round_number: int, assignment_id: int) -> Assignment:
    """Return the member's assignment with its round and text, locked until this transaction ends.

    The lock lets two tabs, or two sends of one event, meet in turn. Raises NotFound.
    """
    assignment = prepared.assignment_locked.one(
        pk=assignment_id, member=member.pk, project=member.project_id, number=round_number
    )
    if assignment is None or assignment.round.status == Round.Status.DRAFT:
        round_or_404(member, round_number)
    if assignment is None or assignment.released_at is not None:
        raise NotFound(gettext("This text is not assigned to you in this round. Reload the page."))
    return assignment


def _is_kept_from(round: Round, assignment: Assignment, unit: Unit) -> bool:
    """Whether the unit is a type that the member is not asked about this text."""
    named = assignment.types or round.types
    return named is not None and unit.type_code not in named.split()


def _suggestion_seen(assignment: Assignment, unit: Unit, seen: Seen, answer: Answer) -> Suggestion:
    """Return the suggestion that a judgement names. Raises Refused for one that its unit does not show."""
    found = assignment.round.suggested.filter(
        pk=seen.suggestion,
        item=assignment.item_id,
        type_code=unit.type_code,
        question=unit.question_id,
        shown=True,
    ).first()
    if found is None:
        told = gettext("This unit shows no such suggestion. Reload the page.")
    elif seen.taken and not _is_taken(found, answer):
        told = gettext("The answer is not the one suggested: it was not taken.")
    else:
        return found
    raise Refused("invalid", told, errors={"suggestion": told})


def _is_taken(suggestion: Suggestion, answer: Answer) -> bool:
    if isinstance(answer, TypeAnswer):
        return answer.applicable is not None and answer.applicable == suggestion.applicable
    return answer.label is not None and answer.label == suggestion.label


def check_answer(
    codebook: CodebookDefinition, item_text: str, unit: Unit, answer: dict[str, Any] | None
) -> Answer:
    """Check an answer by the protocol's rules; None is undecided. Raises Refused, one message a field."""
    try:
        if unit.question_id is not None:
            return UNDECIDED_QUESTION if answer is None else check_question_judgement(codebook, answer)
        if answer is None:
            return UNDECIDED_TYPE
        return check_type_judgement(codebook, item_text, unit.type_code, answer)
    except RuleError as error:
        raise refused_by_rules(error) from None


def new_row(assignment: Assignment, unit: Unit, codebook: CodebookDefinition) -> Row:
    """Return an unsaved, undecided row for a unit. Raises Refused for a unit the round does not ask."""
    if unit.question_id is not None:
        if not assignment.round.round_questions.filter(
            question_id=unit.question_id, question__item=assignment.item_id
        ).exists():
            raise Refused(
                "invalid",
                gettext("The answer breaks a rule of the protocol; nothing was stored."),
                errors={"question": gettext("This question is not asked about this text in this round.")},
            )
        return QuestionAnnotation(assignment=assignment, question_id=unit.question_id)
    span = {entry.code: entry.span for entry in codebook.types}
    if unit.type_code not in span:
        raise Refused(
            "invalid",
            gettext("The answer breaks a rule of the protocol; nothing was stored."),
            errors={
                "type": gettext("The codebook has no type “%(type_code)s”.") % {"type_code": unit.type_code}
            },
        )
    return TypeAnnotation(
        assignment=assignment,
        type_code=unit.type_code,
        span_required=span[unit.type_code],
        text_length=assignment.item.text_length,
    )


def fill(row: Row, answer: Answer) -> None:
    """Copy a checked answer onto a row."""
    for field, value in asdict(answer).items():
        setattr(row, field, value)


def new_event(
    row: Row, *, member: Membership, client_event_id: str, digest: str, before: dict[str, Any] | None
) -> AnnotationEvent:
    """Return the unsaved event that leads to the row as it is now."""
    question_id = row.question_id if isinstance(row, QuestionAnnotation) else None
    return AnnotationEvent(
        member=member,
        assignment_id=row.assignment_id,
        type_code=row.type_code if isinstance(row, TypeAnnotation) else "",
        question_id=question_id,
        client_event_id=client_event_id,
        payload_sha256=digest,
        before=before,
        after=answer_of(row),
        revision=row.revision,
    )


def answer_of(row: Row) -> dict[str, Any]:
    """Return a row's answer as plain JSON, with its revision and active seconds."""
    fields = (
        ("applicable", "cannot_judge", "start", "end", "quote", "comment", "unsure")
        if isinstance(row, TypeAnnotation)
        else ("label", "cannot_judge", "reason", "comment", "edited_question", "unsure")
    )
    answer = {field: getattr(row, field) for field in fields}
    if row.incomplete:
        answer["incomplete"] = True
    if isinstance(row, QuestionAnnotation) and row.reference_id is not None:
        answer["reference"] = row.reference_id
    if row.suggestion_id is not None:
        answer |= {"suggestion": row.suggestion_id, "suggestion_taken": row.suggestion_taken}
    return {**answer, "revision": row.revision, "active_seconds": row.active_seconds}


def _current(assignment: Assignment, unit: Unit) -> Row | None:
    row: Row | None
    if unit.question_id is not None:
        row = prepared.question_row.one(assignment=assignment.pk, question=unit.question_id)
    else:
        row = prepared.type_row.one(assignment=assignment.pk, type_code=unit.type_code)
    if row is not None:
        row.assignment = assignment
    return row


def _replay(member: Membership, client_event_id: str, digest: str) -> Recorded | None:
    event = get_or_none(AnnotationEvent.objects, member=member, client_event_id=client_event_id)
    if event is None:
        return None
    if event.payload_sha256 != digest:
        raise Refused(
            "event_id_reused",
            gettext("This event id was used for another answer. Give every decision an id of its own."),
        )
    row = _current(event.assignment, Unit(event.type_code, event.question_id))
    if row is None:
        raise NotFound(gettext("The judgement of this event is gone."))
    return Recorded(row, replayed=True)


def payload_digest(
    assignment_id: int, unit: Unit, answer: dict[str, Any] | None, seen: Seen | None = None
) -> str:
    """Return the SHA-256 that tells a repeated event from another one under the same id."""
    payload: list[Any] = [assignment_id, unit.type_code, unit.question_id, answer]
    if seen is not None:
        payload.append([seen.suggestion, seen.taken])
    return hashlib.sha256(json.dumps(payload, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
