"""Methods for the interval of alpha that bench/coverage.py compares, from the same resamples of texts."""

import math
from statistics import NormalDist

import numpy as np

from agreement.statistics.intervals import Information, judged_interval, t_ratio

METHODS = {
    "percentile": "percentile",
    "bca": "BCa",
    "fisher": "Fisher z, t with jackknife error",
    "log": "log(1 - alpha), t with jackknife error",
    "bootstrap_t": "bootstrap-t on log(1 - alpha)",
    "ours": "symmetric percentile (chosen)",
}
_NORMAL = NormalDist()
_Z = _NORMAL.inv_cdf(0.975)


def _alpha(sums: np.ndarray) -> np.ndarray:
    """Return alpha of sums (..., 3): disagreement, ratings, yes."""
    disagreement, ratings, yes = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(1 - disagreement * (ratings - 1) / (2 * yes * (ratings - yes)))


def alpha_limits(
    study: np.ndarray, rng: np.random.Generator, replicates: int
) -> dict[str, tuple[float, float]] | None:
    """Return the limits of each method of one (texts, units, raters) study; None where a caution is shown."""
    texts, _, raters = study.shape
    yes = study.sum(axis=2)
    rarer = yes if yes.mean() <= raters / 2 else raters - yes
    information = Information(
        texts,
        int(((yes > 0) & (yes < raters)).any(axis=1).sum()),
        int((rarer >= 2).any(axis=1).sum()),
    )
    if information.caution:
        return None
    rows = np.column_stack(
        [
            (2 * yes * (raters - yes) / (raters - 1)).sum(axis=1),
            np.full(texts, yes[0].size * raters),
            yes.sum(axis=1),
        ]
    ).astype(np.float64)
    value = float(_alpha(rows.sum(axis=0)))
    kinds, multiplicity = np.unique(rows, axis=0, return_counts=True)
    weights = rng.multinomial(texts, multiplicity / texts, size=replicates)
    drawn = _alpha(weights @ kinds)
    defined = np.isfinite(drawn)
    ours = judged_interval(value, drawn, defined, information)
    if ours.low is None or ours.high is None or np.ptp(drawn[defined]) < 1e-12:
        return None
    known = drawn[defined]
    left_out = _alpha(rows.sum(axis=0) - kinds)
    deviations = (multiplicity * left_out).sum() / texts - left_out
    squares = (multiplicity * deviations**2).sum()
    error = math.sqrt((texts - 1) / texts * squares)
    quantile = _Z * t_ratio(texts - 1)
    z = math.atanh(min(max(value, -0.999999), 0.999999))
    step = quantile * error / max(1 - value**2, 1e-9)
    log, log_step = math.log(max(1 - value, 1e-9)), quantile * error / max(1 - value, 1e-9)
    low_t, high_t = _bootstrap_t(weights, kinds, rows.sum(axis=0), multiplicity)
    return {
        "percentile": (float(np.quantile(known, 0.025)), float(np.quantile(known, 0.975))),
        "bca": _bca(value, known, (multiplicity * deviations**3).sum() / (6 * max(squares, 1e-12) ** 1.5)),
        "fisher": (math.tanh(z - step), math.tanh(z + step)),
        "log": (1 - math.exp(log + log_step), 1 - math.exp(log - log_step)),
        "bootstrap_t": (1 - math.exp(high_t), 1 - math.exp(low_t)),
        "ours": (ours.low, ours.high),
    }


def _bca(value: float, drawn: np.ndarray, acceleration: float) -> tuple[float, float]:
    """Efron B (1987) J Am Stat Assoc 82:171-185. doi:10.1080/01621459.1987.10478410"""
    share = (drawn < value - 1e-12).mean() + (np.abs(drawn - value) <= 1e-12).mean() / 2
    bias = _NORMAL.inv_cdf(min(max(float(share), 0.5 / drawn.size), 1 - 0.5 / drawn.size))
    shares = []
    for tail in (-_Z, _Z):
        moved = bias + tail
        shares.append(_NORMAL.cdf(bias + moved / max(1e-3, 1 - acceleration * moved)))
    low, high = np.quantile(drawn, shares)
    return float(low), float(high)


def _bootstrap_t(
    weights: np.ndarray, kinds: np.ndarray, total: np.ndarray, multiplicity: np.ndarray
) -> tuple[float, float]:
    """Return limits of log(1 - alpha), the error of each resample by its influence values."""

    def log_and_error(number: np.ndarray, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        disagreement, ratings, yes = np.moveaxis(sums, -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            log = np.log(disagreement * (ratings - 1) / (2 * yes * (ratings - yes)))
            slopes = np.stack(
                [1 / disagreement, 1 / (ratings - 1) - 1 / (ratings - yes), 1 / (ratings - yes) - 1 / yes],
                axis=-1,
            )
            influence = slopes @ kinds.T
            return log, np.sqrt((number * influence**2).sum(axis=-1))

    log, error = log_and_error(multiplicity[None], total[None])
    logs, errors = log_and_error(weights, weights @ kinds)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = (logs - log) / errors
    ratios = ratios[np.isfinite(ratios)]
    low, high = np.quantile(ratios, (0.025, 0.975))
    return float(log[0] - high * error[0]), float(log[0] - low * error[0])
