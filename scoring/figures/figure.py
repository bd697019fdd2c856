"""What a score is: a value with its interval and how much it rests on, or no value with a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.statistics.bootstrap import generator, percentile_interval, resampled_items, seed_words
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
_MOST_KEPT = 150_000_000
"""So many numbers of a byte are kept of the draws: 1,000 resamples of 110,000 items fit."""


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
    """Sums of items' numbers in resamples of the items: the same draws for every figure of the same items.

    rows : (rows, columns), what each adds to each sum, in the order of the items' ids, so that their order in
        a file is no second seed
    items : (rows,), the item of each row, where an item has several rows or none; `n_items` of them
    """

    def __init__(
        self,
        rows: ArrayLike,
        *,
        replicates: int,
        seed: int | Sequence[int],
        items: NDArray[np.int64] | None = None,
        n_items: int | None = None,
    ) -> None:
        table = np.asarray(rows, dtype=np.float64)
        self.totals: FloatArray = table.sum(axis=0)
        self.n_items = len(table) if n_items is None else n_items
        self._parts = [(table, np.arange(self.n_items) if items is None else items)]
        self._replicated: FloatArray | None = None
        if replicates and self.n_items > 1:
            self._replicated = np.concatenate(
                [
                    (weights if items is None else weights[:, items]).astype(np.float64) @ table
                    for weights in _weights(self.n_items, replicates, seed_words(seed))
                ]
            )

    @classmethod
    def together(cls, parts: Sequence[Resamples]) -> Resamples:
        """Return the sums over all rows of several, which have the same items, draws and columns."""
        whole = cls.__new__(cls)
        whole._parts = [both for part in parts for both in part._parts]
        whole.totals = np.sum([part.totals for part in parts], axis=0)
        whole.n_items = parts[0].n_items
        replicated = [part._replicated for part in parts if part._replicated is not None]
        whole._replicated = np.sum(replicated, axis=0) if replicated else None
        return whole

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
        counting = np.zeros(self.n_items, dtype=np.bool_)
        for rows, items in self._parts:
            counting[items[np.asarray(ratio(rows)[1]) > 0]] = True
        interval = never_a_point(value, percentile_interval(values, defined), int(counting.sum()))
        return Figure(value, n, interval.low, interval.high)

    def leaving_out_each(self) -> FloatArray:
        """Return the sums without each item in turn, (items, columns)."""
        left = np.repeat(self.totals[None, :], self.n_items, axis=0)
        for rows, items in self._parts:
            np.subtract.at(left, items, rows)
        return left

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


def _weights(n: int, replicates: int, seed: tuple[int, ...]) -> Iterable[NDArray[np.uint8]]:
    """Give how often each item is in each resample, in chunks (resamples, items)."""
    if n * replicates > _MOST_KEPT:
        return _drawn(n, replicates, seed)
    return _kept_weights(n, replicates, seed)


@lru_cache(maxsize=1)
def _kept_weights(n: int, replicates: int, seed: tuple[int, ...]) -> list[NDArray[np.uint8]]:
    return list(_drawn(n, replicates, seed))


def _drawn(n: int, replicates: int, seed: tuple[int, ...]) -> Iterator[NDArray[np.uint8]]:
    # A byte holds them: one of n > 255 items is drawn 256 times with a probability below 1e-500.
    for chunk in resampled_items(n, n, replicates, generator(seed, _STREAM)):
        yield chunk.astype(np.uint8)


def forget_draws() -> None:
    """Give back the memory of the draws that are kept for the next figure."""
    _kept_weights.cache_clear()
