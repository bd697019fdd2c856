"""What a score is: a value with its interval and how much it rests on, or no value with a reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.statistics.bootstrap import generator, percentile_interval, resampled_weights
from agreement.statistics.intervals import never_a_point
from core.canonical_json import canonical_float

FloatArray = NDArray[np.float64]

NEVER_ANSWERED = "never_answered"
NEVER_THERE = "never_there"
NEITHER = "neither"
NO_ITEMS = "no_items"
NO_REFERENCES = "no_references"
NOTHING_NAMED = "nothing_named"
NOTHING_HANDED_IN = "nothing_handed_in"

REASONS = {
    NEVER_ANSWERED: "the system never gave this answer",
    NEVER_THERE: "the answer is right nowhere",
    NEITHER: "the answer is right nowhere, and the system never gave it",
    NO_ITEMS: "there is nothing to score",
    NO_REFERENCES: "no unit has a reference",
    NOTHING_NAMED: "the system named none of the types that have a reference",
    NOTHING_HANDED_IN: "the system handed nothing in",
}

_STREAM = 0


@dataclass(frozen=True, slots=True)
class Figure:
    """One score with its 95% interval, or the code of the reason why there is none; n is what it rests on."""

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ValueError("A figure has either a value or a reason why it has none.")

    def to_json(self) -> dict[str, Any]:
        low, high = (None if limit is None else canonical_float(limit) for limit in (self.low, self.high))
        value = None if self.value is None else canonical_float(self.value)
        return {"value": value, "low": low, "high": high, "reason": self.reason, "n": self.n}


class Resamples:
    """Sums of items' numbers in resamples of the items: the same draws for every figure.

    rows : (items, columns), what each item adds to each sum
    """

    def __init__(self, rows: ArrayLike, *, replicates: int, seed: int | Sequence[int]) -> None:
        table = np.asarray(rows, dtype=np.float64)
        self._rows = table
        self.totals: FloatArray = table.sum(axis=0)
        self.n_items = len(table)
        self._replicated: FloatArray | None = None
        if replicates and self.n_items > 1:
            # Distinct rows come out sorted, so that the order of the items is no second seed.
            kinds, multiplicity = np.unique(table, axis=0, return_counts=True)
            drawn = resampled_weights(multiplicity, replicates, generator(seed, _STREAM))
            self._replicated = np.concatenate([weights @ kinds for weights in drawn])

    def figure(self, ratio: Callable[[FloatArray], tuple[Any, Any]], *, n: int, reason: str) -> Figure:
        """Return numerator over denominator, both made of sums (..., columns), with a percentile interval.

        Undefined for `reason` where the denominator is 0. The interval is never a point. No interval where
        more than 5% of the resamples leave it undefined.
        """
        above, below = (float(part) for part in ratio(self.totals))
        if not below:
            return Figure(None, n, reason=reason)
        value = above / below
        if self._replicated is None:
            return Figure(value, n)
        tops, bottoms = (np.asarray(part, dtype=np.float64) for part in ratio(self._replicated))
        defined = bottoms > 0
        values = np.divide(tops, bottoms, out=np.zeros_like(tops), where=defined)
        counting = int(np.count_nonzero(np.asarray(ratio(self._rows)[1]) > 0))
        interval = never_a_point(value, percentile_interval(values, defined), counting)
        return Figure(value, n, interval.low, interval.high)

    def leaving_out_each(self) -> FloatArray:
        """Return the sums without each item in turn, (items, columns)."""
        return self.totals[None, :] - self._rows

    def interval_of(
        self,
        value: float,
        values: Callable[[FloatArray], tuple[FloatArray, NDArray[np.bool_]]],
        *,
        floor: float = 0.0,
    ) -> tuple[float | None, float | None]:
        """Return the interval of a figure that is no single ratio: values, and where defined.

        The figure is 1 at most, and `floor` at least: -1 for a difference.
        """
        if self._replicated is None:
            return None, None
        interval = percentile_interval(*values(self._replicated))
        interval = never_a_point(value, interval, self.n_items, floor=floor)
        return interval.low, interval.high
