"""Strings without the words of texts that a release must not carry: runs of five words or more. Pure.

What may quote is gathered first, and the texts stream by once: it does not matter how many these are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from agreement.spans.tokens import UNSPACED_LETTERS

RUN = 5
"""Words in a row that a string and a text share: fewer are the language's, not the text's."""

LEFT_OUT = "[…]"

_LETTERS_A_WORD = 2
_WORD = re.compile(rf"[{UNSPACED_LETTERS}]|[^\W{UNSPACED_LETTERS}]+")
_UNSPACED = re.compile(f"[{UNSPACED_LETTERS}]")


@dataclass(frozen=True, slots=True)
class TextsOut:
    """Takes out of strings what they share with the texts; `shared` has the runs of words that both have."""

    shared: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def of(cls, strings: Iterable[str], texts: Iterable[str]) -> TextsOut:
        """Return what takes the texts out of these strings, and of no others."""
        asked = {run for string in strings for run, _, _ in _runs(string)}
        if not asked:
            return cls()
        return cls(frozenset(run for text in texts for run, _, _ in _runs(text) if run in asked))

    def also(self, other: TextsOut) -> TextsOut:
        """Return what takes out what either of the two does."""
        return TextsOut(self.shared | other.shared)

    def quotes(self, string: str) -> bool:
        """Say whether a string has words of a text in it."""
        return bool(self.shared) and any(run in self.shared for run, _, _ in _runs(string))

    def without(self, string: str) -> str:
        """Return a string with LEFT_OUT in place of the words of texts."""
        if not self.shared:
            return string
        kept, end = [], 0
        for start, stop in _merged((a, b) for run, a, b in _runs(string) if run in self.shared):
            kept += [string[end:start], LEFT_OUT]
            end = stop
        return "".join([*kept, string[end:]])

    def cleaned(self, value: Any) -> Any:
        """Return plain data with every string in it, and every key, without the words of texts."""
        if not self.shared:
            return value
        if isinstance(value, str):
            return self.without(value)
        if isinstance(value, dict):
            return {self.without(key): self.cleaned(entry) for key, entry in value.items()}
        if isinstance(value, list | tuple):
            return [self.cleaned(entry) for entry in value]
        return value


def strings_in(value: Any) -> Iterator[str]:
    """Yield every string of plain data, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield key
            yield from strings_in(entry)
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from strings_in(entry)


def is_text(string: str) -> bool:
    """Say whether a string has as many words as a quote: what stands in such a field are texts, not names."""
    return next(_runs(string), None) is not None


def _runs(string: str) -> Iterator[tuple[str, int, int]]:
    """Yield each run of RUN words with its place; two letters are a word where no spaces part them."""
    found = [(word[0], word.start(), word.end()) for word in _WORD.finditer(string)]
    words = [unicodedata.normalize("NFKC", word).casefold() for word, _, _ in found]
    sizes = [1 if _UNSPACED.match(word) else _LETTERS_A_WORD for word, _, _ in found]
    last, size = 0, 0
    for first in range(len(words)):
        while size < RUN * _LETTERS_A_WORD:
            if last == len(words):
                return
            size += sizes[last]
            last += 1
        yield " ".join(words[first:last]), found[first][1], found[last - 1][2]
        size -= sizes[first]


def _merged(places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield places in their order, those that overlap as one."""
    start = end = -1
    for a, b in places:
        if a > end:
            if end >= 0:
                yield start, end
            start = a
        end = max(end, b)
    if end >= 0:
        yield start, end
