"""How far annotators are, in counts and times alone: no judgement shows."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, Sum

from annotation.models import Membership, Protocol, Round
from annotation.models.rounds import types_named

DECIDED_TYPE = Q(applicable__isnull=False) | Q(cannot_judge=True)

COUNTED = ("texts", "questions", "decided", "active_seconds")
"""What `annotation.database.counters` keeps of each annotator in a round."""

_SUMS = {
    "n_texts": Count("*"),
    "n_questions": Sum("questions"),
    "n_decided": Sum("decided"),
    "seconds": Sum("active_seconds"),
}


@dataclass(frozen=True, slots=True)
class MemberProgress:
    """How far one annotator of a round is: units decided and in all, and the time it took."""

    member: Membership
    texts: int
    total: int
    decided: int
    active_seconds: int | None  # None where no time was measured
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
    mine = {} if member is None else {"member": member}
    asked = round.type_codes if round.project.protocol == Protocol.FOCUS else ()
    there = list(round.progress.filter(**mine).select_related("member__user").order_by("member"))
    counted = {row.member_id: Counter({name: getattr(row, name) for name in COUNTED}) for row in there}
    current = round.assignments.filter(**mine, released_at__isnull=True).order_by()
    withdrawn = round.project.items.filter(withdrawn_at__isnull=False).order_by()
    if withdrawn.exists():
        gone = current.filter(types__isnull=True, item__in=withdrawn.values("pk"))
        for pk, *sums in gone.values_list("member").annotate(**_SUMS):
            counted[pk].subtract(dict(zip(COUNTED, sums, strict=True)))
        current = current.exclude(item__in=withdrawn.values("pk"))
    units = {pk: row["texts"] * len(asked) if asked else row["questions"] for pk, row in counted.items()}
    # What was reassigned by type names its types, and so does what the round asks some types only. Most
    # rounds have none of either, as an index tells; to find no sums SQLite would pass over all assignments.
    named = round.assignments.filter(**mine, types__isnull=False).order_by()
    sums_named = current.filter(types__isnull=False).values_list("member", "types").annotate(**_SUMS)
    for pk, types, *sums in sums_named if named.exists() else ():
        counted[pk].update(dict(zip(COUNTED, sums, strict=True)))
        units[pk] += sums[0] * len(types_named(types, asked))
    return [
        MemberProgress(
            member=row.member,
            texts=counted[row.member_id]["texts"],
            total=units[row.member_id],
            decided=counted[row.member_id]["decided"],
            active_seconds=_measured(round, counted[row.member_id]),
            last_at=row.judged_at,
        )
        for row in there
        if counted[row.member_id]["texts"]
    ]


def _measured(round: Round, counted: Counter[str]) -> int | None:
    """Return the active seconds; None of judgements made elsewhere whose file did not say them."""
    seconds = counted["active_seconds"]
    return None if round.imported and counted["decided"] and not seconds else seconds
