"""Reading what a language model answered: one of the forms that were asked for, or nothing. Pure."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

SUFFICIENT, INSUFFICIENT = "sufficient", "insufficient"
NOT_IN_THE_FORM, NO_QUESTION = "not_in_the_form", "no_question"
NO_SUCH_SLOT, SLOT_MISSING, SLOT_EMPTY = "no_such_slot", "slot_missing", "slot_empty"

_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_DRESSING = "`*_\"'“”‘’ \t\r\n"
_MARKER = re.compile(
    r"\s*(?:(?:[-*+•–—]|\(?\d+[.):]|\(?(?:[a-z]|[ivx]+)[.)])\s+|[(（]?\d+[．、）：]\s*|[・●]\s*)",
    re.IGNORECASE,
)
_QUESTION_MARKS = "?？؟⁇⁈⁉‽՞፧\u037e"
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
_CLOSING = "\"'”’»)]"
_FENCE = re.compile(r"```[a-z]*\n(.*?)\n?```", re.DOTALL | re.IGNORECASE)


class SlotsRead(NamedTuple):
    """Words for the slots of a scheme, and which slots have words that are not in the text; or a problem."""

    slots: dict[str, str]
    not_in_text: tuple[str, ...] = ()
    problem: str = ""


def without_thoughts(raw: str) -> str:
    """Return an answer without what a reasoning model thinks before it."""
    return _THOUGHTS.sub("", raw)


def plain_answer(raw: str) -> str:
    """Return a short answer without thoughts, quotation marks and emphasis around it."""
    return without_thoughts(raw).strip(_DRESSING)


def read_context(raw: str) -> str:
    """Read whether a text has sufficient context; empty where an answer begins with none of the words.

    >>> read_context("no, it needs the thread")
    'insufficient'
    """
    text = plain_answer(raw).casefold()
    for word, label in (
        ("not sufficient", INSUFFICIENT),
        ("insufficient", INSUFFICIENT),
        ("sufficient", SUFFICIENT),
        ("yes", SUFFICIENT),
        ("no", INSUFFICIENT),
    ):
        if re.match(rf"{word}\b", text):
            return label
    return ""


def read_questions(raw: str) -> list[str]:
    """Read the questions of an answer, one a line: markers and emphasis off, what is no question dropped.

    The same words twice are one question. What a reasoning model thinks is no answer.

    >>> read_questions("Here they are:\\n1. **Who** says so?\\n2. who says so?")
    ['Who says so?']
    """
    found: dict[tuple[str, ...], str] = {}
    for line in without_thoughts(raw).splitlines():
        text = _MARKER.sub("", line, count=1) if _MARKER.match(line) else line
        text = re.sub(r"\*+|(?<!\w)_+|_+(?!\w)|`", "", text).strip()
        text = _unquoted(text)
        marks = f"{_QUESTION_MARKS};" if _GREEK.search(text) else _QUESTION_MARKS
        last = max(text.rfind(mark) for mark in marks)
        if last < 0:
            continue
        end = last + 1
        while end < len(text) and text[end] in _CLOSING:
            end += 1
        question = text[:end].strip()
        if key := words_of(question):
            found.setdefault(key, question)
    return list(found.values())


def words_of(text: str) -> tuple[str, ...]:
    """Return the words by which two texts are the same: case and punctuation aside, in all scripts.

    >>> words_of("Is it TRUE?") == words_of("is it true")
    True
    """
    folded = unicodedata.normalize("NFC", text).casefold()
    # Not by the word characters of regular expressions: they leave out the vowel signs of many scripts.
    kept = (" " if unicodedata.category(one)[0] in "PSZC" else one for one in folded)
    return tuple("".join(kept).split())


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


def read_slots(raw: str, slots: Sequence[str], text: str) -> SlotsRead:
    """Read a JSON object of slot to words; words that are not in the text are marked, not refused.

    >>> read_slots('{"eventA": "It rained"}', ["<eventA>"], "It rained, so it is wet.")
    SlotsRead(slots={'<eventA>': 'It rained'}, not_in_text=(), problem='')
    """
    given = json_of(raw)
    if not isinstance(given, dict) or not all(isinstance(words, str) for words in given.values()):
        return SlotsRead({}, problem=NOT_IN_THE_FORM)
    names = {slot.strip("<>"): slot for slot in slots}
    found: dict[str, str] = {}
    for name, words in given.items():
        slot = names.get(name.strip().strip("<>"))
        if slot is None or slot in found:
            return SlotsRead({}, problem=NO_SUCH_SLOT)
        found[slot] = " ".join(words.split())
    if len(found) < len(names):
        return SlotsRead({}, problem=SLOT_MISSING)
    if not all(found.values()):
        return SlotsRead({}, problem=SLOT_EMPTY)
    missing = tuple(slot for slot in slots if not is_in_text(found[slot], text))
    return SlotsRead({slot: found[slot] for slot in slots}, missing)


def json_of(raw: str) -> object:
    """Return the JSON that an answer is, also where it stands in a fence of code; None where it is none."""
    text = without_thoughts(raw).strip()
    fenced = _FENCE.search(text)
    try:
        return json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return None


def is_in_text(words: str, text: str) -> bool:
    """Return whether words stand in a text, in capitals or not and whatever white space is between them.

    >>> is_in_text("it  RAINED", "Then it rained."), is_in_text("it snowed", "Then it rained.")
    (True, False)
    """
    return _folded(words) in _folded(text)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())
