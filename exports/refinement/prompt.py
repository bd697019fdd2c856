"""The prompt that asks for a question in better words, and what an answer must be to be kept. Pure."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from django.utils.translation import gettext

from annotation.codebooks.definition import BLANK
from assist.asking.prompts import placeholder_missing, placeholder_problem, placeholders_filled
from core.texts import is_blank
from exports.models import PROMPT_LENGTH

DEFAULT_PROMPT = """\
A question about an argument was put together from a pattern and from words of the argument, so its grammar \
may be rough where the two meet.

Argument: {argument}

Kind of question: {type}
Words that it is about: {span}
Question: {question}

Write this question again as one fluent sentence in the language of the argument. It must ask the same thing \
about the same words, add nothing that the argument does not say, and end with a question mark. Answer with \
the question alone, without quotation marks around it."""

PLACEHOLDERS = ("argument", "span", "type", "question")

_QUESTION_MARKS = "?？؟\u037e"
_CLOSERS = re.escape("\"'”’»›)]」』")
_SPACED_END = re.compile(rf"(?P<word>\w*)[.!?؟…]+[{_CLOSERS}]*\s+(?P<next>\S)")
_UNSPACED_END = re.compile(rf"[。！？][{_CLOSERS}]*(?=[^\s{_CLOSERS}])")
_HIDDEN = {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}
_DIRECTIONS = {*"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A gold span's question as the exemplar gives it, with what a prompt may say about it."""

    item: int
    external_id: str
    argument: str
    source: str
    licence: str
    type_code: str
    type_name: str
    start: int
    end: int
    question: str
    split: str = ""

    @property
    def span(self) -> str:
        return self.argument[self.start : self.end]


def prompt_problem(prompt: str) -> str:
    """Return what is wrong with a prompt, in a sentence; empty where nothing is."""
    if problem := placeholder_problem(prompt, PLACEHOLDERS, most=PROMPT_LENGTH):
        return problem
    if placeholder_missing(prompt, ["question"]):
        return gettext("Write {question} where the question goes.")
    return ""


def fill_prompt(prompt: str, asked: GoldQuestion) -> str:
    """Put the question's values into a prompt. Braces in the values are text, as all else in them."""
    values = {
        "argument": asked.argument,
        "span": asked.span,
        "type": asked.type_name,
        "question": asked.question,
    }
    return placeholders_filled(prompt, values)


def answer_problem(answer: str, asked: GoldQuestion) -> str:
    """Return why an answer cannot stand for the question; empty where it can. Says nothing about meaning.

    It must be one sentence that ends with a question mark. What annotators marked may hold a sentence's end
    itself, so as many are allowed as the template question has.

    >>> asked = GoldQuestion(1, "A", "It rains.", "", "", "LE", "Lacks Evidence", 0, 9, "Why “It rains”?")
    >>> answer_problem("What shows that it rains?", asked)
    ''
    >>> answer_problem("I see. What shows that it rains?", asked)
    'it is more than one sentence'
    """
    if is_blank(answer):
        return "it is empty"
    if any(unicodedata.category(mark) in _HIDDEN or mark in _DIRECTIONS for mark in answer):
        return "it has line breaks or control characters"
    if len(answer) > length_limit(asked):
        return f"it is longer than {length_limit(asked)} characters"
    if BLANK in answer:
        return "its blank is not filled"
    if answer[-1] not in _QUESTION_MARKS:
        return "it does not end with a question mark"
    if not any(mark.isalnum() for mark in answer):
        return "it has no words"
    if _sentences(answer) > _sentences(asked.question):
        return "it is more than one sentence"
    return ""


def length_limit(asked: GoldQuestion) -> int:
    """Return how many characters a refined question may have."""
    return max(400, 2 * len(asked.question))


def _sentences(text: str) -> int:
    """Count the sentences of a text, roughly: an initial or a small letter after the mark is no end."""
    spaced = sum(
        len(found["word"]) != 1 and not found["next"].islower() for found in _SPACED_END.finditer(text)
    )
    return 1 + spaced + len(_UNSPACED_END.findall(text))
