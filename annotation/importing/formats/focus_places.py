"""Where the words of a published FOCUS sheet stand in their text, by the first rule that gives a place."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import NamedTuple

NEAR = 0.85
"""How alike the nearest run of whole words must be, as the ratio of `difflib`."""

EXACT, STRIP, FOLD, TWO, NEAREST = "exact", "strip", "fold", "two spans", "nearest"
NOWHERE = "nowhere"

_SAME = str.maketrans(
    dict.fromkeys("‘’‚‛ʼ`´", "'") | dict.fromkeys("“”„‟", '"') | dict.fromkeys("‐‑‒–—―−", "-")
)
_SOFT_HYPHEN = "\u00ad"
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_BETWEEN = re.compile(r"\s*/\s+")


class Span(NamedTuple):
    """A place in a text, in code points, without white space at its edges; `how` names the rule.

    `others` are further words of the cell, which have places of their own.
    """

    start: int
    end: int
    how: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Folded:
    """A text with case, quotation marks, dashes and white space set aside, and where each letter was."""

    text: str
    at: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> Folded:
        letters: list[str] = []
        at: list[int] = []
        for place, letter in enumerate(text):
            if letter == _SOFT_HYPHEN:
                continue
            folded = " " if letter.isspace() else letter.translate(_SAME).casefold()
            if folded == " " and (not letters or letters[-1] == " "):
                continue
            letters += folded
            at += [place] * len(folded)
        return cls("".join(letters), tuple(at))

    def find(self, words: str) -> tuple[int, int] | None:
        """Return the first place of folded words in the text that was folded."""
        start = self.text.find(words) if words else -1
        return None if start < 0 else (self.at[start], self.at[start + len(words) - 1] + 1)


def find_span(text: str, words: str) -> Span | None:
    """Return where words stand in a text, or None. Their first place counts where there are several.

    In this order: as they are; without white space at the edges; folded; folded without punctuation at the
    edges; two spans between " / ", of which the first in the text counts; the nearest whole words.

    >>> find_span("All cats are “grey”.", ' cats are "grey"')
    Span(start=4, end=19, how='fold', others=())
    >>> find_span("All cats are grey.", "dogs") is None
    True
    """
    found = _as_written(text, words)
    if found is not None:
        return found
    parts = _BETWEEN.split(words.strip())
    if len(parts) > 1:
        places = [(place, part) for part in parts if (place := _as_written(text, part)) is not None]
        if len(places) == len(parts):
            (first, _), *others = sorted(places)
            return Span(first.start, first.end, TWO, tuple(part for _, part in others))
    return _nearest(text, words.strip())


def stands_in(text: str, words: str) -> bool:
    """Whether words stand in a text but for case, white space and punctuation at the edges."""
    return _as_written(text, words) is not None


def _as_written(text: str, words: str) -> Span | None:
    stripped = words.strip()
    if not stripped:
        return None
    for tried in (words, stripped):
        start = text.find(tried)
        if start >= 0:
            start += len(tried) - len(tried.lstrip())
            return Span(start, start + len(stripped), EXACT if words == stripped else STRIP)
    folded, wanted = Folded.of(text), Folded.of(stripped).text
    for tried in (wanted, _EDGES.sub("", wanted)):
        place = folded.find(tried)
        if place is not None:
            return Span(*place, FOLD)
    return None


def _nearest(text: str, words: str) -> Span | None:
    """Return the run of whole words that is most like these, the first of equals."""
    tokens = [(found.start(), found.end()) for found in re.finditer(r"\w+", text)]
    matcher = difflib.SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(words)
    best, ratio = None, 0.0
    for first, (start, _) in enumerate(tokens):
        for _, end in tokens[first:]:
            length = end - start
            if 2 * min(length, len(words)) < NEAR * (length + len(words)):
                if length > len(words):
                    break
                continue
            matcher.set_seq1(text[start:end])
            if matcher.real_quick_ratio() <= ratio or matcher.quick_ratio() <= ratio:
                continue
            if (found := matcher.ratio()) > ratio:
                best, ratio = (start, end), found
    return Span(*best, NEAREST) if best is not None and ratio >= NEAR else None
