"""Which items releases have, so that what they say of them stays as it is."""

from collections.abc import Collection
from typing import Any

from django.db.models import Exists, OuterRef, Q

from annotation.models import Project, Question, Resolution, Round, RoundItem
from exports.models import Release

BATCH = 1_000


def items_in_releases(*, project: Project, items: Collection[int], **_: Any) -> dict[int, str]:
    """Return the first release that has each of these items, by key, among those built or being built."""
    standing = [Release.State.QUEUED, Release.State.RUNNING, Release.State.DONE]
    held: dict[int, str] = {}
    keys = sorted(items)
    for release in project.releases.filter(state__in=standing).order_by("id"):
        named = release.parameters.get("rounds")
        rounds = project.rounds.filter(matching=False).exclude(purpose=Round.Purpose.TRAINING)
        if named is None:
            # A round that was opened again, or grew, has a later close than the one that counted.
            closed = Q(closed_at__lte=release.created_at) | Q(reopened_at__isnull=False) | Q(imported=True)
            rounds = rounds.filter(closed, opened_at__lte=release.created_at)
        else:
            rounds = rounds.filter(name__in=named)
        of_item = Q(item=OuterRef("pk"))
        wanted = Q(Exists(RoundItem.objects.filter(of_item, round__in=rounds)))
        if named is None:
            wanted |= Q(Exists(Resolution.objects.filter(of_item, source=Resolution.Source.IMPORTED)))
            if project.protocol == "cqs_gen":
                wanted |= ~Q(Exists(Question.objects.filter(of_item, candidate=False)))
        for first in range(0, len(keys), BATCH):
            some = project.items.filter(wanted, pk__in=keys[first : first + BATCH], withdrawn_at=None)
            for pk in some.values_list("pk", flat=True):
                held.setdefault(pk, release.version)
    return held
