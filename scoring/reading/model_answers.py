"""Reading what a language model answered: one of the forms that were asked for, or a problem with a name."""

from __future__ import annotations

import re
from typing import NamedTuple

from assist.reading import model_answers
from assist.reading.model_answers import INSUFFICIENT as INSUFFICIENT
from assist.reading.model_answers import NOT_IN_THE_FORM as NOT_IN_THE_FORM
from assist.reading.model_answers import SUFFICIENT as SUFFICIENT
from assist.reading.model_answers import plain_answer
from assist.reading.model_answers import read_questions as read_questions
from scoring.figures.matching import LABELS, NAE

NO_SUCH_REFERENCE = "no_such_reference"

_DRESSING = "`*_\"'“”‘’ \t\r\n"
_NUMBER = re.compile(r"(?:id\s*:\s*)?(\d+)", re.IGNORECASE)


class Read(NamedTuple):
    """What was read: a reference by its number or a label; or the problem that makes the answer unusable."""

    reference: int | None = None
    label: str | None = None
    problem: str | None = None


def read_reference(raw: str, references: int) -> Read:
    """Read which of so many references, numbered from 0, a model found to ask the same.

    >>> read_reference("ID: 2", 5)
    Read(reference=2, label=None, problem=None)
    """
    text = plain_answer(raw)
    if text.rstrip(".").casefold() == "similar reference not found":
        return Read(label=NAE)
    found = _NUMBER.fullmatch(text)
    if found is None:
        return Read(problem=NOT_IN_THE_FORM)
    number = int(found[1])
    return Read(reference=number) if number < references else Read(problem=NO_SUCH_REFERENCE)


def read_label(raw: str) -> Read:
    """Read one of the three labels, alone; case, emphasis and a full stop aside."""
    text = plain_answer(raw).rstrip(".").strip(_DRESSING).casefold()
    label = next((label for label in LABELS if label.casefold() == text), None)
    return Read(problem=NOT_IN_THE_FORM) if label is None else Read(label=label)


def read_context(raw: str) -> Read:
    """Read whether a text has sufficient context: the answer begins with yes, no or one of these words."""
    label = model_answers.read_context(raw)
    return Read(label=label) if label else Read(problem=NOT_IN_THE_FORM)
