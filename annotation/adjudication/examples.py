"""Decided units that a lead chose to show beside the guideline, as examples for annotators."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext

from annotation.models import Project, Resolution, Round, RoundItem

SHOWN_PER_TYPE = 5


@dataclass(frozen=True, slots=True)
class Ruling:
    """One example: the text or question it is about, what was decided, and why."""

    unit: str
    text: str
    decided: str
    quotes: tuple[str, ...]
    why: str


def rulings_shown(project: Project) -> dict[str, list[Ruling]]:
    """Return the rulings to show by type code (or label), newest first.

    None is about an item of an open round: it would give the answer away to those who judge it.
    """
    in_open_round = RoundItem.objects.filter(item=OuterRef("item"), round__status=Round.Status.OPEN)
    rulings = (
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
    shown: dict[str, list[Ruling]] = {}
    for ruling in rulings:
        there = shown.setdefault(ruling.type_code or ruling.label, [])
        if len(there) < SHOWN_PER_TYPE:
            there.append(_ruling(ruling))
    return shown


def _ruling(ruling: Resolution) -> Ruling:
    text = ruling.item.text
    return Ruling(
        unit=ruling.item.external_id,
        text=ruling.question.text if ruling.question else text,
        decided=ruling.label or (gettext("yes") if ruling.applicable else gettext("no")),
        quotes=tuple(text[start:end] for start, end in ruling.spans),
        why=ruling.why,
    )
