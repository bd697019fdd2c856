"""A training round's key made in the workspace: its lead answers the round's units as annotators will.

The workspace reads and writes the key as if it were the lead's own judgements, a text at a time; nothing
of it is a judgement. Only while the round is a draft.
"""

from typing import Any, cast

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from annotation.access import readable, refuse_while_judging, round_or_404
from annotation.codebooks.definition import Codebook as CodebookDefinition
from annotation.judging.judgement_json import (
    AnyJudgement,
    KeyOverviewShown,
    PageShown,
    QuestionsShown,
    TypesShown,
)
from annotation.judging.recording import Unit, check_answer
from annotation.judging.workspace import MAX_PAGE, item_json, round_rules
from annotation.models import KeyAnswer, Membership, ProjectEvent, Protocol, Round, RoundItem
from annotation.models.rounds import types_named
from annotation.protocols.cqs_gen import QuestionAnswer
from annotation.protocols.focus import TypeAnswer
from annotation.rounds.asked_types import asked_of_item, asking
from annotation.rounds.training import missing_key
from annotation.training.key import training_draft_locked
from core.errors import NotFound, Refused

ANSWERED = "key answered"

UNDECIDED: dict[str, Any] = {"cannot_judge": False, "comment": "", "unsure": False, "active_seconds": 0}


def key_overview(member: Membership, round: Round) -> KeyOverviewShown:
    """Return what the workspace needs before the first text, as `workspace_overview` does for a round."""
    _refuse_frozen(round)
    missing, _ = missing_key(round)
    answers = round.key_answers.filter(item__withdrawn_at__isnull=True)
    if round.project.protocol == Protocol.FOCUS:
        answers = answers.filter(asking(round))
    answered = answers.count()
    overview = round_rules(member, round)
    overview["round"] |= {
        "name": gettext("Setting the key of %(name)s") % {"name": round.name},
        "purpose": "key",
        "status": Round.Status.OPEN,
        "closed": "",
        "pass_mark": None,
    }
    return {
        **overview,
        "units_total": answered + missing,
        "units_decided": answered,
        "assignments_total": readable(_texts(round), member).count(),
    }


def key_units(member: Membership, round: Round, *, after: int = 0, limit: int = 20) -> PageShown:
    """Return the round's next texts with what the key says of them, in the shape of `workspace_units`.

    A text that the member judges in an open round is left out until that round is closed.
    """
    _refuse_frozen(round)
    limit = max(1, min(limit, MAX_PAGE))
    texts = readable(_texts(round), member)
    drawn = list(texts.filter(position__gt=after).order_by("position")[: limit + 1])
    more, drawn = len(drawn) > limit, drawn[:limit]
    known: dict[int, dict[str | int, AnyJudgement]] = {}
    for key in round.key_answers.filter(item__in=[row.item_id for row in drawn]):
        known.setdefault(key.item_id, {})[key.question_id or key.type_code] = key_json(key)
    following = drawn[-1].position if more else None
    if round.project.protocol == Protocol.CQS_GEN:
        return {
            "results": [_with_questions(round, row, known.get(row.item_id, {})) for row in drawn],
            "next": following,
        }
    asked = round.type_codes
    texts_shown: list[TypesShown] = []
    for row in drawn:
        codes, answers = types_named(row.types, asked), known.get(row.item_id, {})
        texts_shown.append(
            {
                "assignment": row.item_id,
                "position": row.position,
                "item": item_json(row.item),
                "asked": codes,
                "types_total": len(codes) if row.types else None,
                "types": {code: answers[code] for code in codes if code in answers},
            }
        )
    return {"results": texts_shown, "next": following}


def _with_questions(round: Round, row: RoundItem, answers: dict[str | int, AnyJudgement]) -> QuestionsShown:
    questions = round.round_questions.filter(question__item=row.item_id).select_related("question")
    return {
        "assignment": row.item_id,
        "position": row.position,
        "item": item_json(row.item),
        "questions": [
            {
                "id": one.question_id,
                "position": one.question.position,
                "text": one.question.text,
                "row": answers.get(one.question_id),
            }
            for one in questions.order_by("question__position")
        ],
    }


def key_answer_record(
    *,
    member: Membership,
    round_number: int,
    item_id: int,
    unit: Unit,
    answer: dict[str, Any] | None,
    base_revision: int,
) -> AnyJudgement:
    """Write one answer of the key, or with `answer` None take it out again; return it as a workspace's row.

    The comment is what the annotator reads as the reason. Raises Refused as `judgement_record` does, and for
    "cannot judge": a key answers. The same answer again changes nothing.
    """
    round = round_or_404(member, round_number)
    with transaction.atomic():
        training_draft_locked(round)
        drawn = _texts(round).filter(item=item_id).first()
        if drawn is None or not _is_asked(round, item_id, unit):
            raise NotFound(gettext("This is not asked in this round. Reload the page."))
        refuse_while_judging(member, [item_id])
        codebook = CodebookDefinition.from_json(round.codebook.definition)
        checked = check_answer(codebook, drawn.item.text, unit, answer)
        answers = round.key_answers.filter(item=item_id, type_code=unit.type_code, question=unit.question_id)
        stored = answers.first()
        if answer is not None and checked.cannot_judge:
            told = gettext(
                "A key answers every unit: leave the text out of the round if it cannot be judged."
            )
            raise Refused("invalid", told, errors={"cannot_judge": told})
        if stored is not None and stored.revision != base_revision:
            if answer is not None and _values(checked) == _values_of(stored):
                return key_json(stored)
            raise Refused(
                "stale_revision",
                gettext("This unit was changed elsewhere meanwhile. Compare the two answers and choose one."),
                row=key_json(stored),
            )
        _log_once(round, member)
        if answer is None:
            if stored is not None:
                stored.delete()
            return _undecided(unit, base_revision + 1)
        key = stored or KeyAnswer(
            round=round, item=drawn.item, type_code=unit.type_code, question_id=unit.question_id
        )
        for name, value in _values(checked).items():
            setattr(key, name, value)
        key.revision = base_revision + 1
        key.save()
    return key_json(key)


def key_json(key: KeyAnswer) -> AnyJudgement:
    """Return an answer of the key as the workspace reads a judgement."""
    fields = ("label", "reason") if key.question_id else ("applicable", "start", "end", "quote")
    answer = {name: getattr(key, name) for name in fields}
    beside = {"edited_question": ""} if key.question_id else {}
    shown = {**UNDECIDED, **answer, **beside, "comment": key.why, "revision": key.revision, "updated_at": ""}
    return cast(AnyJudgement, shown)


def _log_once(round: Round, member: Membership) -> None:
    """Say in the log that the member sets the key, once until somebody else does or another way is taken."""
    told = round.project.events.filter(action__startswith="key ", details__round=round.name)
    last = told.order_by("-id").first()
    if last is None or (last.action, last.member_id) != (ANSWERED, member.pk):
        ProjectEvent.objects.create(
            project=round.project, member=member, action="key answered", details={"round": round.name}
        )


def _undecided(unit: Unit, revision: int) -> AnyJudgement:
    answer: dict[str, Any] = (
        {"label": None, "reason": "", "edited_question": ""}
        if unit.question_id
        else {"applicable": None, "start": None, "end": None, "quote": None}
    )
    return cast(AnyJudgement, {**UNDECIDED, **answer, "revision": revision, "updated_at": ""})


def _values(checked: TypeAnswer | QuestionAnswer) -> dict[str, Any]:
    if isinstance(checked, QuestionAnswer):
        return {"label": checked.label or "", "reason": checked.reason, "why": checked.comment}
    span = {"start": checked.start, "end": checked.end, "quote": checked.quote}
    return {"applicable": checked.applicable, **span, "why": checked.comment}


def _values_of(key: KeyAnswer) -> dict[str, Any]:
    names = ("label", "reason") if key.question_id else ("applicable", "start", "end", "quote")
    return {**{name: getattr(key, name) for name in names}, "why": key.why}


def _texts(round: Round) -> QuerySet[RoundItem]:
    return RoundItem.objects.filter(round=round, item__withdrawn_at__isnull=True).select_related("item")


def _is_asked(round: Round, item_id: int, unit: Unit) -> bool:
    if unit.question_id is None:
        return unit.type_code in asked_of_item(round, item_id)
    return round.round_questions.filter(question=unit.question_id, question__item=item_id).exists()


def _refuse_frozen(round: Round) -> None:
    if round.purpose != Round.Purpose.TRAINING or round.status != Round.Status.DRAFT:
        raise Refused(
            "round_not_draft",
            gettext("%(name)s takes a key only while it is a draft for training.") % {"name": round.name},
        )
