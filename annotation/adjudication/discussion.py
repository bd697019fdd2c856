"""Talking about units of a closed round. While a round is open there is nothing to talk about."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils.translation import gettext

from annotation.judging.recording import Unit
from annotation.limits import LIMITS, unfit
from annotation.models import Assignment, Comment, Item, Membership, Question, Round
from annotation.rounds.asked_types import asked_of_item
from core.errors import NotAllowed, NotFound, Refused
from core.texts import is_blank

_UNIT = ("item", "type_code", "question")
_MENTION = re.compile(r"@([A-Za-z0-9_-]{1,40})")


@dataclass(frozen=True, slots=True)
class Thread:
    """What was said about one unit, oldest first, and whether it is settled."""

    comments: tuple[Comment, ...]
    settled: bool


def discussion_allowed(*, round: Round, member: Membership) -> None:
    """Refuse whoever may not read or write the discussion of a round.

    Leads and those who annotated in it may, once it is closed.
    """
    if round.status != Round.Status.CLOSED:
        raise Refused(
            "round_not_closed",
            gettext("%(name)s is %(status)s: it is discussed when it is closed.")
            % {"name": round.name, "status": round.status_word},
        )
    if not member.is_lead and not round.assignments.filter(member=member).exists():
        raise NotAllowed(gettext("You did not annotate in this round, so its discussion is not open to you."))


def comment_add(
    *, round: Round, item: Item, unit: Unit, member: Membership, text: str, act: str = Comment.Act.SAY
) -> Comment:
    """Add to the thread of a unit; `act` settles it or opens it again, with or without words.

    @A2 in the text mentions the member of that pseudonym.
    """
    discussion_allowed(round=round, member=member)
    _unit_in_round(round, item, unit)
    if act == Comment.Act.SAY and is_blank(text):
        told = gettext("Write something first.")
        raise Refused("invalid", told, errors={"text": told})
    if problem := unfit(text, LIMITS["comment"]["text"]):
        told = gettext("The comment cannot be stored: %(problem)s.") % {"problem": problem}
        raise Refused("invalid", told, errors={"text": problem})
    with transaction.atomic():
        comment = Comment.objects.create(
            round=round,
            item=item,
            type_code=unit.type_code,
            question_id=unit.question_id,
            member=member,
            act=act,
            text=text.strip(),
        )
        comment.mentions.set(_mentioned(member, text))
    return comment


def thread_of(*, round: Round, item: Item, unit: Unit, member: Membership) -> Thread:
    """Return the thread of a unit to whoever may read it."""
    discussion_allowed(round=round, member=member)
    rows = round.comments.filter(item=item, type_code=unit.type_code, question=unit.question_id)
    comments = tuple(rows.select_related("member").order_by("id"))
    acts = [comment.act for comment in comments if comment.act != Comment.Act.SAY]
    return Thread(comments, settled=bool(acts) and acts[-1] == Comment.Act.SETTLE)


def discussed_units(
    round: Round, *, mentioning: Membership | None = None
) -> QuerySet[Comment, Mapping[str, Any]]:
    """Return the units of a round that have comments, most recently discussed first.

    Rows are dictionaries: item, item__external_id, type_code, question, question__text, n, last, settle and
    reopen (the newest entry of each kind, None where there is none).
    """
    comments = round.comments.all()
    if mentioning is not None:
        # A unit is found by one mention, and shown with all its comments.
        found = comments.filter(mentions=mentioning)
        comments = comments.filter(
            Q(question__isnull=False, question__in=found.values("question"))
            | Q(pk__in=_same_type_units(round, found))
        )
    return (
        comments.order_by()
        .values("item", "item__external_id", "type_code", "question", "question__text")
        .annotate(
            n=Count("id", filter=Q(act=Comment.Act.SAY)),
            last=Max("id"),
            settle=Max("id", filter=Q(act=Comment.Act.SETTLE)),
            reopen=Max("id", filter=Q(act=Comment.Act.REOPEN)),
        )
        .order_by("-last")
    )


def discussions_open(round: Round) -> int:
    """Return how many units of a round people talk about and have not settled."""
    return _unsettled(round.comments.all()).count()


def mentions_open(members: Iterable[Membership]) -> Counter[tuple[int, int]]:
    """Return how many unsettled discussions mention somebody, by the keys of member and round.

    Of closed rounds, and only where the member may read the discussion.
    """
    leads = {member.pk: member.is_lead for member in members}
    found = Comment.objects.filter(mentions__in=leads, round__status=Round.Status.CLOSED).order_by()
    units = set(found.values_list("mentions", "round", *_UNIT).distinct())
    if not units:
        return Counter()
    rounds = {round for _, round, *_ in units}
    took_part = set(
        Assignment.objects.filter(member__in=leads, round__in=rounds)
        .values_list("member", "round")
        .distinct()
    )
    talked_about = Comment.objects.filter(round__in=rounds, item__in={item for _, _, item, *_ in units})
    unsettled = set(_unsettled(talked_about).values_list("round", *_UNIT))
    return Counter(
        (member, round)
        for member, round, *unit in units
        if (round, *unit) in unsettled and (leads[member] or (member, round) in took_part)
    )


def _unsettled(comments: QuerySet[Comment]) -> QuerySet[Comment, Mapping[str, Any]]:
    units = comments.order_by().values("round", *_UNIT)
    found: QuerySet[Comment, Mapping[str, Any]] = units.annotate(
        settled=Coalesce(Max("id", filter=Q(act=Comment.Act.SETTLE)), 0),
        reopened=Coalesce(Max("id", filter=Q(act=Comment.Act.REOPEN)), 0),
    ).filter(settled__lte=F("reopened"))
    return found


def _same_type_units(round: Round, found: QuerySet[Comment]) -> list[int]:
    units = set(found.filter(question__isnull=True).values_list("item", "type_code"))
    items = {item for item, _ in units}
    rows = round.comments.filter(item__in=items, question__isnull=True)
    return [pk for pk, item, code in rows.values_list("pk", "item", "type_code") if (item, code) in units]


def _unit_in_round(round: Round, item: Item, unit: Unit) -> None:
    if unit.question_id is not None:
        there = Question.objects.filter(pk=unit.question_id, item=item, round_questions__round=round).exists()
    else:
        there = unit.type_code in asked_of_item(round, item.pk)
    if not there:
        raise NotFound(gettext("This unit is not part of the round."))


def _mentioned(member: Membership, text: str) -> list[Membership]:
    names = set(_MENTION.findall(text))
    return list(Membership.objects.filter(project=member.project_id, pseudonym__in=names))
