"""Judgements in the forms of other annotation tools: Label Studio, doccano, W3C Web Annotation.

One table of formats: key, label for people, file, and a function from an item's record to what is written.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from annotation.codebooks.definition import PUBLISHED_LABELS
from core.texts import utf16_offset
from exports.formats import label_studio
from exports.formats.answers import by_annotator, details, question_of, type_name
from exports.formats.instructions import instructions
from exports.selection.decisions import Judgement
from exports.selection.records import ItemRecord
from exports.selection.selection import Selection

_PURPOSES = {"reason": "assessing", "comment": "commenting", "edited_question": "editing"}
CONTEXT = 32
"""Characters of context on either side of a quote, by which a Web Annotation is found in another copy."""


@dataclass(frozen=True, slots=True)
class ExchangeFormat:
    """One form: `objects` yields what an item becomes; `layout` is a JSON list or lines.

    `beside` is a file that the tool needs to read them: its name, and a function from the selection and the
    most questions of an item to its text.
    """

    key: str
    label: str
    file: str
    layout: Literal["list", "lines"]
    objects: Callable[[ItemRecord, Selection], Iterator[dict[str, Any]]]
    beside: tuple[str, Callable[[Selection, int], str]] | None = None
    withheld: bool = True
    """Whether what is withheld is written inside of the release."""


def doccano(record: ItemRecord, selection: Selection) -> Iterator[dict[str, Any]]:
    """Yield doccano's lines of an item, one an annotator: the text, and [start, end, name] of each span.

    `offsets` are UTF-16 units, as doccano counts: characters beyond U+FFFF, emoji say, are two. The item's id
    is `item`, since doccano gives an `id` of its own to each text.

    `label` lists the spans, `cats` the types that apply without one. Where the codebook has no spans `label`
    lists what doccano calls categories: the types that apply, or the label of each question by its position.
    `no` lists the types that do not apply; `reasons`, `edited_questions` and, where they are chosen,
    `comments` are by type or position. Every line has the same keys, since doccano fails where lines differ.
    """
    text, with_spans = record.item.text, bool(selection.span_types)
    for annotator, judgements in by_annotator(record).items():
        spans = [
            [utf16_offset(text, row.start), utf16_offset(text, row.end), type_name(str(row.unit), selection)]
            for row in judgements
            if row.start is not None and row.end is not None
        ]
        names = [
            type_name(row.unit, selection)
            if isinstance(row.unit, str)
            else f"{question_of(record, row.unit).position}: {PUBLISHED_LABELS[str(row.answer)]}"
            for row in judgements
            if row.answer and (row.start is None or not with_spans)
        ]
        no = [type_name(str(row.unit), selection) for row in judgements if row.answer is False]
        beside: dict[str, dict[str, str]] = {
            **({} if selection.typology else {"reasons": {}, "edited_questions": {}}),
            **({"comments": {}} if selection.parameters.comments else {}),
        }
        for row in judgements:
            unit = row.unit if isinstance(row.unit, str) else question_of(record, row.unit).position
            for what, said in details(row, selection):
                beside[f"{what}s"][str(unit)] = said
        yield {
            "item": record.item.external_id,
            "text": text,
            "annotator": selection.members[annotator],
            "offsets": "utf-16",
            **({"label": sorted(spans), "cats": names} if with_spans else {"label": names}),
            **({"no": no} if selection.typology else {}),
            **beside,
        }


def web_annotation(record: ItemRecord, selection: Selection) -> Iterator[dict[str, Any]]:
    """Yield a W3C Web Annotation for each judgement: its target is the span, by position and by quote.

    Positions are code points. What stands beside an answer is a body of its own, by its purpose.
    """
    item = record.item
    source = f"urn:sha256:{hashlib.sha256(item.text.encode()).hexdigest()}"
    for annotator, judgements in by_annotator(record).items():
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
            unit = row.unit if isinstance(row.unit, str) else question_of(record, row.unit).position
            named = "/".join(
                (selection.project.slug, item.external_id, str(unit), selection.members[annotator])
            )
            yield {
                "@context": ["http://www.w3.org/ns/anno.jsonld", {"dcterms": "http://purl.org/dc/terms/"}],
                "id": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, named)}",
                "type": "Annotation",
                "motivation": "classifying",
                "creator": {"type": "Person", "nickname": selection.members[annotator]},
                "body": [
                    {"type": "TextualBody", "purpose": "tagging", "value": _said(row, record, selection)},
                    *(
                        {"type": "TextualBody", "purpose": _PURPOSES[what], "value": said}
                        for what, said in details(row, selection)
                    ),
                ],
                "target": target,
            }


FORMATS = (
    ExchangeFormat(
        "label_studio",
        "Label Studio JSON",
        "exchange/label_studio.json",
        "list",
        label_studio.tasks,
        ("exchange/label_studio.xml", label_studio.interface),
    ),
    ExchangeFormat("doccano", "doccano JSON Lines", "exchange/doccano.jsonl", "lines", doccano),
    ExchangeFormat(
        "web_annotation",
        "W3C Web Annotation (JSON-LD)",
        "exchange/web_annotation.jsonl",
        "lines",
        web_annotation,
    ),
    ExchangeFormat(
        "instructions",
        "Instructions for fine-tuning (JSON Lines)",
        "exchange/instructions.jsonl",
        "lines",
        instructions,
        withheld=False,
    ),
)
BY_KEY = {format.key: format for format in FORMATS}


def _said(row: Judgement, record: ItemRecord, selection: Selection) -> str:
    if isinstance(row.unit, str):
        return f"{type_name(row.unit, selection)}: {'yes' if row.answer else 'no'}"
    return f"{question_of(record, row.unit).text}: {PUBLISHED_LABELS[str(row.answer)]}"
