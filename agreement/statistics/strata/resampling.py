"""Resampling several tables together: items with all their rows, the same draw for every figure.

See agreement.statistics.strata.stratified.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.statistics.bootstrap import Interval, generator, resampled_weights
from agreement.statistics.coefficients import DEFINED, CountSums, evaluate_count
from agreement.statistics.cohen import PAIRS_WITH_INTERVAL
from agreement.statistics.pairs import PairSums
from agreement.statistics.patterns import FloatArray, IntArray
from agreement.statistics.strata.ratios import (
    COUNT_FIGURES,
    SHARE_FIGURES,
    Ratio,
    added,
    figure_fall,
    figure_interval,
    light_of,
    pair_agreement,
    pair_parts,
    together,
)
from agreement.statistics.strata.tables import CHUNK_CELLS, Strata, sums_of

STRATA_STREAM = 3

# Where most items are patterns of their own, items are drawn by index; from this many single draws on the
# numbers of frequent answers are drawn from the normal limit of the multinomial instead.
_INDEX_PATTERNS = 1_000
_NORMAL_DRAWS = 5_000_000
_NORMAL_COUNT = 25


@dataclass(frozen=True, slots=True)
class Drawn:
    """Every figure resampled; what each pair adds, (pairs, replicates), where there are not too many pairs.

    above, below: numerators and denominators of Cohen's kappa; agreeing, common: of the observed agreement
    """

    counted: Mapping[str, Ratio]
    light: tuple[FloatArray, np.ndarray]
    conger: Ratio
    kappa: Ratio | None
    agreement: Ratio | None


def draw_figures(strata: Strata, whole: Sequence[PairSums], replicates: int, seed: tuple[int, ...]) -> Drawn:
    found: dict[str, list[Ratio]] = {name: [] for name in (*COUNT_FIGURES, *SHARE_FIGURES)}
    light: list[tuple[FloatArray, np.ndarray]] = []
    conger: list[Ratio] = []
    kappa: list[Ratio] = []
    agreement: list[Ratio] = []
    defined = pair_parts(strata, whole).defined[:, 0]
    for sums, pair_sums in _resampled(strata, replicates, seed):
        for name in COUNT_FIGURES:
            found[name].append(together(sums, name))
        stacked = added(sums)
        for name in SHARE_FIGURES:
            values, codes = evaluate_count(name, stacked)
            found[name].append(Ratio(values, (codes == DEFINED).astype(np.float64)))
        parts = pair_parts(strata, pair_sums)
        light.append(light_of(parts, defined))
        conger.append(Ratio(parts.above.sum(axis=0), parts.below.sum(axis=0)))
        if len(defined) <= PAIRS_WITH_INTERVAL:
            kappa.append(parts)
            agreement.append(pair_agreement(strata, pair_sums))
    return Drawn(
        counted={name: Ratio.joined(ratios) for name, ratios in found.items()},
        light=(np.concatenate([one[0] for one in light]), np.concatenate([one[1] for one in light])),
        conger=Ratio.joined(conger),
        kappa=Ratio.joined(kappa) if kappa else None,
        agreement=Ratio.joined(agreement) if agreement else None,
    )


def resampled_interval(
    strata: Strata, name: str, value: float, replicates: int, seed: int | Sequence[int], *, n: int
) -> Interval:
    """Return the interval that a coefficient of this value would have in a study of n items like these.

    Where clusters are resampled n counts clusters.
    """
    parts: list[Ratio] = []
    counted, whole = sums_of(strata, strata.counts(strata.multiplicity[None, :].astype(np.float64)))
    below = figure_fall(strata, counted, whole, name, value)
    defined = pair_parts(strata, whole).defined[:, 0]
    units = strata.units
    step = min(strata.chunk, units.chunk) if units.chunk else strata.chunk
    for weights in resampled_weights(
        units.multiplicity, replicates, generator(seed, STRATA_STREAM), n=n, chunk=step
    ):
        sums, pair_sums = sums_of(strata, strata.counts(units.pattern_weights(weights)))
        if name == "cohen_kappa":
            values, known = light_of(pair_parts(strata, pair_sums), defined)
            parts.append(Ratio(values, known.astype(np.float64)))
        elif name in SHARE_FIGURES:
            values, codes = evaluate_count(name, added(sums))
            parts.append(Ratio(values, (codes == DEFINED).astype(np.float64)))
        else:
            parts.append(together(sums, name))
    information = strata.information.scaled(n / units.n)
    return figure_interval(name, value, Ratio.joined(parts), information, below)


def _resampled(
    strata: Strata, replicates: int, seed: tuple[int, ...]
) -> Iterator[tuple[list[CountSums], list[PairSums]]]:
    rng = generator(seed, STRATA_STREAM)
    step = strata.chunk
    for counts in _resampled_counts(strata, replicates, rng):
        for start in range(0, len(counts[0]), step):
            yield sums_of(strata, [own[start : start + step] for own in counts])


def _resampled_counts(
    strata: Strata, replicates: int, rng: np.random.Generator
) -> Iterator[list[FloatArray]]:
    """Yield how often each row pattern of each table occurs in resamples, (rows, row patterns) a table."""
    dense, multiplicity, units = strata.is_dense, strata.multiplicity, strata.units
    if units.members is not None:
        chunk = min(units.chunk, strata.chunk)
        for weights in resampled_weights(units.multiplicity, replicates, rng, chunk=chunk):
            yield strata.counts(units.pattern_weights(weights))
    elif dense and strata.n_items * replicates > _NORMAL_DRAWS:
        yield strata.split(_normal_counts(multiplicity, strata.answers(), replicates, rng))
    elif dense and multiplicity.size < _INDEX_PATTERNS:
        answers = strata.answers()
        for weights in resampled_weights(multiplicity, replicates, rng):
            yield strata.split(weights @ answers)
    else:
        pattern = np.repeat(np.arange(multiplicity.size), multiplicity)
        rows = max(1, CHUNK_CELLS // multiplicity.size)
        for start in range(0, replicates, rows):
            number = min(rows, replicates - start)
            drawn = (rng.integers(pattern.size, size=pattern.size) for _ in range(number))
            counted = [np.bincount(pattern[items], minlength=multiplicity.size) for items in drawn]
            yield strata.counts(np.array(counted, dtype=np.float64))


def _normal_counts(
    multiplicity: IntArray, answers: FloatArray, replicates: int, rng: np.random.Generator
) -> FloatArray:
    """Draw counts of very many items: those with a rare answer one by one, the others from their limit.

    The normal limit has the mean and covariance that the multinomial gives the counts; none is below 0.
    """
    total = multiplicity @ answers
    single = answers[:, (total > 0) & (total < _NORMAL_COUNT)].any(axis=1)
    rest = int(multiplicity[~single].sum())
    shares = np.append(multiplicity[single], rest) / multiplicity.sum()
    drawn = rng.multinomial(int(multiplicity.sum()), shares, size=replicates).astype(np.float64)
    if not rest:
        return drawn[:, :-1] @ answers[single]
    others = answers[~single]
    weighted = others * (multiplicity[~single] / rest)[:, None]
    mean = weighted.sum(axis=0)
    values, vectors = np.linalg.eigh(weighted.T @ others - np.outer(mean, mean))
    root = vectors * np.sqrt(np.clip(values, 0.0, None))
    number = drawn[:, -1:]
    normal = number * mean + np.sqrt(number) * (rng.standard_normal((replicates, mean.size)) @ root.T)
    counts: FloatArray = drawn[:, :-1] @ answers[single] + np.clip(normal, 0.0, None)
    return counts
