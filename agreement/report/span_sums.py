"""What the spans of a type add up to, in the round and in each resample, and the figures made of that.

Sums of several types are the sums of their sums, so a type can be computed by itself and what it gives
does not grow with the texts. An item is drawn with all its types: every type draws the same resamples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agreement.report.figures import (
    ItemMean,
    PairEstimateFigures,
    SpanEstimateFigures,
    SpanFigures,
    TextEstimateFigures,
)
from agreement.report.judgements import RoundJudgements
from agreement.report.span_figures import Findings
from agreement.spans.agreement import ALPHAS
from agreement.spans.gold_spans import SpanTarget, without_target
from agreement.spans.item_means import measure_of
from agreement.spans.similarity import MEASURES
from agreement.spans.u_alpha import POOLED_ALPHAS, SUMS, pooled_differing, pooled_parts, why_undefined
from agreement.spans.unitizing import NO_SPANS
from agreement.statistics.bootstrap import generator, resampled_items
from agreement.statistics.estimates import (
    NO_PAIRS,
    NO_VARIATION,
    NOT_COMPUTED,
    SINGLE_ITEM,
    Estimate,
    undefined,
)
from agreement.statistics.intervals import Information, judged_interval, ratio_information
from agreement.statistics.patterns import FloatArray, IntArray

SPAN_STREAM = 7
CONTINUUM_STREAM = 13
NOBODY = -1


@dataclass(frozen=True, slots=True)
class ResamplingFrame:
    """What is resampled: the items that are judged, and those of them with a span in any type, ascending."""

    marked: IntArray
    judged: IntArray

    @property
    def n_items(self) -> int:
        return len(self.judged)


def span_frame(judgements: RoundJudgements) -> ResamplingFrame:
    """Return the frame of a round whose judgements are all in memory."""
    columns = judgements.columns
    marked = np.unique(judgements.unit_item[columns.unit[columns.start >= 0]])
    return ResamplingFrame(marked, np.unique(judgements.unit_item[columns.unit[columns.value >= 0]]))


@dataclass(frozen=True, slots=True)
class SpanSums:
    """Sums over the items of one type, or of several.

    total: (2 * columns,) numerators, then denominators; resampled: (replicates, 2 * columns), None without
    replicates; first, last: (columns,) the first and the last item with a denominator, NOBODY without one;
    texts, differing: (columns,) how many items have one, and how many of these say something else than most,
    of several types of the type with most; reasons: for each column how often which reason left it undefined.
    """

    columns: tuple[str, ...]
    total: FloatArray
    resampled: FloatArray | None
    first: IntArray
    last: IntArray
    texts: IntArray
    differing: IntArray
    reasons: Mapping[str, Mapping[str, int]]
    n_units: int
    n_gold: int
    n_disagreement: int
    by_characters: int

    @classmethod
    def pooled(cls, parts: Sequence[SpanSums]) -> SpanSums:
        """Return the sums of several types together, added in the order given; at least one."""
        reasons: dict[str, Counter[str]] = {}
        for part in parts:
            for name, found in part.reasons.items():
                reasons.setdefault(name, Counter()).update(found)
        resampled = [part.resampled for part in parts if part.resampled is not None]
        firsts = np.stack([part.first for part in parts])
        first = np.where(firsts == NOBODY, np.iinfo(np.int64).max, firsts).min(axis=0)
        last = np.stack([part.last for part in parts]).max(axis=0)
        return cls(
            columns=parts[0].columns,
            total=_added([part.total for part in parts]),
            resampled=_added(resampled) if resampled else None,
            first=np.where(last == NOBODY, NOBODY, first),
            last=last,
            texts=np.stack([part.texts for part in parts]).max(axis=0),
            differing=np.stack([part.differing for part in parts]).max(axis=0),
            reasons=reasons,
            n_units=sum(part.n_units for part in parts),
            n_gold=sum(part.n_gold for part in parts),
            n_disagreement=sum(part.n_disagreement for part in parts),
            by_characters=sum(part.by_characters for part in parts),
        )

    def to_json(self) -> dict[str, Any]:
        """Return everything but `resampled` as plain data."""
        return {
            "columns": list(self.columns),
            "total": self.total.tolist(),
            "first": self.first.tolist(),
            "last": self.last.tolist(),
            "texts": self.texts.tolist(),
            "differing": self.differing.tolist(),
            "reasons": {name: dict(found) for name, found in self.reasons.items()},
            "n_units": self.n_units,
            "n_gold": self.n_gold,
            "n_disagreement": self.n_disagreement,
            "by_characters": self.by_characters,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], resampled: FloatArray | None) -> SpanSums:
        """Return the sums that `to_json` wrote down, to the last bit."""
        return cls(
            **{
                **stored,
                "columns": tuple(stored["columns"]),
                "total": np.array(stored["total"], dtype=np.float64),
                "resampled": resampled,
                "first": np.array(stored["first"], dtype=np.int64),
                "last": np.array(stored["last"], dtype=np.int64),
                "texts": np.array(stored["texts"], dtype=np.int64),
                "differing": np.array(stored["differing"], dtype=np.int64),
            }
        )

    def reason(self, figure: str) -> str:
        """Say why a figure without any denominator is undefined."""
        found = self.reasons.get(measure_of(figure), {})
        if figure in ALPHAS:
            return next((code for code in (NO_VARIATION, NO_SPANS, NO_PAIRS) if code in found), NO_SPANS)
        if found:
            return min(found, key=lambda reason: (-found[reason], reason))
        return without_target(figure) if "_against_" in figure else NO_PAIRS

    def estimate(self, figure: str) -> tuple[Estimate, int]:
        """Return a figure with its interval over items, and its denominator: the number of pairs or spans."""
        column = self.columns.index(figure)
        pair = [column, len(self.columns) + column]
        numerator, denominator = self.total[pair]
        if not denominator:
            return undefined(self.reason(figure)), 0
        complement = figure in ALPHAS
        value = float(_ratio(numerator, denominator, complement=complement))
        if self.resampled is None:
            return Estimate(value, interval_reason=NOT_COMPUTED), int(denominator)
        if self.first[column] == self.last[column]:
            return Estimate(value, interval_reason=SINGLE_ITEM), int(denominator)
        numerators, denominators = self.resampled[:, pair].T
        defined = denominators > 0
        values = np.zeros(len(denominators))
        values[defined] = _ratio(numerators[defined], denominators[defined], complement=complement)
        information = Information(max(int(self.texts[column]), 2), int(self.differing[column]))
        floor = -1.0 if complement else 0.0
        interval = judged_interval(value, values, defined, information, floor=floor)
        return interval.on(Estimate(value)), int(denominator)


def _ratio(numerator: Any, denominator: Any, *, complement: bool) -> Any:
    quotient = numerator / denominator
    return 1 - quotient if complement else quotient


def _added(arrays: Sequence[FloatArray]) -> FloatArray:
    whole = arrays[0].copy()
    for array in arrays[1:]:
        whole += array
    return whole


def span_sums(
    findings: Mapping[int, Findings], frame: ResamplingFrame, parameters: dict[str, Any]
) -> dict[int, SpanSums]:
    """Return the sums of each type. One draw of resamples serves all that are asked for together."""
    matrices = {}
    for kind, found in findings.items():
        # A type without any span, as most are where few are judged, has no rows at all.
        matrices[kind] = np.zeros((len(frame.marked) if found.items else 0, 2 * len(found.columns)))
        if found.items:
            matrices[kind][np.searchsorted(frame.marked, found.items)] = found.rows
    resampled = _resampled(matrices, frame, parameters)
    continua = _continua(findings, frame, parameters)
    return {
        kind: _with_pooled(
            _sums(found, matrices[kind], resampled.get(kind), frame),
            found,
            continua.get(kind),
            frame,
            parameters,
        )
        for kind, found in findings.items()
    }


def _continua(
    findings: Mapping[int, Findings], frame: ResamplingFrame, parameters: dict[str, Any]
) -> dict[int, FloatArray]:
    """Return what the texts of each type with a span add up to in each resample, (replicates, 10)."""
    rows = {
        kind: found.continuum[frame.judged]
        for kind, found in findings.items()
        if found.continuum is not None and found.items
    }
    n = frame.n_items
    if not rows or not parameters["replicates"]:
        return {}
    rng = generator(parameters["seed"], CONTINUUM_STREAM)
    parts: dict[int, list[FloatArray]] = {kind: [] for kind in rows}
    for weights in resampled_items(n, n, parameters["replicates"], rng):
        for kind, chunks in parts.items():
            chunks.append(weights @ rows[kind])
    return {kind: np.concatenate(chunks) for kind, chunks in parts.items()}


def _with_pooled(
    sums: SpanSums,
    found: Findings,
    drawn: FloatArray | None,
    frame: ResamplingFrame,
    parameters: dict[str, Any],
) -> SpanSums:
    """Return the sums with those of POOLED_ALPHAS: observed, then expected disagreement in positions."""
    none = np.zeros((0, 2 * len(SUMS)))
    rows = none if found.continuum is None else found.continuum[frame.judged]
    judges = np.zeros(0, dtype=np.int64) if found.judges is None else found.judges[frame.judged]
    whole = rows.sum(axis=0)
    pairable = np.flatnonzero(judges > 1)
    ends = (frame.judged[pairable[0]], frame.judged[pairable[-1]]) if pairable.size else (NOBODY, NOBODY)
    parts, n_own = pooled_parts(whole), len(sums.columns)
    reasons = dict(sums.reasons)
    for place, name in enumerate(POOLED_ALPHAS):
        if not parts[1][place]:
            own = whole[place * len(SUMS) :]
            why = why_undefined(own, texts=int((judges > 0).sum()), pairable=pairable.size)
            reasons[name] = Counter({why: 1})
    resampled = None
    if parameters["replicates"]:
        none_drawn = np.zeros((parameters["replicates"], 2 * len(SUMS)))
        more = pooled_parts((none_drawn if drawn is None else drawn).T)
        own_drawn = sums.resampled
        if own_drawn is None:
            own_drawn = np.zeros((parameters["replicates"], 2 * n_own))
        resampled = np.hstack([own_drawn[:, :n_own], more[0].T, own_drawn[:, n_own:], more[1].T])
    is_there = parts[1] > 0
    differing = pooled_differing(rows)
    return replace(
        sums,
        columns=(*sums.columns, *POOLED_ALPHAS),
        total=np.concatenate([sums.total[:n_own], parts[0], sums.total[n_own:], parts[1]]),
        resampled=resampled,
        first=np.append(sums.first, np.where(is_there, ends[0], NOBODY)),
        last=np.append(sums.last, np.where(is_there, ends[1], NOBODY)),
        texts=np.append(sums.texts, np.where(is_there, pairable.size, 0)),
        differing=np.append(sums.differing, differing),
        reasons=reasons,
    )


def _sums(
    found: Findings, matrix: FloatArray, resampled: FloatArray | None, frame: ResamplingFrame
) -> SpanSums:
    there = matrix[:, len(found.columns) :] != 0
    any_there = there.any(axis=0)
    first, last = np.full((2, len(found.columns)), NOBODY, dtype=np.int64)
    if len(matrix):
        first = np.where(any_there, frame.marked[there.argmax(axis=0)], NOBODY)
        last = np.where(any_there, frame.marked[len(matrix) - 1 - there[::-1].argmax(axis=0)], NOBODY)
    return SpanSums(
        columns=found.columns,
        total=matrix.sum(axis=0),
        resampled=resampled,
        first=first,
        last=last,
        texts=there.sum(axis=0),
        differing=_differing(matrix, there),
        reasons=found.reasons,
        n_units=found.n_units,
        n_gold=found.n_gold,
        n_disagreement=found.n_disagreement,
        by_characters=found.by_characters,
    )


def _differing(matrix: FloatArray, there: np.ndarray) -> IntArray:
    """Return how many items (items,) say something else than most do, of each column."""
    n = there.shape[1]
    informative = [ratio_information(matrix[:, at], matrix[:, n + at]) for at in range(n)]
    return np.array([one.differing for one in informative], dtype=np.int64)


def _resampled(
    matrices: Mapping[int, FloatArray], frame: ResamplingFrame, parameters: dict[str, Any]
) -> dict[int, FloatArray]:
    """Return each (marked items, columns) matrix summed over each resample, (replicates, columns)."""
    n_marked = len(frame.marked)
    if not n_marked or not parameters["replicates"]:
        return {}
    rng = generator(parameters["seed"], SPAN_STREAM)
    # Types without any span are zero in every resample, and are most where few types are judged.
    parts: dict[int, list[FloatArray]] = {kind: [] for kind, matrix in matrices.items() if matrix.any()}
    # Items without a span add nothing: they are not drawn one by one.
    for weights in resampled_items(frame.n_items, n_marked, parameters["replicates"], rng):
        for kind, chunks in parts.items():
            chunks.append(weights @ matrices[kind])
    return {
        kind: np.concatenate(parts[kind])
        if kind in parts
        else np.zeros((parameters["replicates"], matrix.shape[1]))
        for kind, matrix in matrices.items()
    }


def span_section(sums: SpanSums) -> SpanFigures:
    """Return the span figures of one section as plain data."""

    def of_pairs(figure: str) -> PairEstimateFigures:
        estimate, number = sums.estimate(figure)
        return {**estimate.to_json(), "n_pairs": number}

    def of_spans(target: SpanTarget) -> dict[str, SpanEstimateFigures]:
        found = {measure: sums.estimate(f"{measure}_against_{target}") for measure in MEASURES}
        return {name: {**estimate.to_json(), "n_spans": number} for name, (estimate, number) in found.items()}

    def of_texts(way: ItemMean) -> dict[str, TextEstimateFigures]:
        found = {measure: sums.estimate(f"{measure}_{way}") for measure in MEASURES}
        return {name: {**estimate.to_json(), "n_texts": number} for name, (estimate, number) in found.items()}

    return {
        "n_units": sums.n_units,
        "n_gold": sums.n_gold,
        "n_disagreement": sums.n_disagreement,
        "counted_by_characters": sums.by_characters,
        "similarity": {name: of_pairs(name) for name in MEASURES},
        "against": {"gold": of_spans("gold"), "gold_and_disagreement": of_spans("gold_and_disagreement")},
        "over_items": of_texts("over_items"),
        "joint": of_texts("joint"),
        "u_alpha": sums.estimate("u_alpha")[0].to_json(),
        "alpha_token": sums.estimate("alpha_token")[0].to_json(),
        "alpha_token_within": sums.estimate("alpha_token_within")[0].to_json(),
    }
