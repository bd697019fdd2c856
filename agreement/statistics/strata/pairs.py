"""Pairs of raters over several tables: Cohen's kappa of each, their mean, and Conger's kappa.

See agreement.statistics.strata.stratified.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

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
from agreement.statistics.intervals import Information
from agreement.statistics.pairs import PairSums, cohen_varies, conger_kappa, conger_varies, light_kappa
from agreement.statistics.strata.ratios import Ratio, judged, light_fall, light_of, pair_agreement, pair_parts
from agreement.statistics.strata.resampling import Drawn
from agreement.statistics.strata.tables import Strata


def pair_estimates(
    strata: Strata, pair_sums: Sequence[PairSums], drawn: Drawn | None, information: Information
) -> tuple[tuple[PairEstimate, ...], Estimate]:
    """Return each pair over all strata, and the mean of the pairs whose kappa is defined."""
    parts, shares = pair_parts(strata, pair_sums), pair_agreement(strata, pair_sums)
    below, (agreeing, common) = parts.below[:, 0], (shares.above[:, 0], shares.below[:, 0])
    estimates = []
    for at, raters in enumerate(strata.raters):
        observed = Estimate(float(agreeing[at] / common[at]))
        kappa = Estimate(float(parts.values[at, 0])) if below[at] > 0 else undefined(NO_VARIATION)
        if drawn is None or drawn.kappa is None or drawn.agreement is None:
            reason = NOT_COMPUTED if common[at] > 1 else SINGLE_ITEM
            observed, kappa = _without(observed, reason), _without(kappa, reason)
        elif (own := strata.pair_information(at)).clusters < 2:
            observed, kappa = _without(observed, SINGLE_ITEM), _without(kappa, SINGLE_ITEM)
        else:
            observed = drawn.agreement.interval(
                observed.known, own.without_chance(), below=observed.known, floor=0.0, index=at
            ).on(observed)
            if kappa.reason is None:
                fall = float(agreeing[at] / below[at])
                kappa = drawn.kappa.interval(kappa.known, own, below=fall, index=at).on(kappa)
        estimates.append(PairEstimate(int(raters[0]), int(raters[1]), int(common[at]), kappa, observed))
    return tuple(estimates), _light(strata, parts, shares, drawn, information)


def _light(
    strata: Strata, parts: Ratio, shares: Ratio, drawn: Drawn | None, information: Information
) -> Estimate:
    if not len(strata.raters):
        return undefined(_without_pairs(strata))
    defined = parts.defined[:, 0]
    if not defined.any():
        return undefined(NO_VARIATION)
    estimate = Estimate(float(light_of(parts, defined)[0][0]))
    light = None if drawn is None else Ratio(drawn.light[0], drawn.light[1].astype(np.float64))
    return judged("cohen_kappa", estimate, light, information, light_fall(parts, shares))


def conger_estimate(
    strata: Strata, pair_sums: Sequence[PairSums], drawn: Drawn | None, information: Information
) -> Estimate:
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
    fall = float(pair_agreement(strata, pair_sums).above.sum()) / below
    return judged("conger_kappa", estimate, None if drawn is None else drawn.conger, information, fall)


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


def _without(estimate: Estimate, reason: str) -> Estimate:
    return estimate if estimate.reason else replace(estimate, interval_reason=reason)


def _without_pairs(strata: Strata) -> str:
    if not strata.n_items:
        return NO_ITEMS
    return TOO_FEW_COMMON_ITEMS if strata.few_common else NO_PAIRS
