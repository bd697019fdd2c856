"""The tasks that write candidate questions: `questions` asks for them, `slots` for the words of schemes.

The two prompts for questions are quoted from Calvo Figueras B, Agerri R (2025) Benchmarking Critical
Questions Generation, Figure 5, asked separately: L lists, S suggests, and ids name which it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext_lazy

from annotation.models import Item, Protocol
from assist.candidates.schemes import catalogue, schemes_of
from assist.models import Scheme
from assist.reading.model_answers import NO_QUESTION, read_questions, read_slots
from assist.runs.kinds import Found, Kind, Unit

LIST = """\
List the critical questions that should be asked regarding the arguments in the following paragraph:

"{text}\""""

SUGGEST = """\
Suggest which critical questions should be raised before accepting the arguments in this text:

"{text}\""""

SLOTS_PROMPT = """\
Read this text:

{text}

It contains an argument of the scheme "{scheme}":

{form}

Say which words of the text stand for each of these slots: {slots}

Take the words from the text as they stand there, as few as carry the meaning. Answer with a JSON object \
that has each slot's name as a key and its words as the value, and nothing else."""


def _read_questions(raw: str, _item: Item, _unit: Unit) -> Found:
    questions = read_questions(raw)
    return Found({"questions": questions}) if questions else Found(problem=NO_QUESTION)


def _read_slots(raw: str, item: Item, unit: Unit) -> Found:
    read = read_slots(raw, unit.known["slots"], item.text)
    if read.problem:
        return Found(problem=read.problem)
    return Found({"slots": read.slots, "not_in_text": list(read.not_in_text)})


def _units(known: Mapping[str, Scheme], _prompts: Mapping[str, str], item: Item) -> Iterable[Unit]:
    for scheme in schemes_of(item, known):
        premises = "\n".join(f"- {premise}" for premise in scheme.premises)
        yield Unit(
            scheme.code,
            {
                "text": item.text,
                "scheme": scheme.name,
                "form": f"{premises}\nSo: {scheme.conclusion}",
                "slots": ", ".join(slot.strip("<>") for slot in scheme.slots),
            },
            {"slots": scheme.slots},
        )


QUESTIONS = Kind(
    name="questions",
    title=gettext_lazy("Write candidate questions"),
    prompts={"L": LIST, "S": SUGGEST},
    read=_read_questions,
    known=("text",),
    max_tokens=1_000,
    protocol=Protocol.CQS_GEN,
)

SLOTS = Kind(
    name="slots",
    title=gettext_lazy("Propose words for schemes"),
    prompts={"": SLOTS_PROMPT},
    read=_read_slots,
    known=("text", "scheme", "form", "slots"),
    needed=("text", "slots"),
    max_tokens=500,
    protocol=Protocol.CQS_GEN,
    load=lambda project: catalogue(),
    units=_units,
    prompt_of=lambda _variant: "",
)
