"""Span figures as FOCUS computes them, beside ours: each text weighs the same, however many pairs it has.

`over_items` is the mean over the texts of the mean over the pairs who both marked a span. `joint` is the mean
over the texts that somebody marked, of the mean over all pairs of which at least one did; a span that has no
other beside it counts 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import fsum
from typing import Final

from agreement.spans.similarity import MEASURES, Span, pair_similarities

OVER_ITEMS: Final = "over_items"
JOINT: Final = "joint"
WAYS = (OVER_ITEMS, JOINT)

COLUMNS = tuple(f"{measure}_{way}" for way in WAYS for measure in MEASURES)
"""The figures, in the order of the sums that `item_sums` returns."""

_NOTHING = (0.0,) * len(MEASURES)


def item_sums(text: str, marks: Iterable[Span | None]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return what one text adds to each of COLUMNS: its mean, and 1 where it has one.

    marks are the span of each annotator who judged the text, None for a no. A pair for which a measure is
    undefined is left out.
    """
    marks = list(marks)
    spans = [span for span in marks if span is not None]
    if not spans or len(marks) < 2:
        return (*_NOTHING, *_NOTHING), (*_NOTHING, *_NOTHING)
    values: dict[str, list[float]] = {measure: [] for measure in MEASURES}
    for a, b in combinations(spans, 2):
        for measure, found in pair_similarities(text, a, b).items():
            if found.value is not None:
                values[measure].append(found.value)
    one_sided = len(spans) * (len(marks) - len(spans))
    both = [_mean(found, len(found)) for found in values.values()]
    joint = [_mean(found, len(found) + one_sided) for found in values.values()]
    means = [*both, *joint]
    return tuple(mean or 0.0 for mean in means), tuple(float(mean is not None) for mean in means)


def _mean(values: Sequence[float], number: int) -> float | None:
    return fsum(values) / number if number else None


def measure_of(column: str) -> str:
    """Return the measure that a column of COLUMNS is a mean of; any other column as it is."""
    return column.removesuffix(f"_{OVER_ITEMS}").removesuffix(f"_{JOINT}")
