"""How agreement over several tables together changed between two rounds, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from agreement.statistics.bootstrap import generator
from agreement.statistics.coefficients import DEFINED, CountSums, evaluate_count
from agreement.statistics.difference import (
    LIGHT,
    Change,
    difference_of,
    joined_items,
)
from agreement.statistics.estimates import SINGLE_ITEM, Estimate
from agreement.statistics.intervals import End, judged_difference
from agreement.statistics.pairs import PairSums
from agreement.statistics.patterns import FloatArray
from agreement.statistics.strata.ratios import (
    COUNT_FIGURES,
    SHARE_FIGURES,
    added,
    figure_end,
    light_of,
    pair_parts,
    together,
)
from agreement.statistics.strata.resampling import STRATA_STREAM
from agreement.statistics.strata.stratified import stratified_agreement
from agreement.statistics.strata.tables import Strata, strata_of, sums_of

Drawn = dict[str, tuple[FloatArray, np.ndarray]]


@dataclass(frozen=True, slots=True)
class _Round:
    """One round: its tables, which of its pairs have a kappa, and its figures without intervals."""

    strata: Strata
    defined: np.ndarray
    estimates: dict[str, Estimate]


def stratified_change(
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
    """Return the difference of every coefficient of two (items, strata, raters) arrays of codes 0..q-1.

    items_before and items_after : (items,) ids of one kind. Items of both rounds are resampled together,
    each with all its strata. The raters of the two need not be the same people.
    """
    rounds = [_round_of(ratings, q, min_common) for ratings in (before, after)]
    first, second = (round.strata for round in rounds)
    joint = joined_items(
        (first.item_rows, second.item_rows),
        np.concatenate([np.asarray(items_before), np.asarray(items_after)]),
        (first.multiplicity.size, second.multiplicity.size),
    )
    both, only_before, only_after = joint.sizes()
    enough = both + only_before >= 2 and both + only_after >= 2
    drawn: list[list[Drawn]] = [[], []]
    if enough and replicates:
        step = min(first.chunk, second.chunk)
        for pair in joint.weights(replicates, generator(seed, STRATA_STREAM)):
            for side, weights in enumerate(pair):
                for start in range(0, len(weights), step):
                    drawn[side].append(_figures(rounds[side], weights[start : start + step]))
    differences = {}
    for name, then in rounds[0].estimates.items():
        difference = difference_of(then, rounds[1].estimates[name])
        if difference.reason is None and not enough:
            difference = replace(difference, interval_reason=SINGLE_ITEM)
        elif difference.reason is None and drawn[0]:
            ends = [_end(round, name) for round in rounds]
            (earlier, known), (later, again) = (_joined(parts, name) for parts in drawn)
            interval = judged_difference(ends[0], ends[1], later - earlier, known & again)
            difference = interval.on(difference)
        differences[name] = difference
    return Change(differences, both, only_before, only_after)


def _round_of(ratings: ArrayLike, q: int, min_common: int) -> _Round:
    strata = strata_of(ratings, q=q, min_common=min_common)
    result = stratified_agreement(ratings, q=q, seed=0, replicates=0, min_common=min_common)
    whole = _sums(strata, strata.multiplicity[None, :].astype(np.float64))
    estimates = {name: result.estimates[name] for name in (*COUNT_FIGURES, *SHARE_FIGURES, LIGHT)}
    return _Round(strata, pair_parts(strata, whole[1]).defined[:, 0], estimates)


def _end(round: _Round, name: str) -> End:
    strata = round.strata
    sums, pair_sums = _sums(strata, strata.multiplicity[None, :].astype(np.float64))
    return figure_end(strata, sums, pair_sums, name, round.estimates[name].known)


def _sums(strata: Strata, weights: FloatArray) -> tuple[list[CountSums], list[PairSums]]:
    return sums_of(strata, strata.counts(weights))


def _figures(round: _Round, weights: FloatArray) -> Drawn:
    sums, pair_sums = _sums(round.strata, weights)
    found: Drawn = {}
    for name in COUNT_FIGURES:
        ratio = together(sums, name)
        found[name] = ratio.values, ratio.defined
    stacked = added(sums)
    for name in SHARE_FIGURES:
        values, codes = evaluate_count(name, stacked)
        found[name] = values, codes == DEFINED
    found[LIGHT] = light_of(pair_parts(round.strata, pair_sums), round.defined)
    return found


def _joined(parts: Sequence[Drawn], name: str) -> tuple[FloatArray, np.ndarray]:
    return np.concatenate([part[name][0] for part in parts]), np.concatenate(
        [part[name][1] for part in parts]
    )
