"""The queries of the decision path, compiled once: whoever reads the next text or saves asks these alone.

`tests/annotation/test_prepared.py` compares each with what the ORM answers.

See docs/decisions/storage.md.
"""

from functools import cache

from django.contrib.sessions.models import Session
from django.db.models import OuterRef, QuerySet, Subquery

from annotation.models import (
    AnnotationEvent,
    Assignment,
    Membership,
    QuestionAnnotation,
    Round,
    RoundItem,
    TypeAnnotation,
)
from core.prepared import Prepared, PreparedInsert

# What recording reads of an assignment, its text and its round; an item's metadata may be long.
READ = (
    *("round", "member", "item", "types", "started_at", "released_at", "item__text", "item__text_length"),
    *("round__name", "round__purpose", "round__status", "round__types", "round__paused_at"),
    *("round__reopened_at", "round__imported", "round__codebook", "round__codebook__created_at"),
    "round__matching",
)


@Prepared
def seat(session_key: str, user: int, slug: str) -> QuerySet[Membership]:
    """Find a user's membership by the project's slug, with the account, and a session beside it."""
    session = Session.objects.filter(session_key=session_key)
    return (
        Membership.objects.filter(user=user, project__slug=slug)
        .select_related("project", "user")
        .only(
            *("project", "user", "pseudonym", "is_annotator", "is_lead", "is_active"),
            *("project__slug", "project__name", "project__protocol", "project__archived_at"),
            *("user__username", "user__password", "user__is_active", "user__is_staff"),
            "user__is_superuser",
        )
        .annotate(
            session_data=Subquery(session.values("session_data")),
            session_expires=Subquery(session.values("expire_date")),
        )
    )


@Prepared
def round_of(project: int, number: int) -> QuerySet[Round]:
    """Find a round by its number, with what tells its codebook from another."""
    return (
        Round.objects.filter(project=project, number=number)
        .select_related("codebook")
        .only(
            *("project", "number", "name", "purpose", "types", "matching", "status", "imported", "order"),
            "suggestions",
            *("codebook", "codebook__created_at"),
        )
    )


def assignments_of(round: int, member: int) -> QuerySet[Assignment]:
    """Return the texts that a member has in a round, each with the types that the round asks of it."""
    drawn = RoundItem.objects.filter(round=OuterRef("round"), item=OuterRef("item")).order_by()
    return (
        Assignment.objects.filter(
            round=round, member=member, released_at__isnull=True, item__withdrawn_at__isnull=True
        )
        .select_related("item")
        .only(
            "round", "member", "item", "position", "types", "item__external_id", "item__text", "item__topic"
        )
        .annotate(item_types=Subquery(drawn.values("types")))
        .order_by("position")
    )


@cache
def assignments_after(limit: int) -> Prepared[Assignment]:
    """Return the query of the `limit` texts of a member behind a position."""

    def query(round: int, member: int, after: int) -> QuerySet[Assignment]:
        return assignments_of(round, member).filter(position__gt=after)[:limit]

    return Prepared(query)


@Prepared
def type_rows(round: int, member: int, first: int, last: int) -> QuerySet[TypeAnnotation]:
    """Find a member's judgements of types from one position to another."""
    return TypeAnnotation.objects.filter(
        assignment__round=round,
        assignment__member=member,
        assignment__position__gte=first,
        assignment__position__lte=last,
    ).order_by("assignment", "pk")


def _assignment_locked(pk: int, member: int, project: int, number: int) -> QuerySet[Assignment]:
    return (
        Assignment.objects.select_for_update(of=("self",))
        .select_related("item", "round__codebook")
        .only(*READ)
        .filter(pk=pk, member=member, round__project=project, round__number=number)
    )


assignment_locked = Prepared(_assignment_locked, shares="annotation_round")
"""Find an assignment with its round and text, locked until the transaction ends.

The round's lock holds off its closing, which takes it alone; judgements share it, so they do not queue behind
each other. On SQLite the single writer is the lock.
"""


@Prepared
def type_row(assignment: int, type_code: str) -> QuerySet[TypeAnnotation]:
    """Find the judgement of a type."""
    return TypeAnnotation.objects.filter(assignment=assignment, type_code=type_code)


@Prepared
def question_row(assignment: int, question: int) -> QuerySet[QuestionAnnotation]:
    """Find the judgement of a question."""
    return QuestionAnnotation.objects.filter(assignment=assignment, question=question)


INSERTS = {model: PreparedInsert(model) for model in (AnnotationEvent, TypeAnnotation, QuestionAnnotation)}
"""How rows of the decision path are stored the first time."""
