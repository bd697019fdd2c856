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
    DEFINED,
    REASON_CODES,
    CountSums,
    count_features,
    count_sums,
    evaluate_count,
    expected_disagreement,
    fleiss_chance_agreement,
    gwet_chance_agreement,
    observed_agreement,
    rating_weighted_agreement,
    uniform_chance_agreement,
)
from agreement.statistics.cohen import PAIRS_WITH_INTERVAL
from agreement.statistics.estimates import (
    FEW_POSITIVES,
    NO_ITEMS,
    NO_PAIRS,
    NO_VARIATION,
    NOT_APPLICABLE,
    NOT_COMPUTED,
    SINGLE_ITEM,
    TOO_FEW_CATEGORIES,
    TOO_FEW_COMMON_ITEMS,
    Estimate,
    PairEstimate,
    undefined,
)
from agreement.statistics.label_agreement import FEW_ITEMS
from agreement.statistics.pairs import (
    PairSums,
    PairTables,
    cohen_varies,
    conger_kappa,
    conger_varies,
    light_kappa,
    pair_tables,
)
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
# Up to this many cells the answers of all joint patterns stand in one dense table. Of a crowd nearly every
# item is a pattern of its own, in every table.
_DENSE_CELLS = 20_000_000

COUNT_FIGURES = ("observed_agreement", "fleiss_kappa", "pabak", "gwet_ac1", "krippendorff_alpha")
SHARE_FIGURES = ("focus_score", "rating_weighted_agreement", "pair_pooled_agreement", "unanimous_share")
"""Shares of what was observed: without a chance agreement, tables together are the same as stacked."""
_NEED_VARIATION = ("cohen_kappa", "conger_kappa", "fleiss_kappa", "krippendorff_alpha")


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
    item_rows : (items,), the joint pattern of each item, -1 without any rating
    few_common : pairs that were left out because they share too few units
    """

    q: int
    multiplicity: IntArray
    tables: tuple[Stratum, ...]
    raters: IntArray
    item_rows: IntArray
    few_common: int

    @property
    def n_items(self) -> int:
        return int(self.multiplicity.sum())

    @property
    def is_dense(self) -> bool:
        """Whether `answers` fits into memory."""
        rows = sum(len(table.patterns.rows) for table in self.tables)
        return self.multiplicity.size * rows <= _DENSE_CELLS

    @property
    def chunk(self) -> int:
        """How many rows of weights to pass at once, so that memory stays bounded."""
        sizes = [table.pairs.summation().chunk for table in self.tables]
        return min([max(1, _CHUNK_CELLS // max(self.multiplicity.size, 1)), *sizes])

    @property
    def complete(self) -> bool:
        """Whether every item of every table has a rating of every rater."""
        return all((table.patterns.rows >= 0).all() for table in self.tables)

    def counts(self, weights: FloatArray) -> list[FloatArray]:
        """Return how often each row pattern of each table occurs, for weights (rows, joint patterns)."""
        if self.is_dense:
            return self.split(weights @ self.answers())
        return [_grouped(weights, table.of, len(table.patterns.rows)) for table in self.tables]

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


def strata_table(ratings: ArrayLike, *, items: ArrayLike, strata: ArrayLike) -> IntArray:
    """Return (units, raters) codes as an (items, strata, raters) array; items and strata are of each unit."""
    table = np.asarray(ratings)
    item, stratum = (
        np.unique(np.asarray(names), return_inverse=True)[1].ravel() for names in (items, strata)
    )
    shape = item.max(initial=-1) + 1, stratum.max(initial=-1) + 1, table.shape[1]
    found = np.full(shape, -1, dtype=np.int64)
    found[item, stratum] = table
    return found


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
    strata = strata_of(ratings, q=q, min_common=min_common)
    seed = seed_words(seed)
    sums, pair_sums = sums_of(strata, strata.counts(strata.multiplicity[None, :].astype(np.float64)))
    drawn = _drawn(strata, pair_sums, replicates, seed) if replicates else None
    counted = None if drawn is None else drawn.counted
    estimates = {name: _estimate(strata, sums, name, counted) for name in COUNT_FIGURES}
    estimates |= {name: _share(strata, sums, name, counted) for name in SHARE_FIGURES}
    pairs, estimates["cohen_kappa"] = _pairs(strata, pair_sums, drawn)
    estimates["conger_kappa"] = _conger(strata, pair_sums, drawn)
    if _few_items_differ(strata):
        estimates |= {
            name: replace(estimates[name], caution=FEW_POSITIVES)
            for name in _NEED_VARIATION
            if estimates[name].value is not None
        }
    means = {name: _mean(_each(sums, name)) for name in (*COUNT_FIGURES, *SHARE_FIGURES)}
    means["cohen_kappa"] = _mean(_each_light(pair_sums))
    means["conger_kappa"] = _mean(_each_conger(strata, pair_sums))
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


def _grouped(weights: FloatArray, of: IntArray, n_groups: int) -> FloatArray:
    """Return the weights (rows, joint patterns) added up by row pattern: (rows, groups)."""
    there = np.flatnonzero(of >= 0)
    if not there.size:
        return np.zeros((len(weights), n_groups))
    order = there[np.argsort(of[there], kind="stable")]
    starts = np.searchsorted(of[order], np.arange(n_groups))
    return np.add.reduceat(weights[:, order], starts, axis=1)


def strata_of(ratings: ArrayLike, *, q: int, min_common: int = 1) -> Strata:
    """Return the tables of an (items, strata, raters) array of codes 0..q-1, -1 for missing."""
    array = np.asarray(ratings)
    if array.ndim != 3:
        raise ValueError(f"Ratings are an (items, strata, raters) array, not one of {array.ndim} dimensions.")
    n_items, n_strata, n_raters = array.shape
    flat = validated_ratings(array.reshape(n_items, n_strata * n_raters), q)
    joint = rating_patterns(flat, q, with_inverse=True)
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
    few_common = int((common < min_common).sum())
    pairs = pairs[common >= min_common]
    strata = []
    for table, code, (own, of) in zip(tables, codes, found, strict=True):
        keep = np.flatnonzero(np.isin(code, pairs))
        features = count_features(label_counts(own.rows, q))
        strata.append(Stratum(own, of, features, table.kept(keep), np.searchsorted(pairs, code[keep])))
    raters = np.stack(np.divmod(pairs, max(n_raters, 1)), axis=1)
    return Strata(q, joint.multiplicity, tuple(strata), raters, joint.item_rows, few_common)


def sums_of(strata: Strata, counts: Sequence[FloatArray]) -> tuple[list[CountSums], list[PairSums]]:
    """Return the sums of each table for counts (rows, row patterns) of each, fields (..., rows)."""
    counted, paired = [], []
    for table, own in zip(strata.tables, counts, strict=True):
        counted.append(count_sums(np.ascontiguousarray((own @ table.features).T), strata.q))
        paired.append(table.pairs.pair_sums(table.pairs.summation().apply(own)))
    return counted, paired


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

    def interval(self, index: int | None = None) -> Interval:
        """Return the percentile interval of a resampled figure, or of one row of many."""
        one = self if index is None else Ratio(self.above[index], self.below[index])
        return percentile_interval(one.values, one.defined)


def _parts(s: CountSums, name: str) -> Ratio:
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
    parts = [_parts(one, name) for one in sums]
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


def _each(sums: Sequence[CountSums], name: str) -> list[float | None]:
    if name in SHARE_FIGURES:
        found = [evaluate_count(name, one) for one in sums]
        return [float(value[0]) if code[0] == DEFINED else None for value, code in found]
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
    strata: Strata, sums: Sequence[CountSums], name: str, drawn: Mapping[str, Ratio] | None
) -> Estimate:
    ratio = together(sums, name)
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
    strata: Strata, sums: Sequence[CountSums], name: str, ratio: Ratio, interval: Interval
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


def _share(
    strata: Strata, sums: Sequence[CountSums], name: str, drawn: Mapping[str, Ratio] | None
) -> Estimate:
    if not sums:
        return undefined(NO_ITEMS)
    value, code = (part[0] for part in evaluate_count(name, added(sums)))
    reason = REASON_CODES[int(code)]
    if reason:
        return undefined(reason)
    estimate = Estimate(float(value))
    if drawn is None:
        return replace(estimate, interval_reason=NOT_COMPUTED)
    if strata.n_items < 2:
        return replace(estimate, interval_reason=SINGLE_ITEM)
    interval = percentile_interval(drawn[name].values, drawn[name].defined)
    if interval.width <= 1e-9 and estimate.known in (0.0, 1.0):
        step = rule_of_three(strata.n_items)
        low, high = (1 - step, 1.0) if estimate.known else (0.0, step)
        interval = Interval(low, high, None, interval.undefined_share, RULE_OF_THREE)
    return interval.on(estimate)


def _few_items_differ(strata: Strata) -> bool:
    """Say whether fewer than FEW_ITEMS items have a rating other than the most common label of its table."""
    differ = np.zeros(strata.multiplicity.size, dtype=np.bool_)
    for table in strata.tables:
        counts = label_counts(table.patterns.rows, strata.q)
        if counts.size:
            common = int((table.patterns.multiplicity @ counts).argmax())
            rare = counts[:, common] < counts.sum(axis=1)
            differ |= (table.of >= 0) & rare[np.maximum(table.of, 0)]
    return int(strata.multiplicity[differ].sum()) < FEW_ITEMS


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Every figure resampled; what each pair adds, (pairs, replicates), where there are not too many pairs.

    above, below: numerators and denominators of Cohen's kappa; agreeing, common: of the observed agreement
    """

    counted: Mapping[str, Ratio]
    light: tuple[FloatArray, np.ndarray]
    conger: Ratio
    kappa: Ratio | None
    agreement: Ratio | None


def _drawn(strata: Strata, whole: Sequence[PairSums], replicates: int, seed: tuple[int, ...]) -> _Drawn:
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
            agreement.append(_pair_agreement(strata, pair_sums))
    return _Drawn(
        counted={name: Ratio.joined(ratios) for name, ratios in found.items()},
        light=(np.concatenate([one[0] for one in light]), np.concatenate([one[1] for one in light])),
        conger=Ratio.joined(conger),
        kappa=Ratio.joined(kappa) if kappa else None,
        agreement=Ratio.joined(agreement) if agreement else None,
    )


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
    dense, multiplicity = strata.is_dense, strata.multiplicity
    if dense and strata.n_items * replicates > _NORMAL_DRAWS:
        yield strata.split(_normal_counts(multiplicity, strata.answers(), replicates, rng))
    elif dense and multiplicity.size < _INDEX_PATTERNS:
        answers = strata.answers()
        for weights in resampled_weights(multiplicity, replicates, rng):
            yield strata.split(weights @ answers)
    else:
        pattern = np.repeat(np.arange(multiplicity.size), multiplicity)
        rows = max(1, _CHUNK_CELLS // multiplicity.size)
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
    return drawn[:, :-1] @ answers[single] + np.clip(normal, 0.0, None)


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


def _pair_agreement(strata: Strata, pair_sums: Sequence[PairSums]) -> Ratio:
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


def _perfect(interval: Interval, n: int, units: float, below: float) -> Interval:
    """Return limits by the rule of three of a kappa of 1; n items at most disagree unseen, of the units."""
    if interval.low is None:
        return interval
    low = max(-1.0, 1 - rule_of_three(n) * units / below)
    return Interval(low, 1.0, None, interval.undefined_share, RULE_OF_THREE)


def _most_common_units(strata: Strata, pair_sums: Sequence[PairSums]) -> FloatArray:
    """Return of each pair the units it shares in the table where these are most: items, at least so many."""
    most = np.zeros(len(strata.raters))
    for s, place in zip(pair_sums, (table.place for table in strata.tables), strict=True):
        if len(place):
            most[place] = np.maximum(most[place], s.common[:, 0])
    return most


def _pairs(
    strata: Strata, pair_sums: Sequence[PairSums], drawn: _Drawn | None
) -> tuple[tuple[PairEstimate, ...], Estimate]:
    """Return each pair over all strata, and the mean of the pairs whose kappa is defined."""
    parts, shares = pair_parts(strata, pair_sums), _pair_agreement(strata, pair_sums)
    below, (agreeing, common) = parts.below[:, 0], (shares.above[:, 0], shares.below[:, 0])
    items = _most_common_units(strata, pair_sums)
    estimates = []
    for at, raters in enumerate(strata.raters):
        observed = Estimate(float(agreeing[at] / common[at]))
        kappa = Estimate(float(parts.values[at, 0])) if below[at] > 0 else undefined(NO_VARIATION)
        perfect, n = agreeing[at] == common[at], int(items[at])
        if strata.n_items < 2 or common[at] < 2:
            observed, kappa = _without(observed, SINGLE_ITEM), _without(kappa, SINGLE_ITEM)
        elif drawn is None or drawn.kappa is None or drawn.agreement is None:
            observed, kappa = _without(observed, NOT_COMPUTED), _without(kappa, NOT_COMPUTED)
        else:
            interval = drawn.agreement.interval(at)
            observed = (_perfect(interval, n, 1.0, 1.0) if perfect else interval).on(observed)
            if kappa.reason is None:
                interval = drawn.kappa.interval(at)
                if perfect:
                    interval = _perfect(interval, n, float(common[at]), float(below[at]))
                kappa = interval.on(kappa)
        estimates.append(PairEstimate(int(raters[0]), int(raters[1]), int(common[at]), kappa, observed))
    return tuple(estimates), _light(strata, parts, shares, items, drawn)


def _without(estimate: Estimate, reason: str) -> Estimate:
    return estimate if estimate.reason else replace(estimate, interval_reason=reason)


def _light(strata: Strata, parts: Ratio, shares: Ratio, items: FloatArray, drawn: _Drawn | None) -> Estimate:
    if not len(strata.raters):
        return undefined(_without_pairs(strata))
    defined = parts.defined[:, 0]
    if not defined.any():
        return undefined(NO_VARIATION)
    estimate = Estimate(float(light_of(parts, defined)[0][0]))
    if drawn is None:
        return replace(estimate, interval_reason=NOT_COMPUTED)
    if strata.n_items < 2:
        return replace(estimate, interval_reason=SINGLE_ITEM)
    interval = percentile_interval(*drawn.light)
    if (shares.above == shares.below)[defined].all():
        lows = [
            _perfect(interval, int(n), float(units), float(below)).low
            for n, units, below in zip(
                items[defined], shares.below[defined, 0], parts.below[defined, 0], strict=True
            )
        ]
        if interval.low is not None:
            low = float(np.mean([low for low in lows if low is not None]))
            interval = Interval(low, 1.0, None, interval.undefined_share, RULE_OF_THREE)
    return interval.on(estimate)


def _without_pairs(strata: Strata) -> str:
    if not strata.n_items:
        return NO_ITEMS
    return TOO_FEW_COMMON_ITEMS if strata.few_common else NO_PAIRS


def _conger(strata: Strata, pair_sums: Sequence[PairSums], drawn: _Drawn | None) -> Estimate:
    """Return Conger's kappa of complete ratings: chance is the mean over the pairs in each table."""
    if not len(strata.raters):
        return undefined(_without_pairs(strata))
    if not strata.complete or strata.few_common:
        return undefined(NOT_APPLICABLE)
    parts = pair_parts(strata, pair_sums)
    below = float(parts.below.sum())
    if not below > 0:
        return undefined(NO_VARIATION)
    estimate = Estimate(float(parts.above.sum()) / below)
    if drawn is None:
        return replace(estimate, interval_reason=NOT_COMPUTED)
    if strata.n_items < 2:
        return replace(estimate, interval_reason=SINGLE_ITEM)
    interval = drawn.conger.interval()
    shares = _pair_agreement(strata, pair_sums)
    if (shares.above == shares.below).all():
        interval = _perfect(interval, strata.n_items, float(shares.below.sum()), below)
    return interval.on(estimate)


def _each_conger(strata: Strata, pair_sums: Sequence[PairSums]) -> list[float | None]:
    """Return Conger's kappa of each stratum where it is defined; of none where ratings are incomplete."""
    if not strata.complete or strata.few_common:
        return [None] * len(pair_sums)
    return [float(conger_kappa(s)[0]) if len(s.common) and conger_varies(s)[0] else None for s in pair_sums]


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
