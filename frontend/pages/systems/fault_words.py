"""What is wrong with a system's file, or kept it from being scored, in the reader's language.

What reads files is pure and writes English; a worker has its installation's language.
"""

import re
from collections.abc import Mapping
from functools import cache

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

FAULTS: Mapping[str, str | Promise] = {
    "is missing": gettext_lazy("is missing"),
    "there is no such item: is it for another split?": gettext_lazy(
        "there is no such item: is it for another split?"
    ),
    "no item that is left has this text: is it for another split?": gettext_lazy(
        "no item that is left has this text: is it for another split?"
    ),
    "1 question where %(most)s are asked for": gettext_lazy("1 question where %(most)s are asked for"),
    "%(n)s questions where %(most)s are asked for": gettext_lazy(
        "%(n)s questions where %(most)s are asked for"
    ),
    "is question %(n)s again; it counts once": gettext_lazy("is question %(n)s again; it counts once"),
    "is empty: give its words, or leave it out": gettext_lazy("is empty: give its words, or leave it out"),
    'is %(value)s; expected an object with its text as "cq"': gettext_lazy(
        'is %(value)s; expected an object with its text as "cq"'
    ),
    "is %(value)s; expected a list of questions": gettext_lazy("is %(value)s; expected a list of questions"),
    "is %(value)s; expected an object": gettext_lazy("is %(value)s; expected an object"),
    "%(key)s is %(value)s; expected a list of texts": gettext_lazy(
        "%(key)s is %(value)s; expected a list of texts"
    ),
    "has %(n)s characters; at most %(most)s are read": gettext_lazy(
        "has %(n)s characters; at most %(most)s are read"
    ),
    "has %(n)s items; at most %(most)s are read": gettext_lazy("has %(n)s items; at most %(most)s are read"),
    "has %(n)s bytes; at most %(most)s are read: submit fewer items": gettext_lazy(
        "has %(n)s bytes; at most %(most)s are read: submit fewer items"
    ),
    "has cqs and no fsq_types: is this a file for CQs-Gen?": gettext_lazy(
        "has cqs and no fsq_types: is this a file for CQs-Gen?"
    ),
    "has fsq_types and no cqs: is this a file for FOCUS?": gettext_lazy(
        "has fsq_types and no cqs: is this a file for FOCUS?"
    ),
    "%(name)s is no type of the codebook; the nearest is %(nearest)s": gettext_lazy(
        "%(name)s is no type of the codebook; the nearest is %(nearest)s"
    ),
    "%(n)s types where at most %(most)s are asked for": gettext_lazy(
        "%(n)s types where at most %(most)s are asked for"
    ),
    "%(name)s is named twice": gettext_lazy("%(name)s is named twice"),
    "None of the Above stands alone: a type is named beside it": gettext_lazy(
        "None of the Above stands alone: a type is named beside it"
    ),
    "fsq_types has %(n)s entries and spans %(m)s: give each type its span, or %(none)s where there is none": (
        gettext_lazy(
            "fsq_types has %(n)s entries and spans %(m)s: give each type its span, "
            "or %(none)s where there is none"
        )
    ),
    "is not UTF-8: save it as UTF-8": gettext_lazy("is not UTF-8: save it as UTF-8"),
    "is no JSON: %(why)s": gettext_lazy("is no JSON: %(why)s"),
    "is no CSV: %(why)s": gettext_lazy("is no CSV: %(why)s"),
    "stands twice in one object: keep one of the two": gettext_lazy(
        "stands twice in one object: keep one of the two"
    ),
    "is no JSON that can be read: a value is nested too deeply, or a number too long": gettext_lazy(
        "is no JSON that can be read: a value is nested too deeply, or a number too long"
    ),
    "expected a JSON object with the items by their ids, not a list or a single value": gettext_lazy(
        "expected a JSON object with the items by their ids, not a list or a single value"
    ),
    # How a file was read that was not refused.
    "%(n)s of %(all)s items are missing; they count as not answered": gettext_lazy(
        "%(n)s of %(all)s items are missing; they count as not answered"
    ),
    "has no fsq_types; it counts as not answered": gettext_lazy(
        "has no fsq_types; it counts as not answered"
    ),
    "not read: %(names)s": gettext_lazy("not read: %(names)s"),
    "dropped once: %(what)s": gettext_lazy("dropped once: %(what)s"),
    "dropped %(n)s times: %(what)s": gettext_lazy("dropped %(n)s times: %(what)s"),
    "a type twice": gettext_lazy("a type twice"),
    "None beside a type": gettext_lazy("None beside a type"),
    "words without a type": gettext_lazy("words without a type"),
    "1 type has no words": gettext_lazy("1 type has no words"),
    "%(n)s types have no words": gettext_lazy("%(n)s types have no words"),
    "… and %(n)s more": gettext_lazy("… and %(n)s more"),
    # Why an evaluation was not scored, by what a lead can do something about.
    "The method sts needs a sentence encoder, and %(why)s. Other methods need none.": gettext_lazy(
        "The method sts needs a sentence encoder, and %(why)s. Other methods need none."
    ),
    "The method %(method)s needs its model, and %(why)s. Other methods need none.": gettext_lazy(
        "The method %(method)s needs its model, and %(why)s. Other methods need none."
    ),
    "It was asked of another version of the arithmetic than there is now: score again.": gettext_lazy(
        "It was asked of another version of the arithmetic than there is now: score again."
    ),
    "What people decided has changed since it was asked for: score again.": gettext_lazy(
        "What people decided has changed since it was asked for: score again."
    ),
    # Where it is.
    "question %(at)s": gettext_lazy("question %(at)s"),
    "row %(at)s": gettext_lazy("row %(at)s"),
    "byte %(at)s": gettext_lazy("byte %(at)s"),
    "line %(at)s, column %(column)s": gettext_lazy("line %(at)s, column %(column)s"),
}
"""Messages and places of faults, and reasons, by their English form, the more particular of two first."""


def fault_said(message: str) -> str:
    """Return a fault's message or place, or a reason, in the reader's language.

    One of no known form stays as it is.
    """
    for pattern, form in _patterns():
        if found := pattern.fullmatch(message):
            filled = found.groupdict()
            if "what" in filled:  # one of these forms itself
                filled["what"] = fault_said(filled["what"])
            return str(FAULTS[form]) % filled if filled else str(FAULTS[form])
    return message


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """Return each form as a pattern with a group for each of its places to fill."""
    return [
        (re.compile(re.sub(r"%\\\((\w+)\\\)s", r"(?P<\1>.*)", re.escape(form)), re.DOTALL), form)
        for form in FAULTS
    ]
