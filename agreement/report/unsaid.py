"""What a report leaves unsaid because it would tell of single items; on how many items a section rests."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from agreement.report.figures import SectionFigures, SetFigures
from agreement.report.judgements import RoundJudgements
from agreement.report.sections import Section
from agreement.statistics.estimates import KEPT_BACK
from annotation.codebooks.definition import FOCUS

LIVE_ITEMS = 5
"""Items that a live figure speaks of at least, and that must have changed before it is computed again."""

SPEAKING = (
    "n_items", "n_pairable", "n_ratings", "n_pairable_ratings", "estimates", "labels", "consensus",
    "yes_rate", "prevalence", "median_seconds", "n_cannot_judge", "spans", "mean_of_types", "stacked", "sets",
)  # fmt: skip
"""What a section says of its answers, but for the pairs."""


def section_unsaid(section: SectionFigures) -> SectionFigures:
    """Return a section with none of its figures."""
    told = {name: unsaid(found) for name, found in section.items() if name in SPEAKING}
    return cast(SectionFigures, {**section, **told, "paradox": "", "readings": []})


def unsaid(value: Any) -> Any:
    """Return the same shape with no number in it; a figure says why it has none."""
    if isinstance(value, dict):
        blank = {key: unsaid(entry) for key, entry in value.items()}
        if "value" in value and "reason" in value:
            blank |= {"reason": KEPT_BACK, "interval_reason": None, "caution": None, "interval_method": None}
        return blank
    if isinstance(value, list):
        return [unsaid(entry) for entry in value]
    return None if isinstance(value, int | float) and not isinstance(value, bool) else value


def few_sets(sets: SetFigures, least: int) -> bool:
    """Say whether figures of sets of types speak of some items, but of fewer than `least`."""
    return any(0 < n < least for n in (sets["n_items"], sets["n_pairable"]))


def item_of_rows(judgements: RoundJudgements, section: Section) -> NDArray[np.int64]:
    """Return the item of each row of a section's table of answers."""
    if judgements.protocol != FOCUS:
        return judgements.unit_item
    return np.tile(np.arange(len(judgements.items), dtype=np.int64), len(section.types))


def items_of(judgements: RoundJudgements, section: Section) -> tuple[int, int]:
    """Return of how many items a section has answers, and of how many two answers of one unit."""
    items = item_of_rows(judgements, section)
    answers = (section.ratings >= 0).sum(axis=1)
    return len(np.unique(items[answers > 0])), len(np.unique(items[answers > 1]))
