"""The scores of several systems over the same items, and their differences, all from the same resamples."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from scoring.figures.figure import FloatArray, Resamples

Values = tuple[FloatArray, NDArray[np.bool_]]
"""Values, and where they are defined."""

Limits = dict[str, float | None]
"""`value`, `low` and `high`."""


class PairedScores:
    """The score of a system is the mean over its runs of a ratio of two sums over the items.

    systems : of each (runs, items, 2), what every item adds above and below, in the order of the items' ids:
        twice the hits, and these with false and missed answers; or the share of useful questions, and 1

    The draws are those of every figure of the same items, replicates and seed.
    """

    def __init__(self, systems: Sequence[FloatArray], *, replicates: int, seed: int | Sequence[int]) -> None:
        self._runs = [len(counts) for counts in systems]
        self._starts = np.cumsum([0, *(2 * n for n in self._runs)])
        columns = [run for counts in systems for run in counts]
        self._resamples = Resamples(np.concatenate(columns, axis=1), replicates=replicates, seed=seed)

    def figure(self, at: int) -> Limits:
        """Return value and interval of one system."""
        return self._figure(lambda sums: self._score(sums, at))

    def difference(self, first: int, second: int) -> Limits:
        """Return value and paired interval of the difference of two."""

        def values(sums: FloatArray) -> Values:
            (a, a_defined), (b, b_defined) = self._score(sums, first), self._score(sums, second)
            return a - b, a_defined & b_defined

        return self._figure(values, floor=-1.0)

    def standard_error(self, first: int, second: int) -> float:
        """Return the standard error of the paired difference of two, by leaving out each item in turn.

        Of means over the items that is the deviation of the items' differences over the root of their number.
        """
        left = self._resamples.leaving_out_each()
        n = len(left)
        if n < 2:
            return 0.0
        (a, a_defined), (b, b_defined) = self._score(left, first), self._score(left, second)
        differences = (a - b)[a_defined & b_defined]
        return float(np.sqrt((n - 1) / n * np.square(differences - differences.mean()).sum()))

    def _figure(self, values: Callable[[FloatArray], Values], floor: float = 0.0) -> Limits:
        found, defined = values(self._resamples.totals[None, :])
        if not defined[0]:
            return {"value": None, "low": None, "high": None}
        value = float(found[0])
        low, high = self._resamples.interval_of(value, values, floor=floor)
        return {"value": value, "low": low, "high": high}

    def _score(self, sums: FloatArray, at: int) -> Values:
        own = sums[:, self._starts[at] : self._starts[at + 1]].reshape(len(sums), self._runs[at], 2)
        above, below = own[..., 0], own[..., 1]
        scores = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
        return np.asarray(scores.mean(axis=1)), np.asarray((below > 0).all(axis=1))
