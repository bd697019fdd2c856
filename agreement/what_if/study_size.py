"""How many texts a study needs before anything is known but what is expected: by simulated studies.

Each text has its own share of annotators who say yes, drawn from a beta distribution with the expected
prevalence as its mean and the expected alpha as its intraclass correlation; its annotators answer
independently of each other. The numbers of yes of a text are then beta-binomial, and the population value of
Krippendorff's nominal alpha is the one expected.

References
----------
Skellam JG (1948) J R Stat Soc B 10:257-261. doi:10.1111/j.2517-6161.1948.tb00014.x (the beta-binomial)
Lui KJ, Cumberland WG, Kuo L (1996) Biometrics 52:412-425. doi:10.2307/2532883 (its intraclass correlation)
Kupper LL, Hafner KB (1989) Am Stat 43:101-105. doi:10.1080/00031305.1989.10475628 (why assurance)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from agreement.statistics.bootstrap import Interval
from agreement.statistics.coefficients import (
    CountSums,
    count_estimate,
    count_features,
    count_sums,
    evaluate_count,
)
from agreement.statistics.intervals import Information, informative_counts, judged_interval
from agreement.statistics.label_agreement import count_end
from agreement.statistics.patterns import FloatArray, IntArray
from core.canonical_json import canonical_float

NAME = "krippendorff_alpha"
LEAST_TEXTS, MOST_TEXTS = 10, 100_000
_FIRST = 100
_PRECISION = 0.02


@dataclass(frozen=True, slots=True)
class StudyExpected:
    """What a study is expected to be like, and how narrow its interval is to be.

    alpha : Krippendorff's nominal alpha of one type, 0 up to below 1; prevalence : the share of yes, between
    0 and 1; raters : how many judge each text, 2 or more; width : of the 95% interval, from one limit to the
    other; assurance : the share of such studies whose interval is to be narrower than that, below 1.
    """

    alpha: float
    prevalence: float
    raters: int
    width: float
    assurance: float = 0.8


@dataclass(frozen=True, slots=True)
class StudySize:
    """How many texts reach the width, and what studies of so many are like.

    n_texts is None where even MOST_TEXTS do not reach it; the others are then of MOST_TEXTS. reached : share
    of the studies whose interval is narrower than the width and shown without a caution; low, high, half :
    medians of the limits and of the width; cautioned : share of the studies with a caution or no interval.
    """

    n_texts: int | None
    reached: float
    low: float | None
    high: float | None
    width: float | None
    cautioned: float

    def to_json(self) -> dict[str, float | int | None]:
        rounded = {
            name: None if value is None else canonical_float(value)
            for name, value in (
                ("reached", self.reached),
                ("low", self.low),
                ("high", self.high),
                ("width", self.width),
                ("cautioned", self.cautioned),
            )
        }
        return {"n_texts": self.n_texts, **rounded}


def study_size(expected: StudyExpected, *, seed: int, studies: int = 400, replicates: int = 400) -> StudySize:
    """Return the least number of texts at which enough of the simulated studies are narrow enough.

    Each number of texts tried has `studies` studies of its own seed, each with the interval that a report
    would give it from `replicates` resamples of its texts. The number is found by halving, to one text in
    fifty; the share reached is known to about 1/sqrt(studies). An interval with a caution never counts as
    reached, so that the number is also enough for an interval that may be trusted.

    Raises ValueError for what no study can be.

    >>> size = study_size(StudyExpected(0.6, 0.5, 3, 0.4), seed=1, studies=100, replicates=200)
    >>> 40 < size.n_texts < 100, size.reached >= 0.8
    (True, True)
    """
    _check(expected)
    law = yes_law(expected)
    tried: dict[int, _Tried] = {}

    def reaches(n: int) -> bool:
        tried[n] = _try(law, n, expected.width, seed=seed, studies=studies, replicates=replicates)
        return tried[n].reached >= expected.assurance

    found = _least(reaches, lambda n: tried[n].width, expected.width)
    return tried[MOST_TEXTS if found is None else found].size(found)


def _check(expected: StudyExpected) -> None:
    if not 0 <= expected.alpha < 1:
        raise ValueError("The alpha expected is a number from 0 up to below 1.")
    if not 0 < expected.prevalence < 1:
        raise ValueError("The prevalence expected is a number between 0 and 1.")
    if expected.raters < 2:
        raise ValueError("Agreement needs two raters or more.")
    if not 0 < expected.width <= 2:
        raise ValueError("The width of an interval is a number above 0 and up to 2.")
    if not 0 < expected.assurance < 1:
        raise ValueError("The assurance is a share between 0 and 1.")


def yes_law(expected: StudyExpected) -> FloatArray:
    """Return the probability of each number of yes of a text, shape (raters + 1,): the beta-binomial.

    >>> yes_law(StudyExpected(alpha=0.0, prevalence=0.5, raters=2, width=0.2)).tolist()
    [0.25, 0.5, 0.25]
    """
    m, rho, p = expected.raters, expected.alpha, expected.prevalence
    # Written as products, which hold at rho = 0 as well: prod (p(1-rho) + i rho) / prod ((1-rho) + i rho).
    steps = np.arange(m) * rho
    yes, no, all_of = (
        np.concatenate([[0.0], np.cumsum(np.log(start * (1 - rho) + steps))]) for start in (p, 1 - p, 1.0)
    )
    ways = np.array([math.lgamma(m + 1) - math.lgamma(k + 1) - math.lgamma(m - k + 1) for k in range(m + 1)])
    law: FloatArray = np.exp(ways + yes + no[::-1] - all_of[m])
    total: float = law.sum()
    return law / total


@dataclass(frozen=True, slots=True)
class _Tried:
    """The intervals of studies of one size, (studies,) arrays; NaN without limits."""

    low: FloatArray
    high: FloatArray
    fine: np.ndarray
    cautioned: np.ndarray

    @property
    def reached(self) -> float:
        return float(self.fine.mean())

    @property
    def width(self) -> float:
        """The median width, infinite where most studies have no interval."""
        widths = np.where(np.isnan(self.low), math.inf, self.high - self.low)
        return float(np.median(widths))

    def size(self, n: int | None) -> StudySize:
        known = ~np.isnan(self.low)
        low, high = (float(np.median(part[known])) if known.any() else None for part in (self.low, self.high))
        width = self.width
        return StudySize(
            n, self.reached, low, high, None if math.isinf(width) else width, float(self.cautioned.mean())
        )


def _try(law: FloatArray, n: int, width: float, *, seed: int, studies: int, replicates: int) -> _Tried:
    rng = np.random.default_rng([seed, n])
    m = law.size - 1
    counts: IntArray = np.stack([m - np.arange(m + 1), np.arange(m + 1)], axis=1)
    features = count_features(counts)
    drawn = rng.multinomial(n, law, size=studies)
    low, high = np.full(studies, np.nan), np.full(studies, np.nan)
    fine, cautioned = np.zeros(studies, dtype=np.bool_), np.ones(studies, dtype=np.bool_)
    resampled = rng.multinomial(n, drawn[:, None, :] / n, size=(studies, replicates))
    values, codes = evaluate_count(NAME, count_sums(np.moveaxis(resampled @ features, -1, 0), 2))
    whole = drawn @ features
    for at in range(studies):
        interval = _interval(count_sums(whole[at], 2), counts, drawn[at], values[at], codes[at] == 0)
        if interval is None or interval.low is None or interval.high is None:
            continue
        low[at], high[at] = interval.low, interval.high
        cautioned[at] = interval.caution is not None
        fine[at] = not cautioned[at] and interval.width < width
    return _Tried(low, high, fine, cautioned)


def _interval(
    sums: CountSums, counts: IntArray, drawn: IntArray, values: FloatArray, defined: np.ndarray
) -> Interval | None:
    """Return the interval of one study; None where its alpha is undefined."""
    if count_estimate(NAME, sums).value is None:
        return None
    which = informative_counts(counts, drawn)
    numbers = (int(drawn[part].sum()) for part in (which.pairable, which.differing, which.doubled))
    end = count_end(NAME, sums, Information(*numbers))
    return judged_interval(end.value, values, defined, end.information, unseen=end.unseen)


def _least(reaches: Callable[[int], bool], width_at: Callable[[int], float], width: float) -> int | None:
    """Return the least number of texts that reaches the width, to _PRECISION; None beyond MOST_TEXTS.

    A width falls with the root of the texts: the first number tried says near which to look.
    """
    low, high, n = LEAST_TEXTS - 1, MOST_TEXTS + 1, _FIRST
    for _ in range(3):
        if reaches(n):
            high = n
        else:
            low = n
        at = width_at(n)
        guess = 4 * n if math.isinf(at) else round(n * (at / width) ** 2)
        # A little beyond, on the side where the border is: both sides close in.
        guess = round(guess * (1.1 if low == n else 0.95))
        n = min(max(guess, low + 1, LEAST_TEXTS), high - 1, MOST_TEXTS)
        if n <= low or n >= high:
            break
    if high > MOST_TEXTS:
        while low < MOST_TEXTS:
            n = min(2 * max(low, LEAST_TEXTS), MOST_TEXTS)
            if reaches(n):
                high = n
                break
            low = n
        else:
            return None
    while high - low > max(1, _PRECISION * high):
        middle = (low + high) // 2
        if reaches(middle):
            high = middle
        else:
            low = middle
    return high
