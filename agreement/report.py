"""Assemble the report of a round from arrays; only the texts still stream from where they are stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from agreement.canonical import canonical
from agreement.consensus import ConsensusSpan
from agreement.crosstable import cross_tables
from agreement.disputes import question_disputes, type_disputes
from agreement.encoders import Encoder, MissingEncoder
from agreement.figures import table_figures
from agreement.judgements import RoundJudgements
from agreement.people import annotator_figures, median_seconds
from agreement.sections import LABELS, Section, sections_of
from agreement.semantic_findings import SpanTexts, bertscore_add
from agreement.span_findings import Findings, MarkedUnit, Texts, findings_read, span_figures
from annotation.codebooks.definition import FOCUS

REPORT_VERSION = 2
"""Part of the digest: raise it when the same judgements would give other figures."""

ALIVE_UNITS = 1_000

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class RoundReport:
    """What is stored: figures as canonical JSON data, rows of ConsensusSpan, rows of DisputedUnit."""

    figures: dict[str, Any]
    spans: list[dict[str, Any]] = field(default_factory=list)
    units: list[dict[str, Any]] = field(default_factory=list)


def report_build(
    judgements: RoundJudgements,
    parameters: dict[str, Any],
    *,
    texts: Texts,
    progress: Progress,
    encoder: Encoder | MissingEncoder | None = None,
) -> RoundReport:
    """Return the whole report of a round; with an encoder BERTScore is among the similarities of spans.

    A `live` report (of a round that is still open) has aggregates only: nothing of one annotator or item.
    """
    sections = sections_of(judgements)
    steps = len(sections) + 1
    progress(0, steps)
    report = RoundReport(figures=_head(judgements, sections, parameters))
    spans = _spans_and_units(
        judgements, sections, parameters, texts, report, encoder, alive=lambda: progress(0, steps)
    )
    progress(1, steps)
    for done, section in enumerate(sections, start=2):
        report.figures["sections"].append(
            {
                **_section(judgements, section, parameters),
                "spans": spans.get(section.key),
                "queue": _queue(judgements, section, report.units),
            }
        )
        progress(done, steps)
    if parameters.get("live"):
        _aggregates_only(report)
    report.figures = canonical(report.figures)
    return report


def _head(judgements: RoundJudgements, sections: list[Section], parameters: dict[str, Any]) -> dict[str, Any]:
    answered = judgements.columns.value >= 0
    units = np.unique(judgements.columns.unit[answered])
    return {
        "version": REPORT_VERSION,
        "protocol": judgements.protocol,
        "parameters": parameters,
        "n_items": int(np.unique(judgements.unit_item[units]).size),
        "n_items_drawn": len(judgements.items),
        "n_units": int(units.size),
        "n_annotators": int(np.unique(judgements.columns.rater[answered]).size),
        "n_judgements": judgements.n_judgements,
        "n_cannot_judge": int((~answered).sum()),
        "categories": [
            {"code": code, "name": name}
            for code, name in zip(judgements.categories, judgements.category_names, strict=True)
        ],
        "reasons": [
            {"code": code, "name": name}
            for code, name in zip(judgements.reasons, judgements.reason_names, strict=True)
        ],
        "groups": [
            {"key": group.key, "name": group.name, "letter": group.letter, "hue": group.hue}
            for group in judgements.groups
        ],
        "annotators": annotator_figures(judgements, sections, parameters),
        "cross": cross_tables(judgements),
        "sections": [],
    }


def _section(judgements: RoundJudgements, section: Section, parameters: dict[str, Any]) -> dict[str, Any]:
    figures = table_figures(
        section.ratings,
        key=section.key,
        categories=section.categories,
        parameters=parameters,
        clusters=section.clusters,
        positive=section.positive,
    )
    columns = judgements.columns
    if judgements.protocol == FOCUS:
        mine = np.isin(columns.unit // max(len(judgements.items), 1), section.kinds)
        number = figures["n_ratings"]
        figures["yes_rate"] = figures["labels"]["yes"] / number if number else None
    else:
        mine = np.ones(len(columns), dtype=np.bool_)
    return {
        "key": section.key,
        "kind": section.kind,
        "code": section.code,
        "name": section.name,
        "group": section.group,
        **figures,
        "n_cannot_judge": int((mine & (columns.value < 0)).sum()),
        "median_seconds": median_seconds(columns, mine),
    }


def _spans_and_units(
    judgements: RoundJudgements,
    sections: list[Section],
    parameters: dict[str, Any],
    texts: Texts,
    report: RoundReport,
    encoder: Encoder | MissingEncoder | None,
    *,
    alive: Callable[[], None],
) -> dict[str, dict[str, Any]]:
    """Fill the rows of spans and disputed units; return the span figures of the sections that have spans.

    `alive` is called every ALIVE_UNITS units: the spans of a large round take longer than a lease.
    """
    if judgements.protocol != FOCUS:
        report.units = question_disputes(judgements)
        return {}
    seen = count(1)
    without_gold: list[dict[int, tuple[str, tuple[ConsensusSpan, ...]]]] = [{} for _ in judgements.kinds]

    span_texts = SpanTexts(encoder) if isinstance(encoder, Encoder) else None

    def found(unit: MarkedUnit, text: str, spans: tuple[ConsensusSpan, ...]) -> None:
        if not any(span.kind == "gold" for span in spans):
            without_gold[unit.kind][unit.item] = (text, spans)
        report.spans.extend(_span_rows(judgements, unit, text, spans))
        if span_texts:
            span_texts.add(unit.kind, unit.item, [text[start:end] for _, start, end in unit.spans])
        if next(seen) % ALIVE_UNITS == 0:
            alive()

    kinds = findings_read(judgements, texts, threshold=parameters["span_match"], found=found)
    for index, marked in enumerate(without_gold):
        report.units.extend(type_disputes(judgements, index, marked))
    with_spans = {
        section.key: section.kinds
        for section in sections
        if any(judgements.kinds[index].span for index in section.kinds)
    }
    pooled = {
        key: Findings.pooled([kinds[index] for index in members]) for key, members in with_spans.items()
    }
    n_items = report.figures["n_items"]
    figures = span_figures(pooled, n_items=n_items, parameters=parameters)
    if encoder:
        report.figures["encoder"] = bertscore_add(
            figures, encoder, span_texts, with_spans, n_items=n_items, parameters=parameters, alive=alive
        )
    return figures


def _span_rows(
    judgements: RoundJudgements, unit: MarkedUnit, text: str, spans: tuple[ConsensusSpan, ...]
) -> list[dict[str, Any]]:
    return [
        {
            "item_id": int(judgements.items.ids[unit.item]),
            "type_code": judgements.kinds[unit.kind].code,
            "start": span.start,
            "end": span.end,
            "text": text[span.start : span.end],
            "support": span.support,
            "kind": span.kind,
            "members": [judgements.rater_ids[rater] for rater in span.annotators],
        }
        for span in spans
    ]


def _queue(judgements: RoundJudgements, section: Section, units: list[dict[str, Any]]) -> dict[str, int]:
    """Count what waits for adjudication, by reason, and all units that are not of one mind."""
    if judgements.protocol == FOCUS:
        codes = {judgements.kinds[index].code for index in section.kinds}
        units = [unit for unit in units if unit["type_code"] in codes]
    elif section.key != LABELS:
        units = []
    whys = [unit["why"] for unit in units]
    return {
        "total": sum(why != "" for why in whys),
        "undecided": whys.count("undecided"),
        "no_gold_span": whys.count("no_gold_span"),
        "reason_open": whys.count("reason_open"),
        "disputed": len(whys),
    }


def _aggregates_only(report: RoundReport) -> None:
    report.spans, report.units = [], []
    report.figures["annotators"], report.figures["cross"] = [], []
    for section in report.figures["sections"]:
        section["pairs"], section["pairs_undefined"], section["queue"] = [], {}, {}
        section["prevalence"] = {}
