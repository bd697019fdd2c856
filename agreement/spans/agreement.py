"""Agreement on the spans of many texts: mean similarities, alphas and their bootstrap intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import fsum
from typing import TypeVar

import numpy as np

from agreement.spans.similarity import (
    EMPTY_SPANS,
    MEASURES,
    NO_BIGRAM,
    NO_ROUGE_TOKEN,
    NO_TOKEN,
    Span,
    pair_similarities,
)
from agreement.spans.tokens import positions
from agreement.spans.u_alpha import (
    POOLED_ALPHAS,
    continuum_row,
    pooled_differing,
    pooled_parts,
    why_undefined,
)
from agreement.spans.unitizing import (
    NO_SPANS,
    Disagreement,
    alpha,
    position_disagreement,
    unitizing_disagreement,
)
from agreement.statistics.bootstrap import generator, resampled_weights
from agreement.statistics.estimates import NO_ITEMS, NOT_COMPUTED, REASONS, SINGLE_ITEM, Estimate, undefined
from agreement.statistics.intervals import Information, judged_interval, ratio_information

ALPHA_TOKEN_WITHIN = "alpha_token_within"
ALPHA_U_2004 = "alpha_u_2004"
TEXT_ALPHAS = (ALPHA_TOKEN_WITHIN, ALPHA_U_2004)
"""The two alphas to which each text adds its own shares; alpha_u of 2004 is superseded by u_alpha."""

ALPHAS = (*POOLED_ALPHAS, ALPHA_TOKEN_WITHIN)
"""The alphas over texts, in the order in which they are shown."""

FIGURES = (*MEASURES, *TEXT_ALPHAS)

NO_SPAN_PAIRS = "no_span_pairs"

SPAN_REASONS: Mapping[str, str] = {
    **REASONS,
    NO_SPAN_PAIRS: "no two annotators marked a span in the same text",
    NO_SPANS: "nobody marked a span",
    EMPTY_SPANS: "the spans are empty",
    NO_TOKEN: "neither span contains a word",
    NO_BIGRAM: "neither span contains two words",
    NO_ROUGE_TOKEN: "ROUGE sees no word in a span, as its words are made of a-z and 0-9 alone",
}

_STREAM = 0
_POOLED_STREAM = 1
_NO_SUMS = (0.0,) * len(MEASURES)


@dataclass(frozen=True, slots=True)
class JudgedText:
    """One text and what each annotator who judged it marked: a span (start, end), or None for no span."""

    text: str
    marks: Mapping[str, Span | None] | Mapping[int, Span | None]


@dataclass(frozen=True, slots=True)
class SpanTable:
    """What every text adds to every figure of `FIGURES`.

    `numerators` and `denominators` are float arrays (texts, figures): sums of similarities over numbers of
    pairs, observed over expected disagreement. Resampling texts means weighting rows. `undefined` counts,
    per measure, the pairs that were left out because the measure is undefined for them, with the reason.
    `continuum` (texts, 10) is what each adds to `POOLED_ALPHAS`, `judges` (texts,) how many judged it.
    """

    numerators: np.ndarray
    denominators: np.ndarray
    undefined: Mapping[str, tuple[int, str]]
    alpha_reasons: Mapping[str, str | None]
    continuum: np.ndarray
    judges: np.ndarray

    def pairs(self, measure: str) -> int:
        """Return the number of pairs of spans behind the mean of a measure."""
        return int(self.denominators[:, MEASURES.index(measure)].sum())


@dataclass(frozen=True, slots=True)
class TextSums:
    """What one text adds to every figure of `FIGURES`: a row of `SpanTable`, and why it adds nothing.

    `disagreements` are those of `TEXT_ALPHAS`, `continuum` is what it adds to `POOLED_ALPHAS`.
    """

    numerators: tuple[float, ...]
    denominators: tuple[float, ...]
    undefined: Mapping[str, tuple[int, str]]
    disagreements: tuple[Disagreement, Disagreement]
    continuum: np.ndarray


def text_sums(judged: JudgedText) -> TextSums:
    """Return what a text adds: the similarities of all pairs of its spans, and its disagreements.

    Token positions are characters in a text that is counted by characters; u_alpha always counts code points.
    """
    places, touched = positions(judged.text), _touched(judged)
    marked = [[] if span is None else [span] for span in judged.marks.values()]
    by_token, by_unit = token_disagreement(judged), character_disagreement(judged)
    sums, numbers = _NO_SUMS, _NO_SUMS
    left_out: dict[str, tuple[int, str]] = {}
    spans = [span for span in judged.marks.values() if span is not None]
    if len(spans) > 1:  # not most texts of a large round
        values: dict[str, list[float]] = {measure: [] for measure in MEASURES}
        for a, b in combinations(spans, 2):
            for measure, found in pair_similarities(judged.text, a, b).items():
                if found.reason is not None:
                    left_out[measure] = left_out.get(measure, (0, ""))[0] + 1, found.reason
                elif found.value is not None:
                    values[measure].append(found.value)
        sums = tuple(fsum(found) for found in values.values())
        numbers = tuple(float(len(found)) for found in values.values())
    return TextSums(
        (*sums, by_token.observed, by_unit.observed),
        (*numbers, by_token.expected, by_unit.expected),
        left_out,
        (by_token, by_unit),
        continuum_row(marked, len(judged.text), touched, places.count),
    )


def span_table(texts: Sequence[JudgedText]) -> SpanTable:
    """Return the sums of every text as one table."""
    found = [text_sums(judged) for judged in texts]
    left_out: dict[str, tuple[int, str]] = {}
    for sums in found:
        for measure, (number, reason) in sums.undefined.items():
            left_out[measure] = left_out.get(measure, (0, ""))[0] + number, reason
    shape = len(texts), len(FIGURES)
    return SpanTable(
        np.array([sums.numerators for sums in found], dtype=np.float64).reshape(shape),
        np.array([sums.denominators for sums in found], dtype=np.float64).reshape(shape),
        left_out,
        {
            figure: alpha(sums.disagreements[place] for sums in found).reason
            for place, figure in enumerate(TEXT_ALPHAS)
        },
        np.array([sums.continuum for sums in found]).reshape(len(texts), 10),
        np.array([len(judged.marks) for judged in texts], dtype=np.int64),
    )


def token_disagreement(judged: JudgedText) -> Disagreement:
    """Return the disagreement on whether each position of the text is in the span."""
    return position_disagreement(
        [[(start, end, True) for start, end in own] for own in _touched(judged)], positions(judged.text).count
    )


def _touched(judged: JudgedText) -> list[list[tuple[int, int]]]:
    """Return the positions of the text that each annotator marked, as [start, end), none or one."""
    places = positions(judged.text)
    touched = (range(0) if span is None else places.touched(*span) for span in judged.marks.values())
    return [[(own.start, own.stop)] if own else [] for own in touched]


def character_disagreement(judged: JudgedText) -> Disagreement:
    """Return the disagreement of alpha_u over the code points of the text."""
    return unitizing_disagreement(
        [[] if span is None else [span] for span in judged.marks.values()], len(judged.text)
    )


def span_estimates(
    table: SpanTable, *, replicates: int = 1000, seed: int | Sequence[int] = 0
) -> dict[str, Estimate]:
    """Return every measure and alpha with its interval, by resampling texts with all their spans.

    Same table, replicates and seed: same figures, in whatever order the texts are. No interval is given with
    0 replicates, for a figure to which a single text contributes, where more than 5% of the resamples leave
    it undefined, and where all have the same value.
    """
    replicated = _replicated(table, replicates, seed)
    estimates = {}
    for column, figure in enumerate(FIGURES):
        total = fsum(table.denominators[:, column])
        if total == 0:
            estimates[figure] = undefined(_reason(table, figure))
            continue
        estimate = Estimate(_value(figure, fsum(table.numerators[:, column]) / total))
        if replicates == 0:
            estimates[figure] = replace(estimate, interval_reason=NOT_COMPUTED)
        elif np.count_nonzero(table.denominators[:, column]) < 2:
            estimates[figure] = replace(estimate, interval_reason=SINGLE_ITEM)
        else:
            numerators, denominators = replicated[column], replicated[len(FIGURES) + column]
            defined = denominators > 0
            ratios = np.divide(numerators, denominators, out=np.zeros_like(numerators), where=defined)
            information = ratio_information(table.numerators[:, column], table.denominators[:, column])
            values = _value(figure, ratios)
            # alpha_u of 2004 has no lower bound.
            floor = 0.0 if figure in MEASURES else min(-1.0, values[defined].min(initial=-1.0))
            interval = judged_interval(estimate.known, values, defined, information, floor=floor)
            estimates[figure] = interval.on(estimate)
    estimates |= _pooled_estimates(table, replicates, seed)
    return {name: estimates[name] for name in (*MEASURES, *ALPHAS, ALPHA_U_2004)}


def _pooled_estimates(table: SpanTable, replicates: int, seed: int | Sequence[int]) -> dict[str, Estimate]:
    """Return the alphas of all texts as one, with intervals over texts."""
    observed, expected = pooled_parts(table.continuum.sum(axis=0) if len(table.continuum) else np.zeros(10))
    texts, pairable = len(table.judges), int((table.judges > 1).sum())
    drawn = None
    if replicates and pairable > 1:
        kinds, multiplicity = np.unique(table.continuum, axis=0, return_counts=True)
        weights = resampled_weights(multiplicity, replicates, generator(seed, _POOLED_STREAM))
        drawn = pooled_parts(np.concatenate([chunk @ kinds for chunk in weights]).T)
    found, differing = {}, pooled_differing(table.continuum)
    for place, figure in enumerate(POOLED_ALPHAS):
        if not expected[place] > 0:
            own = table.continuum.sum(axis=0)[5 * place :] if texts else np.zeros(5)
            found[figure] = undefined(why_undefined(own, texts=texts, pairable=pairable))
            continue
        estimate = Estimate(float(1 - observed[place] / expected[place]))
        if drawn is None:
            reason = SINGLE_ITEM if replicates else NOT_COMPUTED
            found[figure] = replace(estimate, interval_reason=reason)
            continue
        defined = drawn[1][place] > 0
        ratios = np.divide(drawn[0][place], drawn[1][place], out=np.zeros(defined.size), where=defined)
        information = Information(pairable, int(differing[place]))
        found[figure] = judged_interval(estimate.known, 1 - ratios, defined, information).on(estimate)
    return found


Share = TypeVar("Share", float, np.ndarray)


def _value(figure: str, ratio: Share) -> Share:
    return ratio if figure in MEASURES else 1 - ratio


def _reason(table: SpanTable, figure: str) -> str:
    if not len(table.numerators):
        return NO_ITEMS
    if figure in table.undefined:
        return table.undefined[figure][1]
    return table.alpha_reasons.get(figure) or NO_SPAN_PAIRS


def _replicated(table: SpanTable, replicates: int, seed: int | Sequence[int]) -> np.ndarray:
    """Return the numerators and denominators summed over every resample, shape (2 * figures, replicates)."""
    rows = np.hstack([table.numerators, table.denominators])
    # Distinct rows come out sorted, so that the order of the texts is no second seed.
    kinds, multiplicity = np.unique(rows, axis=0, return_counts=True)
    weights = resampled_weights(multiplicity, replicates, generator(seed, _STREAM))
    sums = [chunk @ kinds for chunk in weights]
    return np.ascontiguousarray(np.concatenate(sums).T) if sums else np.zeros((rows.shape[1], 0))
