"""Training rounds: feedback after each first answer, and the agreement with the key at the end."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from annotation.models import (
    KeyAnswer,
    Membership,
    Protocol,
    QuestionAnnotation,
    Round,
    TypeAnnotation,
)
from annotation.models.rounds import types_named
from annotation.rounds.asked_types import asking
from core.errors import Refused

BATCH = 1_000


Row = TypeAnnotation | QuestionAnnotation


@dataclass(frozen=True, slots=True)
class UnitScore:
    """An annotator's first answers for one type (or, with `code` empty, for all questions)."""

    code: str
    answered: int
    agreed: int
    total: int


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """How one annotator did against the key; `passed` is None until all is answered or without a mark."""

    member: Membership
    scores: tuple[UnitScore, ...]
    pass_mark: int | None

    @property
    def answered(self) -> int:
        return sum(score.answered for score in self.scores)

    @property
    def agreed(self) -> int:
        return sum(score.agreed for score in self.scores)

    @property
    def total(self) -> int:
        return sum(score.total for score in self.scores)

    @property
    def passed(self) -> bool | None:
        if self.pass_mark is None or self.answered < self.total or not self.total:
            return None
        return 100 * self.agreed >= self.pass_mark * self.total

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain JSON."""
        return {
            "pseudonym": self.member.pseudonym,
            "answered": self.answered,
            "agreed": self.agreed,
            "total": self.total,
            "pass_mark": self.pass_mark,
            "passed": self.passed,
            "scores": [
                {"code": s.code, "answered": s.answered, "agreed": s.agreed, "total": s.total}
                for s in self.scores
            ],
        }


def keys_for(round: Round, items: Iterable[int]) -> dict[tuple[int, str, int | None], KeyAnswer]:
    """Return the key answers of some items by item, type code and question."""
    if round.purpose != Round.Purpose.TRAINING:
        return {}
    return {
        (key.item_id, key.type_code, key.question_id): key
        for key in round.key_answers.filter(item__in=list(items))
    }


def feedback(row: Row, key: KeyAnswer | None) -> dict[str, Any] | None:
    """Return what the annotator learns once a unit of a training round is answered.

    `agrees` compares yes with yes and label with label; the span is shown beside, not scored.
    """
    if key is None or not is_answered(row):
        return None
    answer = {name: getattr(key, name) for name in ("applicable", "start", "end", "quote")}
    if isinstance(row, QuestionAnnotation):
        answer = {"label": key.label, "reason": key.reason}
    return {"agrees": agrees(row, key), "key": answer, "why": key.why}


def agrees(row: Row, key: KeyAnswer) -> bool:
    """Whether an answer is that of the key, spans and reasons left aside."""
    if isinstance(row, QuestionAnnotation):
        return row.label == key.label
    return row.applicable == key.applicable


def is_answered(row: Row) -> bool:
    """Whether the row holds a decision."""
    decided = row.label if isinstance(row, QuestionAnnotation) else row.applicable
    return decided is not None or row.cannot_judge


def refuse_second_answer(round: Round, row: Row | None) -> None:
    """Refuse to change an answer whose feedback has been shown."""
    if round.purpose == Round.Purpose.TRAINING and row is not None and is_answered(row):
        raise Refused(
            "locked",
            gettext("In a training round the first answer counts: it is locked once the key has been shown."),
        )


def training_results(round: Round, *, member: Membership | None = None) -> list[TrainingResult]:
    """Return how each annotator of a training round (or one) does against the key."""
    if round.purpose != Round.Purpose.TRAINING:
        raise Refused("invalid", gettext("%(name)s is no training round.") % {"name": round.name})
    assignments = round.assignments.select_related("member").filter(released_at__isnull=True)
    if member is not None:
        assignments = assignments.filter(member=member)
    keys: dict[int, list[KeyAnswer]] = {}
    for key in round.key_answers.all():
        keys.setdefault(key.item_id, []).append(key)
    rows: dict[tuple[int, str, int | None], Row] = {}
    for about_type in TypeAnnotation.objects.filter(assignment__in=assignments):
        rows[(about_type.assignment_id, about_type.type_code, None)] = about_type
    for about_question in QuestionAnnotation.objects.filter(assignment__in=assignments):
        rows[(about_question.assignment_id, "", about_question.question_id)] = about_question
    types = round.type_codes
    members: dict[int, Membership] = {}
    counts: dict[int, dict[str, list[int]]] = {}
    for assignment in assignments.order_by("member", "position"):
        members[assignment.member_id] = assignment.member
        scores = counts.setdefault(assignment.member_id, {})
        asked = types_named(assignment.types, types)
        for key in keys.get(assignment.item_id, []):
            if key.type_code and key.type_code not in asked:
                continue
            score = scores.setdefault(key.type_code, [0, 0, 0])
            row = rows.get((assignment.pk, key.type_code, key.question_id))
            answered = row is not None and is_answered(row)
            score[0] += answered
            score[1] += row is not None and answered and agrees(row, key)
            score[2] += 1
    return [
        TrainingResult(members[pk], tuple(UnitScore(code, *n) for code, n in scores.items()), round.pass_mark)
        for pk, scores in counts.items()
    ]


def missing_key(round: Round) -> tuple[int, list[str]]:
    """Return how many units of a training round have no key answer, and the first items that miss one."""
    answers = round.key_answers.all()
    if round.project.protocol == Protocol.FOCUS:
        codes = round.type_codes
        asked = round.round_items.values_list("item", "types")
        needed = Counter({item: len(types_named(types, codes)) for item, types in asked})
        # What the round does not ask of an item any more stays in its key, and counts for nothing.
        answers = answers.filter(asking(round))
    else:
        needed = Counter(round.round_questions.values_list("question__item", flat=True))
    answered = Counter(answers.values_list("item", flat=True))
    short = {item: n - answered[item] for item, n in needed.items() if answered[item] < n}
    names = round.project.items.filter(pk__in=list(short)[:BATCH]).order_by("id")
    return sum(short.values()), list(names.values_list("external_id", flat=True)[:6])
