"""What a release would hold, counted before anybody asks for it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from annotation.models import QuestionAnnotation, Resolution, TypeAnnotation
from exports.files.outputs import Places
from exports.selection.parameters import ParameterError
from exports.selection.rows import BROUGHT_WHOLE
from exports.selection.selection import Selection, items_chosen, items_present
from exports.selection.splits import plan_splits

BALANCED_LIMIT = 5_000
"""Items up to which a preview computes a split by labels, which reads all of them."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Counts of a release that is not built yet; `splits` is None where they would take too long to count."""

    rounds: tuple[str, ...]
    items: int
    items_left_out: int
    judgements: int
    annotators: int
    adjudicated: int
    published: int
    splits: dict[str, int] | None


def release_preview(selection: Selection) -> Preview:
    """Count what a release of this selection would hold. Raises ParameterError for choices that cannot be."""
    items = items_chosen(selection)
    model = TypeAnnotation if selection.typology else QuestionAnnotation
    answer = "applicable" if selection.typology else "label"
    judged = model.objects.filter(
        assignment__round__in=list(selection.round_of),
        assignment__item__in=items,
        assignment__member__left_out_at__isnull=True,
        assignment__repeat=False,
    ).exclude(**{answer: None}, cannot_judge=False)
    resolved = Resolution.objects.filter(BROUGHT_WHOLE, item__in=items, superseded_at=None)
    n_items = items.count()
    return Preview(
        rounds=tuple(row.name for row in selection.rounds),
        items=n_items,
        items_left_out=items_present(selection.project).count() - n_items,
        judgements=judged.count(),
        annotators=judged.values("assignment__member").distinct().count(),
        adjudicated=resolved.filter(source=Resolution.Source.ADJUDICATED).count(),
        published=resolved.filter(source=Resolution.Source.IMPORTED).count(),
        splits=_splits(selection, n_items),
    )


def _splits(selection: Selection, n_items: int) -> dict[str, int] | None:
    parameters = selection.parameters
    if parameters.split_by in ("balanced", "published") and n_items > BALANCED_LIMIT:
        return None
    found = Counter(plan_splits(selection).values())
    problems = Places.problems(sorted(found), parameters.withheld)
    if problems:
        raise ParameterError(problems)
    return dict(sorted(found.items()))
