"""What people decided as the FOCUS authors' fine-tuning takes it: an instruction, an input and an output."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from exports.formats.focus import probes
from exports.selection.records import ItemRecord
from exports.selection.selection import Selection

QUESTIONS = "Write the critical questions to raise before accepting the arguments in the text, one a line."


def instructions(record: ItemRecord, selection: Selection) -> Iterator[dict[str, Any]]:
    """Yield what a model is told, the text, and the answer that people decided; nothing without one.

    The answer of an argument is its types and spans as two lists, of an intervention its useful questions.
    """
    output = _types(record, selection) if selection.typology else _questions(record)
    if output:
        yield {
            "id": record.item.external_id,
            "instruction": _instruction(selection) if selection.typology else QUESTIONS,
            "input": record.item.text,
            "output": output,
        }


def _instruction(selection: Selection) -> str:
    codebook = selection.codebook
    none = codebook.derived_none.name if codebook.derived_none else "None of the Above"
    types = "\n".join(f"- {kind.name}: {kind.description}" for kind in codebook.types)
    return (
        "Name the types of Socratic questions that can probe the argument, and for each the words of the "
        f"argument that the question is about; “{none}” with “Null” where no type applies.\n\n{types}"
    )


def _types(record: ItemRecord, selection: Selection) -> str:
    types, spans = probes(record, selection.codebook)
    if not types:
        return ""
    listed = [json.dumps(names, ensure_ascii=False) for names in (types, spans)]
    return f"Classification:\n{listed[0]}\n\nSpan:\n{listed[1]}"


def _questions(record: ItemRecord) -> str:
    useful = (
        question.text
        for question in record.questions
        if question.pk in record.answers and record.answers[question.pk].label == "USE"
    )
    return "\n".join(useful)
