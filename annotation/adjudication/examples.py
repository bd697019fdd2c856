"""Decided units that a lead chose to show beside the guideline, as examples for annotators."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext

from annotation.models import Project, Resolution, Round, RoundItem

SHOWN_PER_TYPE = 5


@dataclass(frozen=True, slots=True)
class ResolutionExample:
    """One example: the text or question it is about, what was decided, and why."""

    unit: str
    text: str
    decided: str
    quotes: tuple[str, ...]
    why: str


def resolution_examples(project: Project) -> dict[str, list[ResolutionExample]]:
    """Return the resolutions to show by type code (or label), newest first.

    None is about an item of an open round: it would give the answer away to those who judge it.
    """
    in_open_round = RoundItem.objects.filter(item=OuterRef("item"), round__status=Round.Status.OPEN)
    resolutions = (
        Resolution.objects.filter(
            member__project=project,
            item__withdrawn_at__isnull=True,
            in_guideline=True,
            superseded_at__isnull=True,
        )
        .exclude(Exists(in_open_round))
        .select_related("item", "question")
        .order_by("-id")
    )
    shown: dict[str, list[ResolutionExample]] = {}
    for resolution in resolutions:
        there = shown.setdefault(resolution.type_code or resolution.label, [])
        if len(there) < SHOWN_PER_TYPE:
            there.append(_example(resolution))
    return shown


def _example(resolution: Resolution) -> ResolutionExample:
    text = resolution.item.text
    return ResolutionExample(
        unit=resolution.item.external_id,
        text=resolution.question.text if resolution.question else text,
        decided=resolution.label or (gettext("yes") if resolution.applicable else gettext("no")),
        quotes=tuple(text[start:end] for start, end in resolution.spans),
        why=resolution.why,
    )
