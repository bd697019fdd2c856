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
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from agreement.statistics.bootstrap import seed_words
from agreement.statistics.coefficients import DEFINED, REASON_CODES, CountSums, evaluate_count
from agreement.statistics.estimates import (
    NO_ITEMS,
    NO_PAIRS,
    NO_VARIATION,
    TOO_FEW_CATEGORIES,
    Estimate,
    PairEstimate,
    undefined,
)
from agreement.statistics.intervals import Information
from agreement.statistics.strata.pairs import conger_estimate, each_conger, each_light, pair_estimates
from agreement.statistics.strata.ratios import (
    COUNT_FIGURES,
    SHARE_FIGURES,
    Ratio,
    added,
    count_fall,
    figure_parts,
    judged,
    together,
)
from agreement.statistics.strata.resampling import draw_figures
from agreement.statistics.strata.tables import Strata, strata_of, sums_of


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
    ratings: ArrayLike,
    *,
    q: int,
    seed: int | Sequence[int],
    replicates: int = 1000,
    min_common: int = 1,
    clusters: ArrayLike | None = None,
) -> StratifiedResult:
    """Compute the coefficients of an (items, strata, raters) array of codes 0..q-1, -1 for missing.

    Items are resampled with all their strata; clusters (items,) names what items are resampled together, such
    as those of one source. min_common is the least number of common units, over all
    strata, for a pair of raters to count. replicates=0 computes no intervals.

    >>> yes_no = [[[0, 0], [1, 1]], [[0, 1], [1, 1]], [[1, 1], [1, 1]], [[1, 1], [1, 1]]]
    >>> result = stratified_agreement(yes_no, q=2, seed=1, replicates=0)
    >>> round(result.estimates["krippendorff_alpha"].value, 4)  # the second table adds nothing
    0.5333
    """
    strata = strata_of(ratings, q=q, min_common=min_common, clusters=clusters)
    seed = seed_words(seed)
    sums, pair_sums = sums_of(strata, strata.counts(strata.multiplicity[None, :].astype(np.float64)))
    drawn = draw_figures(strata, pair_sums, replicates, seed) if replicates else None
    counted, information = None if drawn is None else drawn.counted, strata.information
    estimates = {name: _estimate(strata, sums, name, counted, information) for name in COUNT_FIGURES}
    estimates |= {name: _share(sums, name, counted, information) for name in SHARE_FIGURES}
    pairs, estimates["cohen_kappa"] = pair_estimates(strata, pair_sums, drawn, information)
    estimates["conger_kappa"] = conger_estimate(strata, pair_sums, drawn, information)
    means = {name: _mean(_each(sums, name)) for name in (*COUNT_FIGURES, *SHARE_FIGURES)}
    means["cohen_kappa"] = _mean(each_light(pair_sums))
    means["conger_kappa"] = _mean(each_conger(strata, pair_sums))
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


def _each(sums: Sequence[CountSums], name: str) -> list[float | None]:
    if name in SHARE_FIGURES:
        found = [evaluate_count(name, one) for one in sums]
        return [float(value[0]) if code[0] == DEFINED else None for value, code in found]
    ratios = [figure_parts(one, name) for one in sums]
    return [float(ratio.values[0]) if ratio.defined[0] else None for ratio in ratios]


def _mean(values: Sequence[float | None]) -> tuple[float | None, int]:
    known = [value for value in values if value is not None]
    return (sum(known) / len(known) if known else None), len(known)


def _why(strata: Strata, sums: Sequence[CountSums], name: str) -> str:
    if not strata.n_items:
        return NO_ITEMS
    if not any(one.pairable[0] for one in sums):
        return NO_PAIRS
    return TOO_FEW_CATEGORIES if strata.q < 2 and name in ("pabak", "gwet_ac1") else NO_VARIATION


def _estimate(
    strata: Strata,
    sums: Sequence[CountSums],
    name: str,
    drawn: Mapping[str, Ratio] | None,
    information: Information,
) -> Estimate:
    ratio = together(sums, name)
    if not ratio.defined[0]:
        return undefined(_why(strata, sums, name))
    estimate = Estimate(float(ratio.values[0]))
    return judged(name, estimate, None if drawn is None else drawn[name], information, count_fall(sums, name))


def _share(
    sums: Sequence[CountSums], name: str, drawn: Mapping[str, Ratio] | None, information: Information
) -> Estimate:
    if not sums:
        return undefined(NO_ITEMS)
    value, code = (part[0] for part in evaluate_count(name, added(sums)))
    reason = REASON_CODES[int(code)]
    if reason:
        return undefined(reason)
    return judged(
        name, Estimate(float(value)), None if drawn is None else drawn[name], information, float(value)
    )
