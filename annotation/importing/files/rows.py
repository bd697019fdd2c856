"""What the readers of every format give: rows with their place in the file, refusals and notices."""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.translation import gettext, ngettext_lazy

from annotation.limits import LIMITS, unfit
from core.texts import is_blank, text_problem

_ITEM_LIMITS = [
    (name, LIMITS["item"][name]) for name in ("external_id", "text", "source", "topic", "split", "licence")
]

DEPTH_LIMIT = 50
"""Levels of lists and objects in an item's metadata."""


_COPY = re.compile(re.escape(tempfile.gettempdir()) + r"/[^\s'\"]*")


class FileError(ValueError):
    """A file that is refused as a whole: unreadable, in a wrong encoding, or without a column it needs."""

    def __init__(self, file: str, place: str, message: str) -> None:
        self.file = file
        self.place = place
        # A reader's own words may name the copy that it was given, which tells nobody anything.
        self.message = _COPY.sub(lambda found: file, message)
        super().__init__(": ".join(part for part in (file, place, self.message) if part))


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question about an item. The id is kept as given, a number stays a number, and may repeat."""

    external_id: str | int | None
    text: str
    origin: str  # theory, a system's name, human; "" where unknown
    label: str | None  # the published word: Useful, Unhelpful, Invalid
    place: str
    given: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)  # as a table's row


@dataclass(frozen=True, slots=True)
class ItemRow:
    """A text to judge, exactly as given, with the questions that stand with it.

    A file may name one item several times, each time with further questions: rows with the same id and
    the same text are one item.
    """

    external_id: str
    text: str
    place: str
    source: str = ""
    topic: str = ""
    split: str = ""
    licence: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    questions: tuple[QuestionRow, ...] = ()
    given: tuple[Mapping[str, Any], ...] = field(default=(), compare=False, repr=False)  # as a table's rows

    def __reduce__(self) -> tuple[Any, ...]:
        """Be sent to another process in half the time that a dataclass takes by itself."""
        values = self.external_id, self.text, self.place, self.source, self.topic, self.split, self.licence
        return ItemRow, (*values, self.metadata, self.questions, self.given)


@dataclass(frozen=True, slots=True)
class JudgementRow:
    """A finished judgement: of a type (`type_code`, `applicable`, span) or of a question (`label`, `reason`).

    `question` is the id as given in the file; a file that counts the questions of an item gives
    `question_position`, from 1, instead or beside it: an id may repeat. `quote` is None where the file has
    none: it is then taken from the text; without offsets the quote's `occurrence`, from 1, says where it is.
    Whether the answer keeps the rules is not for the reader to say.
    """

    item: str
    type_code: str | None
    question: str | int | None
    annotator: str
    applicable: bool | None
    label: str | None  # USE, UN or IN
    start: int | None
    end: int | None
    quote: str | None
    reason: str
    comment: str
    edited_question: str
    cannot_judge: bool
    unsure: bool
    place: str
    question_position: int | None = None
    active_seconds: int | None = None  # None and decided_at None: the file does not say
    decided_at: datetime | None = None
    incomplete: bool = False  # the file says that the part which goes with the answer was never there
    given: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)  # as a row in long form
    occurrence: int | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A row that breaks a rule, as it stood in the file, with its place and the reason.

    What could not be stored or printed (NUL, lone surrogates, infinite numbers) is written as an escape,
    so that a report of refusals never fails on the very thing that it reports.
    """

    place: str
    reason: str
    row: Mapping[str, Any]
    beside: tuple[Mapping[str, Any], ...] = ()  # further rows that are refused with it
    further: tuple[Any, ...] = ()  # cells beyond the header
    line: str = ""  # of JSON Lines, where it is no row

    def __post_init__(self) -> None:
        for name in ("place", "reason", "row", "beside", "further", "line"):
            object.__setattr__(self, name, printable(getattr(self, name)))


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that is kept as it is and that a lead should know of."""

    place: str
    message: str


ItemRows = Iterator[ItemRow | Refusal | Notice]
JudgementRows = Iterator[JudgementRow | Refusal | Notice]


def item_problem(item: ItemRow) -> str | None:
    """Say why an item cannot be stored, its questions left aside, or None when it can."""
    for name in ("external_id", "text"):
        if is_blank(getattr(item, name)):
            return gettext("the %(name)s is blank") % {"name": _WORDS.get(name, name)}
    for name, limit in _ITEM_LIMITS:
        text = getattr(item, name)
        if text and (problem := unfit(text, limit)):
            return f"{_WORDS.get(name, name)}: {problem}"
    return json_problem(item.metadata, "metadata") if item.metadata else None


def question_problem(question: QuestionRow) -> str | None:
    """Say why a question cannot be stored, or None when it can."""
    if is_blank(question.text):
        return gettext("the question is blank")
    if problem := json_problem(question.external_id, "question id"):
        return problem
    named = {"question id": str(question.external_id), "question": question.text, "origin": question.origin}
    limits = {
        "question id": LIMITS["item"]["external_id"],
        "question": LIMITS["question"]["text"],
        "origin": LIMITS["question"]["origin"],
    }
    problems = ((word, unfit(text, limits[word])) for word, text in named.items())
    return next((f"{word}: {problem}" for word, problem in problems if problem), None)


def json_problem(value: Any, path: str, depth: int = 0) -> str | None:
    """Say why a JSON value cannot be stored and where in it, or None when it can."""
    if depth > DEPTH_LIMIT:
        return gettext("nested more than %(depth_limit)s deep") % {"depth_limit": DEPTH_LIMIT}
    if isinstance(value, str):
        problem = text_problem(value)
        return f"{path}: {problem}" if problem else None
    if isinstance(value, float) and not math.isfinite(value):
        return gettext("%(path)s: %(value)s is no number of JSON") % {"path": path, "value": value}
    if isinstance(value, Mapping):
        pairs = [(key, gettext("name in %(path)s") % {"path": path}) for key in value] + [
            (v, f"{path}.{k}") for k, v in value.items()
        ]
    elif isinstance(value, list | tuple):
        pairs = [(entry, f"{path}[{i}]") for i, entry in enumerate(value)]
    else:
        return None
    problems = (json_problem(entry, place, depth + 1) for entry, place in pairs)
    return next((problem for problem in problems if problem), None)


def printable(value: Any, depth: int = 0) -> Any:
    """Return a JSON value with NUL and lone surrogates written as escapes, infinite numbers as words.

    >>> printable({"a": ["so\\x00", float("inf")]})
    {'a': ['so\\\\x00', 'inf']}
    """
    if isinstance(value, str):
        return value.replace("\x00", "\\x00").encode("utf-8", "backslashreplace").decode()
    if depth > DEPTH_LIMIT:
        return "…"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {printable(key): printable(entry, depth + 1) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [printable(entry, depth + 1) for entry in value]
    return value


def difference(expected: str, found: str, context: int = 20) -> str:
    """Say where two texts begin to differ, with a little of each from there.

    >>> difference("a cat sat", "a cow sat")
    "from character 4 on: 'at sat' there, 'ow sat' here"
    """
    pairs = zip(expected, found, strict=False)
    shorter = min(len(expected), len(found))
    at = next((i for i, (left, right) in enumerate(pairs) if left != right), shorter)
    there, here = (_excerpt(text, at, context) for text in (expected, found))
    return gettext("from character %(n)s on: %(there)s there, %(here)s here") % {
        "n": at + 1,
        "there": there,
        "here": here,
    }


_WORDS = {"external_id": "id"}


def _excerpt(text: str, at: int, length: int) -> str:
    return repr(text[at : at + length]) if at < len(text) else gettext("the end of the text")


COUNTED = {
    "equal texts": ngettext_lazy("equal text", "equal texts"),
    "items already there": ngettext_lazy("item already there", "items already there"),
    "judgements already there": ngettext_lazy("judgement already there", "judgements already there"),
    "new annotators": ngettext_lazy("new annotator", "new annotators"),
    "new corrections": ngettext_lazy("corrected item", "corrected items"),
    "new items": ngettext_lazy("new item", "new items"),
    "new judgements": ngettext_lazy("new judgement", "new judgements"),
    "new key answers": ngettext_lazy("new key answer", "new key answers"),
    "new published labels": ngettext_lazy("new published label", "new published labels"),
    "new questions": ngettext_lazy("new question", "new questions"),
    "votes kept alone": ngettext_lazy(
        "vote kept without its span, reason or comment", "votes kept without their span, reason or comment"
    ),
    "questions already there": ngettext_lazy("question already there", "questions already there"),
}


def counted(what: str, n: int) -> str:
    """Return the words for n of what a report counted, without the number, in the reader's language.

    >>> counted("new items", 1), counted("new items", 2), counted("other things", 1)
    ('new item', 'new items', 'other things')
    """
    return COUNTED[what] % n if what in COUNTED else what
