"""Reassign single types of texts: what is undecided of some types goes to others, text by text.

What is judged stays with whom judged it, and nobody is asked a type of a text twice.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from random import Random

from django.db import transaction
from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext

from annotation.models import Assignment, Membership, ProjectEvent, Round, TypeAnnotation
from annotation.models.rounds import types_named, types_text
from annotation.projects.projects import judges_name
from annotation.rounds.progress import DECIDED_TYPE
from annotation.rounds.reassignment import (
    BATCH,
    Reassignment,
    judged_types,
    last_places,
    lock_open_round,
    takers_among,
    update_in_batches,
)
from core.errors import Refused


def undecided_types(round: Round, member: Membership) -> dict[Assignment, tuple[str, ...]]:
    """Return the member's texts in a round, each with the types asked of the member and not decided yet."""
    own = round.assignments.filter(member=member, released_at__isnull=True)
    decided = judged_types(own)
    asked = round.type_codes
    left = {
        one: tuple(code for code in types_named(one.types, asked) if code not in decided.get(one.pk, ()))
        for one in own.order_by("position")
    }
    return {one: codes for one, codes in left.items() if codes}


def undecided_counts(round: Round, member: Membership) -> Counter[str]:
    """Return in how many of the member's texts in a round each type is asked and not decided yet."""
    asked = round.type_codes
    own = round.assignments.filter(member=member, released_at__isnull=True).order_by()
    left: Counter[str] = Counter()
    for types, n in own.filter(decided=0).values_list("types").annotate(n=Count("*")):
        left.update(dict.fromkeys(types_named(types, asked), n))
    begun = {
        pk: named
        for pk, types, decided in own.filter(decided__gt=0).values_list("pk", "types", "decided")
        if decided < len(named := types_named(types, asked))
    }
    for named in begun.values():
        left.update(named)
    decided_types = TypeAnnotation.objects.filter(DECIDED_TYPE, assignment__in=list(begun)).order_by()
    left.subtract(decided_types.values_list("type_code", flat=True))
    return left


def round_reassign_types(
    *,
    round: Round,
    target: Membership,
    types: Collection[str],
    members: list[Membership],
    member: Membership,
) -> Reassignment:
    """Take from `target` what is undecided of these types and share it out among `members`; counts units.

    What a text has of it goes to the member with the fewest units who is not asked it yet; ties by the
    round's seed. Whoever handed the text on themselves gets it back only where nobody else can take it. What
    all `members` are asked already, or judged, is left over and stays with `target`. Raises Refused where
    the round is not open, has no such types, or nobody can take them.
    """
    takers = takers_among(members, target)
    judges_name(project=target.project, members=takers)
    unknown = [code for code in types if code not in round.type_codes]
    if unknown or not types:
        message = (
            gettext("%(name)s does not ask %(unknown)s.")
            % {"name": round.name, "unknown": ", ".join(unknown)}
            if unknown
            else gettext("Choose at least one type.")
        )
        raise Refused("invalid", message, errors={"types": message})
    with transaction.atomic():
        lock_open_round(round)
        sharing = _Sharing(round, takers)
        moved = left_over = 0
        for old, undecided in undecided_types(round, target).items():
            wanted = [code for code in undecided if code in types]
            if old.repeat:
                # Only who judged a text first can repeat it: what is open of a repeat is released.
                sharing.take_from(old, wanted)
                continue
            left = sharing.share(old.item_id, wanted)
            if len(left) < len(wanted):
                sharing.take_from(old, [code for code in wanted if code not in left])
            moved += len(wanted) - len(left)
            left_over += len(left)
        sharing.save()
        ProjectEvent.objects.create(
            project=round.project,
            member=member,
            action="types reassigned",
            details={
                "round": round.name,
                "from": target.pseudonym,
                "to": [one.pseudonym for one in takers],
                "types": sorted(types),
                "units": moved,
                "left_over": left_over,
            },
        )
    return Reassignment(moved, left_over)


@dataclass(slots=True)
class _Sharing:
    """Who is asked what in a round while it is shared out, and what of it has to be stored."""

    round: Round
    takers: list[Membership]
    asked: tuple[str, ...] = field(init=False)
    held: dict[tuple[int, int], Assignment] = field(init=False)
    loads: dict[int, int] = field(init=False)
    places: dict[int, int] = field(init=False)
    random: Random = field(init=False)
    new: list[Assignment] = field(default_factory=list)
    changed: dict[str | None, list[int]] = field(default_factory=dict)
    given_back: dict[str | None, list[int]] = field(default_factory=dict)
    released: list[int] = field(default_factory=list)
    judged: dict[int, set[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.asked = self.round.type_codes
        self.random = Random(f"{self.round.seed}:reassign")
        self.places = last_places(self.round, self.takers)
        self.loads = {one.pk: 0 for one in self.takers}
        self.held = {}
        for one in self.round.assignments.filter(member__in=self.takers, repeat=False):
            self.held[one.member_id, one.item_id] = one
            if one.released_at is None:
                self.loads[one.member_id] += len(types_named(one.types, self.asked))
        had_before = self.round.assignments.filter(member__in=self.takers, released_at__isnull=False)
        self.judged = judged_types(had_before)

    def share(self, item: int, wanted: list[str]) -> list[str]:
        """Give types of an item to those who can take them, least asked first; return what nobody takes."""
        for taker in sorted(self.takers, key=lambda one: self._rank(one, item)):
            there = self.held.get((taker.pk, item))
            has = self._has(there)
            takes = [code for code in wanted if code not in has]
            if not takes:
                continue
            types = types_text([*has, *takes], self.asked)
            if there is None:
                self._add(taker, item, types)
            elif there.released_at is None:
                self.changed.setdefault(types, []).append(there.pk)
            else:
                self.given_back.setdefault(types, []).append(there.pk)
            self.loads[taker.pk] += len(takes)
            wanted = [code for code in wanted if code in has]
        return wanted

    def _rank(self, taker: Membership, item: int) -> tuple[bool, int, float]:
        there = self.held.get((taker.pk, item))
        had_before = there is not None and there.released_at is not None
        return had_before, self.loads[taker.pk], self.random.random()

    def _has(self, there: Assignment | None) -> tuple[str, ...]:
        """Return the types that somebody is asked of a text; of one that was reassigned, those judged."""
        if there is None:
            return ()
        if there.released_at is None:
            return types_named(there.types, self.asked)
        return tuple(code for code in self.asked if code in self.judged.get(there.pk, ()))

    def take_from(self, old: Assignment, types: list[str]) -> None:
        """Take types from an assignment; one that asks nothing any more is released."""
        kept = [code for code in types_named(old.types, self.asked) if code not in types]
        if kept:
            self.changed.setdefault(types_text(kept, self.asked), []).append(old.pk)
        else:
            self.released.append(old.pk)

    def save(self) -> None:
        Assignment.objects.bulk_create(self.new, batch_size=BATCH)
        for types, pks in self.changed.items():
            update_in_batches(pks, types=types)
        for types, pks in self.given_back.items():
            update_in_batches(pks, types=types, released_at=None)
        update_in_batches(self.released, released_at=timezone.now())

    def _add(self, taker: Membership, item: int, types: str | None) -> None:
        place = self.places[taker.pk] = self.places.get(taker.pk, 0) + 1
        self.new.append(Assignment(round=self.round, item_id=item, member=taker, position=place, types=types))
