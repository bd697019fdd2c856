"""The task `question_labels`: the label of each of an item's own questions, one at a time.

The labels are those of the project's own codebook, as annotators read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.utils.translation import gettext_lazy

from annotation.access import visible_questions
from annotation.models import Item, Project, Protocol
from annotation.rounds.suggestions import SuggestedAnswer
from assist.models import AssistAnswer
from assist.runs.kinds import Found, Kind, Unit
from scoring.reading.model_answers import NOT_IN_THE_FORM, read_label

PROMPT = """\
Here is a text with arguments, and a question about it:

"{text}"

Question: {question}

Say what the question is:

{labels}

Answer with one of these words and nothing else: {words}."""

_WORDS = {"Useful": "USE", "Unhelpful": "UN", "Invalid": "IN"}
"""The words that answers are read by, whatever the codebook calls the labels."""


def _fixed(project: Project) -> dict[str, str]:
    labels = project.codebooks.latest("version").definition["labels"]
    means = {label["code"]: label["description"] for label in labels}
    return {
        "labels": "\n".join(f"- {word}: {means.get(code, '')}" for word, code in _WORDS.items()),
        "words": ", ".join(_WORDS),
    }


def _load(project: Project) -> dict[int, list[tuple[int, str]]]:
    """Return the questions of each item by its key: their keys and texts, in their order."""
    found: dict[int, list[tuple[int, str]]] = {}
    rows = visible_questions(project).order_by("item", "position", "pk").values_list("item_id", "pk", "text")
    for item, question, text in rows.iterator(chunk_size=5_000):
        found.setdefault(item, []).append((question, text))
    return found


def _units(
    questions: Mapping[int, Sequence[tuple[int, str]]], _prompts: Mapping[str, str], item: Item
) -> Iterable[Unit]:
    return [
        Unit(str(question), {"text": item.text, "question": text})
        for question, text in questions.get(item.pk, ())
    ]


def _read(raw: str, _item: Item, _unit: Unit) -> Found:
    label = read_label(raw).label
    code = _WORDS.get(label or "")
    return Found({"label": code}, code) if code else Found(problem=NOT_IN_THE_FORM)


def _suggest(answer: AssistAnswer, questions: Sequence[int]) -> Iterable[SuggestedAnswer]:
    if answer.found is not None and int(answer.variant) in questions:
        yield SuggestedAnswer(int(answer.variant), label=answer.found["label"])


QUESTION_LABELS = Kind(
    name="question_labels",
    title=gettext_lazy("Label the questions of texts"),
    prompts={"": PROMPT},
    read=_read,
    known=("text", "question", "labels", "words"),
    needed=("text", "question"),
    max_tokens=20,
    protocol=Protocol.CQS_GEN,
    load=_load,
    units=_units,
    prompt_of=lambda _variant: "",
    fixed=_fixed,
    suggest=_suggest,
)
