"""How far annotators are, in counts and times alone: no judgement shows."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q, QuerySet, Sum

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

DECIDED_TYPE = Q(applicable__isnull=False) | Q(cannot_judge=True)
DECIDED_QUESTION = Q(label__isnull=False) | Q(cannot_judge=True)


@dataclass(frozen=True, slots=True)
class MemberProgress:
    """How far one annotator of a round is: units decided and in all, and the time it took."""

    member: Membership
    texts: int
    total: int
    decided: int
    active_seconds: int
    last_at: datetime | None

    @property
    def left(self) -> int:
        """Units still undecided."""
        return max(self.total - self.decided, 0)

    @property
    def percent(self) -> int:
        """Whole percent decided, never rounded up to 100 while something is left."""
        return 100 if not self.left else self.decided * 100 // self.total

    @property
    def seconds_each(self) -> float | None:
        """Active seconds a decided unit; None where nothing is decided or no time was measured."""
        return self.active_seconds / self.decided if self.decided and self.active_seconds else None

    @property
    def seconds_left(self) -> int | None:
        """Active seconds that the rest takes at the pace so far."""
        return None if self.seconds_each is None else round(self.seconds_each * self.left)


def progress_of_round(round: Round, *, member: Membership | None = None) -> list[MemberProgress]:
    """Return the progress of every annotator with texts in a round, or of one `member` alone."""
    # Withdrawn items are rare, and looking at every item for them would cost more than all the counting.
    withdrawn = list(round.items.filter(withdrawn_at__isnull=False).values_list("pk", flat=True))
    assignments = round.assignments.filter(released_at__isnull=True)
    if withdrawn:
        assignments = assignments.exclude(item__in=withdrawn)
    if member is not None:
        assignments = assignments.filter(member=member)
    texts = dict(assignments.order_by().values_list("member").annotate(n=Count("id")))
    if not texts:
        return []
    rows: QuerySet[Any]
    if round.project.protocol == Protocol.FOCUS:
        totals = _type_totals(round, assignments, texts)
        decided = DECIDED_TYPE
        rows = TypeAnnotation.objects.all()
    else:
        totals = _question_totals(round, member)
        decided = DECIDED_QUESTION
        rows = QuestionAnnotation.objects.all()
    rows = rows.filter(
        assignment__round=round,
        assignment__released_at__isnull=True,
    )
    if withdrawn:
        rows = rows.exclude(assignment__item__in=withdrawn)
    if member is not None:
        rows = rows.filter(assignment__member=member)
    done = {
        pk: (n, seconds, last)
        for pk, n, seconds, last in rows.order_by()
        .values_list("assignment__member")
        .annotate(n=Count("id", filter=decided), seconds=Sum("active_seconds"), last=Max("decided_at"))
    }
    members = Membership.objects.filter(pk__in=texts).select_related("user").order_by("id")
    return [
        MemberProgress(found, texts[found.pk], totals.get(found.pk, 0), *done.get(found.pk, (0, 0, None)))
        for found in members
    ]


def _type_totals(round: Round, assignments: QuerySet[Assignment], texts: dict[int, int]) -> dict[int, int]:
    asked = round.type_codes
    totals = {pk: n * len(asked) for pk, n in texts.items()}
    # Only what was reassigned by type names its types: counting those apart keeps the rest one count.
    by_types = assignments.filter(types__isnull=False).order_by().values_list("member", "types")
    for pk, types, n in by_types.annotate(n=Count("id")):
        totals[pk] -= n * (len(asked) - len(types_named(types, asked)))
    return totals


def _question_totals(round: Round, member: Membership | None) -> dict[int, int]:
    assigned = {"question__item__assignments__member": member} if member is not None else {}
    questions = RoundQuestion.objects.filter(
        round=round,
        question__item__withdrawn_at__isnull=True,
        question__item__assignments__round=round,
        question__item__assignments__released_at__isnull=True,
        **assigned,
    )
    return dict(
        questions.order_by().values_list("question__item__assignments__member").annotate(n=Count("id"))
    )
