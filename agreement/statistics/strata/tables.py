"""Several tables of the same items and raters, such as the types of an argument: their patterns and sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from agreement.statistics.bootstrap import Units, clustered_units
from agreement.statistics.coefficients import CountSums, count_features, count_sums
from agreement.statistics.intervals import (
    Information,
    Informative,
    informative_counts,
    informative_pair,
)
from agreement.statistics.pairs import PairSums, PairTables, pair_tables
from agreement.statistics.patterns import (
    FloatArray,
    IntArray,
    RatingPatterns,
    label_counts,
    rating_patterns,
    validated_ratings,
)

CHUNK_CELLS = 4_000_000
# Up to this many cells the answers of all joint patterns stand in one dense table. Of a crowd nearly every
# item is a pattern of its own, in every table.
_DENSE_CELLS = 20_000_000


@dataclass(frozen=True, slots=True)
class Stratum:
    """One table: its own row patterns, the joint tables of its rater pairs, and their place among all pairs.

    of : (joint patterns,), the row pattern of each, -1 where the item has no rating in this table
    """

    patterns: RatingPatterns
    of: IntArray
    features: FloatArray
    pairs: PairTables
    place: IntArray


@dataclass(frozen=True, slots=True)
class Strata:
    """Tables of the same items and raters.

    multiplicity : (joint patterns,), how many items have the same rows in all tables
    raters : (pairs, 2), the pairs that share units of any table
    item_rows : (items,), the joint pattern of each item, -1 without any rating
    few_common : pairs that were left out because they share too few units
    units : what is resampled: the items, or clusters of them
    """

    q: int
    multiplicity: IntArray
    tables: tuple[Stratum, ...]
    raters: IntArray
    item_rows: IntArray
    few_common: int
    units: Units

    @property
    def n_items(self) -> int:
        return int(self.multiplicity.sum())

    def information_of(self, each: Sequence[tuple[Stratum, Informative]]) -> Information:
        """Count what is resampled and carries information in one of the tables given."""
        found = np.zeros((3, self.multiplicity.size), dtype=np.bool_)
        for table, which in each:
            there = np.flatnonzero(table.of >= 0)
            rows = table.of[there]
            for row, patterns in zip(found, (which.pairable, which.differing, which.doubled), strict=True):
                row[there] |= patterns[rows]
        return Information(*(int(self.units.multiplicity[self.units.contain(row)].sum()) for row in found))

    @property
    def information(self) -> Information:
        """How much of what is resampled carries information in any table."""
        return self.information_of(
            [
                (one, informative_counts(label_counts(one.patterns.rows, self.q), one.patterns.multiplicity))
                for one in self.tables
            ]
        )

    def pair_information(self, at: int) -> Information:
        """Count what is resampled and carries information on one pair of raters in any table."""
        found = []
        for table in self.tables:
            for index in np.flatnonzero(table.place == at):
                which = informative_pair(table.pairs, int(index), table.patterns.multiplicity)
                found.append((table, which))
        return self.information_of(found)

    @property
    def is_dense(self) -> bool:
        """Whether `answers` fits into memory."""
        rows = sum(len(table.patterns.rows) for table in self.tables)
        return self.multiplicity.size * rows <= _DENSE_CELLS

    @property
    def chunk(self) -> int:
        """How many rows of weights to pass at once, so that memory stays bounded."""
        sizes = [table.pairs.summation().chunk for table in self.tables]
        return min([max(1, CHUNK_CELLS // max(self.multiplicity.size, 1)), *sizes])

    @property
    def complete(self) -> bool:
        """Whether every item of every table has a rating of every rater."""
        return all((table.patterns.rows >= 0).all() for table in self.tables)

    def counts(self, weights: FloatArray) -> list[FloatArray]:
        """Return how often each row pattern of each table occurs, for weights (rows, joint patterns)."""
        if self.is_dense:
            return self.split(weights @ self.answers())
        return [_grouped(weights, table.of, len(table.patterns.rows)) for table in self.tables]

    def answers(self) -> FloatArray:
        """Return which row pattern of each table a joint pattern has: (joint patterns, all row patterns)."""
        blocks = []
        for table in self.tables:
            block = np.zeros((self.multiplicity.size, len(table.patterns.rows)))
            there = np.flatnonzero(table.of >= 0)
            block[there, table.of[there]] = 1.0
            blocks.append(block)
        return np.concatenate(blocks, axis=1)

    def split(self, counts: FloatArray) -> list[FloatArray]:
        """Split counts (rows, all row patterns) into those of each table."""
        widths = [len(table.patterns.rows) for table in self.tables]
        return np.split(counts, np.cumsum(widths)[:-1], axis=1)


def strata_table(ratings: ArrayLike, *, items: ArrayLike, strata: ArrayLike) -> IntArray:
    """Return (units, raters) codes as an (items, strata, raters) array; items and strata are of each unit."""
    table = np.asarray(ratings)
    item, stratum = (
        np.unique(np.asarray(names), return_inverse=True)[1].ravel() for names in (items, strata)
    )
    shape = item.max(initial=-1) + 1, stratum.max(initial=-1) + 1, table.shape[1]
    found = np.full(shape, -1, dtype=np.int64)
    found[item, stratum] = table
    return found


def strata_of(
    ratings: ArrayLike, *, q: int, min_common: int = 1, clusters: ArrayLike | None = None
) -> Strata:
    """Return the tables of an (items, strata, raters) array of codes 0..q-1, -1 for missing.

    clusters : (items,), where several items (of one source) are resampled together
    """
    array = np.asarray(ratings)
    if array.ndim != 3:
        raise ValueError(f"Ratings are an (items, strata, raters) array, not one of {array.ndim} dimensions.")
    n_items, n_strata, n_raters = array.shape
    flat = validated_ratings(array.reshape(n_items, n_strata * n_raters), q)
    joint = rating_patterns(flat, q, with_inverse=True)
    found = []
    for at in range(n_strata):
        rows = joint.rows[:, at * n_raters : (at + 1) * n_raters]
        own = rating_patterns(rows, q, with_inverse=True)
        # How often a row occurs, counted by items and not by joint patterns.
        there = own.item_rows >= 0
        multiplicity = np.bincount(
            own.item_rows[there], weights=joint.multiplicity[there], minlength=len(own.rows)
        ).astype(np.int64)
        found.append((replace(own, multiplicity=multiplicity), own.item_rows))
    tables = [pair_tables(own) for own, _ in found]
    codes = [table.raters[:, 0] * n_raters + table.raters[:, 1] for table in tables]
    pairs = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *codes]))
    common = np.zeros(pairs.size)
    for table, code, (own, _) in zip(tables, codes, found, strict=True):
        common[np.searchsorted(pairs, code)] += table.tables(own.multiplicity).sum(axis=(1, 2))
    few_common = int((common < min_common).sum())
    pairs = pairs[common >= min_common]
    strata = []
    for table, code, (own, of) in zip(tables, codes, found, strict=True):
        keep = np.flatnonzero(np.isin(code, pairs))
        features = count_features(label_counts(own.rows, q))
        strata.append(Stratum(own, of, features, table.kept(keep), np.searchsorted(pairs, code[keep])))
    raters = np.stack(np.divmod(pairs, max(n_raters, 1)), axis=1)
    units = (
        Units(joint.multiplicity)
        if clusters is None
        else clustered_units(joint.item_rows, clusters, joint.multiplicity.size)
    )
    return Strata(q, joint.multiplicity, tuple(strata), raters, joint.item_rows, few_common, units)


def sums_of(strata: Strata, counts: Sequence[FloatArray]) -> tuple[list[CountSums], list[PairSums]]:
    """Return the sums of each table for counts (rows, row patterns) of each, fields (..., rows)."""
    counted, paired = [], []
    for table, own in zip(strata.tables, counts, strict=True):
        counted.append(count_sums(np.ascontiguousarray((own @ table.features).T), strata.q))
        paired.append(table.pairs.pair_sums(table.pairs.summation().apply(own)))
    return counted, paired


def _grouped(weights: FloatArray, of: IntArray, n_groups: int) -> FloatArray:
    """Return the weights (rows, joint patterns) added up by row pattern: (rows, groups)."""
    there = np.flatnonzero(of >= 0)
    if not there.size:
        return np.zeros((len(weights), n_groups))
    order = there[np.argsort(of[there], kind="stable")]
    starts = np.searchsorted(of[order], np.arange(n_groups))
    return np.add.reduceat(weights[:, order], starts, axis=1)
