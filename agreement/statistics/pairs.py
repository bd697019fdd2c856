"""Agreement between two raters over the items both rated, and the means of it over all pairs.

Tables are (q, q) counts, the first rater's label in rows, the second's in columns. Many pairs and many
resamples are computed at once, from the sums of each table that Cohen's kappa needs.

References
----------
Cohen J (1960) Educ Psychol Meas 20:37-46. doi:10.1177/001316446002000104
Light RJ (1971) Psychol Bull 76:365-377. doi:10.1037/h0031643
Conger AJ (1980) Psychol Bull 88:322-328. doi:10.1037/0033-2909.88.2.322
Byrt T, Bishop J, Carlin JB (1993) J Clin Epidemiol 46:423-429. doi:10.1016/0895-4356(93)90018-V
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agreement.statistics.patterns import FloatArray, IntArray, RatingPatterns

# Up to this many matrix entries a dense product is faster than adding up only the entries that are not zero.
_DENSE_ENTRIES = 2_000_000
_CHUNK_ENTRIES = 4_000_000


@dataclass(frozen=True, slots=True)
class Summation:
    """A sparse matrix product: which sources are added up into which targets.

    source, target : (entries,); an entry that stands twice counts twice
    """

    source: IntArray
    target: IntArray
    n_sources: int
    n_targets: int

    @property
    def chunk(self) -> int:
        """How many rows of weights to pass at once, so that memory stays bounded."""
        return max(1, _CHUNK_ENTRIES // max(self.source.size, self.n_targets, self.n_sources, 1))

    def dense(self) -> FloatArray | None:
        """Return the matrix (sources, targets) where it is small, else None."""
        if self.n_sources * self.n_targets > _DENSE_ENTRIES:
            return None
        cells = np.bincount(
            self.source * self.n_targets + self.target, minlength=self.n_sources * self.n_targets
        )
        return cells.reshape(self.n_sources, self.n_targets).astype(np.float64)

    def apply(self, weights: FloatArray) -> FloatArray:
        """Return the sums (rows, targets) of weights (rows, sources)."""
        matrix = self.dense()
        if matrix is not None:
            return weights @ matrix
        sums = np.empty((len(weights), self.n_targets))
        for row, weight in zip(sums, weights, strict=True):
            row[:] = np.bincount(self.target, weights=weight[self.source], minlength=self.n_targets)
        return sums


@dataclass(frozen=True, slots=True)
class PairTables:
    """The joint tables of all rater pairs that share an item.

    raters : (pairs, 2) column indices, first < second, sorted
    cells : which row pattern adds to which cell of which table, cell = (pair * q + label) * q + label
    """

    raters: IntArray
    cells: Summation
    q: int

    def tables(self, weights: IntArray) -> FloatArray:
        """Return the tables (pairs, q, q) for weights (patterns,) of the row patterns."""
        counts = np.bincount(
            self.cells.target, weights=weights[self.cells.source], minlength=self.cells.n_targets
        )
        return counts.astype(np.float64).reshape(len(self.raters), self.q, self.q)

    def summation(self) -> Summation:
        """Return which row pattern adds to which of the sums that pair_sums names."""
        n_pairs, source = len(self.raters), self.cells.source
        pair, cell = np.divmod(self.cells.target, self.q**2)
        first, second = np.divmod(cell, self.q)
        alike = first == second
        targets = [
            pair,
            n_pairs + pair[alike],
            (2 + first) * n_pairs + pair,
            (2 + self.q + second) * n_pairs + pair,
        ]
        sources = [source, source[alike], source, source]
        n_targets = (2 + 2 * self.q) * n_pairs
        return Summation(np.concatenate(sources), np.concatenate(targets), self.cells.n_sources, n_targets)

    def pair_sums(self, totals: FloatArray) -> PairSums:
        """Name the columns of totals (rows, (2 + 2q) pairs), made by the summation."""
        fields = np.ascontiguousarray(totals.T).reshape(2 + 2 * self.q, len(self.raters), len(totals))
        return PairSums(fields[0], fields[1], fields[2 : 2 + self.q], fields[2 + self.q :])

    def kept(self, keep: IntArray) -> PairTables:
        """Return the tables of the pairs at these positions only."""
        size = self.q * self.q
        position = np.full(len(self.raters), -1, dtype=np.int64)
        position[keep] = np.arange(len(keep))
        pair = position[self.cells.target // size]
        stays = pair >= 0
        target = pair[stays] * size + self.cells.target[stays] % size
        cells = Summation(self.cells.source[stays], target, self.cells.n_sources, len(keep) * size)
        return PairTables(self.raters[keep], cells, self.q)


def pair_tables(patterns: RatingPatterns) -> PairTables:
    """Find the pairs of ratings in each row pattern; the work grows with the pairs of ratings given."""
    rows, q, n_raters = patterns.rows, patterns.q, patterns.n_raters
    n_ratings = (rows >= 0).sum(axis=1)
    sources, pairs, cells = [], [], []
    for number in np.unique(n_ratings[n_ratings >= 2]):
        which = np.flatnonzero(n_ratings == number)
        raters = np.nonzero(rows[which] >= 0)[1].reshape(-1, number)
        labels = np.take_along_axis(rows[which], raters, axis=1)
        first, second = np.triu_indices(number, k=1)
        sources.append(np.repeat(which, first.size))
        pairs.append((raters[:, first] * n_raters + raters[:, second]).ravel())
        cells.append((labels[:, first] * q + labels[:, second]).ravel())
    if not sources:
        return PairTables(
            np.empty((0, 2), dtype=np.int64),
            Summation(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), len(rows), 0),
            q,
        )
    found, pair = np.unique(np.concatenate(pairs), return_inverse=True)
    target = pair * q * q + np.concatenate(cells)
    summation = Summation(np.concatenate(sources), target, len(rows), found.size * q * q)
    return PairTables(np.stack(np.divmod(found, n_raters), axis=1), summation, q)


@dataclass(frozen=True, slots=True)
class PairSums:
    """What Cohen's kappa needs of each pair's table; (...) is the shape of the resamples.

    common, agreeing : (pairs, ...) items both rated, and labelled alike
    first, second : (q, pairs, ...) margins of the two raters, from the items both rated
    """

    common: FloatArray
    agreeing: FloatArray
    first: FloatArray
    second: FloatArray


def table_sums(tables: FloatArray) -> PairSums:
    """Return the sums of tables (pairs, q, q)."""
    return PairSums(
        common=tables.sum(axis=(1, 2)),
        agreeing=np.trace(tables, axis1=1, axis2=2),
        first=tables.sum(axis=2).T,
        second=tables.sum(axis=1).T,
    )


def pair_agreement(s: PairSums) -> FloatArray:
    """p_o, the share of the common items with equal labels."""
    return s.agreeing / s.common


def _chance_products(s: PairSums) -> FloatArray:
    found: FloatArray = (s.first * s.second).sum(axis=0)
    return found


def cohen_chance_agreement(s: PairSums) -> FloatArray:
    """p_e = sum_k p_ak p_bk, margins from the items both rated."""
    return _chance_products(s) / s.common**2


def cohen_kappa(s: PairSums) -> FloatArray:
    """(p_o - p_e)/(1 - p_e), both multiplied by n^2, so that whole counts give exactly 0 or -1 where due."""
    chance = _chance_products(s)
    return (s.common * s.agreeing - chance) / (s.common**2 - chance)


def cohen_varies(s: PairSums) -> np.ndarray:
    """Say where the two raters do not use one and the same single category: there kappa is 0/0."""
    if not len(s.first):
        return np.zeros(s.common.shape, dtype=bool)
    found: np.ndarray = np.minimum(s.first, s.second).max(axis=0) < s.common
    return found


def light_kappa(kappas: FloatArray, defined: np.ndarray) -> tuple[FloatArray, np.ndarray]:
    """Return the mean over pairs (first axis) of the defined kappas, and where there was one."""
    number = defined.sum(axis=0)
    return np.where(defined, kappas, 0.0).sum(axis=0) / np.maximum(number, 1), number > 0


def conger_kappa(s: PairSums) -> FloatArray:
    """Conger's exact kappa of complete ratings: chance agreement is the mean over the pairs of raters."""
    chance = cohen_chance_agreement(s).mean(axis=0)
    found: FloatArray = (pair_agreement(s).mean(axis=0) - chance) / (1 - chance)
    return found


def conger_varies(s: PairSums) -> np.ndarray:
    """Say where the raters of complete ratings do not all use one category: there Conger's kappa is 0/0."""
    used = (s.first + s.second).sum(axis=1)
    found: np.ndarray = used.max(axis=0) < used.sum(axis=0)
    return found


def prevalence_index(table: FloatArray, positive: int = 0) -> float:
    """Byrt's PI = (a - d)/n of one 2x2 table; two raters only."""
    return float((table[positive, positive] - table[1 - positive, 1 - positive]) / table.sum())


def bias_index(table: FloatArray, positive: int = 0) -> float:
    """Byrt's BI = (b - c)/n of one 2x2 table; two raters only."""
    return float((table[positive, 1 - positive] - table[1 - positive, positive]) / table.sum())


def specific_agreement(table: FloatArray, category: int) -> float | None:
    """2 n_kk / (n_k. + n_.k); for two categories P_pos = 2a/(2a+b+c). None where neither rater used it."""
    used = table[category].sum() + table[:, category].sum()
    return float(2 * table[category, category] / used) if used else None
