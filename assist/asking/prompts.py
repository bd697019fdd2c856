"""Prompts of all tasks: checked for their placeholders, filled, and named by their digest. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

from django.utils.translation import gettext

from core.texts import length_problem

PROMPT_LENGTH = 20_000

_PLACE = re.compile(r"\{(\w+)\}")


def placeholders_of(prompt: str) -> set[str]:
    """Return the names of the places of a prompt.

    >>> sorted(placeholders_of("{text} and {a b} and {question}"))
    ['question', 'text']
    """
    return set(_PLACE.findall(prompt))


def placeholder_problem(prompt: str, known: Sequence[str], *, most: int = PROMPT_LENGTH) -> str:
    """Return why a prompt cannot be sent at all, in a sentence; empty where it can.

    `known` are the names that stand for something.
    """
    if problem := length_problem(prompt, most):
        return gettext("The prompt cannot be sent: %(problem)s.") % {"problem": problem}
    if unknown := sorted(placeholders_of(prompt) - set(known)):
        return gettext("{%(unknown)s} stands for nothing: use %(known)s.") % {
            "unknown": unknown[0],
            "known": ", ".join(f"{{{name}}}" for name in known),
        }
    return ""


def placeholder_missing(prompt: str, needed: Sequence[str]) -> str:
    """Return the first name that a prompt needs and has no place for; empty where there is none."""
    return next((name for name in needed if name not in placeholders_of(prompt)), "")


def placeholders_filled(prompt: str, values: Mapping[str, str]) -> str:
    """Put values into a prompt. Braces in the values are text, as all else in them.

    >>> placeholders_filled("{text}: {question}", {"text": "a {question}", "question": "Why?"})
    'a {question}: Why?'
    """
    return _PLACE.sub(lambda place: values[place[1]], prompt)


def prompt_digest(prompt: str) -> str:
    """Return the SHA-256 by which an answer names the prompt that it was given to."""
    return hashlib.sha256(prompt.encode()).hexdigest()
