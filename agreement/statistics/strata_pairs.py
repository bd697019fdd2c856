"""Pairs of raters over several tables: Cohen's kappa of each, their mean, and Conger's kappa.

See agreement.statistics.strata.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from agreement.statistics.bootstrap import RULE_OF_THREE, Interval, percentile_interval
from agreement.statistics.estimates import (
    NO_ITEMS,
    NO_PAIRS,
    NO_VARIATION,
    NOT_APPLICABLE,
    NOT_COMPUTED,
    SINGLE_ITEM,
    TOO_FEW_COMMON_ITEMS,
    Estimate,
    PairEstimate,
    undefined,
)
from agreement.statistics.pairs import PairSums, cohen_varies, conger_kappa, conger_varies, light_kappa
from agreement.statistics.patterns import FloatArray
from agreement.statistics.standard_errors import rule_of_three
from agreement.statistics.strata_ratios import Ratio, light_of, pair_agreement, pair_parts
from agreement.statistics.strata_resampling import Drawn
from agreement.statistics.strata_tables import Strata


def pair_estimates(
    strata: Strata, pair_sums: Sequence[PairSums], drawn: Drawn | None
) -> tuple[tuple[PairEstimate, ...], Estimate]:
    """Return each pair over all strata, and the mean of the pairs whose kappa is defined."""
    parts, shares = pair_parts(strata, pair_sums), pair_agreement(strata, pair_sums)
    below, (agreeing, common) = parts.below[:, 0], (shares.above[:, 0], shares.below[:, 0])
    items = _most_common_units(strata, pair_sums)
    estimates = []
    for at, raters in enumerate(strata.raters):
        observed = Estimate(float(agreeing[at] / common[at]))
        kappa = Estimate(float(parts.values[at, 0])) if below[at] > 0 else undefined(NO_VARIATION)
        perfect, n = agreeing[at] == common[at], int(items[at])
        if strata.n_items < 2 or common[at] < 2:
            observed, kappa = _without(observed, SINGLE_ITEM), _without(kappa, SINGLE_ITEM)
        elif drawn is None or drawn.kappa is None or drawn.agreement is None:
            observed, kappa = _without(observed, NOT_COMPUTED), _without(kappa, NOT_COMPUTED)
        else:
            interval = drawn.agreement.interval(at)
            observed = (_perfect(interval, n, 1.0, 1.0) if perfect else interval).on(observed)
            if kappa.reason is None:
                interval = drawn.kappa.interval(at)
                if perfect:
                    interval = _perfect(interval, n, float(common[at]), float(below[at]))
                kappa = interval.on(kappa)
        estimates.append(PairEstimate(int(raters[0]), int(raters[1]), int(common[at]), kappa, observed))
    return tuple(estimates), _light(strata, parts, shares, items, drawn)


def _light(strata: Strata, parts: Ratio, shares: Ratio, items: FloatArray, drawn: Drawn | None) -> Estimate:
    if not len(strata.raters):
        return undefined(_without_pairs(strata))
    defined = parts.defined[:, 0]
    if not defined.any():
        return undefined(NO_VARIATION)
    estimate = Estimate(float(light_of(parts, defined)[0][0]))
    if drawn is None:
        return replace(estimate, interval_reason=NOT_COMPUTED)
    if strata.n_items < 2:
        return replace(estimate, interval_reason=SINGLE_ITEM)
    interval = percentile_interval(*drawn.light)
    if (shares.above == shares.below)[defined].all():
        lows = [
            _perfect(interval, int(n), float(units), float(below)).low
            for n, units, below in zip(
                items[defined], shares.below[defined, 0], parts.below[defined, 0], strict=True
            )
        ]
        if interval.low is not None:
            low = float(np.mean([low for low in lows if low is not None]))
            interval = Interval(low, 1.0, None, interval.undefined_share, RULE_OF_THREE)
    return interval.on(estimate)


def conger_estimate(strata: Strata, pair_sums: Sequence[PairSums], drawn: Drawn | None) -> Estimate:
    """Return Conger's kappa of complete ratings: chance is the mean over the pairs in each table."""
    if not len(strata.raters):
        return undefined(_without_pairs(strata))
    if not strata.complete or strata.few_common:
        return undefined(NOT_APPLICABLE)
    parts = pair_parts(strata, pair_sums)
    below = float(parts.below.sum())
    if not below > 0:
        return undefined(NO_VARIATION)
    estimate = Estimate(float(parts.above.sum()) / below)
    if drawn is None:
        return replace(estimate, interval_reason=NOT_COMPUTED)
    if strata.n_items < 2:
        return replace(estimate, interval_reason=SINGLE_ITEM)
    interval = drawn.conger.interval()
    shares = pair_agreement(strata, pair_sums)
    if (shares.above == shares.below).all():
        interval = _perfect(interval, strata.n_items, float(shares.below.sum()), below)
    return interval.on(estimate)


def each_conger(strata: Strata, pair_sums: Sequence[PairSums]) -> list[float | None]:
    """Return Conger's kappa of each stratum where it is defined; of none where ratings are incomplete."""
    if not strata.complete or strata.few_common:
        return [None] * len(pair_sums)
    return [float(conger_kappa(s)[0]) if len(s.common) and conger_varies(s)[0] else None for s in pair_sums]


def each_light(pair_sums: Sequence[PairSums]) -> list[float | None]:
    """Return the mean of the defined pairwise kappas of each stratum."""
    found: list[float | None] = []
    for s in pair_sums:
        if not len(s.common):
            found.append(None)
            continue
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = (s.first * s.second).sum(axis=0)
            kappas = (s.common * s.agreeing - chance) / (s.common**2 - chance)
            value, defined = light_kappa(kappas, cohen_varies(s) & (s.common > 0))
        found.append(float(value[0]) if defined[0] else None)
    return found


def _perfect(interval: Interval, n: int, units: float, below: float) -> Interval:
    """Return limits by the rule of three of a kappa of 1; n items at most disagree unseen, of the units."""
    if interval.low is None:
        return interval
    low = max(-1.0, 1 - rule_of_three(n) * units / below)
    return Interval(low, 1.0, None, interval.undefined_share, RULE_OF_THREE)


def _most_common_units(strata: Strata, pair_sums: Sequence[PairSums]) -> FloatArray:
    """Return of each pair the units it shares in the table where these are most: items, at least so many."""
    most = np.zeros(len(strata.raters))
    for s, place in zip(pair_sums, (table.place for table in strata.tables), strict=True):
        if len(place):
            most[place] = np.maximum(most[place], s.common[:, 0])
    return most


def _without(estimate: Estimate, reason: str) -> Estimate:
    return estimate if estimate.reason else replace(estimate, interval_reason=reason)


def _without_pairs(strata: Strata) -> str:
    if not strata.n_items:
        return NO_ITEMS
    return TOO_FEW_COMMON_ITEMS if strata.few_common else NO_PAIRS
