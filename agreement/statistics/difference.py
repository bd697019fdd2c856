"""How agreement changed between two rounds, each difference with its interval.

Items that both rounds rated are resampled together, items of one round only on their own, so that the
interval is paired as far as the rounds are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.statistics.bootstrap import (
    Units,
    clustered_units,
    generator,
    resampled_weights,
)
from agreement.statistics.coefficients import (
    COUNT_COEFFICIENTS,
    DEFINED,
    CountSums,
    count_estimate,
    count_features,
    count_sums,
    evaluate_count,
)
from agreement.statistics.cohen import light_fall, pair_figures, resampled_light
from agreement.statistics.estimates import NOT_COMPUTED, SINGLE_ITEM, Estimate, undefined
from agreement.statistics.figures import DifferenceFigures
from agreement.statistics.intervals import End, judged_difference, unseen_limits
from agreement.statistics.label_agreement import count_end
from agreement.statistics.patterns import FloatArray, IntArray
from agreement.statistics.rating_table import COUNT_STREAM, PAIR_STREAM, RatingTable, rating_table

LIGHT = "cohen_kappa"


@dataclass(frozen=True, slots=True)
class Change:
    """Differences after - before by coefficient.

    n_both items recur; n_before and n_after were rated in that round only.
    """

    differences: Mapping[str, Estimate]
    n_both: int
    n_before: int
    n_after: int

    def to_json(self) -> DifferenceFigures:
        return {
            "differences": {name: estimate.to_json() for name, estimate in self.differences.items()},
            "n_both": self.n_both,
            "n_before": self.n_before,
            "n_after": self.n_after,
        }


@dataclass(frozen=True, slots=True)
class Joint:
    """Items of both rounds as kinds of bags of patterns; the second round's patterns follow the first's."""

    units: Units
    n_first: int
    strata: tuple[IntArray, ...]

    def sizes(self) -> list[int]:
        return [int(self.units.multiplicity[stratum].sum()) for stratum in self.strata]

    def weights(self, replicates: int, rng: np.random.Generator) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield weights (rows, patterns) of each round's patterns, each stratum resampled on its own."""
        parts = [
            np.concatenate(list(resampled_weights(self.units.multiplicity[stratum], replicates, rng)))
            for stratum in self.strata
        ]
        step = self.units.chunk or replicates
        for start in range(0, replicates, step):
            kinds = np.empty((min(step, replicates - start), self.units.multiplicity.size))
            for stratum, part in zip(self.strata, parts, strict=True):
                kinds[:, stratum] = part[start : start + step]
            patterns = self.units.pattern_weights(kinds)
            yield patterns[:, : self.n_first], patterns[:, self.n_first :]


@dataclass(frozen=True, slots=True)
class _Rounds:
    """The two tables, prepared, with the item of each of their rows."""

    before: RatingTable
    after: RatingTable
    items: NDArray[Any]

    @property
    def tables(self) -> tuple[RatingTable, RatingTable]:
        return self.before, self.after

    def by_counts(self) -> Joint:
        """Return the items as bags of counts by category."""
        first, second = (
            np.append(table.counted.of_row, -1)[table.patterns.item_rows] for table in self.tables
        )
        return self._joint(first, second, len(self.before.counted.counts), len(self.after.counted.counts))

    def by_rows(self) -> Joint:
        """Return the items as bags of rows, which say who rated."""
        first, second = (table.patterns.item_rows for table in self.tables)
        return self._joint(first, second, len(self.before.patterns.rows), len(self.after.patterns.rows))

    def _joint(self, first: IntArray, second: IntArray, n_first: int, n_second: int) -> Joint:
        return joined_items((first, second), self.items, (n_first, n_second))


def joined_items(rows: tuple[IntArray, IntArray], items: NDArray[Any], sizes: tuple[int, int]) -> Joint:
    """Return the items of two rounds joined; rows are the patterns, of so many, of each round's rows.

    items (rows of both,) are the ids, those of the first round first.
    """
    (first, second), (n_first, n_second) = rows, sizes
    pattern = np.concatenate([first, np.where(second >= 0, second + n_first, -1)])
    units = clustered_units(pattern, items, n_first + n_second)
    of_first = np.arange(n_first + n_second) < n_first
    in_first, in_second = units.contain(of_first), units.contain(~of_first)
    strata = (in_first & in_second, in_first & ~in_second, ~in_first & in_second)
    return Joint(units, n_first, tuple(np.flatnonzero(stratum) for stratum in strata))


def agreement_change(
    before: ArrayLike,
    after: ArrayLike,
    *,
    q: int,
    items_before: ArrayLike,
    items_after: ArrayLike,
    seed: int | Sequence[int],
    replicates: int = 1000,
    min_common: int = 1,
) -> Change:
    """Return the difference of every coefficient between two (items, raters) tables of codes 0..q-1.

    items_before and items_after : (items,) ids of one kind; an id may stand on several rows (the types of one
    argument), which are then resampled together. The raters of the two tables need not be the same people.
    """
    rounds = _Rounds(
        rating_table(before, q=q, clusters=items_before, min_common=min_common),
        rating_table(after, q=q, clusters=items_after, min_common=min_common),
        np.concatenate([np.asarray(items_before), np.asarray(items_after)]),
    )
    joint = rounds.by_rows()
    both, only_before, only_after = joint.sizes()
    enough = both + only_before >= 2 and both + only_after >= 2
    differences = _count_differences(rounds, replicates if enough else 0, seed)
    differences[LIGHT] = _light_difference(rounds, joint, replicates if enough else 0, seed)
    if not enough:
        differences = {
            name: replace(estimate, interval_reason=SINGLE_ITEM) if estimate.reason is None else estimate
            for name, estimate in differences.items()
        }
    return Change(differences, both, only_before, only_after)


def _count_differences(rounds: _Rounds, replicates: int, seed: int | Sequence[int]) -> dict[str, Estimate]:
    sums = [table.sums for table in rounds.tables]
    drawn = _resampled_sums(rounds, replicates, seed) if replicates else None
    differences = {}
    for name in COUNT_COEFFICIENTS:
        difference = difference_of(count_estimate(name, sums[0]), count_estimate(name, sums[1]))
        if difference.reason is None and drawn is not None:
            before, after = (
                count_end(name, own, table.information)
                for own, table in zip(sums, rounds.tables, strict=True)
            )
            (first, code), (second, again) = (evaluate_count(name, own) for own in drawn)
            values, defined = second - first, (code == DEFINED) & (again == DEFINED)
            difference = judged_difference(before, after, values, defined).on(difference)
        differences[name] = difference
    return differences


def _resampled_sums(
    rounds: _Rounds, replicates: int, seed: int | Sequence[int]
) -> tuple[CountSums, CountSums]:
    features = [count_features(table.counted.counts) for table in rounds.tables]
    totals: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    for weights in rounds.by_counts().weights(replicates, generator(seed, COUNT_STREAM)):
        for side in (0, 1):
            totals[side].append(weights[side] @ features[side])
    before, after = (count_sums(np.concatenate(each).T, rounds.before.q) for each in totals)
    return before, after


def _light_difference(rounds: _Rounds, joint: Joint, replicates: int, seed: int | Sequence[int]) -> Estimate:
    before, after = (pair_figures(table, replicates=0, seed=seed).light for table in rounds.tables)
    difference = difference_of(before, after)
    if difference.reason is not None or not replicates:
        return difference
    summations = [table.pairs.summation() for table in rounds.tables]
    values: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    defined: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    for weights in joint.weights(replicates, generator(seed, PAIR_STREAM)):
        for side, table in enumerate(rounds.tables):
            step = summations[side].chunk
            for start in range(0, len(weights[side]), step):
                totals = summations[side].apply(weights[side][start : start + step])
                kappas, known = resampled_light(table, table.pairs.pair_sums(totals))
                values[side].append(kappas)
                defined[side].append(known)
    ends = [_light_end(table, end.known) for table, end in zip(rounds.tables, (before, after), strict=True)]
    moved = np.concatenate(values[1]) - np.concatenate(values[0])
    both = np.concatenate(defined[1]) & np.concatenate(defined[0])
    return judged_difference(ends[0], ends[1], moved, both).on(difference)


def _light_end(table: RatingTable, value: float) -> End:
    information = table.information
    return End(value, information, unseen_limits(value, information.clusters, below=light_fall(table)))


def difference_of(before: Estimate, after: Estimate) -> Estimate:
    for end in (before, after):
        if end.reason is not None:
            return undefined(end.reason)
    return Estimate(after.known - before.known, interval_reason=NOT_COMPUTED)
