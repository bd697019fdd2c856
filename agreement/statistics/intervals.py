"""When an interval may be trusted: one rule for every figure. See docs/decisions/agreement.md.

What is scarce is rarely rows. Texts (clusters) are drawn, and of them only those count that have a unit with
two ratings or more and say something: one on whose unit the ratings differ, and, where chance agreement is
taken from the data, one to whose less common label two ratings or more went.

References
----------
Hall P (1988) J R Stat Soc B 50:35-45. doi:10.1111/j.2517-6161.1988.tb01705.x (both limits equally far)
Hesterberg TC (2015) Am Stat 69:371-386. doi:10.1080/00031305.2015.1089789 (percentiles are too narrow)
Hanley JA, Lippman-Hand A (1983) JAMA 249:1743-1745. doi:10.1001/jama.1983.03330370053031 (rule of three)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from agreement.statistics.bootstrap import (
    SYMMETRIC,
    Interval,
    Units,
    percentile_interval,
)
from agreement.statistics.estimates import FEW_DIFFERENCES, FEW_POSITIVES, FEW_TEXTS, RULE_OF_THREE
from agreement.statistics.pairs import PairTables
from agreement.statistics.patterns import FloatArray, IntArray
from agreement.statistics.standard_errors import Z_95, rule_of_three

# Measured by bench/coverage.py: with so many, 95% intervals held the true value in 92 of 100 studies or more.
FEW_CLUSTERS = 15
FEW_INFORMATIVE = 5
_FLAT = 1e-9

RARE_LABEL_FIGURES = ("cohen_kappa", "conger_kappa", "fleiss_kappa", "krippendorff_alpha")
"""Their chance agreement is taken from the labels given: they rest on the rarer ones as well."""


@dataclass(frozen=True, slots=True)
class Information:
    """What an interval rests on, counted in clusters (texts), never in rows.

    clusters have a unit with two ratings or more, differing one whose ratings differ, doubled one to whose
    less common label two ratings or more went; None for a figure that takes no chance from the data.
    """

    clusters: int
    differing: int
    doubled: int | None = None

    @property
    def scarcest(self) -> int:
        """How many clusters the figure rests on."""
        return self.differing if self.doubled is None else min(self.differing, self.doubled)

    @property
    def caution(self) -> str | None:
        """Why no method gives a trustworthy interval, or None where it may be shown plainly."""
        if self.clusters < FEW_CLUSTERS:
            return FEW_TEXTS
        if self.doubled is not None and self.doubled < FEW_INFORMATIVE:
            return FEW_POSITIVES
        return FEW_DIFFERENCES if self.differing < FEW_INFORMATIVE else None

    def without_chance(self) -> Information:
        """Return what a figure that rests on no rarer label has."""
        return replace(self, doubled=None)

    def of_figure(self, name: str) -> Information:
        """Return what of it a coefficient of labels rests on."""
        return self if name in RARE_LABEL_FIGURES else self.without_chance()

    def scaled(self, factor: float) -> Information:
        """Return what a study of so many times the texts would have."""
        doubled = None if self.doubled is None else int(self.doubled * factor)
        return Information(int(self.clusters * factor), int(self.differing * factor), doubled)


def judged_interval(
    value: float,
    values: FloatArray,
    defined: np.ndarray,
    information: Information,
    *,
    below: float | None = None,
    floor: float = -1.0,
    ceiling: float = 1.0,
    unseen: tuple[float, float] | None = None,
) -> Interval:
    """Return the interval of a figure, the caution it needs, or the reason why there is none.

    values, defined : (replicates,), the resampled figure; below is how far the figure would fall if no unit
    agreed any more at the same chance, o / (1 - e) of (o - e) / (1 - e); without it down to the floor.
    unseen gives the limits where no resample differs, for a figure that is none of one table.

    Notes
    -----
    Not estimable where more than 5% of the resamples leave the figure undefined. Else both limits are as far
    from the value as the farther of the two percentiles, times t(i - 1) sqrt(i / (i - 1)) / 1.96 with i the
    clusters that carry information. Where no resample differs, at most 3/n of the n clusters may be of a kind
    that was not seen; such ones would move the figure down by `below` or up to the ceiling. Where information
    is scarce the limits are no nearer than those.

    >>> values = np.array([0.5, 0.6, 0.6, 0.7] * 250)
    >>> interval = judged_interval(0.6, values, values > 0, Information(40, 20), floor=0.0)
    >>> round(interval.low, 3), round(interval.high, 3), interval.caution
    (0.49, 0.71, None)
    >>> judged_interval(1.0, np.ones(1000), values > 0, Information(50, 0), below=1.0, floor=0.0).low
    0.94
    """
    interval = percentile_interval(values, defined)
    if interval.low is None or interval.high is None:
        return replace(interval, caution=information.caution)
    low, high = unseen or unseen_limits(
        value, information.clusters, below=below, floor=floor, ceiling=ceiling
    )
    caution = information.caution
    if interval.width <= _FLAT:
        return Interval(low, high, None, interval.undefined_share, RULE_OF_THREE, caution)
    half = max(interval.distances(value)) * _widening(max(information.scarcest, FEW_INFORMATIVE))
    if caution is None:
        low, high = value - half, value + half
    else:
        low, high = min(low, value - half), max(high, value + half)
    low, high = max(low, min(floor, value)), min(high, max(ceiling, value))
    return Interval(low, high, None, interval.undefined_share, SYMMETRIC, caution)


def unseen_limits(
    value: float, clusters: int, *, below: float | None = None, floor: float = -1.0, ceiling: float = 1.0
) -> tuple[float, float]:
    """Return how far a figure may be off though no cluster differs: 3/n of them may be of a kind not seen."""
    unseen = rule_of_three(max(clusters, 1))
    low = value - unseen * (value - floor if below is None else below)
    return max(low, min(floor, value)), value + unseen * max(ceiling - value, 0.0)


def never_a_point(
    value: float, interval: Interval, items: int, *, floor: float = 0.0, ceiling: float = 1.0
) -> Interval:
    """Return a percentile interval that holds its value, by the rule of three where it has no width.

    For scores, which have no chance agreement: items of a kind not seen would move one to the floor or the
    ceiling.
    """
    if interval.low is None or interval.high is None:
        return interval
    if interval.width > _FLAT:
        return replace(interval, low=min(interval.low, value), high=max(interval.high, value))
    low, high = unseen_limits(value, items, floor=floor, ceiling=ceiling)
    return replace(interval, low=low, high=high, method=RULE_OF_THREE)


def _widening(informative: int) -> float:
    return t_ratio(informative - 1) * math.sqrt(informative / (informative - 1))


def t_ratio(freedom: int) -> float:
    """Return the 97.5% quantile of t over that of the normal, from 4 degrees of freedom on to 0.3%.

    Abramowitz and Stegun (1964) 26.7.5.

    >>> round(1.959964 * t_ratio(9), 3), round(1.959964 * t_ratio(4), 2)
    (2.262, 2.77)
    """
    z, v = Z_95, freedom
    t = z + (z**3 + z) / (4 * v) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
    t += (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    return t / z


def ratio_information(numerators: FloatArray, denominators: FloatArray) -> Information:
    """Count the clusters (clusters,) that add to a ratio, and those whose own ratio is not the commonest."""
    there = denominators > 0
    ratios = np.round(numerators[there] / denominators[there], 9)
    commonest = int(np.unique(ratios, return_counts=True)[1].max(initial=0))
    return Information(ratios.size, ratios.size - commonest)


@dataclass(frozen=True, slots=True)
class End:
    """One of two figures whose difference is told: what it rests on, and its limits of `unseen_limits`."""

    value: float
    information: Information
    unseen: tuple[float, float]


def judged_difference(before: End, after: End, values: FloatArray, defined: np.ndarray) -> Interval:
    """Return the interval of after - before from its resampled values, both arrays (replicates,).

    It rests on what the scarcer end rests on. Where no resample differs the limits of both ends are joined
    (Zou and Donner 2008, doi:10.1002/sim.3095).
    """
    ends = before.information, after.information
    doubled = [end.doubled for end in ends if end.doubled is not None]
    scarcer = Information(
        min(end.clusters for end in ends),
        min(end.differing for end in ends),
        min(doubled) if doubled else None,
    )
    value = after.value - before.value
    down = math.hypot(after.value - after.unseen[0], before.unseen[1] - before.value)
    up = math.hypot(after.unseen[1] - after.value, before.value - before.unseen[0])
    unseen = max(value - down, -2.0), min(value + up, 2.0)
    return judged_interval(value, values, defined, scarcer, floor=-2.0, ceiling=2.0, unseen=unseen)


@dataclass(frozen=True, slots=True)
class Informative:
    """Which patterns carry information, each (patterns,) booleans: pairable, differing, doubled."""

    pairable: np.ndarray
    differing: np.ndarray
    doubled: np.ndarray


def informative_counts(counts: IntArray, multiplicity: IntArray) -> Informative:
    """Say which count patterns (patterns, q) carry information; multiplicity (patterns,) finds the labels."""
    r = counts.sum(axis=1)
    pairable = r >= 2
    if not counts.size:
        return Informative(pairable, pairable, pairable)
    common = int(((multiplicity * pairable) @ counts).argmax())
    rarer = np.delete(counts, common, axis=1)
    return Informative(
        pairable,
        pairable & (counts.max(axis=1) < r),
        pairable & (rarer.max(axis=1, initial=0) >= 2),
    )


def informative_pair(pairs: PairTables, index: int, multiplicity: IntArray) -> Informative:
    """Say which row patterns, so many of each, carry information on one pair of raters."""
    size = pairs.q * pairs.q
    mine = pairs.cells.target // size == index
    source, (first, second) = pairs.cells.source[mine], np.divmod(pairs.cells.target[mine] % size, pairs.q)
    pairable, differing, doubled = (np.zeros(multiplicity.size, dtype=np.bool_) for _ in range(3))
    pairable[source] = True
    differing[source] = first != second
    labels = np.zeros(pairs.q)
    np.add.at(labels, first, multiplicity[source])
    np.add.at(labels, second, multiplicity[source])
    doubled[source] = (first == second) & (first != int(labels.argmax()))
    return Informative(pairable, differing, doubled)


def information_of(units: Units, which: Informative) -> Information:
    """Count the units that are resampled (texts) by what their patterns carry."""

    def number(patterns: np.ndarray) -> int:
        return int(units.multiplicity[units.contain(patterns)].sum())

    return Information(number(which.pairable), number(which.differing), number(which.doubled))
