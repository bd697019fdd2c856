"""How far annotators are, in counts and times alone: no judgement shows."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q, Sum

from annotation.models import Membership, Protocol, Round
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
    asked = round.type_codes if round.project.protocol == Protocol.FOCUS else ()
    # Only what was reassigned by type names its types: one row a member, and a few more.
    rows = assignments.order_by().values_list("member", "types")
    counted: dict[int, Counter[str]] = defaultdict(Counter)
    last: dict[int, datetime] = {}
    for pk, types, texts, questions, decided, seconds, judged_at in rows.annotate(
        n=Count("*"),
        asked=Sum("questions"),
        done=Sum("decided"),
        seconds=Sum("active_seconds"),
        last=Max("judged_at"),
    ):
        total = texts * len(types_named(types, asked)) if asked else questions
        counted[pk].update(texts=texts, total=total, decided=decided, active_seconds=seconds)
        if judged_at is not None:
            last[pk] = max(last.get(pk, judged_at), judged_at)
    return [
        MemberProgress(found, **counted[found.pk], last_at=last.get(found.pk))
        for found in Membership.objects.filter(pk__in=counted).select_related("user").order_by("id")
    ]
