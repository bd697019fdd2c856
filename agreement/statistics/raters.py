"""Each annotator: which labels they give, and how far they agree with the others and with a key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agreement.statistics.bootstrap import seed_words
from agreement.statistics.estimates import NO_ITEMS, NO_PAIRS, NOT_COMPUTED, SINGLE_ITEM, Estimate, undefined
from agreement.statistics.intervals import Information, Informative, information_of, judged_interval
from agreement.statistics.label_agreement import label_agreement
from agreement.statistics.pairs import PairSums, pair_agreement, table_sums
from agreement.statistics.patterns import FloatArray, IntArray, label_counts
from agreement.statistics.rating_table import RatingTable, rating_table
from agreement.statistics.standard_errors import wilson_interval
from agreement.statistics.strata.stratified import stratified_agreement
from agreement.statistics.strata.tables import strata_table

WILSON = "wilson"


@dataclass(frozen=True, slots=True)
class RaterFigures:
    """One annotator (column) of a rating table.

    shares : share of each category among the annotator's ratings, with Wilson intervals
    with_rest : mean, over the n_others with whom items are shared, of the pair's observed agreement
    key_agreement, key_kappa : observed agreement and Cohen's kappa with the key, None without a key
    """

    rater: int
    n_ratings: int
    label_counts: tuple[int, ...]
    shares: tuple[Estimate, ...]
    with_rest: Estimate
    n_others: int
    key_agreement: Estimate | None = None
    key_kappa: Estimate | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "rater": self.rater,
            "n_ratings": self.n_ratings,
            "label_counts": list(self.label_counts),
            "shares": [share.to_json() for share in self.shares],
            "with_rest": self.with_rest.to_json(),
            "n_others": self.n_others,
            "key_agreement": self.key_agreement.to_json() if self.key_agreement else None,
            "key_kappa": self.key_kappa.to_json() if self.key_kappa else None,
        }


def rater_figures(
    ratings: ArrayLike,
    *,
    q: int,
    seed: int | Sequence[int],
    replicates: int = 1000,
    key: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    min_common: int = 1,
) -> tuple[RaterFigures, ...]:
    """Return the figures of each rater of an (items, raters) table of codes 0..q-1, -1 for missing.

    key : (items,) codes of the decided answers, -1 where there is none. The other arguments are those of
    label_agreement, where the agreement of each pair of raters is found.
    """
    table = rating_table(ratings, q=q, clusters=clusters, min_common=min_common)
    with_rest = _with_rest(table, replicates, seed)
    figures = []
    for rater in range(table.patterns.n_raters):
        given = table.patterns.rows[:, rater]
        counts = np.bincount(
            given[given >= 0], weights=table.patterns.multiplicity[given >= 0], minlength=q
        ).astype(int)
        n_others = int((table.pairs.raters == rater).any(axis=1).sum())
        with_key = None
        if key is not None:
            with_key = key_figures(
                np.asarray(ratings)[:, rater],
                key,
                q=q,
                seed=[*seed_words(seed), rater],
                replicates=replicates,
                clusters=clusters,
            )
        figures.append(
            RaterFigures(
                rater=rater,
                n_ratings=int(counts.sum()),
                label_counts=tuple(int(count) for count in counts),
                shares=tuple(_share(int(count), int(counts.sum())) for count in counts),
                with_rest=with_rest[rater],
                n_others=n_others,
                key_agreement=with_key.agreement if with_key else None,
                key_kappa=with_key.kappa if with_key else None,
            )
        )
    return tuple(figures)


@dataclass(frozen=True, slots=True)
class KeyFigures:
    """One annotator against a key: over how many items, the share of equal answers, and Cohen's kappa."""

    n: int
    agreement: Estimate
    kappa: Estimate


def key_figures(
    given: ArrayLike,
    key: ArrayLike,
    *,
    q: int,
    seed: int | Sequence[int],
    replicates: int = 1000,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
) -> KeyFigures:
    """Compare the answers of one annotator with a key, both (units,) codes 0..q-1, -1 for none.

    strata (units,), with clusters, names the table (the type) of each unit: kappa is then of the tables
    together, each against its own chance. The other arguments are those of label_agreement.
    """
    both = np.column_stack([np.asarray(given), np.asarray(key)])
    if strata is None or clusters is None:
        compared = label_agreement(both, q=q, seed=seed, replicates=replicates, clusters=clusters)
        n_pairable, estimates = compared.n_pairable, compared.estimates
    else:
        tables = strata_table(both, items=clusters, strata=strata)
        together = stratified_agreement(tables, q=q, seed=seed, replicates=replicates)
        n_pairable, estimates = together.n_pairable, together.estimates
    return KeyFigures(n_pairable, estimates["observed_agreement"], estimates["cohen_kappa"])


def _share(count: int, n: int) -> Estimate:
    if not n:
        return undefined(NO_ITEMS)
    low, high = wilson_interval(count, n)
    return Estimate(count / n, low, high, interval_method=WILSON)


def _with_rest(table: RatingTable, replicates: int, seed: int | Sequence[int]) -> list[Estimate]:
    n_raters = table.patterns.n_raters
    if not len(table.pairs.raters):
        return [undefined(NO_PAIRS if len(table.patterns.rows) else NO_ITEMS)] * n_raters
    member = (table.pairs.raters[None] == np.arange(n_raters)[:, None, None]).any(axis=2)
    sums = table_sums(table.tables)
    value = _rest_means(sums, member)
    chunks = table.resampled_pair_sums(replicates, seed) if replicates else ()
    resampled = [_rest_means(chunk, member) for chunk in chunks]
    drawn = np.concatenate(resampled, axis=-1) if resampled else None
    common = [int(sums.common[member[rater]].max(initial=0)) for rater in range(n_raters)]
    counts = label_counts(table.patterns.rows, table.q)
    return [
        _rest_estimate(
            float(value[rater]),
            common[rater],
            _with_others(table, counts, rater),
            None if drawn is None else drawn[rater],
        )
        for rater in range(n_raters)
    ]


def _with_others(table: RatingTable, counts: IntArray, rater: int) -> Information:
    """Count the texts on which somebody else judged a unit of this rater's, and on which one differs.

    counts : (rows, q), the label counts of the table's rows
    """
    own = table.patterns.rows[:, rater]
    number = counts.sum(axis=1)
    shared = (own >= 0) & (number >= 2)
    alike = np.take_along_axis(counts, np.maximum(own, 0)[:, None], axis=1)[:, 0]
    return information_of(table.row_units, Informative(shared, shared & (alike < number), shared))


def _rest_estimate(
    value: float, n_common: int, information: Information, drawn: FloatArray | None
) -> Estimate:
    """Return the mean agreement with the others; n_common is the most units shared with one of them."""
    if not n_common:
        return undefined(NO_PAIRS)
    if n_common < 2 or information.clusters < 2:
        return Estimate(value, interval_reason=SINGLE_ITEM)
    if drawn is None:
        return Estimate(value, interval_reason=NOT_COMPUTED)
    interval = judged_interval(
        value, drawn, ~np.isnan(drawn), information.without_chance(), below=value, floor=0.0
    )
    return interval.on(Estimate(value))


def _rest_means(sums: PairSums, member: np.ndarray) -> FloatArray:
    """Return each rater's mean of p_o over the pairs with the others, NaN where no pair shares an item."""
    with np.errstate(divide="ignore", invalid="ignore"):
        agreement = pair_agreement(sums)
        shared = sums.common > 0
        found: FloatArray = (member @ np.where(shared, agreement, 0.0)) / (member @ shared.astype(np.float64))
        return found
