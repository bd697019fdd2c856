"""What counts as blank, and what no stored text may contain. One source for server, database and browser."""

from __future__ import annotations

import re

from django.utils.translation import gettext

BLANK_CHARACTERS = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
)
"""A text made of these alone is blank: Unicode's White_Space characters, the four information separators
that Python also strips, and the three invisible ones without width (U+200B, U+2060, U+FEFF). TRIM in the
database is given the same list."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def is_blank(text: str) -> bool:
    """Whether nothing is left of the text once BLANK_CHARACTERS are stripped."""
    return not text.strip(BLANK_CHARACTERS)


def text_problem(text: str) -> str | None:
    """Say why a text cannot be stored (NUL, lone surrogate) and at which character, or None when it can.

    >>> text_problem("so\\x00there")
    'character 3 is NUL (U+0000), which cannot be stored'
    """
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
