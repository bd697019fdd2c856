"""How far annotators are, in counts and times alone: no judgement shows."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q, QuerySet, Sum

from annotation.models import Assignment, Membership, Protocol, Round
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
    # All of it stands in the index `assignment_progress`: see `annotation.counters`.
    assignments = round.assignments.filter(released_at__isnull=True)
    if member is not None:
        assignments = assignments.filter(member=member)
    withdrawn = round.project.items.filter(withdrawn_at__isnull=False).order_by()
    if withdrawn.exists():
        assignments = assignments.exclude(item__in=withdrawn.values("pk"))
    counted = {
        pk: (texts, *counts)
        for pk, texts, *counts in assignments.order_by()
        .values_list("member")
        .annotate(
            texts=Count("*"),
            asked=Sum("questions"),
            done=Sum("decided"),
            seconds=Sum("active_seconds"),
            last=Max("judged_at"),
        )
    }
    totals = {pk: questions for pk, (_, questions, *_) in counted.items()}
    if counted and round.project.protocol == Protocol.FOCUS:
        totals = _type_totals(round, assignments, {pk: texts for pk, (texts, *_) in counted.items()})
    return [
        MemberProgress(found, texts, totals[found.pk], decided, seconds, last)
        for found in Membership.objects.filter(pk__in=counted).select_related("user").order_by("id")
        for texts, _, decided, seconds, last in [counted[found.pk]]
    ]


def _type_totals(round: Round, assignments: QuerySet[Assignment], texts: dict[int, int]) -> dict[int, int]:
    asked = round.type_codes
    totals = {pk: n * len(asked) for pk, n in texts.items()}
    # Only what was reassigned by type names its types: counting those apart keeps the rest one count.
    by_types = assignments.filter(types__isnull=False).order_by().values_list("member", "types")
    for pk, types, n in by_types.annotate(n=Count("id")):
        totals[pk] -= n * (len(asked) - len(types_named(types, asked)))
    return totals
