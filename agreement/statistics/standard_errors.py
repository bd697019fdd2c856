"""Analytic standard errors, from distinct patterns with their multiplicities.

All are for a sample of items from an infinite population (f = 0). With single-rating items Gwet's error
treats n' as fixed and is larger than the bootstrap's; neither is tested against the other there.

References
----------
Gwet KL (2014) Handbook of Inter-Rater Reliability, 4th ed., chapter 5.
Fleiss JL, Cohen J, Everitt BS (1969) Psychol Bull 72:323-327. doi:10.1037/h0028106
Fleiss JL, Nee JCM, Landis JR (1979) Psychol Bull 86:974-977. doi:10.1037/0033-2909.86.5.974
Wilson EB (1927) J Am Stat Assoc 22:209-212. doi:10.1080/01621459.1927.10502953
"""

from __future__ import annotations

import math

import numpy as np

from agreement.statistics.patterns import FloatArray, IntArray

Z_95 = 1.959963984540054


def _root(variance: float) -> float:
    # Rounding leaves a variance of -1e-18 where the exact one is 0.
    return math.sqrt(max(variance, 0.0))


def _error_of_mean(x: FloatArray, centre: float, multiplicity: IntArray) -> float:
    n = int(multiplicity.sum())
    return _root(float((multiplicity * (x - centre) ** 2).sum()) / (n * (n - 1)))


def _item_agreement(counts: FloatArray) -> FloatArray:
    r = counts.sum(axis=1)
    found: FloatArray = (counts * (counts - 1)).sum(axis=1) / np.where(r >= 2, r * (r - 1), 1.0)
    return found


def gwet_standard_error(name: str, counts: IntArray, multiplicity: IntArray) -> float:
    """Return Gwet's linearised standard error of a coefficient that is defined, n >= 2 items.

    name is observed_agreement, pabak, gwet_ac1 or fleiss_kappa; counts (patterns, q) of items with at least
    one rating, multiplicity (patterns,).
    """
    r_k = counts.astype(np.float64)
    r = r_k.sum(axis=1)
    q = counts.shape[1]
    n = float(multiplicity.sum())
    n_pairable = float(multiplicity[r >= 2].sum())
    agreement = _item_agreement(r_k)
    observed = float((multiplicity * agreement).sum()) / n_pairable
    if name == "observed_agreement":
        return _error_of_mean(agreement * n / n_pairable, observed, multiplicity)
    shares = r_k / r[:, None]
    pi = (multiplicity[:, None] * shares).sum(axis=0) / n
    if name == "pabak":
        expected = 1 / q
        item_expected = np.full(len(r), expected)
    elif name == "gwet_ac1":
        expected = float((pi * (1 - pi)).sum()) / (q - 1)
        item_expected = (shares * (1 - pi)).sum(axis=1) / (q - 1)
    elif name == "fleiss_kappa":
        expected = float((pi**2).sum())
        item_expected = (shares * pi).sum(axis=1)
    else:
        raise ValueError(f"There is no standard error of Gwet's for {name!r}.")
    coefficient = (observed - expected) / (1 - expected)
    x = (n / n_pairable) * (agreement - expected * (r >= 2)) / (1 - expected)
    x = x - 2 * (1 - coefficient) * (item_expected - expected) / (1 - expected)
    return _error_of_mean(x, coefficient, multiplicity)


def alpha_standard_error(counts: IntArray, multiplicity: IntArray) -> float:
    """Return the standard error of Krippendorff's nominal alpha, as irrCAC 1.4 computes it from raw ratings.

    The alpha must be defined and at least two items pairable; shapes as in gwet_standard_error.
    """
    r = counts.sum(axis=1)
    counts, multiplicity = counts[r >= 2].astype(np.float64), multiplicity[r >= 2]
    r = counts.sum(axis=1)
    n = float(multiplicity.sum())
    mean_r = float((multiplicity * r).sum()) / n
    pi = (multiplicity[:, None] * counts).sum(axis=0) / (n * mean_r)
    expected = float((pi**2).sum())
    agreement = (counts * (counts - 1)).sum(axis=1) / (mean_r * (r - 1))
    observed = float((multiplicity * agreement).sum()) / n
    coefficient = (observed - expected) / (1 - expected)
    excess = (r - mean_r) / mean_r
    item_expected = (counts * pi).sum(axis=1) / mean_r
    x = (agreement - observed * excess - expected) / (1 - expected)
    x = x - 2 * (1 - coefficient) * (item_expected - expected * excess - expected) / (1 - expected)
    return _error_of_mean(x, coefficient, multiplicity)


def cohen_standard_error(table: FloatArray) -> float:
    """Return the large-sample standard error of a defined Cohen's kappa from its (q, q) table."""
    n = table.sum()
    p = table / n
    row, column = p.sum(axis=1), p.sum(axis=0)
    observed, expected = np.trace(p), row @ column
    kappa = (observed - expected) / (1 - expected)
    a = (np.diagonal(p) * (1 - (row + column) * (1 - kappa)) ** 2).sum()
    weights = (column[:, None] + row[None, :]) ** 2
    b = (1 - kappa) ** 2 * ((p * weights).sum() - (np.diagonal(p) * np.diagonal(weights)).sum())
    c = (kappa - expected * (1 - kappa)) ** 2
    variance = float(a + b - c)
    # For a constant rater the exact variance is 0; a root would make 1e-8 of its rounding error of 1e-16.
    variance = 0.0 if variance < 1e-15 * float(a + b + c) else variance
    return _root(variance / ((1 - expected) ** 2 * n))


def cohen_null_standard_error(table: FloatArray) -> float:
    """Return the standard error of Cohen's kappa under kappa = 0: for the test only, not for an interval."""
    n = table.sum()
    row, column = table.sum(axis=1) / n, table.sum(axis=0) / n
    expected = row @ column
    variance = expected + expected**2 - (row * column * (row + column)).sum()
    return _root(float(variance) / ((1 - expected) ** 2 * n))


def fleiss_null_standard_error(counts: IntArray, multiplicity: IntArray) -> float:
    """Return the standard error of Fleiss' kappa under kappa = 0, every item rated equally often (m >= 2)."""
    r = counts.sum(axis=1)
    if r.min(initial=2) < 2 or r.min() != r.max():
        raise ValueError("The null error of Fleiss' kappa needs equally many ratings, two or more, an item.")
    m, n = float(r[0]), float(multiplicity.sum())
    pi = (multiplicity[:, None] * counts).sum(axis=0) / (n * m)
    s = float((pi * (1 - pi)).sum())
    third = float((pi * (1 - pi) * (1 - 2 * pi)).sum())
    return _root(2 * (s**2 - third) / (s**2 * n * m * (m - 1)))


def wilson_interval(successes: float, n: int, z: float = Z_95) -> tuple[float, float]:
    """Return Wilson's score interval of a proportion; never a single point, also at 0 and 1."""
    if n < 1:
        raise ValueError("A proportion needs at least one item.")
    p = successes / n
    centre = p + z**2 / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    scale = 1 + z**2 / n
    return max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)


def rule_of_three(n: float) -> float:
    """Return the 95% upper bound 3/n of the share of a kind of item that was not seen among n."""
    return min(1.0, 3 / n)
