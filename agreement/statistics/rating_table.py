"""A rating table prepared once: its patterns, what is resampled, and resampled sums and pair tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from agreement.statistics.bootstrap import (
    Units,
    clustered_units,
    generator,
    resampled_sums,
    resampled_weights,
)
from agreement.statistics.coefficients import CountSums, count_features, count_sums
from agreement.statistics.intervals import Information, information_of, informative_counts
from agreement.statistics.pairs import PairSums, PairTables, pair_tables, table_sums
from agreement.statistics.patterns import (
    CountPatterns,
    FloatArray,
    RatingPatterns,
    count_patterns,
    rating_patterns,
)

COUNT_STREAM, PAIR_STREAM = 0, 1

# Pair tables need patterns with rater identity, which may be a thousand where the counts are fifty. From this
# many single draws on, and where every count that matters is large, sums are drawn from the normal limit of
# the multinomial instead: the error is far below that of 1,000 replicates, the cost a fifth.
_NORMAL_DRAWS = 250_000
_NORMAL_COUNT = 200


@dataclass(frozen=True, slots=True)
class RatingTable:
    """One rating table as patterns.

    count_units are resampled for figures from counts by category, row_units for figures that need to know
    who rated; pairs holds the joint tables of the rater pairs kept, few_common how many were left out because
    they share fewer items than the minimum.
    """

    patterns: RatingPatterns
    counted: CountPatterns
    count_units: Units
    row_units: Units
    pairs: PairTables
    few_common: int

    @property
    def q(self) -> int:
        return self.patterns.q

    @property
    def sums(self) -> CountSums:
        """The sums of the table itself."""
        return count_sums(self.counted.multiplicity @ count_features(self.counted.counts), self.q)

    @property
    def tables(self) -> FloatArray:
        """The joint tables (pairs, q, q) of the table itself."""
        return self.pairs.tables(self.patterns.multiplicity)

    @property
    def information(self) -> Information:
        """How many texts carry information."""
        which = informative_counts(self.counted.counts, self.counted.multiplicity)
        return information_of(self.count_units, which)

    @property
    def complete(self) -> bool:
        """Whether every rater rated every item."""
        return bool((self.patterns.rows >= 0).all())

    def resampled_sums(
        self, replicates: int, seed: int | Sequence[int], *, n: int | None = None
    ) -> CountSums:
        """Return the sums of each resample, fields (replicates, ...)."""
        features = count_features(self.counted.counts)
        rng = generator(seed, COUNT_STREAM)
        return count_sums(resampled_sums(self.count_units, features, replicates, rng, n=n), self.q)

    def resampled_pair_sums(
        self, replicates: int, seed: int | Sequence[int], *, n: int | None = None
    ) -> Iterator[PairSums]:
        """Yield the sums of the pairs' tables in resamples, fields (..., pairs, rows), in chunks."""
        rng = generator(seed, PAIR_STREAM)
        units, summation = self.row_units, self.pairs.summation()
        matrix = summation.dense() if units.members is None else None
        draws = units.multiplicity.size * replicates
        if matrix is not None and draws > _NORMAL_DRAWS and _normal_is_safe(table_sums(self.tables)):
            yield self.pairs.pair_sums(_normal_sums(units, matrix, replicates, rng, n=n))
            return
        chunk = min([summation.chunk, *([units.members.chunk] if units.members else [])])
        for weights in resampled_weights(units.multiplicity, replicates, rng, n=n, chunk=chunk):
            yield self.pairs.pair_sums(summation.apply(units.pattern_weights(weights)))


def _normal_is_safe(s: PairSums) -> bool:
    """Say whether every margin and every number of disagreements is 0 or large."""
    numbers = np.concatenate([s.first.ravel(), s.second.ravel(), s.common - s.agreeing])
    return bool((numbers[numbers > 0] >= _NORMAL_COUNT).all())


def _normal_sums(
    units: Units, matrix: FloatArray, replicates: int, rng: np.random.Generator, *, n: int | None
) -> FloatArray:
    """Draw sums with the mean and covariance of the multinomial: W = m + sqrt(m) z - m (sqrt(m) . z)/n."""
    root = np.sqrt(units.multiplicity)
    z = rng.standard_normal((replicates, root.size), dtype=np.float32).astype(np.float64)
    total = units.multiplicity @ matrix
    deviations = z @ np.column_stack([root[:, None] * matrix, root])
    deviations = deviations[:, :-1] - deviations[:, -1:] * (total / units.n)
    factor = 1.0 if n is None else n / units.n
    found: FloatArray = factor * total + np.sqrt(factor) * deviations
    return found


def rating_table(
    ratings: ArrayLike, *, q: int, clusters: ArrayLike | None = None, min_common: int = 1
) -> RatingTable:
    """Prepare an (items, raters) table of codes 0..q-1, -1 for missing.

    clusters : (items,), where several rows belong to one item and are resampled together
    min_common : pairs of raters who share fewer items enter no pairwise figure
    """
    if min_common < 1:
        raise ValueError("The minimum number of common items is at least 1.")
    patterns = rating_patterns(ratings, q, with_inverse=clusters is not None)
    counted = count_patterns(patterns)
    if clusters is None:
        count_units, row_units = Units(counted.multiplicity), Units(patterns.multiplicity)
    else:
        row_of = patterns.item_rows
        count_of = np.append(counted.of_row, -1)[row_of]
        row_units = clustered_units(row_of, clusters, len(patterns.rows))
        count_units = clustered_units(count_of, clusters, len(counted.counts))
    table = RatingTable(patterns, counted, count_units, row_units, pair_tables(patterns), 0)
    if min_common == 1:
        return table
    keep = np.flatnonzero(table_sums(table.tables).common >= min_common)
    return replace(table, pairs=table.pairs.kept(keep), few_common=len(table.pairs.raters) - len(keep))
