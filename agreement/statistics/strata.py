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

from collections.abc import Iterator, Mapping, Sequence
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
from agreement.statistics.coefficients import (
    CountSums,
    count_features,
    count_sums,
    expected_disagreement,
    fleiss_chance_agreement,
    gwet_chance_agreement,
    observed_agreement,
    rating_weighted_agreement,
    uniform_chance_agreement,
)
from agreement.statistics.estimates import (
    NO_ITEMS,
    NO_PAIRS,
    NO_VARIATION,
    NOT_COMPUTED,
    SINGLE_ITEM,
    TOO_FEW_CATEGORIES,
    Estimate,
    PairEstimate,
    undefined,
)
from agreement.statistics.pairs import PairSums, PairTables, cohen_varies, light_kappa, pair_tables
from agreement.statistics.patterns import (
    FloatArray,
    IntArray,
    RatingPatterns,
    label_counts,
    rating_patterns,
    validated_ratings,
)
from agreement.statistics.standard_errors import rule_of_three

STRATA_STREAM = 3

# Where most items are patterns of their own, items are drawn by index; from this many single draws on the
# numbers of frequent answers are drawn from the normal limit of the multinomial instead.
_INDEX_PATTERNS = 1_000
_NORMAL_DRAWS = 5_000_000
_NORMAL_COUNT = 25
_CHUNK_CELLS = 4_000_000

COUNT_FIGURES = ("observed_agreement", "fleiss_kappa", "pabak", "gwet_ac1", "krippendorff_alpha")


@dataclass(frozen=True, slots=True)
class Stratum:
    """One table: its own row patterns, the joint tables of its rater pairs, and their place among all pairs.

    of : (joint patterns,), the row pattern of each, -1 where the item has no rating in this table
    """

    patterns: RatingPatterns
    of: IntArray
    features: FloatArray
    pairs: PairTables
    place: IntArray


@dataclass(frozen=True, slots=True)
class Strata:
    """Tables of the same items and raters.

    multiplicity : (joint patterns,), how many items have the same rows in all tables
    raters : (pairs, 2), the pairs that share units of any table
    """

    q: int
    multiplicity: IntArray
    tables: tuple[Stratum, ...]
    raters: IntArray

    @property
    def n_items(self) -> int:
        return int(self.multiplicity.sum())

    def answers(self) -> FloatArray:
        """Return which row pattern of each table a joint pattern has: (joint patterns, all row patterns)."""
        blocks = []
        for table in self.tables:
            block = np.zeros((self.multiplicity.size, len(table.patterns.rows)))
            there = np.flatnonzero(table.of >= 0)
            block[there, table.of[there]] = 1.0
            blocks.append(block)
        return np.concatenate(blocks, axis=1)

    def split(self, counts: FloatArray) -> list[FloatArray]:
        """Split counts (rows, all row patterns) into those of each table."""
        widths = [len(table.patterns.rows) for table in self.tables]
        return np.split(counts, np.cumsum(widths)[:-1], axis=1)


@dataclass(frozen=True, slots=True)
class StratifiedResult:
    """Every figure of several tables together.

    estimates are the figures together, means the plain means over the strata in which each is defined, with
    means_of how many these are. n_items have a rating in some stratum and are what is resampled; n_units
    counts the units (item and stratum) with a rating, n_pairable those with two.
    """

    n_items: int
    n_units: int
    n_pairable: int
    n_strata: int
    estimates: Mapping[str, Estimate]
    pairs: tuple[PairEstimate, ...]
    means: Mapping[str, float | None]
    means_of: Mapping[str, int]
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
    strata = _strata(ratings, q, min_common)
    seed = seed_words(seed)
    counts = strata.multiplicity[None, :].astype(np.float64) @ strata.answers()
    sums, pair_sums = _sums_of(strata, counts)
    drawn = _drawn(strata, replicates, seed) if replicates else None
    estimates = {
        name: _estimate(strata, sums, name, None if drawn is None else drawn[0]) for name in COUNT_FIGURES
    }
    pairs, light = _pairs(strata, pair_sums, None if drawn is None else drawn[1])
    estimates["cohen_kappa"] = light
    means = {name: _mean(_each(sums, name)) for name in COUNT_FIGURES}
    means["cohen_kappa"] = _mean(_each_light(pair_sums))
    return StratifiedResult(
        n_items=strata.n_items,
        n_units=int(sum(one.items[0] for one in sums)),
        n_pairable=int(sum(one.pairable[0] for one in sums)),
        n_strata=len(sums),
        estimates=estimates,
        pairs=pairs,
        means={name: value for name, (value, _) in means.items()},
        means_of={name: n for name, (_, n) in means.items()},
        replicates=replicates,
        seed=seed,
    )


def _strata(ratings: ArrayLike, q: int, min_common: int) -> Strata:
    array = np.asarray(ratings)
    if array.ndim != 3:
        raise ValueError(f"Ratings are an (items, strata, raters) array, not one of {array.ndim} dimensions.")
    n_items, n_strata, n_raters = array.shape
    joint = rating_patterns(validated_ratings(array.reshape(n_items, n_strata * n_raters), q), q)
    found = []
    for at in range(n_strata):
        rows = joint.rows[:, at * n_raters : (at + 1) * n_raters]
        own = rating_patterns(rows, q, with_inverse=True)
        # How often a row occurs, counted by items and not by joint patterns.
        there = own.item_rows >= 0
        multiplicity = np.bincount(
            own.item_rows[there], weights=joint.multiplicity[there], minlength=len(own.rows)
        ).astype(np.int64)
        found.append((replace(own, multiplicity=multiplicity), own.item_rows))
    tables = [pair_tables(own) for own, _ in found]
    codes = [table.raters[:, 0] * n_raters + table.raters[:, 1] for table in tables]
    pairs = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *codes]))
    common = np.zeros(pairs.size)
    for table, code, (own, _) in zip(tables, codes, found, strict=True):
        common[np.searchsorted(pairs, code)] += table.tables(own.multiplicity).sum(axis=(1, 2))
    pairs = pairs[common >= min_common]
    strata = []
    for table, code, (own, of) in zip(tables, codes, found, strict=True):
        keep = np.flatnonzero(np.isin(code, pairs))
        features = count_features(label_counts(own.rows, q))
        strata.append(Stratum(own, of, features, table.kept(keep), np.searchsorted(pairs, code[keep])))
    raters = np.stack(np.divmod(pairs, max(n_raters, 1)), axis=1)
    return Strata(q, joint.multiplicity, tuple(strata), raters)


def _sums_of(strata: Strata, counts: FloatArray) -> tuple[list[CountSums], list[PairSums]]:
    """Return the sums of each table for counts (rows, all row patterns), fields (..., rows)."""
    counted, paired = [], []
    for table, own in zip(strata.tables, strata.split(counts), strict=True):
        counted.append(count_sums(np.ascontiguousarray((own @ table.features).T), strata.q))
        paired.append(table.pairs.pair_sums(table.pairs.summation().apply(own)))
    return counted, paired


@dataclass(frozen=True, slots=True)
class _Ratio:
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


def _parts(s: CountSums, name: str) -> _Ratio:
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
    return _Ratio(np.where(there, weight * above, 0.0), np.where(there, weight * below, 0.0))


def _together(sums: Sequence[CountSums], name: str) -> _Ratio:
    parts = [_parts(one, name) for one in sums]
    return _Ratio(
        np.sum([part.above for part in parts], axis=0), np.sum([part.below for part in parts], axis=0)
    )


def _each(sums: Sequence[CountSums], name: str) -> list[float | None]:
    ratios = [_parts(one, name) for one in sums]
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
    strata: Strata, sums: Sequence[CountSums], name: str, drawn: Mapping[str, _Ratio] | None
) -> Estimate:
    ratio = _together(sums, name)
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
    strata: Strata, sums: Sequence[CountSums], name: str, ratio: _Ratio, interval: Interval
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


def _drawn(
    strata: Strata, replicates: int, seed: tuple[int, ...]
) -> tuple[dict[str, _Ratio], tuple[FloatArray, FloatArray]]:
    """Return every figure, and numerators and denominators of each pair (pairs, replicates), resampled."""
    found: dict[str, list[_Ratio]] = {name: [] for name in COUNT_FIGURES}
    above, below = [], []
    for sums, pair_sums in _resampled(strata, replicates, seed):
        for name in COUNT_FIGURES:
            found[name].append(_together(sums, name))
        pairs = _pair_parts(strata, pair_sums)
        above.append(pairs[0])
        below.append(pairs[1])
    joined = {
        name: _Ratio(
            np.concatenate([one.above for one in ratios]), np.concatenate([one.below for one in ratios])
        )
        for name, ratios in found.items()
    }
    return joined, (np.concatenate(above, axis=1), np.concatenate(below, axis=1))


def _resampled(
    strata: Strata, replicates: int, seed: tuple[int, ...]
) -> Iterator[tuple[list[CountSums], list[PairSums]]]:
    rng = generator(seed, STRATA_STREAM)
    for counts in _resampled_counts(strata, replicates, rng):
        yield _sums_of(strata, counts)


def _resampled_counts(strata: Strata, replicates: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Yield how often each row pattern of each table occurs in resamples, (rows, all row patterns)."""
    answers = strata.answers()
    if strata.n_items * replicates > _NORMAL_DRAWS:
        yield _normal_counts(strata.multiplicity, answers, replicates, rng)
    elif strata.multiplicity.size < _INDEX_PATTERNS:
        for weights in resampled_weights(strata.multiplicity, replicates, rng):
            yield weights @ answers
    else:
        pattern = np.repeat(np.arange(strata.multiplicity.size), strata.multiplicity)
        rows = max(1, _CHUNK_CELLS // strata.multiplicity.size)
        for start in range(0, replicates, rows):
            number = min(rows, replicates - start)
            drawn = (rng.integers(pattern.size, size=pattern.size) for _ in range(number))
            counted = [np.bincount(pattern[items], minlength=strata.multiplicity.size) for items in drawn]
            yield np.array(counted, dtype=np.float64) @ answers


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
    return drawn[:, :-1] @ answers[single] + np.clip(normal, 0.0, None)


def _pair_parts(strata: Strata, pair_sums: Sequence[PairSums]) -> tuple[FloatArray, FloatArray]:
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
    return above, below


def _pairs(
    strata: Strata, pair_sums: Sequence[PairSums], drawn: tuple[FloatArray, FloatArray] | None
) -> tuple[tuple[PairEstimate, ...], Estimate]:
    """Return each pair over all strata, and the mean of the pairs whose kappa is defined."""
    above, below = (part[:, 0] for part in _pair_parts(strata, pair_sums))
    common, agreeing = np.zeros(len(strata.raters)), np.zeros(len(strata.raters))
    for s, place in zip(pair_sums, (table.place for table in strata.tables), strict=True):
        common[place] += s.common[:, 0]
        agreeing[place] += s.agreeing[:, 0]
    estimates = []
    for at, raters in enumerate(strata.raters):
        kappa = Estimate(float(above[at] / below[at])) if below[at] > 0 else undefined(NO_VARIATION)
        observed = Estimate(float(agreeing[at] / common[at]))
        if kappa.reason is None:
            if drawn is None:
                kappa = replace(kappa, interval_reason=NOT_COMPUTED)
            elif strata.n_items < 2:
                kappa = replace(kappa, interval_reason=SINGLE_ITEM)
            else:
                ratio = _Ratio(drawn[0][at], drawn[1][at])
                kappa = percentile_interval(ratio.values, ratio.defined).on(kappa)
        observed = replace(observed, interval_reason=NOT_COMPUTED)
        estimates.append(PairEstimate(int(raters[0]), int(raters[1]), int(common[at]), kappa, observed))
    return tuple(estimates), _light(strata, above, below, drawn)


def _light(
    strata: Strata, above: FloatArray, below: FloatArray, drawn: tuple[FloatArray, FloatArray] | None
) -> Estimate:
    if not len(strata.raters):
        return undefined(NO_PAIRS if strata.n_items else NO_ITEMS)
    defined = np.asarray(below) > 0
    if not defined.any():
        return undefined(NO_VARIATION)
    estimate = Estimate(float(np.mean(np.asarray(above)[defined] / np.asarray(below)[defined])))
    if drawn is None:
        return replace(estimate, interval_reason=NOT_COMPUTED)
    if strata.n_items < 2:
        return replace(estimate, interval_reason=SINGLE_ITEM)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappas = drawn[0] / drawn[1]
    return percentile_interval(*light_kappa(kappas, (drawn[1] > 0) & defined[:, None])).on(estimate)


def _each_light(pair_sums: Sequence[PairSums]) -> list[float | None]:
    """Return the mean of the defined pairwise kappas of each stratum."""
    found: list[float | None] = []
    for s in pair_sums:
        if not len(s.common):
            found.append(None)
            continue
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = (s.first * s.second).sum(axis=0)
            kappas = (s.common * s.agreeing - chance) / (s.common**2 - chance)
            value, defined = light_kappa(kappas, cohen_varies(s) & (s.common > 0))
        found.append(float(value[0]) if defined[0] else None)
    return found
