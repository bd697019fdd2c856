"""Where the words of a system stand in a text: a system gives words, and not offsets."""

from __future__ import annotations

import unicodedata

_QUOTES = {ord(mark): '"' for mark in "“”„‟«»"} | {ord(mark): "'" for mark in "‘’‚‛"}


def find_place(text: str, words: str) -> tuple[int, int] | None:
    """Return [start, end) of the words in code points, None where they are not in the text.

    The first occurrence as it stands; else the first with case, curly quotation marks and runs of white
    space set aside, whose place is that of the same characters of the text.

    >>> find_place("Most people agree: it “works”  well.", 'IT "works" well')
    (19, 34)
    """
    words = words.strip()
    if not words:
        return None
    start = text.find(words)
    if start >= 0:
        return start, start + len(words)
    folded, origins = _folded(text)
    sought, _ = _folded(words)
    at = folded.find(sought)
    if at < 0:
        return None
    return origins[at], origins[at + len(sought) - 1] + 1


def _folded(text: str) -> tuple[str, list[int]]:
    """Return the text without case, curly marks and runs of white space, and whence each character comes."""
    characters: list[str] = []
    origins: list[int] = []
    for at, character in enumerate(text):
        if character.isspace():
            if characters and characters[-1] != " ":
                characters.append(" ")
                origins.append(at)
            continue
        for folded in unicodedata.normalize("NFC", character.translate(_QUOTES)).casefold():
            characters.append(folded)
            origins.append(at)
    return "".join(characters), origins
