"""The FOCUS benchmark shape: one object an argument, its decided question types and their gold spans.

See docs/decisions/releases.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from annotation.codebooks.definition import AnnotationType, Codebook
from annotation.codebooks.exemplar_questions import question_from_exemplar
from exports.formats.jsonfile import Repeated, RepeatedList
from exports.selection.decisions import DecidedSpan, FinalType
from exports.selection.records import ItemRecord
from exports.selection.refined_questions import Refined, SpanKey
from exports.selection.selection import Selection

NO_SPAN = "Null"
"""Stands where a type has no span to show, as in the published dataset."""


def entry(record: ItemRecord, selection: Selection, *, withheld: bool = False) -> dict[str, Any]:
    """Return the object of one argument; with its references withheld, the argument alone."""
    item = record.item
    given = {
        "argument_id": item.external_id,
        "argument": item.text,
        "dataset": item.source,
        "topic": item.topic,
    }
    if withheld:
        return given
    fsq_types, spans = probes(record, selection.codebook)
    asked = [kind for kind in selection.codebook.types if kind.code in record.types]
    refined = record.refined if selection.parameters.refined_questions else None
    return {
        **given,
        "fsq_types": fsq_types,
        "spans": spans,
        "labels": _labels(item.text, asked, record.types, refined),
    }


def probes(record: ItemRecord, codebook: Codebook) -> tuple[list[str], list[str]]:
    """Return the parallel lists of type names and gold spans: one entry a gold span of a type decided yes.

    A type without spans stands with `Null`. Where all types that the argument was asked are decided no it is
    the derived type, if the codebook has one. What is undecided is in neither list.
    """
    decided_no = [decision.applicable is False for decision in record.types.values()]
    if codebook.derived_none and decided_no and all(decided_no):
        return [codebook.derived_none.name], [NO_SPAN]
    names, spans = [], []
    for kind in codebook.types:
        decision = record.types.get(kind.code)
        if decision is None or not decision.applicable:
            continue
        found = (
            [record.item.text[span.start : span.end] for span in decision.gold] if kind.span else [NO_SPAN]
        )
        names += [kind.name] * len(found)
        spans += found
    return names, spans


def _labels(
    text: str,
    kinds: Sequence[AnnotationType],
    decided: Mapping[str, FinalType],
    refined: dict[SpanKey, Refined] | None,
) -> list[dict[str, Any]]:
    decisions = tuple([decided[kind.code] for kind in kinds])
    if any(decision.gold or decision.disagreement for decision in decisions):
        pairs = zip(kinds, decisions, strict=True)
        return [_label(text, kind, decision, refined) for kind, decision in pairs]
    return _labels_without_spans(tuple([(kind.code, kind.name) for kind in kinds]), decisions)


def _label(
    text: str, kind: AnnotationType, decision: FinalType, refined: dict[SpanKey, Refined] | None
) -> dict[str, Any]:
    if not decision.gold and not decision.disagreement:
        return _label_without_spans(kind.code, kind.name, decision)
    return {
        "code": kind.code,
        "fsq_type": kind.name,
        "applicable": decision.applicable,
        "votes": {"yes": decision.yes, "no": decision.no},
        "gold_spans": [
            {
                **_span(text, span),
                "question": _question(kind, text[span.start : span.end]),
                **(_refined(refined.get((kind.code, span.start, span.end))) if refined is not None else {}),
            }
            for span in decision.gold
        ],
        "disagreement_spans": [_span(text, span) for span in decision.disagreement],
        "adjudicated": decision.adjudicated,
    }


def _question(kind: AnnotationType, words: str) -> str | None:
    # A type that asked for spans in an earlier round has no exemplar once its codebook asks for none.
    return question_from_exemplar(kind.exemplar, words) if kind.exemplar else None


@lru_cache(maxsize=512)
def _labels_without_spans(
    kinds: tuple[tuple[str, str], ...], decisions: tuple[FinalType, ...]
) -> RepeatedList:
    # Most items of a dataset in which few types are judged.
    pairs = zip(kinds, decisions, strict=True)
    return RepeatedList(_label_without_spans(code, name, decision) for (code, name), decision in pairs)


@lru_cache(maxsize=4096)
def _label_without_spans(code: str, name: str, decision: FinalType) -> Repeated:
    # Most labels of a dataset: a handful of distinct ones, so each is made and laid out once.
    return Repeated(
        {
            "code": code,
            "fsq_type": name,
            "applicable": decision.applicable,
            "votes": {"yes": decision.yes, "no": decision.no},
            "gold_spans": [],
            "disagreement_spans": [],
            "adjudicated": decision.adjudicated,
        }
    )


def _refined(found: Refined | None) -> dict[str, Any]:
    return {
        "question_refined": found.question if found else None,
        "refinement_run": found.run if found else None,
    }


def _span(text: str, span: DecidedSpan) -> dict[str, Any]:
    return {
        "start": span.start,
        "end": span.end,
        "text": text[span.start : span.end],
        "support": span.support,
    }
