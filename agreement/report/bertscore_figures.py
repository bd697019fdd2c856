"""BERTScore of the spans of a round: F1 of the pairs who both said yes, and of each span against gold.

Added to a report only where the installation has an encoder. Precision and recall are left out: which of two
annotators is the candidate is chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, combinations_with_replacement
from math import fsum

from agreement.report.figures import (
    PairEstimateFigures,
    SectionFigures,
    SpanEstimateFigures,
    SpanFigures,
)
from agreement.report.span_figures import Findings, Floats, MarkedUnit
from agreement.report.span_sums import SpanSums
from agreement.spans.bertscore import BertScore, Embedded, pair_scores
from agreement.spans.consensus import ConsensusSpan
from agreement.spans.encoders import Encoder
from agreement.spans.gold_spans import AGAINST, SpanTarget, against_columns, against_sums
from agreement.spans.similarity import Similarity, Span
from agreement.statistics.estimates import Estimate, undefined
from agreement.statistics.figures import EstimateFigures

BERTSCORE = "bertscore"
DIGITS = 4
"""Digits after the point that a figure of an encoder keeps: more are not the same on every machine."""

ENCODER_UNAVAILABLE = "encoder_unavailable"
NO_ENCODER = "no_encoder"
NO_ENCODER_TOKEN = "no_encoder_token"

SEMANTIC_COLUMNS = (BERTSCORE, *against_columns([BERTSCORE]))


@dataclass(slots=True)
class SpanTexts:
    """The units of one type with the texts of their spans, of which n_cut were not read to their end."""

    encoder: Encoder
    units: list[tuple[MarkedUnit, tuple[ConsensusSpan, ...], list[str]]] = field(default_factory=list)
    n_cut: int = 0

    def add(self, unit: MarkedUnit, text: str, spans: tuple[ConsensusSpan, ...]) -> None:
        self.units.append((unit, spans, [text[start:end] for _, start, end in unit.spans]))

    def score(self, findings: Findings, *, heartbeat: Callable[[], None]) -> None:
        """Encode, compare, and widen the findings of the type by SEMANTIC_COLUMNS.

        `heartbeat` is called after each batch, because this can take minutes.
        """

        def embed(texts: Sequence[str]) -> list[Embedded]:
            embedded = self.encoder.embed(texts)
            self.n_cut += sum(text.cut for text in embedded)
            heartbeat()
            return embedded

        rows: dict[int, Floats] = {}
        reasons: dict[str, Counter[str]] = {}
        scored = pair_scores((texts for _, _, texts in self.units), embed)
        for (unit, spans, _), scores in zip(self.units, scored, strict=True):
            rows[unit.item], why_undefined = _unit_sums(unit, spans, scores)
            for column, found in why_undefined.items():
                reasons.setdefault(column, Counter()).update(found)
        findings.widen(SEMANTIC_COLUMNS, rows, reasons)


def _unit_sums(
    unit: MarkedUnit, consensus: tuple[ConsensusSpan, ...], scores: list[BertScore | None]
) -> tuple[Floats, dict[str, Counter[str]]]:
    """Return numerators, then denominators of SEMANTIC_COLUMNS; scores of all pairs, each with itself too."""
    found = [
        Similarity(None, NO_ENCODER_TOKEN) if score is None else Similarity(score.f1) for score in scores
    ]
    places = range(len(unit.spans))
    of_pair = dict(zip(combinations_with_replacement(places, 2), found, strict=True)) if found else {}
    # A consensus span is one of the annotators' spans.
    place = {(start, end): at for at, (_, start, end) in enumerate(unit.spans)}

    def compare(span: Span, target: Span) -> Mapping[str, Similarity]:
        first, second = sorted((place[span], place[target]))
        return {BERTSCORE: of_pair[first, second]}

    pairs = [of_pair[pair] for pair in combinations(places, 2)]
    defined = [pair.value for pair in pairs if pair.value is not None]
    sums, numbers, reasons = against_sums("", unit.spans, consensus, measures=[BERTSCORE], compare=compare)
    without = len(pairs) - len(defined)
    if without:
        reasons[BERTSCORE] = Counter({NO_ENCODER_TOKEN: without})
    return (fsum(defined), *sums, float(len(defined)), *numbers), reasons


def add_bertscore(section: SpanFigures, sums: SpanSums) -> None:
    """Put BERTScore into the span figures of a section, not computed where the sums have no encoder's."""

    def figure(column: str) -> tuple[EstimateFigures, int]:
        if column not in sums.columns:
            return undefined(ENCODER_UNAVAILABLE).to_json(), 0
        estimate, number = sums.estimate(column)
        return _rounded(estimate).to_json(), number

    found, n_pairs = figure(BERTSCORE)
    section["similarity"][BERTSCORE] = {**found, "n_pairs": n_pairs}
    for target in AGAINST:
        found, n_spans = figure(f"{BERTSCORE}_against_{target}")
        section["against"][target][BERTSCORE] = {**found, "n_spans": n_spans}


def _rounded(estimate: Estimate) -> Estimate:
    def kept(number: float | None) -> float | None:
        return None if number is None else round(number, DIGITS)

    return replace(estimate, value=kept(estimate.value), low=kept(estimate.low), high=kept(estimate.high))


def bertscore_figure(
    section: SectionFigures, target: SpanTarget | None = None
) -> PairEstimateFigures | SpanEstimateFigures:
    """Return BERTScore of a section of a report that has spans, undefined where none was computed.

    target: what each span is compared with, one of AGAINST; None for the pairs of annotators.
    """
    spans = section["spans"]
    none = undefined(NO_ENCODER).to_json()
    if target is None:
        of_pairs = spans["similarity"].get(BERTSCORE) if spans else None
        return of_pairs or {**none, "n_pairs": 0}
    of_spans = spans["against"][target].get(BERTSCORE) if spans else None
    return of_spans or {**none, "n_spans": 0}
