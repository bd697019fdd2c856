"""Every agreement figure of one table of labels, each with its interval. See docs/decisions/agreement.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from numpy.typing import ArrayLike

from agreement.statistics.bootstrap import RULE_OF_THREE, Interval, percentile_interval, seed_words
from agreement.statistics.coefficients import COUNT_COEFFICIENTS, CountSums, count_estimate, evaluate_count
from agreement.statistics.cohen import pair_figures
from agreement.statistics.estimates import (
    FEW_POSITIVES,
    NO_PAIRS,
    NOT_COMPUTED,
    SINGLE_ITEM,
    TOO_FEW_COMMON_ITEMS,
    Estimate,
    PairEstimate,
    TableResult,
)
from agreement.statistics.kappa_paradox import prevalence_figures
from agreement.statistics.rating_table import Study, study_of
from agreement.statistics.standard_errors import alpha_standard_error, gwet_standard_error, rule_of_three

_GWET = ("observed_agreement", "pabak", "gwet_ac1", "fleiss_kappa")
_NEED_VARIATION = ("cohen_kappa", "conger_kappa", "fleiss_kappa", "krippendorff_alpha")
# Coverage of the 95% interval of Fleiss' kappa in simulated studies of 20 to 200 items, by the number of
# items with a less common label: 3 .75, 4 .82, 5 .87, 6 .91, 7 .92, 8 and more .94.
FEW_ITEMS = 8


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
    Intervals are percentile bootstrap over items. Observed agreement is p_a, the mean over items. cohen_kappa
    is the mean over the pairs of raters that share items and whose kappa is defined. Undefined figures carry
    one of the reasons in agreement.statistics.estimates.

    References
    ----------
    Gwet KL (2014) Handbook of Inter-Rater Reliability, 4th ed.; the table is his example of four raters.

    >>> rows = "11-1 2232 3333 3333 2222 1234 4444 1121 2222 -555 --11 --3-".split()
    >>> ratings = [[-1 if cell == "-" else int(cell) - 1 for cell in row] for row in rows]
    >>> result = label_agreement(ratings, q=5, seed=1, replicates=0)
    >>> round(result.estimates["gwet_ac1"].value, 5), round(result.estimates["gwet_ac1"].se, 5)
    (0.77544, 0.14295)
    """
    study = study_of(ratings, q=q, clusters=clusters, min_common=min_common)
    seed = seed_words(seed)
    sums = study.sums
    estimates = count_figures(study, sums, replicates=replicates, seed=seed)
    pairs = pair_figures(study, replicates=replicates, seed=seed)
    estimates["cohen_kappa"], estimates["conger_kappa"] = pairs.light, pairs.conger
    if _few_items_differ(study):
        for name in _NEED_VARIATION:
            if estimates[name].value is not None:
                estimates[name] = replace(estimates[name], caution=FEW_POSITIVES)
    return TableResult(
        n_items=int(sums.items),
        n_pairable=int(sums.pairable),
        n_ratings=int(sums.all_labels.sum()),
        n_pairable_ratings=int(sums.ratings),
        n_raters=study.patterns.n_raters,
        n_categories=q,
        label_counts=tuple(int(count) for count in sums.all_labels),
        estimates=estimates,
        pairs=pairs.pairs,
        pairs_undefined=pairs_undefined(
            pairs.pairs, n_raters=study.patterns.n_raters, few_common=study.few_common
        ),
        prevalence=prevalence_figures(study, positive=positive) if q == 2 else {},
        replicates=replicates,
        seed=seed,
        pairable_counts=tuple(int(count) for count in sums.labels),
    )


def count_figures(
    study: Study, sums: CountSums, *, replicates: int, seed: tuple[int, ...]
) -> dict[str, Estimate]:
    """Return every coefficient that needs only the counts by category, with standard error and interval."""
    resampled = study.resampled_sums(replicates, seed) if replicates else None
    estimates = {}
    for name in COUNT_COEFFICIENTS:
        estimate = count_estimate(name, sums)
        if estimate.value is not None:
            estimate = replace(estimate, se=_standard_error(name, study, sums))
            estimate = _with_interval(name, estimate, study, sums, resampled)
        estimates[name] = estimate
    return estimates


def _standard_error(name: str, study: Study, sums: CountSums) -> float | None:
    # Items of one cluster are not independent, and the analytic errors assume that items are.
    if study.count_units.members is not None or sums.items < 2:
        return None
    counts, multiplicity = study.counted.counts, study.counted.multiplicity
    if name in _GWET:
        return gwet_standard_error(name, counts, multiplicity)
    if name == "krippendorff_alpha" and sums.pairable >= 2:
        return alpha_standard_error(counts, multiplicity)
    return None


def _with_interval(
    name: str, estimate: Estimate, study: Study, sums: CountSums, resampled: CountSums | None
) -> Estimate:
    if resampled is None:
        return replace(estimate, interval_reason=NOT_COMPUTED)
    if study.count_units.n < 2 or sums.pairable < 2:
        return replace(estimate, interval_reason=SINGLE_ITEM)
    return count_interval(name, study, sums, resampled, n=study.count_units.n).on(estimate)


def count_interval(name: str, study: Study, sums: CountSums, resampled: CountSums, *, n: int) -> Interval:
    """Return the interval of a defined coefficient from resamples of n items.

    Where all items agree (or none does) every resample repeats that, and the limits come from the rule of
    three: at most 3/n of the items may be of the kind that was not seen. The bound of the observed agreement
    is carried through the coefficient with its own chance agreement.
    """
    values, codes = evaluate_count(name, resampled)
    interval = percentile_interval(values, codes == 0)
    if interval.width > 1e-9:
        return interval
    if sums.unanimous == sums.pairable:
        agreement = 1.0
    elif sums.agreeing_pairs == 0:
        agreement = 0.0
    else:
        return interval
    unseen = rule_of_three(n * min(1.0, float(sums.pairable) / study.count_units.n))
    low, high = agreement * (1 - unseen), agreement + (1 - agreement) * unseen
    expected = COUNT_COEFFICIENTS[name].expected
    if expected is not None:
        chance = float(expected(sums))
        low, high = ((limit - chance) / (1 - chance) for limit in (low, high))
    value = float(evaluate_count(name, sums)[0])
    # The rule of three may reach below the lowest value that complete ratings can have.
    low = max(low, min(-1.0, value))
    return Interval(low, high, None, interval.undefined_share, RULE_OF_THREE)


def _few_items_differ(study: Study) -> bool:
    """Say whether fewer than FEW_ITEMS items have a rating other than the most common label."""
    counts, multiplicity = study.counted.counts, study.counted.multiplicity
    if not counts.size:
        return False
    common = int((multiplicity @ counts).argmax())
    return int(multiplicity[counts[:, common] < counts.sum(axis=1)].sum()) < FEW_ITEMS


def pairs_undefined(pairs: Sequence[PairEstimate], *, n_raters: int, few_common: int) -> dict[str, int]:
    """Count by reason the pairs of raters that have no kappa, those that share nothing included."""
    reasons = Counter(pair.kappa.reason for pair in pairs if pair.kappa.reason)
    apart = n_raters * (n_raters - 1) // 2 - len(pairs) - few_common
    reasons.update({NO_PAIRS: apart} if apart else {})
    reasons.update({TOO_FEW_COMMON_ITEMS: few_common} if few_common else {})
    return dict(sorted(reasons.items()))
