"""Agreement coefficients over categories, from counts of ratings by item and category.

Symbols are those of Gwet (2014) and Krippendorff (2004): n items with a rating, n' with at least two, r_ik
ratings of item i in category k, r_i their sum, N ratings of the n' items, q declared categories, pi_k the
mean share of category k. Every coefficient is a function of sums over items, and the functions work on one
table or on many resamples at once: a sum is a number or has one entry a resample.

Undefined is decided from whole counts, never from a float that happens to be 1.

References
----------
Brennan RL, Prediger DJ (1981) Educ Psychol Meas 41:687-699. doi:10.1177/001316448104100307
Fleiss JL (1971) Psychol Bull 76:378-382. doi:10.1037/h0031619
Gwet KL (2008) Br J Math Stat Psychol 61:29-48. doi:10.1348/000711006X126600
Hayes AF, Krippendorff K (2007) Commun Methods Meas 1:77-89. doi:10.1080/19312450709336664
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from agreement.statistics.estimates import (
    NO_ITEMS,
    NO_PAIRS,
    NO_VARIATION,
    NOT_APPLICABLE,
    TOO_FEW_CATEGORIES,
    Estimate,
    undefined,
)
from agreement.statistics.patterns import FloatArray, IntArray

DEFINED = 0
REASON_CODES = (None, NO_ITEMS, NO_PAIRS, NO_VARIATION, TOO_FEW_CATEGORIES, NOT_APPLICABLE)
_CODE = {reason: code for code, reason in enumerate(REASON_CODES)}
_SCALARS = 9


@dataclass(frozen=True, slots=True)
class CountSums:
    """Sums over items that the coefficients need; fields have the shape (...) of the resamples.

    items n; pairable n'; pair_agreement: sum of p_a|i; disagreement: sum of (r_i^2 - sum_k r_ik^2)/(r_i - 1);
    unanimous: pairable items with one label; focus: sum of the FOCUS scores; beyond_three: items with more
    than three ratings; agreeing_pairs and all_pairs of ratings; shares (q, ...): sum of r_ik/r_i over all
    items; labels (q, ...): n_k over pairable items; all_labels (q, ...): the same over all items.
    """

    items: FloatArray
    pairable: FloatArray
    pair_agreement: FloatArray
    disagreement: FloatArray
    unanimous: FloatArray
    focus: FloatArray
    beyond_three: FloatArray
    agreeing_pairs: FloatArray
    all_pairs: FloatArray
    shares: FloatArray
    labels: FloatArray
    all_labels: FloatArray

    @property
    def q(self) -> int:
        return int(self.shares.shape[0])

    @property
    def ratings(self) -> FloatArray:
        """N, the ratings of the pairable items."""
        found: FloatArray = self.labels.sum(axis=0)
        return found


def count_features(counts: IntArray) -> FloatArray:
    """Return what one item of each count pattern (patterns, q) adds to the sums, shape (patterns, 9 + 3q)."""
    r_k = counts.astype(np.float64)
    r = r_k.sum(axis=1)
    pairable = r >= 2
    divisor = np.where(pairable, r - 1, 1.0)
    agreeing = (r_k * (r_k - 1)).sum(axis=1)
    highest = r_k.max(axis=1, initial=0.0)
    focus = np.where(r == 3, np.select([highest == 3, highest == 2], [1.0, 0.5], 0.0), (highest == 2) * 1.0)
    scalars = [
        r >= 1,
        pairable,
        agreeing / (np.maximum(r, 1) * divisor),
        np.where(pairable, (r**2 - (r_k**2).sum(axis=1)) / divisor, 0.0),
        pairable & (highest == r),
        np.where((r == 2) | (r == 3), focus, 0.0),
        r > 3,
        agreeing / 2,
        r * (r - 1) / 2,
    ]
    return np.column_stack([*scalars, r_k / np.maximum(r, 1)[:, None], r_k * pairable[:, None], r_k]).astype(
        np.float64
    )


def count_sums(totals: FloatArray, q: int) -> CountSums:
    """Name the rows of features summed over items, shape (9 + 3q, ...)."""
    starts = (_SCALARS, _SCALARS + q, _SCALARS + 2 * q)
    return CountSums(*totals[:_SCALARS], *(totals[start : start + q] for start in starts))


def observed_agreement(s: CountSums) -> FloatArray:
    """p_a, the mean over pairable items of the share of agreeing rater pairs."""
    return s.pair_agreement / s.pairable


def rating_weighted_agreement(s: CountSums) -> FloatArray:
    """1 - D_o: observed agreement in which an item weighs by its number of ratings, as in alpha."""
    return 1 - s.disagreement / s.ratings


def pair_pooled_agreement(s: CountSums) -> FloatArray:
    """Agreeing pairs of ratings over all pairs of ratings."""
    return s.agreeing_pairs / s.all_pairs


def unanimous_share(s: CountSums) -> FloatArray:
    """The share of pairable items on which all ratings are equal."""
    return s.unanimous / s.pairable


def focus_score(s: CountSums) -> FloatArray:
    """The FOCUS paper's own agreement: 1, 0.5 or 0 for three ratings, 1 or 0 for two, mean over items."""
    return s.focus / s.pairable


def mean_shares(s: CountSums) -> FloatArray:
    """pi_k: mean over all rated items, those with a single rating included, of r_ik/r_i; shape (q, ...)."""
    return s.shares / s.items


def uniform_chance_agreement(s: CountSums) -> FloatArray:
    """p_e of Brennan-Prediger: every declared category equally likely."""
    return np.full(np.shape(s.items), 1 / s.q if s.q else 1.0)


def gwet_chance_agreement(s: CountSums) -> FloatArray:
    """p_e of AC1."""
    pi = mean_shares(s)
    found: FloatArray = (pi * (1 - pi)).sum(axis=0) / np.float64(s.q - 1)
    return found


def fleiss_chance_agreement(s: CountSums) -> FloatArray:
    """p_e of Fleiss' kappa."""
    found: FloatArray = (mean_shares(s) ** 2).sum(axis=0)
    return found


def expected_disagreement(s: CountSums) -> FloatArray:
    """D_e of Krippendorff, nominal: the chance that two of the N ratings, drawn without return, differ."""
    n = s.ratings
    found: FloatArray = (n**2 - (s.labels**2).sum(axis=0)) / (n * (n - 1))
    return found


def krippendorff_chance_agreement(s: CountSums) -> FloatArray:
    """1 - D_e."""
    return 1 - expected_disagreement(s)


def chance_corrected(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """(p_o - p_e) / (1 - p_e), the shape of every coefficient here; alpha is it with 1 - D_o and 1 - D_e."""
    return (observed - expected) / (1 - expected)


def _pairs_reason(s: CountSums) -> IntArray:
    no_pairs = np.where(s.pairable == 0, _CODE[NO_PAIRS], DEFINED)
    return np.where(s.items == 0, _CODE[NO_ITEMS], no_pairs)


def _focus_reason(s: CountSums) -> IntArray:
    base = _pairs_reason(s)
    return np.where((base == DEFINED) & (s.beyond_three > 0), _CODE[NOT_APPLICABLE], base)


def _declared_reason(s: CountSums) -> IntArray:
    base = _pairs_reason(s)
    return np.where((base == DEFINED) & (s.q < 2), _CODE[TOO_FEW_CATEGORIES], base)


def _varies_reason(s: CountSums, labels: FloatArray) -> IntArray:
    base = _pairs_reason(s)
    one_label = labels.max(axis=0, initial=0.0) == labels.sum(axis=0)
    return np.where((base == DEFINED) & one_label, _CODE[NO_VARIATION], base)


def _fleiss_reason(s: CountSums) -> IntArray:
    return _varies_reason(s, s.all_labels)


def _alpha_reason(s: CountSums) -> IntArray:
    return _varies_reason(s, s.labels)


@dataclass(frozen=True, slots=True)
class Coefficient:
    """An observed agreement, corrected for an expected one where there is one, and when it is undefined."""

    observed: Callable[[CountSums], FloatArray]
    expected: Callable[[CountSums], FloatArray] | None
    reason: Callable[[CountSums], IntArray]


COUNT_COEFFICIENTS: Mapping[str, Coefficient] = {
    "observed_agreement": Coefficient(observed_agreement, None, _pairs_reason),
    "rating_weighted_agreement": Coefficient(rating_weighted_agreement, None, _pairs_reason),
    "pair_pooled_agreement": Coefficient(pair_pooled_agreement, None, _pairs_reason),
    "unanimous_share": Coefficient(unanimous_share, None, _pairs_reason),
    "focus_score": Coefficient(focus_score, None, _focus_reason),
    "fleiss_kappa": Coefficient(observed_agreement, fleiss_chance_agreement, _fleiss_reason),
    "pabak": Coefficient(observed_agreement, uniform_chance_agreement, _declared_reason),
    "gwet_ac1": Coefficient(observed_agreement, gwet_chance_agreement, _declared_reason),
    "krippendorff_alpha": Coefficient(
        rating_weighted_agreement, krippendorff_chance_agreement, _alpha_reason
    ),
}


def evaluate_count(name: str, s: CountSums) -> tuple[FloatArray, IntArray]:
    """Return the values of a coefficient and, in their shape, 0 where defined or an index into REASON_CODES.

    Values where undefined mean nothing.
    """
    coefficient = COUNT_COEFFICIENTS[name]
    with np.errstate(divide="ignore", invalid="ignore"):
        value = coefficient.observed(s)
        if coefficient.expected is not None:
            value = chance_corrected(value, coefficient.expected(s))
    return np.asarray(value), np.asarray(coefficient.reason(s))


def count_estimate(name: str, s: CountSums) -> Estimate:
    """Return one coefficient of one table, without an interval."""
    value, code = evaluate_count(name, s)
    reason = REASON_CODES[int(code)]
    return undefined(reason) if reason else Estimate(value=float(value))
