"""Judgements as Label Studio's tasks with annotations, and the labelling interface that shows them there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import quoteattr

from annotation.codebooks.definition import PUBLISHED_LABELS
from exports.formats.answers import by_annotator, details, question_of, type_name
from exports.selection.decisions import Judgement
from exports.selection.records import ItemRecord
from exports.selection.selection import Selection


def tasks(record: ItemRecord, selection: Selection) -> Iterator[dict[str, Any]]:
    """Yield the Label Studio task of an item, one annotation an annotator.

    A type with a span is a `labels` region of `span`, any other answer a choice: `type_CODE` is yes or no,
    the label of a question the choice named by its position. Offsets are code points, as Label Studio counts
    them. Reasons, edited questions and, where they are chosen, comments stand in controls of their own, and
    so does the pseudonym: Label Studio refuses a file whose `completed_by` is none of its own users.
    """
    item = record.item
    data: dict[str, Any] = {
        "id": item.external_id,
        "text": item.text,
        "source": item.source,
        "topic": item.topic,
    }
    if not selection.typology:
        data["questions"] = [{"position": row.position, "text": row.text} for row in record.questions]
        data["asked"] = "\n".join(f"{row.position}. {row.text}" for row in record.questions)
    yield {
        "data": data,
        "annotations": [
            {
                "result": [
                    _choice("annotator", "annotator", "textarea", selection.members[annotator]),
                    *(
                        result
                        for judgement in judgements
                        for result in _results(judgement, record, selection)
                    ),
                ],
            }
            for annotator, judgements in by_annotator(record).items()
        ],
    }


def _results(judgement: Judgement, record: ItemRecord, selection: Selection) -> Iterator[dict[str, Any]]:
    annotator, unit = selection.members[judgement.annotator], judgement.unit
    if isinstance(unit, str):
        identifier = f"{unit}-{annotator}"
        if judgement.start is not None:
            value = {
                "start": judgement.start,
                "end": judgement.end,
                "text": judgement.quote,
                "labels": [type_name(unit, selection)],
            }
            yield {"id": identifier, "from_name": "span", "to_name": "text", "type": "labels", "value": value}
        yield _choice(f"{identifier}-answer", f"type_{unit}", "choices", "yes" if judgement.answer else "no")
    else:
        unit = question_of(record, unit).position
        identifier = f"{unit}-{annotator}"
        yield _choice(identifier, f"question_{unit}", "choices", PUBLISHED_LABELS[str(judgement.answer)])
    for what, text in details(judgement, selection):
        kind = "choices" if what == "reason" else "textarea"
        yield _choice(f"{identifier}-{what}", f"{what}_{unit}", kind, text)


def _choice(identifier: str, control: str, kind: str, text: str) -> dict[str, Any]:
    value = {"choices" if kind == "choices" else "text": [text]}
    return {"id": identifier, "from_name": control, "to_name": "text", "type": kind, "value": value}


def interface(selection: Selection, n_questions: int) -> str:
    """Return the labelling interface whose controls the tasks name, for at most so many questions an item."""
    lines = ["<View>", '  <Text name="text" value="$text"/>']
    comments = selection.parameters.comments
    if selection.typology:
        if selection.span_types:
            lines.append('  <Labels name="span" toName="text">')
            spans = [kind for kind in selection.codebook.types if kind.span]
            lines += [f"    <Label value={quoteattr(kind.name)}/>" for kind in spans]
            lines.append("  </Labels>")
        for kind in selection.codebook.types:
            lines += _choices(f"type_{kind.code}", kind.name, ("yes", "no"))
            lines += _texts(("comment",) if comments else (), kind.code)
    else:
        lines.append('  <Text name="asked" value="$asked"/>')
        reasons = [reason.code for reason in selection.codebook.reasons]
        for position in range(1, n_questions + 1):
            lines += _choices(f"question_{position}", str(position), tuple(PUBLISHED_LABELS.values()))
            lines += _choices(f"reason_{position}", "", reasons)
            lines += _texts(("edited_question", "comment") if comments else ("edited_question",), position)
    lines += ['  <TextArea name="annotator" toName="text" placeholder="annotator"/>', "</View>"]
    return "\n".join(lines) + "\n"


def _choices(name: str, title: str, values: tuple[str, ...] | list[str]) -> list[str]:
    return [
        *([f"  <Header value={quoteattr(title)}/>"] if title else []),
        f'  <Choices name={quoteattr(name)} toName="text" choice="single" showInline="true">',
        *(f"    <Choice value={quoteattr(value)}/>" for value in values),
        "  </Choices>",
    ]


def _texts(names: tuple[str, ...], unit: str | int) -> list[str]:
    return [
        f'  <TextArea name={quoteattr(f"{name}_{unit}")} toName="text" placeholder={quoteattr(name)}/>'
        for name in names
    ]
