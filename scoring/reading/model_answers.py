"""Reading what a language model answered: one of the forms that were asked for, or a problem with a name."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from scoring.figures.matching import LABELS, NAE

NOT_IN_THE_FORM, NO_SUCH_REFERENCE = "not_in_the_form", "no_such_reference"
SUFFICIENT, INSUFFICIENT = "sufficient", "insufficient"

_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_DRESSING = "`*_\"'“”‘’ \t\r\n"
_NUMBER = re.compile(r"(?:id\s*:\s*)?(\d+)", re.IGNORECASE)
_MARKER = re.compile(r"\s*(?:[-*•–]|\(?\d+[.):]|\(?[a-z][.)])\s+", re.IGNORECASE)
_QUESTION_MARKS = "?？؟⁇՞፧"
_CLOSING = "\"'”’»)]"


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
    text = _plain(raw)
    if text.rstrip(".").casefold() == "similar reference not found":
        return Read(label=NAE)
    found = _NUMBER.fullmatch(text)
    if found is None:
        return Read(problem=NOT_IN_THE_FORM)
    number = int(found[1])
    return Read(reference=number) if number < references else Read(problem=NO_SUCH_REFERENCE)


def read_label(raw: str) -> Read:
    """Read one of the three labels, alone; case, emphasis and a full stop aside."""
    text = _plain(raw).rstrip(".").strip(_DRESSING).casefold()
    label = next((label for label in LABELS if label.casefold() == text), None)
    return Read(problem=NOT_IN_THE_FORM) if label is None else Read(label=label)


def read_context(raw: str) -> Read:
    """Read whether a text has sufficient context: the answer begins with yes, no or one of these words."""
    text = _plain(raw).casefold()
    for word, label in (
        ("not sufficient", INSUFFICIENT),
        ("insufficient", INSUFFICIENT),
        ("sufficient", SUFFICIENT),
        ("yes", SUFFICIENT),
        ("no", INSUFFICIENT),
    ):
        if re.match(rf"{word}\b", text):
            return Read(label=label)
    return Read(problem=NOT_IN_THE_FORM)


def read_questions(raw: str) -> list[str]:
    """Read the questions of an answer, one a line: markers and emphasis off, what is no question dropped.

    The same words twice are one question. What a reasoning model thinks is no answer.

    >>> read_questions("Here they are:\\n1. **Who** says so?\\n2. who says so?")
    ['Who says so?']
    """
    found: dict[tuple[str, ...], str] = {}
    for line in _THOUGHTS.sub("", raw).splitlines():
        text = _MARKER.sub("", line, count=1) if _MARKER.match(line) else line
        text = re.sub(r"\*+|(?<!\w)_+|_+(?!\w)|`", "", text).strip()
        text = _unquoted(text)
        last = max((text.rfind(mark) for mark in _QUESTION_MARKS), default=-1)
        if last < 0:
            continue
        end = last + 1
        while end < len(text) and text[end] in _CLOSING:
            end += 1
        question = text[:end].strip()
        key = tuple(re.findall(r"\w+", unicodedata.normalize("NFC", question).casefold()))
        found.setdefault(key, question)
    return list(found.values())


def _unquoted(text: str) -> str:
    for opening, closing in (('"', '"'), ("“", "”"), ("'", "'"), ("«", "»")):
        if (
            text.startswith(opening)
            and text.endswith(closing)
            and len(text) > 1
            and opening not in text[1:-1]
        ):
            return text[1:-1].strip()
    return text


def _plain(raw: str) -> str:
    return _THOUGHTS.sub("", raw).strip(_DRESSING)
