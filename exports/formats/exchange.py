"""Judgements in the forms of other annotation tools: Label Studio, doccano, W3C Web Annotation.

One table of formats: key, label for people, file, and a function from an item's record to what is written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from annotation.codebooks.definition import PUBLISHED_LABELS
from exports.deciding import Judgement
from exports.records import ItemRecord, Selection
from exports.stored import QuestionRow

CONTEXT = 32
"""Characters of context on either side of a quote, by which a Web Annotation is found in another copy."""


@dataclass(frozen=True, slots=True)
class ExchangeFormat:
    """One form: `objects` yields what an item becomes; `layout` is a JSON list or lines."""

    key: str
    label: str
    file: str
    layout: Literal["list", "lines"]
    objects: Callable[[ItemRecord, Selection], Iterator[dict[str, Any]]]


def label_studio(record: ItemRecord, selection: Selection) -> Iterator[dict[str, Any]]:
    """Yield the Label Studio task of an item, one annotation an annotator.

    A type with a span is a `labels` region of `span`, any other answer a choice: `type` lists the types that
    apply, and a question's label is the choice named by its position. Offsets are code points. Reasons,
    edited questions and, where they are chosen, comments stand in controls of their own.
    """
    item = record.item
    data: dict[str, Any] = {
        "id": item.external_id,
        "text": item.text,
        "source": item.source,
        "topic": item.topic,
    }
    if record.questions:
        data["questions"] = [{"position": row.position, "text": row.text} for row in record.questions]
    yield {
        "data": data,
        "annotations": [
            {
                "completed_by": selection.members[annotator],
                "result": [
                    result
                    for judgement in judgements
                    for result in _label_studio_results(judgement, record, selection)
                ],
            }
            for annotator, judgements in _by_annotator(record).items()
        ],
    }


def _label_studio_results(
    judgement: Judgement, record: ItemRecord, selection: Selection
) -> Iterator[dict[str, Any]]:
    identifier = f"{judgement.unit}-{selection.members[judgement.annotator]}"
    if isinstance(judgement.unit, str):
        if judgement.start is not None:
            value = {
                "start": judgement.start,
                "end": judgement.end,
                "text": judgement.quote,
                "labels": [_type_name(judgement.unit, selection)],
            }
            yield {"id": identifier, "from_name": "span", "to_name": "text", "type": "labels", "value": value}
        answer = "yes" if judgement.answer else "no"
        choice, name = {"choices": [answer]}, f"type_{judgement.unit}"
        yield {
            "id": f"{identifier}-answer",
            "from_name": name,
            "to_name": "text",
            "type": "choices",
            "value": choice,
        }
        yield from _label_studio_details(judgement, judgement.unit, identifier, selection)
        return
    position = _question(record, judgement.unit).position
    identifier = f"{position}-{selection.members[judgement.annotator]}"
    yield {
        "id": identifier,
        "from_name": f"question_{position}",
        "to_name": "text",
        "type": "choices",
        "value": {"choices": [PUBLISHED_LABELS[str(judgement.answer)]]},
    }
    yield from _label_studio_details(judgement, position, identifier, selection)


def _label_studio_details(
    judgement: Judgement, unit: str | int, identifier: str, selection: Selection
) -> Iterator[dict[str, Any]]:
    for what, text in _details(judgement, selection):
        is_choice = what == "reason"
        yield {
            "id": f"{identifier}-{what}",
            "from_name": f"{what}_{unit}",
            "to_name": "text",
            "type": "choices" if is_choice else "textarea",
            "value": {"choices" if is_choice else "text": [text]},
        }


def _details(judgement: Judgement, selection: Selection) -> list[tuple[str, str]]:
    """Return what stands beside an answer, as far as there is any; comments only where they are chosen."""
    comment = judgement.comment if selection.parameters.comments else ""
    found = [
        ("reason", judgement.reason),
        ("comment", comment),
        ("edited_question", judgement.edited_question),
    ]
    return [(what, text) for what, text in found if text]


def doccano(record: ItemRecord, selection: Selection) -> Iterator[dict[str, Any]]:
    """Yield doccano's lines of an item, one an annotator: the text, and [start, end, name] of each span.

    `cats` lists the types that apply without a span, or the label of each question by its position, `no` the
    types that do not apply; `reasons`, `edited_questions` and, where they are chosen, `comments` are by type
    or position.
    """
    for annotator, judgements in _by_annotator(record).items():
        spans = [
            [row.start, row.end, _type_name(str(row.unit), selection)]
            for row in judgements
            if row.start is not None
        ]
        cats = [
            _type_name(row.unit, selection)
            if isinstance(row.unit, str)
            else f"{_question(record, row.unit).position}: {PUBLISHED_LABELS[str(row.answer)]}"
            for row in judgements
            if row.start is None and row.answer
        ]
        no = [_type_name(str(row.unit), selection) for row in judgements if row.answer is False]
        details: dict[str, dict[str, str]] = {}
        for row in judgements:
            unit = row.unit if isinstance(row.unit, str) else _question(record, row.unit).position
            for what, text in _details(row, selection):
                details.setdefault(f"{what}s", {})[str(unit)] = text
        yield {
            "id": record.item.external_id,
            "text": record.item.text,
            "annotator": selection.members[annotator],
            "label": sorted(spans),
            "cats": cats,
            **({"no": no} if no else {}),
            **details,
        }


def web_annotation(record: ItemRecord, selection: Selection) -> Iterator[dict[str, Any]]:
    """Yield a W3C Web Annotation for each judgement: its target is the span, by position and by quote."""
    item = record.item
    source = f"urn:sha256:{hashlib.sha256(item.text.encode()).hexdigest()}"
    for annotator, judgements in _by_annotator(record).items():
        for row in judgements:
            target: dict[str, Any] = {"source": source, "dcterms:identifier": item.external_id}
            if row.start is not None and row.end is not None:
                target["selector"] = [
                    {"type": "TextPositionSelector", "start": row.start, "end": row.end},
                    {
                        "type": "TextQuoteSelector",
                        "exact": row.quote,
                        "prefix": item.text[max(0, row.start - CONTEXT) : row.start],
                        "suffix": item.text[row.end : row.end + CONTEXT],
                    },
                ]
            yield {
                "@context": ["http://www.w3.org/ns/anno.jsonld", {"dcterms": "http://purl.org/dc/terms/"}],
                "type": "Annotation",
                "motivation": "classifying",
                "creator": {"type": "Person", "nickname": selection.members[annotator]},
                "body": [
                    {"type": "TextualBody", "purpose": "tagging", "value": _said(row, record, selection)}
                ],
                "target": target,
            }


FORMATS = (
    ExchangeFormat("label_studio", "Label Studio JSON", "exchange/label_studio.json", "list", label_studio),
    ExchangeFormat("doccano", "doccano JSON Lines", "exchange/doccano.jsonl", "lines", doccano),
    ExchangeFormat(
        "web_annotation",
        "W3C Web Annotation (JSON-LD)",
        "exchange/web_annotation.jsonl",
        "lines",
        web_annotation,
    ),
)
BY_KEY = {format.key: format for format in FORMATS}


def _by_annotator(record: ItemRecord) -> dict[int, list[Judgement]]:
    """Return the counted answers of each annotator; "cannot judge" is no answer."""
    found: dict[int, list[Judgement]] = {}
    for judgement, counted in zip(record.judgements, record.counted, strict=True):
        if counted and judgement.answer is not None:
            found.setdefault(judgement.annotator, []).append(judgement)
    return dict(sorted(found.items()))


def _type_name(code: str, selection: Selection) -> str:
    kind = selection.codebook.type(code)
    return kind.name if kind else code


def _question(record: ItemRecord, key: int) -> QuestionRow:
    return next(question for question in record.questions if question.pk == key)


def _said(row: Judgement, record: ItemRecord, selection: Selection) -> str:
    if isinstance(row.unit, str):
        return f"{_type_name(row.unit, selection)}: {'yes' if row.answer else 'no'}"
    return f"{_question(record, row.unit).text}: {PUBLISHED_LABELS[str(row.answer)]}"
