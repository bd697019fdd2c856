"""What one member decided in a round, to be looked through side by side: nobody else's, nothing undecided.

In a training round the key stands beside what is answered, as the workspace showed it after the answer.
"""

import re
from dataclasses import dataclass
from typing import Any

from django.db import connections
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotation.models import KeyAnswer, Membership, Protocol, QuestionAnnotation, Round, TypeAnnotation
from annotation.rounds.progress import DECIDED_TYPE

DECIDED_QUESTION = Q(label__isnull=False) | Q(cannot_judge=True)

CANNOT = "?"
"""Stands for “cannot judge” where a label or an answer is named."""

_SEARCHED = {
    Protocol.FOCUS: ("assignment__item__external_id", "assignment__item__text", "quote", "comment"),
    Protocol.CQS_GEN: (
        "assignment__item__external_id",
        "assignment__item__text",
        "question__text",
        "comment",
        "edited_question",
    ),
}

_SHOWN = {
    Protocol.FOCUS: {
        "yes": Q(applicable=True),
        "no": Q(applicable=False),
        "cannot": Q(cannot_judge=True),
        "unsure": Q(unsure=True),
        "comment": ~Q(comment=""),
    },
    Protocol.CQS_GEN: {
        "unsure": Q(unsure=True),
        "comment": ~Q(comment=""),
        "edited": ~Q(edited_question=""),
        "cannot": Q(cannot_judge=True),
    },
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which decisions are asked for: of a type or label (`of`, reasons as IN:NC), of a kind, with words."""

    of: str = ""
    show: str = ""
    words: str = ""


def decisions_of(member: Membership, round: Round) -> QuerySet[Any]:
    """Return the decisions of one member in a round, in the order in which the texts were met.

    Texts that are asked again stand apart in it: what was said first must not show beside the second time.
    """
    model, decided = (
        (QuestionAnnotation, DECIDED_QUESTION)
        if member.project.protocol == Protocol.CQS_GEN
        else (TypeAnnotation, DECIDED_TYPE)
    )
    rows = model.objects.filter(
        decided,
        assignment__round=round,
        assignment__member=member,
        assignment__item__withdrawn_at__isnull=True,
    )
    if round.is_importing:
        return rows.none()
    return rows.order_by(
        "assignment__position", "question__position" if model is QuestionAnnotation else "type_code"
    )


def kinds_of(member: Membership, round: Round) -> dict[str, Q]:
    """Return the kinds of decisions that can be asked for, each with its condition."""
    kinds = _SHOWN[Protocol(member.project.protocol)]
    if round.purpose != Round.Purpose.TRAINING:
        return kinds
    about_questions = member.project.protocol == Protocol.CQS_GEN
    unit = {"question": OuterRef("question")} if about_questions else {"type_code": OuterRef("type_code")}
    said = {"label": OuterRef("label")} if about_questions else {"applicable": OuterRef("applicable")}
    key = KeyAnswer.objects.filter(round=round, item=OuterRef("assignment__item"), **unit)
    return {**kinds, "differs": Q(Exists(key)) & ~Q(Exists(key.filter(**said)))}


def decisions_with_words(rows: QuerySet[Any], protocol: str, words: str) -> QuerySet[Any]:
    """Return those of the decisions whose text, quote, question or comment has these words as they stand."""
    # No text can have it, and PostgreSQL refuses to be asked.
    if "\0" in words:
        return rows.none()
    # LIKE of SQLite knows capitals of ASCII alone.
    lookup, asked = (
        ("iregex", re.escape(words)) if connections[rows.db].vendor == "sqlite" else ("icontains", words)
    )
    wanted = Q()
    for field in _SEARCHED[Protocol(protocol)]:
        wanted |= Q(**{f"{field}__{lookup}": asked})
    return rows.filter(wanted)


def decisions_about(rows: QuerySet[Any], of: str) -> QuerySet[Any]:
    """Return those of the decisions about a type, or with a label (and reason)."""
    if rows.model is TypeAnnotation:
        return rows.filter(type_code=of)
    label, _, reason = of.partition(":")
    if label == CANNOT:
        return rows.filter(cannot_judge=True)
    return rows.filter(label=label, **({"reason": reason} if reason else {}))


def counted_by(rows: QuerySet[Any]) -> dict[str, tuple[int, int]]:
    """Return how many decisions there are of each type, label and reason; of types also how many are yes."""
    if rows.model is TypeAnnotation:
        per_type = rows.order_by().values_list("type_code")
        found = per_type.annotate(n=Count("*"), yes=Count("pk", filter=Q(applicable=True)))
        return {code: (n, yes) for code, n, yes in found}
    counts: dict[str, tuple[int, int]] = {}
    for label, reason, n in rows.order_by().values_list("label", "reason").annotate(n=Count("*")):
        for key in filter(None, (label or CANNOT, f"{label}:{reason}" if reason else "")):
            counts[key] = (counts.get(key, (0, 0))[0] + n, 0)
    return counts


def count_kinds(rows: QuerySet[Any], kinds: dict[str, Q]) -> dict[str, int]:
    """Return how many of the decisions are of each kind, and `all`."""
    return rows.order_by().aggregate(
        all=Count("*"), **{kind: Count("pk", filter=wanted) for kind, wanted in kinds.items()}
    )


def with_texts(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return the decisions with all that a page shows of each, read at once."""
    related = ["assignment__item"] + (["question", "reference"] if rows.model is QuestionAnnotation else [])
    found: QuerySet[Any] = rows.select_related(*related).annotate(place=F("assignment__position"))
    return found
