"""The task `three_questions`: three critical questions about a text, as a baseline for CQs-Gen.

After the prompt of Annex F of Calvo Figueras B, Agerri R (2025) Benchmarking Critical Questions Generation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from annotation.models import Item, Project, Protocol
from assist.models import AssistAnswer
from assist.reading.model_answers import NO_QUESTION, read_questions
from assist.runs.kinds import Example, Found, Kind, Unit
from exports.formats.instructions import useful_questions
from exports.selection.parameters import Parameters
from exports.selection.records import records_of
from exports.selection.selection import read_selection
from scoring.baselines.splits import check_splits
from scoring.evaluation.submissions import NO_QUESTIONS
from scoring.figures.matching import QUESTIONS

PROMPT = """\
Suggest 3 critical questions that should be raised before accepting the arguments in this text:

"{text}"

{examples}

Give one question per line. Make the questions simple, and do not give any explanation regarding why the \
question is relevant."""


def _read(raw: str, _item: Item, _unit: Unit) -> Found:
    questions = read_questions(raw)[:QUESTIONS]
    if not questions:
        return Found(problem=NO_QUESTION)
    return Found({"questions": questions, "missing": QUESTIONS - len(questions)}, str(len(questions)))


def _example(project: Project, item: Item, given: Any) -> str:
    """Return the questions to show for an item: those given, or three that people found useful."""
    if given is not None:
        questions = read_questions(given if isinstance(given, str) else "\n".join(map(str, given)))
    else:
        record = next(records_of(read_selection(project, Parameters()), [item.pk]), None)
        questions = useful_questions(record) if record else []
    if not questions:
        raise ValueError(
            gettext("%(id)s: it has no useful question yet. Give its questions in the file.")
            % {"id": item.external_id}
        )
    return "\n".join(questions[:QUESTIONS])


def _block(examples: Sequence[Example]) -> str:
    shown = (f"Text: {example.item.text}\n{example.answer}" for example in examples)
    return "\n\n".join(["Examples of texts with their questions:", *shown])


def _entry(answer: AssistAnswer) -> dict[str, Any]:
    questions = answer.found["questions"] if answer.found else []
    return {
        "intervention_id": answer.item.external_id,
        "intervention": answer.item.text,
        "dataset": answer.item.source,
        "cqs": [{"id": number, "cq": words} for number, words in enumerate(questions)] or NO_QUESTIONS,
    }


THREE_QUESTIONS = Kind(
    name="three_questions",
    title=gettext_lazy("Answer as a baseline: three questions"),
    prompts={"": PROMPT},
    read=_read,
    max_tokens=300,
    protocol=Protocol.CQS_GEN,
    example=_example,
    block=_block,
    check=check_splits,
    most_examples=5,
    entry=_entry,
)
