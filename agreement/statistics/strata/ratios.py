"""Figures of several tables together as one ratio: numerators and denominators of the tables added.

See agreement.statistics.strata.stratified.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.statistics.bootstrap import Interval
from agreement.statistics.coefficients import (
    CountSums,
    expected_disagreement,
    fleiss_chance_agreement,
    gwet_chance_agreement,
    observed_agreement,
    rating_weighted_agreement,
    uniform_chance_agreement,
)
from agreement.statistics.estimates import NOT_COMPUTED, SINGLE_ITEM, Estimate
from agreement.statistics.intervals import End, Information, judged_interval, unseen_limits
from agreement.statistics.pairs import PairSums, cohen_varies, light_kappa
from agreement.statistics.patterns import FloatArray
from agreement.statistics.strata.tables import Strata

COUNT_FIGURES = ("observed_agreement", "fleiss_kappa", "pabak", "gwet_ac1", "krippendorff_alpha")
SHARE_FIGURES = ("focus_score", "rating_weighted_agreement", "pair_pooled_agreement", "unanimous_share")
"""Shares of what was observed: without a chance agreement, tables together are the same as stacked."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """A figure as numerator over denominator, both (rows,), and where it is defined."""

    above: FloatArray
    below: FloatArray

    @property
    def defined(self) -> np.ndarray:
        return self.below > 0

    @property
    def values(self) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.above / self.below

    @classmethod
    def joined(cls, parts: Sequence[Ratio]) -> Ratio:
        above = np.concatenate([part.above for part in parts], axis=-1)
        return cls(above, np.concatenate([part.below for part in parts], axis=-1))

    def interval(
        self,
        value: float,
        information: Information,
        *,
        below: float,
        floor: float = -1.0,
        index: int | None = None,
    ) -> Interval:
        """Return the interval of a resampled figure, or of one row of many, as `judged_interval` does."""
        one = self if index is None else Ratio(self.above[index], self.below[index])
        return judged_interval(value, one.values, one.defined, information, below=below, floor=floor)


def figure_parts(s: CountSums, name: str) -> Ratio:
    """Return what one table adds to numerator and denominator of a coefficient."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if name == "krippendorff_alpha":
            one_label = s.labels.max(axis=0, initial=0.0) == s.ratings
            disagreement = np.where(one_label, 0.0, expected_disagreement(s))
            above, below = disagreement - (1 - rating_weighted_agreement(s)), disagreement
            weight = s.ratings
        else:
            weight, observed = s.pairable, observed_agreement(s)
            if name == "observed_agreement":
                expected = np.zeros_like(observed)
            elif name == "pabak":
                expected = uniform_chance_agreement(s)
            elif name == "gwet_ac1":
                expected = gwet_chance_agreement(s) if s.q > 1 else np.ones_like(observed)
            else:
                one_label = s.all_labels.max(axis=0, initial=0.0) == s.all_labels.sum(axis=0)
                expected = np.where(one_label, 1.0, fleiss_chance_agreement(s))
            above, below = observed - expected, 1 - expected
    there = s.pairable > 0
    return Ratio(np.where(there, weight * above, 0.0), np.where(there, weight * below, 0.0))


def together(sums: Sequence[CountSums], name: str) -> Ratio:
    """Return a coefficient of all tables together: numerators and denominators added."""
    parts = [figure_parts(one, name) for one in sums]
    return Ratio(
        np.sum([part.above for part in parts], axis=0), np.sum([part.below for part in parts], axis=0)
    )


def added(sums: Sequence[CountSums]) -> CountSums:
    """Return the sums of all tables as if they were one: for shares, which know no chance agreement."""
    return CountSums(
        **{
            name: np.sum([getattr(one, name) for one in sums], axis=0)
            for name in CountSums.__dataclass_fields__
        }
    )


def pair_parts(strata: Strata, pair_sums: Sequence[PairSums]) -> Ratio:
    """Return numerators and denominators of Cohen's kappa of each pair over all strata, (pairs, rows)."""
    rows = pair_sums[0].common.shape[1] if pair_sums else 1
    above, below = np.zeros((len(strata.raters), rows)), np.zeros((len(strata.raters), rows))
    for s, place in zip(pair_sums, (table.place for table in strata.tables), strict=True):
        if not len(place):
            continue
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = (s.first * s.second).sum(axis=0) / s.common
            numerator, denominator = s.agreeing - chance, s.common - chance
        counts = cohen_varies(s) & (s.common > 0)
        above[place] += np.where(counts, numerator, 0.0)
        below[place] += np.where(counts, denominator, 0.0)
    return Ratio(above, below)


def pair_agreement(strata: Strata, pair_sums: Sequence[PairSums]) -> Ratio:
    """Return agreeing and common units of each pair over all strata, (pairs, rows)."""
    rows = pair_sums[0].common.shape[1] if pair_sums else 1
    agreeing, common = np.zeros((len(strata.raters), rows)), np.zeros((len(strata.raters), rows))
    for s, place in zip(pair_sums, (table.place for table in strata.tables), strict=True):
        if len(place):
            agreeing[place] += s.agreeing
            common[place] += s.common
    return Ratio(agreeing, common)


def light_of(parts: Ratio, defined: np.ndarray) -> tuple[FloatArray, np.ndarray]:
    """Return the mean kappa of the pairs that are `defined` (pairs,), and where there is one."""
    return light_kappa(parts.values, parts.defined & defined[:, None])


def judged(
    name: str, estimate: Estimate, drawn: Ratio | None, information: Information, below: float
) -> Estimate:
    """Return a defined figure with its interval; below is how far it would fall if no unit agreed."""
    if drawn is None:
        return replace(estimate, interval_reason=NOT_COMPUTED)
    if information.clusters < 2:
        return replace(estimate, interval_reason=SINGLE_ITEM)
    return figure_interval(name, estimate.known, drawn, information, below).on(estimate)


def figure_interval(
    name: str, value: float, drawn: Ratio, information: Information, below: float
) -> Interval:
    """Return the interval of a figure of all tables from its resamples."""
    floor = 0.0 if name == "observed_agreement" or name in SHARE_FIGURES else -1.0
    return drawn.interval(value, information.of_figure(name), below=below, floor=floor)


def figure_fall(
    strata: Strata, sums: Sequence[CountSums], pair_sums: Sequence[PairSums], name: str, value: float
) -> float:
    """Return how far a figure of this value would fall if no unit agreed: sum w o / sum w (1 - e)."""
    if name in SHARE_FIGURES:
        return value
    if name == "cohen_kappa":
        return light_fall(pair_parts(strata, pair_sums), pair_agreement(strata, pair_sums))
    return count_fall(sums, name)


def count_fall(sums: Sequence[CountSums], name: str) -> float:
    """Return `figure_fall` of a coefficient from counts."""
    ratio = together(sums, name)
    weights = [one.ratings if name == "krippendorff_alpha" else one.pairable for one in sums]
    weight = sum(float(each[0]) for each in weights)
    return (float(ratio.above[0]) + weight) / float(ratio.below[0]) - 1


def light_fall(parts: Ratio, shares: Ratio) -> float:
    """Return `figure_fall` of the mean of the pairs' kappas."""
    defined = parts.defined[:, 0]
    return float((shares.above[defined, 0] / parts.below[defined, 0]).mean())


def figure_end(
    strata: Strata, sums: Sequence[CountSums], pair_sums: Sequence[PairSums], name: str, value: float
) -> End:
    """Return a defined figure with what it rests on and its limits where no resample differs."""
    information = strata.information.of_figure(name)
    below = figure_fall(strata, sums, pair_sums, name, value)
    return End(value, information, unseen_limits(value, information.clusters, below=below))
