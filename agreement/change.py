"""How agreement changed between two rounds, each difference with its interval.

Items that both rounds rated are resampled together, items of one round only on their own, so that the
interval is paired as far as the rounds are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agreement.coefficients import (
    COUNT_COEFFICIENTS,
    CountSums,
    count_estimate,
    count_features,
    count_sums,
    evaluate_count,
)
from agreement.intervals import (
    RULE_OF_THREE,
    Units,
    clustered_units,
    generator,
    percentile_interval,
    resampled_weights,
)
from agreement.labels import count_interval
from agreement.pair_figures import pair_figures, resampled_light
from agreement.patterns import FloatArray, IntArray
from agreement.results import NOT_COMPUTED, SINGLE_ITEM, Estimate, undefined
from agreement.study import COUNT_STREAM, PAIR_STREAM, Study, study_of

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

    def to_json(self) -> dict[str, Any]:
        return {
            "differences": {name: estimate.to_json() for name, estimate in self.differences.items()},
            "n_both": self.n_both,
            "n_before": self.n_before,
            "n_after": self.n_after,
        }


@dataclass(frozen=True, slots=True)
class _Joint:
    """Items of both rounds as kinds of bags of patterns; the second round's patterns follow the first's."""

    units: Units
    n_first: int
    strata: tuple[IntArray, ...]

    def sizes(self) -> list[int]:
        return [int(self.units.multiplicity[stratum].sum()) for stratum in self.strata]

    def weights(self, replicates: int, rng: np.random.Generator) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield weights (rows, patterns) of each round's patterns, each stratum resampled on its own."""
        chunk = self.units.members.chunk
        parts = [
            np.concatenate(list(resampled_weights(self.units.multiplicity[stratum], replicates, rng)))
            for stratum in self.strata
        ]
        for start in range(0, replicates, chunk):
            rows = parts[0][start : start + chunk].shape[0]
            kinds = np.empty((rows, self.units.multiplicity.size))
            for stratum, part in zip(self.strata, parts, strict=True):
                kinds[:, stratum] = part[start : start + chunk]
            patterns = self.units.pattern_weights(kinds)
            yield patterns[:, : self.n_first], patterns[:, self.n_first :]


def _joint(
    rows: tuple[IntArray, IntArray], items: tuple[ArrayLike, ArrayLike], sizes: tuple[int, int]
) -> _Joint:
    first, second = rows
    pattern = np.concatenate([first, np.where(second >= 0, second + sizes[0], -1)])
    units = clustered_units(pattern, np.concatenate([np.asarray(each) for each in items]), sum(sizes))
    n_kinds = units.multiplicity.size
    in_first = np.bincount(units.members.source[units.members.target < sizes[0]], minlength=n_kinds) > 0
    in_second = np.bincount(units.members.source[units.members.target >= sizes[0]], minlength=n_kinds) > 0
    strata = (in_first & in_second, in_first & ~in_second, ~in_first & in_second)
    return _Joint(units, sizes[0], tuple(np.flatnonzero(stratum) for stratum in strata))


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
    studies = tuple(
        study_of(ratings, q=q, clusters=items, min_common=min_common)
        for ratings, items in ((before, items_before), (after, items_after))
    )
    items = (items_before, items_after)
    rows = tuple(study.patterns.inverse for study in studies)
    joint = _joint(rows, items, tuple(len(study.patterns.rows) for study in studies))
    both, only_before, only_after = joint.sizes()
    enough = both + only_before >= 2 and both + only_after >= 2
    differences = _count_differences(studies, rows, items, replicates if enough else 0, seed)
    differences[LIGHT] = _light_difference(studies, joint, replicates if enough else 0, seed)
    if not enough:
        differences = {
            name: replace(estimate, interval_reason=SINGLE_ITEM) if estimate.reason is None else estimate
            for name, estimate in differences.items()
        }
    return Change(differences, both, only_before, only_after)


def _count_differences(
    studies: tuple[Study, Study],
    rows: tuple[IntArray, IntArray],
    items: tuple[ArrayLike, ArrayLike],
    replicates: int,
    seed: int | Sequence[int],
) -> dict[str, Estimate]:
    q = studies[0].q
    counted = [study.counted for study in studies]
    count_rows = tuple(np.append(each.of_row, -1)[row] for each, row in zip(counted, rows, strict=True))
    joint = _joint(count_rows, items, tuple(len(each.counts) for each in counted))
    resampled: tuple[CountSums, ...] = ()
    if replicates:
        features = [count_features(each.counts) for each in counted]
        chunks = list(joint.weights(replicates, generator(seed, COUNT_STREAM)))
        resampled = tuple(
            count_sums(np.concatenate([chunk[side] @ features[side] for chunk in chunks]).T, q)
            for side in (0, 1)
        )
    sums = [study.sums for study in studies]
    differences = {}
    for name in COUNT_COEFFICIENTS:
        ends = [count_estimate(name, each) for each in sums]
        differences[name] = estimate = _difference(*ends)
        if estimate.reason is None and resampled:
            drawn = [evaluate_count(name, each) for each in resampled]
            estimate = _interval(estimate, [(values, codes == 0) for values, codes in drawn])
            limits = [
                count_interval(name, study, each, drawn, n=study.count_units.n).on(end)
                for study, each, drawn, end in zip(studies, sums, resampled, ends, strict=True)
            ]
            if all(end.interval_method == RULE_OF_THREE for end in limits):
                estimate = _joined_limits(estimate, *limits)
            differences[name] = estimate
    return differences


def _light_difference(
    studies: tuple[Study, Study], joint: _Joint, replicates: int, seed: int | Sequence[int]
) -> Estimate:
    estimate = _difference(*(pair_figures(study, replicates=0, seed=seed).light for study in studies))
    if estimate.reason is not None or not replicates:
        return estimate
    summations = [study.pairs.summation() for study in studies]
    drawn: list[list[tuple[FloatArray, np.ndarray]]] = [[], []]
    for weights in joint.weights(replicates, generator(seed, PAIR_STREAM)):
        for side, study in enumerate(studies):
            step = summations[side].chunk
            for start in range(0, len(weights[side]), step):
                totals = summations[side].apply(weights[side][start : start + step])
                drawn[side].append(resampled_light(study, study.pairs.pair_sums(totals)))
    return _interval(
        estimate,
        [tuple(np.concatenate(part) for part in zip(*side, strict=True)) for side in drawn],
    )


def _difference(before: Estimate, after: Estimate) -> Estimate:
    for end in (before, after):
        if end.reason is not None:
            return undefined(end.reason)
    return Estimate(after.value - before.value, interval_reason=NOT_COMPUTED)


def _interval(estimate: Estimate, drawn: Sequence[tuple[FloatArray, np.ndarray]]) -> Estimate:
    (first, first_defined), (second, second_defined) = drawn
    return percentile_interval(second - first, first_defined & second_defined).on(estimate)


def _joined_limits(estimate: Estimate, before: Estimate, after: Estimate) -> Estimate:
    """Join the limits of two figures that no resample varies (Zou and Donner 2008, doi:10.1002/sim.3095)."""
    low = estimate.value - math.hypot(after.value - after.low, before.high - before.value)
    high = estimate.value + math.hypot(after.high - after.value, before.value - before.low)
    return replace(estimate, low=low, high=high, interval_method=RULE_OF_THREE)
