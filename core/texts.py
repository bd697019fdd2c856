"""What counts as blank, and what no stored text may contain. One source for server, database and browser."""

from __future__ import annotations

import re

from django.utils.formats import number_format
from django.utils.translation import gettext

BLANK_CHARACTERS = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
)
"""A text made of these alone is blank: Unicode's White_Space characters, the four information separators
that Python also strips, and the three invisible ones without width (U+200B, U+2060, U+FEFF). TRIM in the
database is given the same list."""

COMMENT = 10_000
QUESTION = 5_000
"""Characters, code points, that a comment and a question may have."""

_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def is_blank(text: str) -> bool:
    """Whether nothing is left of the text once BLANK_CHARACTERS are stripped."""
    return not text.strip(BLANK_CHARACTERS)


def text_problem(text: str) -> str | None:
    """Say why a text cannot be stored (NUL, lone surrogate) and at which character, or None when it can.

    >>> text_problem("so\\x00there")
    'character 3 is NUL (U+0000), which cannot be stored'
    """
    # Most texts are plain, and these two tests cost a tenth of the search.
    if text.isascii() and "\x00" not in text:
        return None
    match = _UNSTORABLE.search(text)
    if match is None:
        return None
    place, character = match.start() + 1, match[0]
    if character == "\x00":
        return gettext("character %(place)s is NUL (U+0000), which cannot be stored") % {"place": place}
    return gettext("character %(place)s is a lone surrogate (U+%(character)s)") % {
        "place": place,
        "character": f"{ord(character):04X}",
    }


def storable(text: str) -> str:
    """Return the text with U+FFFD in place of each character that cannot be stored.

    >>> storable("so\\x00there")
    'so�there'
    """
    return _UNSTORABLE.sub("\ufffd", text)


def utf16_offset(text: str, place: int) -> int:
    """Return the place before a character as a count of UTF-16 units, in which browsers count.

    >>> utf16_offset("🎉 so", 2)
    3
    """
    return place if text.isascii() else place + sum(character > "\uffff" for character in text[:place])


def code_point_offset(text: str, units: int) -> int | None:
    """Return a place that is counted in UTF-16 units as a place before a character.

    None where it is inside of a character, before the text or behind its end.

    >>> code_point_offset("🎉 so", 3), code_point_offset("🎉 so", 1), code_point_offset("🎉 so", 6)
    (2, None, None)
    """
    counted = 0
    for place, character in enumerate(text):
        if counted >= units:
            return place if counted == units else None
        counted += 2 if character > "\uffff" else 1
    return len(text) if counted == units else None


def direction_problem(name: str) -> str | None:
    """Say which invisible control turns the reading direction within a name, or None where none does.

    Names stand inside sentences, addresses and file names, which such a control would turn as well.

    >>> direction_problem("A\u202e1")
    'character 2 is U+202E, which turns the direction of reading: a name cannot have it'
    """
    match = None if name.isascii() else _DIRECTIONS.search(name)
    if match is None:
        return None
    return gettext(
        "character %(place)s is U+%(character)s, which turns the direction of reading: a name cannot have it"
    ) % {"place": match.start() + 1, "character": f"{ord(match[0]):04X}"}


def length_problem(text: str, limit: int) -> str | None:
    """Say how long a text is that is longer than its limit in characters, or None where it is not.

    >>> length_problem("x" * 10_001, 10_000)
    '10,001 characters, at most 10,000 are kept'
    """
    if len(text) <= limit:
        return None
    return gettext("%(n)s characters, at most %(limit)s are kept") % {
        "n": number_format(len(text), force_grouping=True),
        "limit": number_format(limit, force_grouping=True),
    }


def sentence(problem: str) -> str:
    """Return a problem as it stands beside a field."""
    return f"{problem[0].upper()}{problem[1:]}."
