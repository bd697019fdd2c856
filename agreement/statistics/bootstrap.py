"""Percentile bootstrap over items, on counts of distinct patterns.

A resample of n items is a draw W ~ Multinomial(n, m/n) over the distinct patterns with multiplicities m: the
cost depends on the patterns, not on the items. Where several rows belong to one item (ten types of one
argument), items are resampled with all their rows together. The number of categories and the raters stay
fixed; chance agreement is recomputed in every resample.

References
----------
Efron B, Tibshirani RJ (1993) An Introduction to the Bootstrap, chapter 13. doi:10.1201/9780429246593
Zapf A, Castell S, Morawietz L, Karch A (2016) BMC Med Res Methodol 16:93. doi:10.1186/s12874-016-0200-9
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from agreement.statistics.estimates import NOT_ESTIMABLE, Estimate
from agreement.statistics.pairs import Summation
from agreement.statistics.patterns import FloatArray, IntArray

UNDEFINED_SHARE_LIMIT = 0.05
PERCENTILE = "percentile"
SYMMETRIC = "symmetric_percentile"
_TAILS = (0.025, 0.975)
_CHUNK_CELLS = 2_000_000


@dataclass(frozen=True, slots=True)
class Units:
    """What is resampled: kinds of units with their multiplicities, each made of row patterns.

    multiplicity : (kinds,); members says which patterns a kind consists of, None where kinds are the patterns
    """

    multiplicity: IntArray
    members: Summation | None = None

    @property
    def n(self) -> int:
        return int(self.multiplicity.sum())

    @property
    def chunk(self) -> int:
        """How many rows of weights to turn into pattern weights at once; 0 where nothing limits it."""
        return self.members.chunk if self.members else 0

    def contain(self, patterns: np.ndarray) -> np.ndarray:
        """Say of each kind whether it has one of these patterns, given as (patterns,) booleans."""
        if self.members is None:
            return patterns
        entries = patterns[self.members.target]
        return np.bincount(self.members.source[entries], minlength=self.multiplicity.size) > 0

    def pattern_weights(self, weights: FloatArray) -> FloatArray:
        """Turn weights (rows, kinds) into weights (rows, patterns)."""
        return weights if self.members is None else self.members.apply(weights)


def clustered_units(pattern_of_row: IntArray, clusters: ArrayLike, n_patterns: int) -> Units:
    """Make the units of a table in which several rows belong to one item.

    pattern_of_row : (rows,), -1 for a row without ratings; clusters : (rows,), the item of each row. Items
    without any rating are left out. Two items with the same bag of patterns are of one kind.
    """
    cluster = np.unique(np.asarray(clusters), return_inverse=True)[1].ravel()
    if cluster.shape != pattern_of_row.shape:
        raise ValueError("Every row of the table needs the item it belongs to.")
    rated = pattern_of_row >= 0
    cluster, pattern = cluster[rated], pattern_of_row[rated]
    order = np.lexsort((pattern, cluster))
    cluster, pattern = np.unique(cluster[order], return_inverse=True)[1].ravel(), pattern[order]
    sizes = np.bincount(cluster) if cluster.size else np.empty(0, dtype=np.int64)
    place = np.arange(cluster.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    bags = np.full((sizes.size, int(sizes.max(initial=0))), -1, dtype=np.int64)
    bags[cluster, place] = pattern
    kinds, multiplicity = np.unique(bags, axis=0, return_counts=True)
    kind, member = np.nonzero(kinds >= 0)
    members = Summation(kind, kinds[kind, member], len(kinds), n_patterns)
    return Units(multiplicity.astype(np.int64), members)


def generator(seed: int | Sequence[int], stream: int) -> np.random.Generator:
    """Return the generator of one independent stream of a seed."""
    return np.random.default_rng([*seed_words(seed), stream])


def seed_words(seed: int | Sequence[int]) -> tuple[int, ...]:
    """Return a seed as the words that NumPy takes. Raises ValueError for none and for negative ones."""
    words = (seed,) if isinstance(seed, int | np.integer) else tuple(seed)
    if not words or any(word < 0 for word in words):
        raise ValueError("A seed is a non-negative whole number or several of them.")
    return tuple(int(word) for word in words)


def resampled_weights(
    multiplicity: IntArray, replicates: int, rng: np.random.Generator, *, n: int | None = None, chunk: int = 0
) -> Iterator[FloatArray]:
    """Yield how often each kind occurs in resamples of n units, in chunks (rows, kinds) that bound memory.

    n is the number of units unless given: the same bootstrap for a larger study.
    """
    total = int(multiplicity.sum())
    size = total if n is None else n
    step = max(1, _CHUNK_CELLS // max(multiplicity.size, 1))
    step = min(step, chunk) if chunk else step
    for start in range(0, replicates, step):
        rows = min(step, replicates - start)
        if total == 0:
            yield np.zeros((rows, multiplicity.size))
        else:
            yield rng.multinomial(size, multiplicity / total, size=rows).astype(np.float64)


def resampled_items(n: int, kept: int, replicates: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Yield how often each of the first `kept` of n items occurs in resamples of n, in chunks (rows, kept).

    What `resampled_weights` would draw with every item a kind of its own, in a quarter of the time: an index
    an item and replicate instead of a binomial.
    """
    step = max(1, _CHUNK_CELLS // max(kept, 1))
    for start in range(0, replicates, step):
        numbers = rng.binomial(n, kept / n, size=min(step, replicates - start))
        drawn = (rng.integers(kept, size=number) for number in numbers.tolist())
        yield np.array([np.bincount(indices, minlength=kept) for indices in drawn], dtype=np.float64)


def resampled_sums(
    units: Units, features: FloatArray, replicates: int, rng: np.random.Generator, *, n: int | None = None
) -> FloatArray:
    """Return features (patterns, f) summed over the items of each resample, shape (f, replicates)."""
    chunks = resampled_weights(units.multiplicity, replicates, rng, n=n, chunk=units.chunk)
    sums = np.concatenate([units.pattern_weights(weights) @ features for weights in chunks])
    return np.ascontiguousarray(sums.T)


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95% interval with its caution, or the reason why there is none.

    undefined_share is the share of resamples without a value."""

    low: float | None
    high: float | None
    reason: str | None
    undefined_share: float
    method: str = PERCENTILE
    caution: str | None = None

    @property
    def width(self) -> float:
        """The width, infinite where there is no interval."""
        return math.inf if self.low is None or self.high is None else self.high - self.low

    def distances(self, value: float) -> tuple[float, float]:
        """How far the limits lie below and above a value; infinite where there is no interval."""
        if self.low is None or self.high is None:
            return math.inf, math.inf
        return value - self.low, self.high - value

    def on(self, estimate: Estimate) -> Estimate:
        """Return the estimate with this interval."""
        return replace(
            estimate,
            low=self.low,
            high=self.high,
            interval_reason=self.reason,
            interval_method=None if self.low is None else self.method,
            undefined_share=self.undefined_share,
            caution=self.caution,
        )


def percentile_interval(values: FloatArray, defined: np.ndarray) -> Interval:
    """Return the percentile interval of one figure's resampled values, both arrays (replicates,).

    Not estimable where more than 5% of the resamples leave the figure undefined.
    """
    share = 1 - float(np.count_nonzero(defined)) / defined.size
    if share > UNDEFINED_SHARE_LIMIT:
        return Interval(None, None, NOT_ESTIMABLE, share)
    ordered = np.sort(values[defined])
    low, high = (_quantile(ordered, tail) for tail in _TAILS)
    return Interval(low, high, None, share)


def _quantile(ordered: FloatArray, probability: float) -> float:
    # The linear definition of numpy.percentile, whose fixed cost is many times that of the sort.
    position = probability * (ordered.size - 1)
    below = int(position)
    above = min(below + 1, ordered.size - 1)
    return float(ordered[below] + (position - below) * (ordered[above] - ordered[below]))
