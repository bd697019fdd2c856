"""What a report computes of one type alone: its spans, their sums, and its disputed units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from agreement.report.bertscore_figures import SpanTexts
from agreement.report.disputes import type_disputes
from agreement.report.figures import LabelSectionFigures
from agreement.report.judgements import RoundJudgements
from agreement.report.span_figures import MarkedUnit, Texts, by_clusters, read_findings
from agreement.report.span_sums import ResamplingFrame, SpanSums, span_sums
from agreement.spans.consensus import ConsensusSpan
from agreement.spans.encoders import Encoder, MissingEncoder

HEARTBEAT_UNITS = 1_000

Heartbeat = Callable[[], None]
Rows = list[dict[str, Any]]


@dataclass(slots=True)
class TypePart:
    """What is computed of one type alone; an encoder did not read n_cut of its spans to their end."""

    with_span: bool
    sums: SpanSums
    n_cut: int
    spans: Rows
    units: Rows
    section: LabelSectionFigures | None = None


def find_types(
    judgements: RoundJudgements,
    types: Sequence[int],
    parameters: dict[str, Any],
    *,
    texts: Texts,
    frame: ResamplingFrame,
    encoder: Encoder | MissingEncoder | None,
    heartbeat: Heartbeat,
) -> dict[int, TypePart]:
    """Return what the spans and answers of these types say, by index, without figures of labels.

    `heartbeat` is called every HEARTBEAT_UNITS units: the spans of a large round take longer than a lease.
    """
    seen = count(1)
    rows: dict[int, Rows] = {index: [] for index in types}
    without_gold: dict[int, dict[int, tuple[str, tuple[ConsensusSpan, ...]]]] = {index: {} for index in types}
    loaded = encoder if isinstance(encoder, Encoder) else None
    span_texts = {index: SpanTexts(loaded) for index in types} if loaded else {}

    def found(unit: MarkedUnit, text: str, spans: tuple[ConsensusSpan, ...]) -> None:
        if _said_yes(unit) and not any(span.kind == "gold" for span in spans):
            without_gold[unit.kind][unit.item] = (text, spans)
        rows[unit.kind].extend(_span_rows(judgements, unit, text, spans))
        if unit.kind in span_texts:
            span_texts[unit.kind].add(unit, text, spans)
        if next(seen) % HEARTBEAT_UNITS == 0:
            heartbeat()

    findings = read_findings(judgements, types, texts, threshold=parameters["span_match"], found=found)
    for index, of_type in span_texts.items():
        of_type.score(findings[index], heartbeat=heartbeat)
    clusters = judgements.clusters
    if clusters is not None:
        findings, frame = (
            {index: by_clusters(one, clusters) for index, one in findings.items()},
            ResamplingFrame(np.unique(clusters[frame.marked]), np.unique(clusters[frame.judged])),
        )
    sums = span_sums(findings, frame, parameters)
    return {
        index: TypePart(
            with_span=judgements.types[index].span,
            sums=sums[index],
            n_cut=span_texts[index].n_cut if index in span_texts else 0,
            spans=rows[index],
            units=type_disputes(judgements, index, without_gold[index]),
        )
        for index in types
    }


def _said_yes(unit: MarkedUnit) -> bool:
    """Return whether more than half marked a span: of no other unit is the text needed once it was read."""
    return 2 * len(unit.spans) > len(unit.marks)


def _span_rows(
    judgements: RoundJudgements, unit: MarkedUnit, text: str, spans: tuple[ConsensusSpan, ...]
) -> Rows:
    return [
        {
            "item_id": int(judgements.items.ids[unit.item]),
            "type_code": judgements.types[unit.kind].code,
            "start": span.start,
            "end": span.end,
            "text": text[span.start : span.end],
            "support": span.support,
            "kind": span.kind,
            "members": [judgements.rater_ids[rater] for rater in span.annotators],
        }
        for span in spans
    ]
