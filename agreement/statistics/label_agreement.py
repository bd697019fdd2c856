"""Every agreement figure of one table of labels, each with its interval. See docs/decisions/agreement.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from numpy.typing import ArrayLike

from agreement.statistics.bootstrap import Interval, seed_words
from agreement.statistics.coefficients import COUNT_COEFFICIENTS, CountSums, count_estimate, evaluate_count
from agreement.statistics.cohen import pair_figures
from agreement.statistics.estimates import (
    NO_PAIRS,
    NOT_COMPUTED,
    SINGLE_ITEM,
    TOO_FEW_COMMON_ITEMS,
    Estimate,
    PairEstimate,
    TableResult,
)
from agreement.statistics.intervals import End, Information, judged_interval, unseen_limits
from agreement.statistics.kappa_paradox import prevalence_figures
from agreement.statistics.rating_table import RatingTable, rating_table
from agreement.statistics.standard_errors import alpha_standard_error, gwet_standard_error

_GWET = ("observed_agreement", "pabak", "gwet_ac1", "fleiss_kappa")


def label_agreement(
    ratings: ArrayLike,
    *,
    q: int,
    seed: int | Sequence[int],
    replicates: int = 1000,
    clusters: ArrayLike | None = None,
    min_common: int = 1,
    positive: int = 0,
) -> TableResult:
    """Compute all coefficients of an (items, raters) table of codes 0..q-1, -1 for missing.

    q is the number of declared categories; clusters (items,) names the item of each row where several rows
    (the types of one argument) belong to one item and are resampled together; min_common is the least number
    of common items for a pair of raters to count; positive is the category that prevalence and bias speak of.
    replicates=0 computes no intervals.

    Notes
    -----
    Intervals are those of `judged_interval`, from a bootstrap over items. Observed agreement is p_a, the mean
    over items. cohen_kappa is the mean over the pairs of raters that share items and whose kappa is defined.
    Undefined figures carry one of the reasons in agreement.statistics.estimates.

    References
    ----------
    Gwet KL (2014) Handbook of Inter-Rater Reliability, 4th ed.; the table is his example of four raters.

    >>> rows = "11-1 2232 3333 3333 2222 1234 4444 1121 2222 -555 --11 --3-".split()
    >>> ratings = [[-1 if cell == "-" else int(cell) - 1 for cell in row] for row in rows]
    >>> result = label_agreement(ratings, q=5, seed=1, replicates=0)
    >>> round(result.estimates["gwet_ac1"].value, 5), round(result.estimates["gwet_ac1"].se, 5)
    (0.77544, 0.14295)
    """
    table = rating_table(ratings, q=q, clusters=clusters, min_common=min_common)
    seed = seed_words(seed)
    sums = table.sums
    estimates = count_figures(table, sums, replicates=replicates, seed=seed)
    pairs = pair_figures(table, replicates=replicates, seed=seed)
    estimates["cohen_kappa"], estimates["conger_kappa"] = pairs.light, pairs.conger
    return TableResult(
        n_items=int(sums.items),
        n_pairable=int(sums.pairable),
        n_ratings=int(sums.all_labels.sum()),
        n_pairable_ratings=int(sums.ratings),
        n_raters=table.patterns.n_raters,
        n_categories=q,
        label_counts=tuple(int(count) for count in sums.all_labels),
        estimates=estimates,
        pairs=pairs.pairs,
        pairs_undefined=pairs_undefined(
            pairs.pairs, n_raters=table.patterns.n_raters, few_common=table.few_common
        ),
        prevalence=prevalence_figures(table, positive=positive) if q == 2 else {},
        replicates=replicates,
        seed=seed,
        pairable_counts=tuple(int(count) for count in sums.labels),
    )


def count_figures(
    table: RatingTable, sums: CountSums, *, replicates: int, seed: tuple[int, ...]
) -> dict[str, Estimate]:
    """Return every coefficient that needs only the counts by category, with standard error and interval."""
    resampled = table.resampled_sums(replicates, seed) if replicates else None
    information = table.information
    estimates = {}
    for name in COUNT_COEFFICIENTS:
        estimate = count_estimate(name, sums)
        if estimate.value is not None:
            estimate = replace(estimate, se=_standard_error(name, table, sums))
            estimate = _with_interval(name, estimate, information, sums, resampled)
        estimates[name] = estimate
    return estimates


def _standard_error(name: str, table: RatingTable, sums: CountSums) -> float | None:
    # Items of one cluster are not independent, and the analytic errors assume that items are.
    if table.count_units.members is not None or sums.items < 2:
        return None
    counts, multiplicity = table.counted.counts, table.counted.multiplicity
    if name in _GWET:
        return gwet_standard_error(name, counts, multiplicity)
    if name == "krippendorff_alpha" and sums.pairable >= 2:
        return alpha_standard_error(counts, multiplicity)
    return None


def _with_interval(
    name: str, estimate: Estimate, information: Information, sums: CountSums, resampled: CountSums | None
) -> Estimate:
    if resampled is None:
        return replace(estimate, interval_reason=NOT_COMPUTED)
    if information.clusters < 2:
        return replace(estimate, interval_reason=SINGLE_ITEM)
    return count_interval(name, sums, resampled, information).on(estimate)


def count_interval(name: str, sums: CountSums, resampled: CountSums, information: Information) -> Interval:
    """Return the interval of a defined coefficient from its resamples, resting on the information given."""
    values, codes = evaluate_count(name, resampled)
    end = count_end(name, sums, information)
    floor = 0.0 if COUNT_COEFFICIENTS[name].expected is None else -1.0
    return judged_interval(end.value, values, codes == 0, end.information, floor=floor, unseen=end.unseen)


def count_end(name: str, sums: CountSums, information: Information) -> End:
    """Return a defined coefficient with what it rests on and its limits where no resample differs."""
    value = float(evaluate_count(name, sums)[0])
    information = information.of_figure(name)
    return End(value, information, unseen_limits(value, information.clusters, below=_fall(name, sums)))


def _fall(name: str, sums: CountSums) -> float:
    """Return how far a defined coefficient would fall if no unit agreed: o / (1 - e)."""
    coefficient = COUNT_COEFFICIENTS[name]
    observed = float(coefficient.observed(sums))
    return observed if coefficient.expected is None else observed / (1 - float(coefficient.expected(sums)))


def pairs_undefined(pairs: Sequence[PairEstimate], *, n_raters: int, few_common: int) -> dict[str, int]:
    """Count by reason the pairs of raters that have no kappa, those that share nothing included."""
    reasons = Counter(pair.kappa.reason for pair in pairs if pair.kappa.reason)
    apart = n_raters * (n_raters - 1) // 2 - len(pairs) - few_common
    reasons.update({NO_PAIRS: apart} if apart else {})
    reasons.update({TOO_FEW_COMMON_ITEMS: few_common} if few_common else {})
    return dict(sorted(reasons.items()))
