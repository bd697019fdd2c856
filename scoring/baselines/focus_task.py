"""The task `focus_answers`: at most two types of an argument with a span each, as a baseline for FOCUS.

What the model is told follows Tables 13 and 14 of the FOCUS paper, with the types as the project's own
codebook defines them, and none, one or up to five examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from annotation.codebooks.definition import Codebook
from annotation.models import Item, Project, Protocol
from annotation.rounds.suggestions import SuggestedAnswer
from assist.models import AssistAnswer
from assist.reading.model_answers import NOT_IN_THE_FORM
from assist.runs.kinds import Example, Found, Kind, Unit
from exports.formats.focus import probes
from exports.formats.instructions import answer_words, none_name, type_lines
from exports.selection.parameters import Parameters
from exports.selection.records import records_of
from exports.selection.selection import read_selection
from scoring.baselines.splits import check_splits
from scoring.evaluation.references import type_names
from scoring.reading.focus_answers import (
    MOST_TYPES,
    NO_SPAN,
    AnswerRefused,
    TypeNames,
    focus_lists,
    read_focus_answer,
)

PROMPT = """\
You look for the parts of an argument that a Socratic question could probe.

These are the types of questions, each with what it is about:

{definitions}

For the argument below, name one or two types that apply, the clearest first. For each, give the words of \
the argument that the question would be about: as few as carry the meaning, exactly as they stand in the \
argument, and the first place where several fit. If no type applies, answer "{none}" with the span "Null".

Answer with two lists and nothing else, in this form:

Classification:
["first type", "second type"]

Span:
["words for the first", "words for the second"]

{examples}

Argument:
{text}"""


def _codebook(project: Project) -> Codebook:
    return Codebook.from_json(project.codebooks.latest("version").definition)


def _fixed(project: Project) -> dict[str, str]:
    codebook = _codebook(project)
    none = none_name(codebook)
    return {"definitions": f"{type_lines(codebook)}\n- {none}: none of these applies.", "none": none}


def _example(project: Project, item: Item, given: Any) -> str:
    """Return the answer to show for an item: the one given, or what people decided about it."""
    if given is None:
        selection = read_selection(project, Parameters())
        record = next(records_of(selection, [item.pk]), None)
        types, spans = probes(record, selection.codebook) if record else ([], [])
        if not types:
            raise ValueError(
                gettext("%(id)s: people decided nothing about it yet. Give its answer in the file.")
                % {"id": item.external_id}
            )
        return answer_words(types[:MOST_TYPES], spans[:MOST_TYPES])
    entry = focus_lists(given) if isinstance(given, str) else given
    try:
        read_focus_answer(
            entry if isinstance(entry, Mapping) else {}, item.text, type_names(_codebook(project))
        )
    except AnswerRefused as problem:
        raise ValueError(f"{item.external_id}: {problem}") from None
    if not isinstance(entry, Mapping) or not entry.get("fsq_types"):
        raise ValueError(gettext("%(id)s: expected fsq_types and spans.") % {"id": item.external_id})
    return answer_words(entry["fsq_types"], entry.get("spans") or [NO_SPAN])


def _block(examples: Sequence[Example]) -> str:
    return "\n\n".join(
        ["Examples:", *(f"Argument:\n{example.item.text}\n\n{example.answer}" for example in examples)]
    )


def _units(names: TypeNames, prompts: Mapping[str, str], item: Item) -> Iterable[Unit]:
    return [Unit(variant, {"text": item.text}, {"names": names}) for variant in prompts]


def _read(raw: str, item: Item, unit: Unit) -> Found:
    entry = focus_lists(raw)
    if entry is None:
        return Found(problem=NOT_IN_THE_FORM)
    try:
        answer = read_focus_answer(entry, item.text, unit.known["names"])
    except AnswerRefused as refusal:
        return Found(problem=refusal.problem)
    codes = [one.type for one in answer.answers]
    return Found(
        {
            "fsq_types": entry["fsq_types"],
            "spans": entry["spans"],
            "types": codes,
            "places": [list(one.span) if one.span else None for one in answer.answers],
            "spans_not_in_text": answer.spans_not_in_text,
        },
        ",".join(codes),
    )


def _entry(answer: AssistAnswer) -> dict[str, Any] | None:
    if answer.found is None:
        return None
    return {
        "argument": answer.item.text,
        "fsq_types": answer.found["fsq_types"],
        "spans": answer.found["spans"],
    }


def _suggest(answer: AssistAnswer, codes: Sequence[str]) -> Iterable[SuggestedAnswer]:
    """Yield yes with its words for the types that were named, no for the others that are asked."""
    found = answer.found or {"types": [], "places": []}
    named = dict(zip(found["types"], found["places"], strict=True))
    for code in codes:
        place = named.get(code)
        yield SuggestedAnswer(code, applicable=code in named, span=(place[0], place[1]) if place else None)


FOCUS_ANSWERS = Kind(
    name="focus_answers",
    title=gettext_lazy("Answer as a baseline: types and spans"),
    prompts={"": PROMPT},
    read=_read,
    known=("text", "definitions", "none", "examples"),
    max_tokens=300,
    protocol=Protocol.FOCUS,
    load=lambda project: type_names(_codebook(project)),
    units=_units,
    fixed=_fixed,
    example=_example,
    block=_block,
    check=check_splits,
    most_examples=5,
    entry=_entry,
    suggest=_suggest,
)
