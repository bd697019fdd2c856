"""Assemble the report of a round from arrays; only the texts still stream from where they are stored.

What is computed of one type alone is a `TypePart`, what needs all types a `PooledPart`. One task makes
them one after the other, or each its own (agreement.computation.parts); `assemble_report` makes the same
report of both.

See docs/decisions/agreement.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from agreement.report.annotators import annotator_figures, median_seconds
from agreement.report.bertscore_figures import add_bertscore
from agreement.report.cross_tables import cross_tables
from agreement.report.disputes import question_disputes
from agreement.report.figures import (
    LabelSectionFigures,
    QueueFigures,
    ReportFigures,
    SetsOfTypes,
    YesRate,
)
from agreement.report.judgements import RoundJudgements
from agreement.report.label_figures import set_figures, table_figures
from agreement.report.per_type import Heartbeat, Rows, TypePart, find_types
from agreement.report.sections import ALL, LABELS, Section, build_sections, type_section
from agreement.report.span_figures import Texts
from agreement.report.span_sums import SpanSums, span_frame, span_section
from agreement.report.suggestions import suggestion_figures
from agreement.report.unsaid import LIVE_ITEMS, few_sets, items_of, section_unsaid, unsaid
from agreement.spans.encoders import Encoder, MissingEncoder
from annotation.codebooks.definition import FOCUS
from core.canonical_json import canonical

REPORT_VERSION = 7
"""Part of the digest: raise it when the same judgements would give other figures."""

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class RoundReport:
    """What is stored: figures as canonical JSON data, rows of ConsensusSpan, rows of DisputedUnit."""

    figures: ReportFigures
    spans: Rows = field(default_factory=list)
    units: Rows = field(default_factory=list)


@dataclass(slots=True)
class PooledPart:
    """What needs all types: the head of the figures, and the sections of groups and of all types.

    members has for each of these sections the indices of its types.
    """

    figures: ReportFigures
    sections: list[LabelSectionFigures]
    members: list[list[int]]


def build_report(
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
    sections = build_sections(judgements)
    steps = len(sections) + 1
    steps_done = count(1)
    progress(0, steps)

    def heartbeat() -> None:
        progress(next(steps_done), steps)

    if judgements.protocol == FOCUS:
        types = range(len(judgements.types))
        parts = find_types(
            judgements,
            types,
            parameters,
            texts=texts,
            frame=span_frame(judgements),
            encoder=encoder,
            heartbeat=lambda: progress(0, steps),
        )
        heartbeat()
        for index in types:
            parts[index].section = type_figures(judgements, index, parameters)
            heartbeat()
        pooled = build_pooled(judgements, parameters, texts=texts, heartbeat=heartbeat)
        report = assemble_report(pooled, [parts[index] for index in types], encoder)
    else:
        report = _of_questions(judgements, sections, parameters, texts, heartbeat)
    if parameters.get("live"):
        _aggregates_only(report, {section.key: section for section in sections}, judgements)
    return report


def type_figures(judgements: RoundJudgements, index: int, parameters: dict[str, Any]) -> LabelSectionFigures:
    """Return the figures of labels of one type."""
    return _section(judgements, type_section(judgements, index), parameters)


def build_pooled(
    judgements: RoundJudgements, parameters: dict[str, Any], *, texts: Texts, heartbeat: Heartbeat
) -> PooledPart:
    """Return what needs the judgements of all types; `heartbeat` is called after each section."""
    sections = build_sections(judgements)
    part = PooledPart(_head(judgements, sections, parameters, texts), [], [])
    for section in sections:
        if section.kind != "type":
            part.sections.append(_section(judgements, section, parameters))
            part.members.append(list(section.types))
            heartbeat()
    return part


def assemble_report(
    pooled: PooledPart, parts: Sequence[TypePart], encoder: Encoder | MissingEncoder | None
) -> RoundReport:
    """Return the report of a round from its parts, the types in the order of the codebook."""
    figures: ReportFigures = {**pooled.figures, "sections": []}
    if encoder:
        figures["encoder"] = {**encoder.to_json(), "n_cut": sum(part.n_cut for part in parts)}
    of_types = [(part.section, [index]) for index, part in enumerate(parts) if part.section is not None]
    for section, members in [*of_types, *zip(pooled.sections, pooled.members, strict=True)]:
        spans = None
        if any(parts[index].with_span for index in members):
            sums = SpanSums.pooled([parts[index].sums for index in members])
            spans = span_section(sums)
            if encoder:
                add_bertscore(spans, sums)
        queue = _queue([unit for index in members for unit in parts[index].units])
        figures["sections"].append({**section, "spans": spans, "queue": queue})
    return RoundReport(
        figures=canonical(figures),
        spans=[row for part in parts for row in part.spans],
        units=[row for part in parts for row in part.units],
    )


def _of_questions(
    judgements: RoundJudgements,
    sections: list[Section],
    parameters: dict[str, Any],
    texts: Texts,
    heartbeat: Heartbeat,
) -> RoundReport:
    report = RoundReport(_head(judgements, sections, parameters, texts), units=question_disputes(judgements))
    heartbeat()
    for section in sections:
        figures = _section(judgements, section, parameters)
        queue = _queue(report.units if section.key == LABELS else [])
        report.figures["sections"].append({**figures, "spans": None, "queue": queue})
        heartbeat()
    report.figures = canonical(report.figures)
    return report


def _head(
    judgements: RoundJudgements, sections: list[Section], parameters: dict[str, Any], texts: Texts
) -> ReportFigures:
    answered = judgements.columns.value >= 0
    units = np.unique(judgements.columns.unit[answered])
    head: ReportFigures = {
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
        "annotators": annotator_figures(judgements, sections, parameters, texts=texts),
        "cross": cross_tables(judgements),
        "sections": [],
    }
    suggested = judgements.suggested
    if suggested is not None and not parameters.get("live"):
        head["suggestions"] = suggestion_figures(
            judgements,
            suggested,
            parameters,
            report_of=lambda part: (
                build_report(part, parameters, texts=texts, progress=lambda _done, _total: None).figures
            ),
        )
    clusters = judgements.clusters
    if clusters is not None:
        head["n_clusters"] = int(np.unique(clusters[judgements.unit_item[units]]).size)
    return head


def _section(
    judgements: RoundJudgements, section: Section, parameters: dict[str, Any]
) -> LabelSectionFigures:
    figures = table_figures(
        section.ratings,
        key=section.key,
        categories=section.categories,
        parameters=parameters,
        clusters=section.clusters,
        positive=section.positive,
        strata=section.strata,
        item_clusters=section.item_clusters,
    )
    sets: SetsOfTypes = {}
    if section.kind == ALL and section.strata is not None:
        sets = {"sets": set_figures(section.strata, key=section.key, parameters=parameters)}
    columns = judgements.columns
    if judgements.protocol == FOCUS:
        mine = np.isin(columns.unit // max(len(judgements.items), 1), section.types)
        number = figures["n_ratings"]
        yes_rate: YesRate = {"yes_rate": figures["labels"]["yes"] / number if number else None}
    else:
        mine, yes_rate = np.ones(len(columns), dtype=np.bool_), {}
    return {
        "key": section.key,
        "kind": section.kind,
        "code": section.code,
        "name": section.name,
        "group": section.group,
        **figures,
        **yes_rate,
        **sets,
        "n_cannot_judge": int((mine & (columns.value < 0)).sum()),
        "median_seconds": median_seconds(columns, mine),
    }


def _queue(units: Rows) -> QueueFigures:
    """Count what waits for adjudication, by reason, and all units that are not of one mind."""
    whys = [unit["why"] for unit in units]
    return {
        "total": sum(why != "" for why in whys),
        "undecided": whys.count("undecided"),
        "no_gold_span": whys.count("no_gold_span"),
        "reason_open": whys.count("reason_open"),
        "disputed": len(whys),
    }


def _aggregates_only(report: RoundReport, sections: dict[str, Section], judgements: RoundJudgements) -> None:
    """Leave out of a live report what is of one annotator or item, and figures that rest on a few items."""
    report.spans, report.units = [], []
    report.figures["annotators"], report.figures["cross"] = [], []
    unsaid_types: set[int] = set()
    for place, section in enumerate(report.figures["sections"]):
        section["pairs"], section["pairs_undefined"], section["queue"] = [], {}, {}
        section["prevalence"] = {}
        if "sets" in section and few_sets(section["sets"], LIVE_ITEMS):
            section["sets"] = unsaid(section["sets"])
        judged, compared = items_of(judgements, sections[section["key"]])
        if 0 < judged < LIVE_ITEMS or 0 < compared < LIVE_ITEMS:
            report.figures["sections"][place] = section_unsaid(section)
            unsaid_types.update(sections[section["key"]].types)
    for section in report.figures["sections"]:
        # With the mean of all and what the others say, a type that is not told could be worked out.
        if "mean_of_types" in section and unsaid_types.intersection(sections[section["key"]].types):
            section["mean_of_types"] = unsaid(section["mean_of_types"])
            section["stacked"] = unsaid(section["stacked"])
            if "sets" in section:
                section["sets"] = unsaid(section["sets"])
