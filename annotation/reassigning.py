"""Handing on the texts of an annotator who dropped out. Nothing judged is deleted by it."""

from dataclasses import dataclass
from random import Random

from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef
from django.utils import timezone

from annotation.errors import Refused
from annotation.models import (
    Assignment,
    Membership,
    ProjectEvent,
    Protocol,
    QuestionAnnotation,
    Round,
    RoundQuestion,
    TypeAnnotation,
)
from annotation.progress import DECIDED_QUESTION, DECIDED_TYPE

BATCH = 2_000


@dataclass(frozen=True, slots=True)
class Reassignment:
    """What was handed on: texts with a new annotator, and texts that nobody could take."""

    moved: int
    left_over: int


def unfinished_texts(round: Round, member: Membership) -> list[Assignment]:
    """Return the member's texts in a round that have an undecided unit, in the member's order."""
    own = round.assignments.filter(member=member, released_at__isnull=True)
    if round.project.protocol == Protocol.FOCUS:
        units = len(round.codebook.definition.get("types") or ())
        finished = (
            TypeAnnotation.objects.filter(DECIDED_TYPE, assignment__in=own)
            .values("assignment")
            .annotate(n=Count("id"))
            .filter(n__gte=units)
        )
        return list(own.exclude(pk__in=finished.values("assignment")).order_by("position"))
    judged = QuestionAnnotation.objects.filter(
        DECIDED_QUESTION, question=OuterRef("question"), assignment__in=own
    )
    undecided = RoundQuestion.objects.filter(~Exists(judged), round=round, question__item=OuterRef("item"))
    return list(own.filter(Exists(undecided)).order_by("position"))


def round_reassign(
    *, round: Round, target: Membership, members: list[Membership], member: Membership
) -> Reassignment:
    """Take the texts that `target` has not finished and share them out among `members`.

    Each goes, whole, to the member with the fewest texts who does not have it yet; ties by the round's
    seed. What `target` decided stays and counts. Texts that all `members` have already are left over and
    stay with `target`. Raises Refused where the round is not open or there is nobody to take them.
    """
    takers = [one for one in members if one.pk != target.pk and one.is_active and one.is_annotator]
    if not takers:
        raise Refused("invalid", "Choose at least one other active annotator who takes the texts.")
    with transaction.atomic():
        current = Round.objects.select_for_update().get(pk=round.pk)
        if current.status != Round.Status.OPEN:
            raise Refused(
                "round_not_open", f"{current.name} is {current.status}: only an open round changes."
            )
        left = unfinished_texts(round, target)
        unfinished = [one for one in left if not one.repeat]
        moved = _hand_on(round, unfinished, takers)
        # Only who judged a text first can repeat it: open repeats are let go.
        gone = [one.pk for one in (*moved, *(one for one in left if one.repeat))]
        Assignment.objects.filter(pk__in=gone).update(released_at=timezone.now())
        result = Reassignment(len(moved), len(unfinished) - len(moved))
        ProjectEvent.objects.create(
            project=round.project,
            member=member,
            action="texts reassigned",
            details={
                "round": round.name,
                "from": target.pseudonym,
                "to": [one.pseudonym for one in takers],
                "texts": result.moved,
                "left_over": result.left_over,
            },
        )
    return result


def _hand_on(round: Round, unfinished: list[Assignment], takers: list[Membership]) -> list[Assignment]:
    random = Random(f"{round.seed}:reassign")
    taken: dict[int, set[int]] = {one.pk: set() for one in takers}
    for pk, item in round.assignments.filter(member__in=takers).values_list("member", "item"):
        taken[pk].add(item)
    loads = {pk: len(items) for pk, items in taken.items()}
    places = dict(
        round.assignments.filter(member__in=takers).values_list("member").annotate(Max("position")).order_by()
    )
    moved, new = [], []
    for old in unfinished:
        free = [one for one in takers if old.item_id not in taken[one.pk]]
        if not free:
            continue
        chosen = min(free, key=lambda one: (loads[one.pk], random.random()))
        taken[chosen.pk].add(old.item_id)
        loads[chosen.pk] += 1
        places[chosen.pk] = places.get(chosen.pk, 0) + 1
        new.append(Assignment(round=round, item_id=old.item_id, member=chosen, position=places[chosen.pk]))
        moved.append(old)
    Assignment.objects.bulk_create(new, batch_size=BATCH)
    return moved
