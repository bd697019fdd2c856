"""A long round for the workspace: where a member stands in it, and all its texts without their words.

The workspace shows the text at which the member stands, then asks for the outline, and for texts as they
are needed. Nobody else's judgement is in any of it.

See docs/decisions/workspace.md.
"""

from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Length, Replace

from annotation.judging.recording import used_codebook
from annotation.models import (
    Assignment,
    Membership,
    Protocol,
    QuestionAnnotation,
    Round,
    RoundQuestion,
    TypeAnnotation,
)
from annotation.models.rounds import types_named
from annotation.rounds.progress import DECIDED_TYPE

MAX_OUTLINE = 1_000
LATEST = 20
"""Among so many texts that were judged last the last decision is looked for first."""

MARKS = {True: "y", False: "n", "USE": "u", "UN": "h", "IN": "i", "REF": "r"}
"""How the outline writes a decision; a capital is flagged as unsure, "c" is cannot judge, "." undecided."""


def current_texts(member: Membership, round: Round) -> QuerySet[Assignment]:
    """Return the texts that a member has in a round now, by their positions."""
    return Assignment.objects.filter(
        round=round, member=member, released_at__isnull=True, item__withdrawn_at__isnull=True
    ).order_by("position")


def asked_codes(round: Round) -> tuple[str, ...]:
    """Return the types that a round asks, in the codebook's order; none where it asks questions."""
    codebook = used_codebook(round.codebook_id, round.codebook.created_at)
    return types_named(round.types, [entry.code for entry in codebook.types])


def standing(member: Membership, round: Round) -> tuple[int, str]:
    """Return the position of the first text with a unit that the member has not decided; 0 without one.

    A round by type goes through all texts for its first type, then for the next: beside the position is the
    type at which the member stands, elsewhere "".
    """
    texts = current_texts(member, round)
    asked = asked_codes(round)
    if not asked:
        return _first(texts.filter(decided__lt=F("questions"))), ""
    if round.order == Round.Order.BY_ARGUMENT:
        named = Length("types") - Length(Replace("types", Value(" "), Value(""))) + 1
        left = texts.annotate(named=named).filter(
            Q(types__isnull=True, decided__lt=len(asked)) | Q(types__isnull=False, decided__lt=F("named"))
        )
        return _first(left), ""
    for code in asked:
        decided = TypeAnnotation.objects.filter(DECIDED_TYPE, assignment=OuterRef("pk"), type_code=code)
        open_here = texts.filter(~Exists(decided)).only("position", "types")
        for text in open_here.iterator(chunk_size=100):
            if text.types is None or code in text.types.split():
                return text.position, code
    return 0, ""


def _first(texts: QuerySet[Assignment]) -> int:
    found = next(iter(texts[:1]), None)
    return found.position if found else 0


def position_of(member: Membership, round: Round, assignment: int) -> int | None:
    """Return the position of one of the member's texts by its assignment; None where it is none of these."""
    found = next(iter(current_texts(member, round).filter(pk=assignment)), None)
    return found.position if found else None


def newest_decided(member: Membership, round: Round, code: str, limit: int) -> list[int]:
    """Return the assignments of the member's last decisions, newest first; with a `code` of that type."""
    mine = _decided(member, code).filter(assignment__in=current_texts(member, round).order_by().values("pk"))
    found = mine.order_by("-decided_at", "-pk").values_list("assignment", flat=True)[:limit]
    return list(dict.fromkeys(found))


def last_decided(member: Membership, round: Round) -> int | None:
    """Return the assignment of the member's last decision, which undoing takes back; None without one."""
    judged = current_texts(member, round).filter(judged_at__isnull=False).order_by("-judged_at")
    latest = list(judged.values_list("pk", "judged_at")[:LATEST])
    if not latest:
        return None
    rows = _decided(member, "").filter(assignment__in=[pk for pk, _ in latest])
    found = rows.order_by("-decided_at", "-pk").values_list("assignment", "decided_at").first()
    # A text that was judged later may hold nothing but what was taken back.
    if found and (len(latest) < LATEST or found[1] >= latest[-1][1]):
        return int(found[0])
    return next(iter(newest_decided(member, round, "", 1)), None)


def _decided(member: Membership, code: str) -> QuerySet[Any]:
    if member.project.protocol == Protocol.CQS_GEN:
        return QuestionAnnotation.objects.filter(Q(label__isnull=False) | Q(cannot_judge=True))
    return TypeAnnotation.objects.filter(DECIDED_TYPE, **({"type_code": code} if code else {}))


def workspace_outline(
    member: Membership, round: Round, *, after: int = 0, limit: int = MAX_OUTLINE
) -> dict[str, Any]:
    """Return the member's texts behind a position as short as they can be told.

    A text is `[assignment, position, what it asks, marks, revisions]`: codes of types or keys of questions
    (null for all types of the round), a mark for each (`MARKS`), and the sum of the revisions of their rows,
    which tells a copy that is kept from one that is out of date.
    """
    found = current_texts(member, round).filter(position__gt=after)
    texts = list(found.values_list("pk", "position", "types", "item")[: limit + 1])
    more, texts = len(texts) > limit, texts[:limit]
    if not texts:
        return {"texts": [], "next": None}
    span = {
        "assignment__round": round,
        "assignment__member": member,
        "assignment__position__gte": texts[0][1],
        "assignment__position__lte": texts[-1][1],
    }
    outlined = _outlined_questions if member.project.protocol == Protocol.CQS_GEN else _outlined_types
    return {"texts": outlined(round, texts, span), "next": texts[-1][1] if more else None}


Text = tuple[int, int, str | None, int]
Answer = tuple[Any, bool, bool, int]


def _outlined_types(round: Round, texts: list[Text], span: dict[str, Any]) -> list[list[Any]]:
    rows: dict[tuple[int, str], Answer] = {}
    fields = ("assignment_id", "type_code", "applicable", "cannot_judge", "unsure", "revision")
    for assignment, code, *answer in TypeAnnotation.objects.filter(**span).values_list(*fields):
        rows[assignment, code] = (answer[0], answer[1], answer[2], answer[3])
    asked = asked_codes(round)
    outlined = []
    for pk, position, types, _item in texts:
        codes = types_named(types, asked)
        own = None if codes == asked else codes
        outlined.append([pk, position, own, *_told([rows.get((pk, code)) for code in codes])])
    return outlined


def _outlined_questions(round: Round, texts: list[Text], span: dict[str, Any]) -> list[list[Any]]:
    rows: dict[tuple[int, int], Answer] = {}
    fields = ("assignment_id", "question_id", "label", "cannot_judge", "unsure", "revision")
    for assignment, question, *answer in QuestionAnnotation.objects.filter(**span).values_list(*fields):
        rows[assignment, question] = (answer[0], answer[1], answer[2], answer[3])
    questions: dict[int, list[int]] = {}
    there = Assignment.objects.filter(pk__in=[pk for pk, *_ in texts]).values("item")
    drawn = RoundQuestion.objects.filter(round=round, question__item__in=there)
    for item, question in drawn.order_by("question__position").values_list("question__item", "question"):
        questions.setdefault(item, []).append(question)
    outlined = []
    for pk, position, _types, item in texts:
        own = questions.get(item, [])
        outlined.append([pk, position, own, *_told([rows.get((pk, one)) for one in own])])
    return outlined


def _told(answers: list[Answer | None]) -> tuple[str, int]:
    marks = "".join(_mark(answer) for answer in answers)
    return marks, sum(answer[3] for answer in answers if answer)


def _mark(answer: Answer | None) -> str:
    if answer is None:
        return "."
    decision, cannot_judge, unsure, _revision = answer
    mark = "c" if cannot_judge else MARKS.get(decision, ".")
    return mark.upper() if unsure else mark
