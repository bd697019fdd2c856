"""Agreement on the spans of many texts: mean similarities, alphas and their bootstrap intervals."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum

import numpy as np

from agreement.similarity import MEASURES, Span, similarities
from agreement.tokens import positions
from agreement.unitizing import (
    NO_ITEMS,
    NO_PAIRS,
    Disagreement,
    alpha,
    position_disagreement,
    unitizing_disagreement,
)

ALPHA_TOKEN = "alpha_token"
ALPHA_U = "alpha_u"
FIGURES = (*MEASURES, ALPHA_TOKEN, ALPHA_U)

ONE_ITEM = "one_item"
UNDEFINED_REPLICATES = "undefined_replicates"

# Above this share of undefined replicates the interval describes only the resamples that happened to work.
MOST_UNDEFINED_REPLICATES = 0.05
_CELLS_PER_DRAW = 2_000_000

Interval = tuple[float | None, float | None, str | None]


@dataclass(frozen=True, slots=True)
class JudgedText:
    """One text and what each annotator who judged it marked: a span (start, end), or None for no span."""

    text: str
    marks: Mapping[Hashable, Span | None]


@dataclass(frozen=True, slots=True)
class SpanTable:
    """What every text adds to every figure of `FIGURES`.

    `numerators` and `denominators` are float arrays (texts, figures): sums of similarities over numbers of
    pairs, observed over expected disagreement. Resampling texts means weighting rows. `undefined` counts,
    per measure, the pairs that were left out because the measure is undefined for them, with the reason.
    """

    numerators: np.ndarray
    denominators: np.ndarray
    undefined: Mapping[str, tuple[int, str]]
    alpha_reasons: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class SpanEstimate:
    """A figure with its 95% percentile bootstrap interval over texts.

    `n_pairs` is the number of pairs of spans behind a mean, None for an alpha. `reason` says why the value is
    undefined; `interval_reason` why a defined value has no interval (`one_item`, `undefined_replicates`).
    """

    value: float | None
    low: float | None
    high: float | None
    n_pairs: int | None
    reason: str | None
    interval_reason: str | None


def span_table(texts: Sequence[JudgedText]) -> SpanTable:
    """Return what every text adds: the similarities of all pairs of its spans, and its disagreements.

    Token positions are characters in a text that is counted by characters; alpha_u always counts code points.
    """
    numerators = np.zeros((len(texts), len(FIGURES)))
    denominators = np.zeros((len(texts), len(FIGURES)))
    undefined: dict[str, tuple[int, str]] = {}
    by_token: list[Disagreement] = []
    by_unit: list[Disagreement] = []
    for row, judged in enumerate(texts):
        values: dict[str, list[float]] = {measure: [] for measure in MEASURES}
        for a, b in combinations([span for span in judged.marks.values() if span is not None], 2):
            for measure, found in similarities(judged.text, a, b).items():
                if found.value is None:
                    undefined[measure] = undefined.get(measure, (0, ""))[0] + 1, found.reason
                else:
                    values[measure].append(found.value)
        by_token.append(token_disagreement(judged))
        by_unit.append(character_disagreement(judged))
        numerators[row] = [*map(fsum, values.values()), by_token[-1].observed, by_unit[-1].observed]
        denominators[row] = [*map(len, values.values()), by_token[-1].expected, by_unit[-1].expected]
    alpha_reasons = {ALPHA_TOKEN: alpha(by_token).reason, ALPHA_U: alpha(by_unit).reason}
    return SpanTable(numerators, denominators, undefined, alpha_reasons)


def token_disagreement(judged: JudgedText) -> Disagreement:
    """Return the disagreement on whether each position of the text is in the span."""
    places = positions(judged.text)
    touched = (range(0) if span is None else places.touched(*span) for span in judged.marks.values())
    return position_disagreement(
        [[(own.start, own.stop, True)] if own else [] for own in touched], places.count
    )


def character_disagreement(judged: JudgedText) -> Disagreement:
    """Return the disagreement of alpha_u over the code points of the text."""
    return unitizing_disagreement(
        [[] if span is None else [span] for span in judged.marks.values()], len(judged.text)
    )


def span_estimates(table: SpanTable, *, replicates: int = 1000, seed: int = 0) -> dict[str, SpanEstimate]:
    """Return every figure of `FIGURES` with its interval, by resampling texts with all their spans.

    Same table, replicates and seed: same figures, in whatever order the texts are.
    """
    if replicates < 1:
        raise ValueError(f"replicates must be at least 1, not {replicates}")
    intervals = _intervals(_resampled(table, replicates, seed), np.count_nonzero(table.denominators, axis=0))
    estimates = {}
    for column, figure in enumerate(FIGURES):
        denominators = table.denominators[:, column]
        total = fsum(denominators)
        n_pairs = int(total) if figure in MEASURES else None
        if total == 0:
            reason = _reason(table, figure)
            estimates[figure] = SpanEstimate(None, None, None, n_pairs, reason, None)
            continue
        ratio = fsum(table.numerators[:, column]) / total
        value = ratio if figure in MEASURES else 1 - ratio
        low, high, interval_reason = intervals[column]
        estimates[figure] = SpanEstimate(value, low, high, n_pairs, None, interval_reason)
    return estimates


def _reason(table: SpanTable, figure: str) -> str:
    if not len(table.numerators):
        return NO_ITEMS
    if figure in MEASURES:
        return table.undefined.get(figure, (0, NO_PAIRS))[1]
    return table.alpha_reasons[figure]


def _resampled(table: SpanTable, replicates: int, seed: int) -> np.ndarray:
    """Return every figure in every replicate, shape (replicates, figures), nan where it is undefined."""
    texts = len(table.numerators)
    if not texts:
        return np.full((replicates, len(FIGURES)), np.nan)
    rows = np.hstack([table.numerators, table.denominators])
    rows = rows[np.lexsort(rows.T)]  # so that the order of the texts is no second seed
    generator = np.random.default_rng(seed)
    per_draw = max(1, _CELLS_PER_DRAW // texts)
    sums = np.vstack(
        [
            _draw_counts(generator, min(per_draw, replicates - done), texts) @ rows
            for done in range(0, replicates, per_draw)
        ]
    )
    numerators, denominators = np.hsplit(sums, 2)
    ratios = np.full(numerators.shape, np.nan)
    np.divide(numerators, denominators, out=ratios, where=denominators > 0)
    ratios[:, len(MEASURES) :] = 1 - ratios[:, len(MEASURES) :]
    return ratios


def _draw_counts(generator: np.random.Generator, replicates: int, texts: int) -> np.ndarray:
    """Return how often each text is drawn in each replicate, float array (replicates, texts)."""
    drawn = generator.integers(texts, size=(replicates, texts)) + texts * np.arange(replicates)[:, np.newaxis]
    return np.bincount(drawn.ravel(), minlength=replicates * texts).reshape(replicates, texts).astype(float)


def _intervals(resampled: np.ndarray, contributing: np.ndarray) -> list[Interval]:
    """Return the percentile interval of every figure, or why there is none.

    `contributing` has the number of texts that add something to each figure.
    """
    defined = ~np.isnan(resampled)
    # One call for all figures that are defined throughout: nanpercentile would be many times slower.
    whole = defined.all(axis=0)
    bounds = np.empty((2, len(FIGURES)))
    bounds[:, whole] = np.percentile(resampled[:, whole], [2.5, 97.5], axis=0)
    intervals = []
    for column, texts in enumerate(contributing):
        if texts < 2:
            intervals.append((None, None, ONE_ITEM))
        elif defined[:, column].mean() < 1 - MOST_UNDEFINED_REPLICATES:
            intervals.append((None, None, UNDEFINED_REPLICATES))
        else:
            if not whole[column]:
                bounds[:, column] = np.percentile(resampled[defined[:, column], column], [2.5, 97.5])
            intervals.append((float(bounds[0, column]), float(bounds[1, column]), None))
    return intervals
