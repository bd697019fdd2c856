"""Several runs of one system, several systems on one split, several methods on the same questions."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agreement.statistics.bootstrap import generator, percentile_interval, resampled_weights
from agreement.statistics.intervals import never_a_point
from scoring.figures.matching import NAE, UNDECIDED

ONE_LABEL, NO_QUESTIONS = "one_label", "no_questions"
ONE_RUN, NO_RUNS = "one_run", "no_runs"
TOO_FEW_SYSTEMS, NO_VARIATION = "fewer_than_three_systems", "no_variation"
_DIFFERENCE_STREAM = 1


class Runs(NamedTuple):
    """The mean and the sample deviation (n - 1) of one figure over the runs in which it is defined."""

    n: int
    n_undefined: int
    mean: float | None
    sd: float | None
    sd_reason: str | None


def runs_together(values: Sequence[float | None]) -> Runs:
    """Return mean and deviation over runs of one system; one run has no deviation.

    >>> runs_together([0.2, None, 0.4]).n_undefined
    1
    """
    known = np.array([value for value in values if value is not None], dtype=np.float64)
    left_out = len(values) - known.size
    if not known.size:
        return Runs(0, left_out, None, None, NO_RUNS)
    mean = float(known.mean())
    if known.size == 1:
        return Runs(1, left_out, mean, None, ONE_RUN)
    deviation = 0.0 if np.ptp(known) == 0 else float(known.std(ddof=1))
    return Runs(int(known.size), left_out, mean, deviation, None)


class Kappa(NamedTuple):
    """Cohen's kappa of two methods over the questions that both labelled, or why it is undefined."""

    value: float | None
    n: int
    reason: str | None


def kappa_of(first: Sequence[str], second: Sequence[str]) -> Kappa:
    """Return Cohen's kappa of two lists of labels; undefined where both have one and the same label only."""
    if len(first) != len(second):
        raise ValueError(f"{len(first)} labels cannot be compared with {len(second)}.")
    n = len(first)
    if not n:
        return Kappa(None, 0, NO_QUESTIONS)
    labels = sorted({*first, *second})
    if len(labels) == 1:
        return Kappa(None, n, ONE_LABEL)
    agreeing = sum(a == b for a, b in zip(first, second, strict=True))
    chance = sum(first.count(label) * second.count(label) for label in labels)
    return Kappa((n * agreeing - chance) / (n * n - chance), n, None)


class MethodPair(NamedTuple):
    """Two methods compared: NAE as a label like the others, and without what either could not evaluate."""

    first: str
    second: str
    with_nae: Kappa
    without_nae: Kappa


def kappa_matrix(methods: Mapping[str, Sequence[str | None]]) -> list[MethodPair]:
    """Compare each two methods over the same questions, labels in the same order.

    A question without a label of both, such as one whose judge gave no answer to use, is in neither figure,
    nor one that people have not decided.
    """
    found = []
    for (first, ones), (second, others) in combinations(methods.items(), 2):
        pairs = zip(ones, others, strict=True)
        labelled = [(a, b) for a, b in pairs if UNDECIDED not in (a, b) and a is not None and b is not None]
        both = [pair for pair in labelled if NAE not in pair]
        with_nae, without = (
            kappa_of([a for a, _ in some], [b for _, b in some]) for some in (labelled, both)
        )
        found.append(MethodPair(first, second, with_nae, without))
    return found


class Correlation(NamedTuple):
    """How the scores of systems by a method go with the human ones."""

    n: int
    pearson: float | None
    spearman: float | None
    kendall_tau_b: float | None
    reason: str | None


def correlation(human: Sequence[float], method: Sequence[float]) -> Correlation:
    """Return Pearson, Spearman and Kendall tau-b over systems; from three systems on."""
    from scipy import stats

    n = len(human)
    if n != len(method):
        raise ValueError(f"{n} human scores cannot be compared with {len(method)}.")
    if n < 3:
        return Correlation(n, None, None, None, TOO_FEW_SYSTEMS)
    if np.ptp(human) == 0 or np.ptp(method) == 0:
        return Correlation(n, None, None, None, NO_VARIATION)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Correlation(
            n,
            float(stats.pearsonr(human, method).statistic),
            float(stats.spearmanr(human, method).statistic),
            float(stats.kendalltau(human, method, variant="b").statistic),
            None,
        )


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two systems' means over the same items, and its interval."""

    value: float
    low: float | None
    high: float | None
    n: int

    @property
    def told_apart(self) -> bool:
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


def paired_difference(
    first: ArrayLike, second: ArrayLike, *, replicates: int = 1000, seed: int | Sequence[int] = 1
) -> Difference:
    """Return the mean of first minus second over items (items,), with a paired bootstrap interval."""
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    n = differences.size
    if not n:
        raise ValueError("There is nothing to compare.")
    value = float(differences.mean())
    if not replicates or n < 2:
        return Difference(value, None, None, n)
    kinds, multiplicity = np.unique(differences, return_counts=True)
    rng = generator(seed, _DIFFERENCE_STREAM)
    means = (
        np.concatenate([weights @ kinds for weights in resampled_weights(multiplicity, replicates, rng)]) / n
    )
    interval = percentile_interval(means, np.ones(means.size, dtype=bool))
    interval = never_a_point(value, interval, n, floor=-1.0)
    return Difference(value, interval.low, interval.high, n)
