"""Several tables together, such as the types of an argument: numerators and denominators are added.

Stacking the tables into one would make one expected agreement for all, so that raters who know only how
common each type is would seem to agree beyond chance. Added up, what each table shows beyond its own chance
counts, and nothing else: sum w_t (o_t - e_t) / sum w_t (1 - e_t), with w_t the items with two ratings or more
(Fleiss, AC1, PABAK), the common items (Cohen of a pair) or the pairable ratings (alpha). A table in which
everybody used one category has o = e = 1 and adds nothing.

References
----------
Barlow W, Lai MY, Azen SP (1991) Statistics in Medicine 10:1465-1472. doi:10.1002/sim.4780100913
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from agreement.statistics.bootstrap import (
    RULE_OF_THREE,
    Interval,
    generator,
    percentile_interval,
    resampled_weights,
    seed_words,
)
from agreement.statistics.coefficients import DEFINED, REASON_CODES, CountSums, evaluate_count
from agreement.statistics.estimates import (
    FEW_POSITIVES,
    NO_ITEMS,
    NO_PAIRS,
    NO_VARIATION,
    NOT_APPLICABLE,
    NOT_COMPUTED,
    SINGLE_ITEM,
    TOO_FEW_CATEGORIES,
    TOO_FEW_COMMON_ITEMS,
    Estimate,
    PairEstimate,
    undefined,
)
from agreement.statistics.label_agreement import FEW_ITEMS
from agreement.statistics.pairs import PairSums
from agreement.statistics.patterns import FloatArray, label_counts
from agreement.statistics.standard_errors import rule_of_three
from agreement.statistics.strata_resampling import STRATA_STREAM, Drawn, draw_figures
from agreement.statistics.strata_sums import (
    COUNT_FIGURES,
    SHARE_FIGURES,
    Ratio,
    added,
    conger_of_each,
    figure_of_each,
    light_of,
    light_of_each,
    mean_of_known,
    pair_agreement,
    pair_parts,
    together,
)
from agreement.statistics.strata_tables import Strata, strata_of, sums_of

_NEED_VARIATION = ("cohen_kappa", "conger_kappa", "fleiss_kappa", "krippendorff_alpha")


@dataclass(frozen=True, slots=True)
class StratifiedResult:
    """Every figure of several tables together.

    estimates are the figures together, means the plain means over the strata in which each is defined, with
    means_of how many these are. n_items have a rating in some stratum and are what is resampled; n_units
    counts the units (item and stratum) with a rating, n_pairable those with two; few_common pairs of raters
    were left out because they share too few units.
    """

    n_items: int
    n_units: int
    n_pairable: int
    n_strata: int
    estimates: Mapping[str, Estimate]
    pairs: tuple[PairEstimate, ...]
    means: Mapping[str, float | None]
    means_of: Mapping[str, int]
    few_common: int
    replicates: int
    seed: tuple[int, ...]


def stratified_agreement(
    ratings: ArrayLike, *, q: int, seed: int | Sequence[int], replicates: int = 1000, min_common: int = 1
) -> StratifiedResult:
    """Compute the coefficients of an (items, strata, raters) array of codes 0..q-1, -1 for missing.

    Items are resampled with all their strata. min_common is the least number of common units, over all
    strata, for a pair of raters to count. replicates=0 computes no intervals.

    >>> yes_no = [[[0, 0], [1, 1]], [[0, 1], [1, 1]], [[1, 1], [1, 1]], [[1, 1], [1, 1]]]
    >>> result = stratified_agreement(yes_no, q=2, seed=1, replicates=0)
    >>> round(result.estimates["krippendorff_alpha"].value, 4)  # the second table adds nothing
    0.5333
    """
    strata = strata_of(ratings, q=q, min_common=min_common)
    seed = seed_words(seed)
    sums, pair_sums = sums_of(strata, strata.counts(strata.multiplicity[None, :].astype(np.float64)))
    drawn = draw_figures(strata, pair_sums, replicates, seed) if replicates else None
    counted = None if drawn is None else drawn.counted
    estimates = {name: _estimate(strata, sums, name, counted) for name in COUNT_FIGURES}
    estimates |= {name: _share(strata, sums, name, counted) for name in SHARE_FIGURES}
    pairs, estimates["cohen_kappa"] = _pairs(strata, pair_sums, drawn)
    estimates["conger_kappa"] = _conger(strata, pair_sums, drawn)
    if _few_items_differ(strata):
        estimates |= {
            name: replace(estimates[name], caution=FEW_POSITIVES)
            for name in _NEED_VARIATION
            if estimates[name].value is not None
        }
    means = {name: mean_of_known(figure_of_each(sums, name)) for name in (*COUNT_FIGURES, *SHARE_FIGURES)}
    means["cohen_kappa"] = mean_of_known(light_of_each(pair_sums))
    means["conger_kappa"] = mean_of_known(conger_of_each(strata, pair_sums))
    return StratifiedResult(
        n_items=strata.n_items,
        n_units=int(sum(one.items[0] for one in sums)),
        n_pairable=int(sum(one.pairable[0] for one in sums)),
        n_strata=len(sums),
        estimates=estimates,
        pairs=pairs,
        means={name: value for name, (value, _) in means.items()},
        means_of={name: n for name, (_, n) in means.items()},
        few_common=strata.few_common,
        replicates=replicates,
        seed=seed,
    )


def _why(strata: Strata, sums: Sequence[CountSums], name: str) -> str:
    if not strata.n_items:
        return NO_ITEMS
    if not any(one.pairable[0] for one in sums):
        return NO_PAIRS
    return TOO_FEW_CATEGORIES if strata.q < 2 and name in ("pabak", "gwet_ac1") else NO_VARIATION


def _estimate(
    strata: Strata, sums: Sequence[CountSums], name: str, drawn: Mapping[str, Ratio] | None
) -> Estimate:
    ratio = together(sums, name)
    if not ratio.defined[0]:
        return undefined(_why(strata, sums, name))
    estimate = Estimate(float(ratio.values[0]))
    if drawn is None:
        return replace(estimate, interval_reason=NOT_COMPUTED)
    if strata.n_items < 2:
        return replace(estimate, interval_reason=SINGLE_ITEM)
    interval = percentile_interval(drawn[name].values, drawn[name].defined)
    if interval.width <= 1e-9:
        interval = _unseen(strata, sums, name, ratio, interval)
    return interval.on(estimate)


def _unseen(
    strata: Strata, sums: Sequence[CountSums], name: str, ratio: Ratio, interval: Interval
) -> Interval:
    """Return limits by the rule of three where no resample differs: all units agree, or none does.

    At most 3/n of the items may be of the kind that was not seen; items are what was resampled. A unit that
    disagrees instead of agreeing moves the numerator by its weight.
    """
    agreeing = sum(float(one.pair_agreement[0]) for one in sums)
    pairable = sum(float(one.pairable[0]) for one in sums)
    if 0 < agreeing < pairable:
        return interval
    weight = sum(float(one.ratings[0]) for one in sums) if name == "krippendorff_alpha" else pairable
    step = rule_of_three(strata.n_items) * weight / float(ratio.below[0])
    value = float(ratio.values[0])
    low, high = (value - step, value) if agreeing else (value, value + step)
    low, high = max(low, min(-1.0, value)), min(high, 1.0)
    return Interval(low, high, None, interval.undefined_share, RULE_OF_THREE)


def _share(
    strata: Strata, sums: Sequence[CountSums], name: str, drawn: Mapping[str, Ratio] | None
) -> Estimate:
    if not sums:
        return undefined(NO_ITEMS)
    value, code = (part[0] for part in evaluate_count(name, added(sums)))
    reason = REASON_CODES[int(code)]
    if reason:
        return undefined(reason)
    estimate = Estimate(float(value))
    if drawn is None:
        return replace(estimate, interval_reason=NOT_COMPUTED)
    if strata.n_items < 2:
        return replace(estimate, interval_reason=SINGLE_ITEM)
    interval = percentile_interval(drawn[name].values, drawn[name].defined)
    if interval.width <= 1e-9 and estimate.known in (0.0, 1.0):
        step = rule_of_three(strata.n_items)
        low, high = (1 - step, 1.0) if estimate.known else (0.0, step)
        interval = Interval(low, high, None, interval.undefined_share, RULE_OF_THREE)
    return interval.on(estimate)


def _few_items_differ(strata: Strata) -> bool:
    """Say whether fewer than FEW_ITEMS items have a rating other than the most common label of its table."""
    differ = np.zeros(strata.multiplicity.size, dtype=np.bool_)
    for table in strata.tables:
        counts = label_counts(table.patterns.rows, strata.q)
        if counts.size:
            common = int((table.patterns.multiplicity @ counts).argmax())
            rare = counts[:, common] < counts.sum(axis=1)
            differ |= (table.of >= 0) & rare[np.maximum(table.of, 0)]
    return int(strata.multiplicity[differ].sum()) < FEW_ITEMS


def resampled_interval(
    strata: Strata, name: str, replicates: int, seed: int | Sequence[int], *, n: int
) -> Interval:
    """Return the interval that a coefficient would have in a study of n items like those at hand."""
    parts: list[Ratio] = []
    whole = sums_of(strata, strata.counts(strata.multiplicity[None, :].astype(np.float64)))[1]
    defined = pair_parts(strata, whole).defined[:, 0]
    step = strata.chunk
    for weights in resampled_weights(
        strata.multiplicity, replicates, generator(seed, STRATA_STREAM), n=n, chunk=step
    ):
        sums, pair_sums = sums_of(strata, strata.counts(weights))
        if name == "cohen_kappa":
            values, known = light_of(pair_parts(strata, pair_sums), defined)
            parts.append(Ratio(values, known.astype(np.float64)))
        elif name in SHARE_FIGURES:
            values, codes = evaluate_count(name, added(sums))
            parts.append(Ratio(values, (codes == DEFINED).astype(np.float64)))
        else:
            parts.append(together(sums, name))
    return Ratio.joined(parts).interval()


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


def _pairs(
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


def _without(estimate: Estimate, reason: str) -> Estimate:
    return estimate if estimate.reason else replace(estimate, interval_reason=reason)


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


def _without_pairs(strata: Strata) -> str:
    if not strata.n_items:
        return NO_ITEMS
    return TOO_FEW_COMMON_ITEMS if strata.few_common else NO_PAIRS


def _conger(strata: Strata, pair_sums: Sequence[PairSums], drawn: Drawn | None) -> Estimate:
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
