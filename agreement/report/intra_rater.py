"""Agreement of annotators with themselves, on units that a round asked them twice without saying so."""

from __future__ import annotations

from typing import Any

import numpy as np

from agreement.report.figures import WithSelfFigures
from agreement.report.judgements import IntArray, RoundJudgements
from agreement.report.label_figures import seed_of
from agreement.report.span_figures import Texts
from agreement.spans.similarity import token_jaccard
from agreement.statistics.bootstrap import generator, resampled_weights
from agreement.statistics.estimates import NO_PAIRS, NOT_COMPUTED, SINGLE_ITEM, Estimate, undefined
from agreement.statistics.intervals import judged_interval, ratio_information
from agreement.statistics.label_agreement import label_agreement
from agreement.statistics.patterns import FloatArray

SELF_STREAM = 11


def intra_rater_agreement(
    judgements: RoundJudgements, parameters: dict[str, Any], *, texts: Texts
) -> dict[int, WithSelfFigures]:
    """Return figures of each annotator, by index; empty where the round repeated nothing.

    n: units answered both times; observed_agreement: share of equal answers; token_jaccard: mean similarity
    of the spans of those n_pairs units to which the annotator said yes both times. Intervals are over items.
    """
    if not len(judgements.repeats):
        return {}
    first, again = _answered_twice(judgements)
    spans = _spans_twice(judgements, first, again, texts)
    n_raters = len(judgements.raters)
    return {rater: _figures(judgements, rater, first, again, spans, parameters) for rater in range(n_raters)}


def _answered_twice(judgements: RoundJudgements) -> tuple[IntArray, IntArray]:
    """Return the rows of the first answers and of their repeats, (n,) each, in the order of the units."""
    n_raters = max(len(judgements.raters), 1)
    once, twice = (
        columns.unit * n_raters + columns.rater for columns in (judgements.columns, judgements.repeats)
    )
    _, first, again = np.intersect1d(once, twice, assume_unique=True, return_indices=True)
    answered = (judgements.columns.value[first] >= 0) & (judgements.repeats.value[again] >= 0)
    return first[answered], again[answered]


def _figures(
    judgements: RoundJudgements,
    rater: int,
    first: IntArray,
    again: IntArray,
    spans: FloatArray,
    parameters: dict[str, Any],
) -> WithSelfFigures:
    own = judgements.columns.rater[first] == rater
    answers = np.stack([judgements.columns.value[first], judgements.repeats.value[again]], axis=1)[own]
    items = judgements.unit_item[judgements.columns.unit[first]][own]
    clusters = judgements.clusters
    drawn = items if clusters is None else clusters[items]
    seed = seed_of(parameters["seed"], f"self:{judgements.raters[rater]}")
    agreement = undefined(NO_PAIRS)
    if len(items):
        agreement = label_agreement(
            answers,
            q=len(judgements.categories),
            seed=seed,
            replicates=parameters["replicates"],
            clusters=drawn,
        ).estimates["observed_agreement"]
    similarity, n_pairs = _mean_over_items(spans[own], drawn, seed, parameters["replicates"])
    return {
        "n": len(items),
        "observed_agreement": agreement.to_json(),
        "token_jaccard": {**similarity.to_json(), "n_pairs": n_pairs},
    }


def _spans_twice(judgements: RoundJudgements, first: IntArray, again: IntArray, texts: Texts) -> FloatArray:
    """Return the token Jaccard index of the two spans of each unit, NaN where one is missing: (n,)."""
    found = np.full(len(first), np.nan)
    columns, repeats = judgements.columns, judgements.repeats
    both = np.flatnonzero((columns.start[first] >= 0) & (repeats.start[again] >= 0))
    items = judgements.unit_item[columns.unit[first[both]]]
    wanted = np.unique(items)
    text_of = dict(zip(wanted.tolist(), texts(judgements.items.ids[wanted].tolist()), strict=True))
    for at, item in zip(both.tolist(), items.tolist(), strict=True):
        one = int(columns.start[first[at]]), int(columns.end[first[at]])
        other = int(repeats.start[again[at]]), int(repeats.end[again[at]])
        similarity = token_jaccard(text_of[item][1], one, other)
        found[at] = np.nan if similarity.value is None else similarity.value
    return found


def _mean_over_items(
    values: FloatArray, items: IntArray, seed: tuple[int, int], replicates: int
) -> tuple[Estimate, int]:
    """Return the mean of the values that are there, with its interval over items, and their number."""
    there = ~np.isnan(values)
    if not there.any():
        return undefined(NO_PAIRS), 0
    places, of_item = np.unique(items, return_inverse=True)
    sums = np.bincount(of_item[there], weights=values[there], minlength=len(places))
    numbers = np.bincount(of_item[there], minlength=len(places))
    estimate = Estimate(float(sums.sum() / numbers.sum()), interval_reason=NOT_COMPUTED)
    if np.count_nonzero(numbers) < 2:
        estimate = Estimate(estimate.value, interval_reason=SINGLE_ITEM)
    elif replicates:
        draws = resampled_weights(np.ones_like(places), replicates, generator(seed, SELF_STREAM))
        weights = np.concatenate(list(draws))
        total, number = weights @ sums, weights @ numbers
        means = np.divide(total, number, out=np.zeros_like(total), where=number > 0)
        information = ratio_information(sums.astype(np.float64), numbers.astype(np.float64))
        interval = judged_interval(estimate.known, means, number > 0, information, floor=0.0)
        estimate = interval.on(estimate)
    return estimate, int(numbers.sum())
