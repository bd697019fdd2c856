"""What people decided as the FOCUS authors' fine-tuning takes it: an instruction, an input and an output."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from annotation.codebooks.definition import Codebook
from exports.formats.focus import probes
from exports.selection.records import ItemRecord
from exports.selection.selection import Selection

QUESTIONS = "Write the critical questions to raise before accepting the arguments in the text, one a line."


def instructions(record: ItemRecord, selection: Selection) -> Iterator[dict[str, Any]]:
    """Yield what a model is told, the text, and the answer that people decided; nothing without one.

    The answer of an argument is its types and spans as two lists, of an intervention its useful questions.
    """
    output = _types(record, selection) if selection.typology else "\n".join(useful_questions(record))
    if output:
        yield {
            "id": record.item.external_id,
            "instruction": _instruction(selection) if selection.typology else QUESTIONS,
            "input": record.item.text,
            "output": output,
        }


def none_name(codebook: Codebook) -> str:
    """Return what stands for no type at all."""
    return codebook.derived_none.name if codebook.derived_none else "None of the Above"


def type_lines(codebook: Codebook) -> str:
    """Return the types with what each is about, a line each."""
    return "\n".join(f"- {kind.name}: {kind.description}" for kind in codebook.types)


def answer_words(types: Sequence[str], spans: Sequence[str]) -> str:
    """Return parallel lists of types and spans as the answer that a model is asked for."""
    listed = [json.dumps(list(names), ensure_ascii=False) for names in (types, spans)]
    return f"Classification:\n{listed[0]}\n\nSpan:\n{listed[1]}"


def useful_questions(record: ItemRecord) -> list[str]:
    """Return the questions of an intervention that were decided useful, in their order."""
    return [
        question.text
        for question in record.questions
        if question.pk in record.answers and record.answers[question.pk].label == "USE"
    ]


def _instruction(selection: Selection) -> str:
    return (
        "Name the types of Socratic questions that can probe the argument, and for each the words of the "
        f"argument that the question is about; “{none_name(selection.codebook)}” with “Null” where no type "
        f"applies.\n\n{type_lines(selection.codebook)}"
    )


def _types(record: ItemRecord, selection: Selection) -> str:
    types, spans = probes(record, selection.codebook)
    return answer_words(types, spans) if types else ""
