r"""Positions that the span statistics count: word tokens, or characters where words cannot be told apart.

A token is a match of `\w+` in the text exactly as stored. That fails for two kinds of writing: scripts
without spaces between words (a whole Chinese sentence is one token, so any two spans in it would "match"),
and scripts whose vowel signs are combining marks, which `\w` leaves out (a Hindi or pointed Hebrew word falls
into pieces). Such a text is counted by code points. The choice is made once for a text, never for a span.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import numpy as np

Unit = Literal["token", "character"]
Bounds = tuple[int, ...]

UNSPACED_SCRIPT = "unspaced_script"
COMBINING_MARKS = "combining_marks"
NO_WORDS = "no_words"

# Unicode line breaking (UAX 14) classes ID and SA: ideographs, kana, and the South East Asian scripts that
# write no space between words. Hangul is absent on purpose: Korean separates words.
_UNSPACED_RANGES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x1950, 0x19DF),  # Tai Le, New Tai Lue
    (0x1A20, 0x1AAF),  # Tai Tham
    (0x2E80, 0x2FDF),  # radicals of Han
    (0x3005, 0x3007),  # ideographic iteration mark, closing mark, zero
    (0x3021, 0x3029),  # Hangzhou numerals
    (0x3040, 0x312F),  # Hiragana, Katakana, Bopomofo
    (0x31F0, 0x31FF),  # Katakana extensions
    (0x3400, 0x4DBF),  # Han extension A
    (0x4E00, 0x9FFF),  # Han
    (0xA000, 0xA4CF),  # Yi
    (0xA9E0, 0xA9FF),  # Myanmar extended B
    (0xAA60, 0xAADF),  # Myanmar extended A, Tai Viet
    (0xF900, 0xFAFF),  # Han compatibility
    (0xFF66, 0xFF9F),  # half-width Katakana
    (0x1B000, 0x1B16F),  # kana supplements
    (0x20000, 0x3FFFF),  # Han extensions B and later
)
UNSPACED_LETTERS = "".join(f"{chr(first)}-{chr(last)}" for first, last in _UNSPACED_RANGES)

_WORD = re.compile(r"\w+")
_UNSPACED_LETTER = re.compile(f"[{UNSPACED_LETTERS}]")
_SPACED_WORD = re.compile(f"[^\\W{UNSPACED_LETTERS}]+")
_IS_WORD = bytes(_WORD.match(chr(code)) is not None for code in range(256))
_NON_ASCII_NON_WORD = re.compile(r"[^\w\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class Positions:
    """The countable positions of one text.

    `unit` is what a position is; `reason` is None for tokens, else why characters are counted:
    `unspaced_script`, `combining_marks` or `no_words`. `count` is the number of positions.
    """

    unit: Unit
    reason: str | None
    count: int
    _starts: Bounds = field(repr=False, default=())
    _ends: Bounds = field(repr=False, default=())

    def touched(self, start: int, end: int) -> range:
        """Return the positions touched by the code points start to end, half open: always one range."""
        if self.unit == "character":
            return range(start, end)
        if start >= end:
            return range(0)
        first = bisect_right(self._ends, start)
        return range(first, max(first, bisect_left(self._starts, end)))


@lru_cache(maxsize=1024)
def positions(text: str) -> Positions:
    """Return the positions of a text, as tokens or, where `counting_unit` says so, as characters."""
    unit, reason = counting_unit(text)
    if unit == "character":
        return Positions("character", reason, len(text))
    starts, ends = _ascii_words(text) if text.isascii() else _words(text)
    return Positions("token", None, len(starts), starts, ends)


def _words(text: str) -> tuple[Bounds, Bounds]:
    """Return where the words of a text start and end."""
    starts, ends = zip(*(match.span() for match in _WORD.finditer(text)), strict=True)
    return starts, ends


def _ascii_words(text: str) -> tuple[Bounds, Bounds]:
    """Return what `_words` does, in a quarter of the time: most texts of a large round are cut into words."""
    inside = np.frombuffer(b"\0%b\0" % text.encode().translate(_IS_WORD), dtype=np.uint8)
    bounds = np.flatnonzero(inside[1:] != inside[:-1]).tolist()
    return tuple(bounds[::2]), tuple(bounds[1::2])


def counting_unit(text: str) -> tuple[Unit, str | None]:
    r"""Say whether a text is counted by word tokens or by characters, and why by characters.

    Characters are counted where the text has
    no `\w+` token at all (`no_words`: emoji, punctuation);
    more letters of scripts without word spaces than words of other scripts (`unspaced_script`); or
    a combining mark in more than half of its words (`combining_marks`).
    A foreign name or a short quotation therefore does not change how a text is counted.
    """
    if not _WORD.search(text):
        return "character", NO_WORDS
    if text.isascii():
        return "token", None
    if len(_UNSPACED_LETTER.findall(text)) > len(_SPACED_WORD.findall(text)):
        return "character", UNSPACED_SCRIPT
    marked, whole = _words_with_marks(text)
    if 2 * marked > whole:
        return "character", COMBINING_MARKS
    return "token", None


def word_tokens(string: str, unit: Unit = "token") -> tuple[str, ...]:
    r"""Return the tokens of a string for measures that compare bags of words.

    Tokens are `\w+` of the NFC form, casefolded. With unit "character" every letter or digit is a token of
    its own, together with the combining marks that follow it.
    """
    folded = unicodedata.normalize("NFC", string).casefold()
    if unit == "token":
        return tuple(_WORD.findall(folded))
    tokens: list[str] = []
    previous_belongs = False
    for character in folded:
        if character.isalnum() or character == "_":
            tokens.append(character)
            previous_belongs = True
        elif previous_belongs and _is_mark(character):
            tokens[-1] += character
        else:
            previous_belongs = False
    return tuple(tokens)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


def _words_with_marks(text: str) -> tuple[int, int]:
    """Count the words that contain a combining mark, and all words, a word being letters and marks."""
    marks = {character for character in _NON_ASCII_NON_WORD.findall(text) if _is_mark(character)}
    if not marks:
        return 0, 1
    mark_class = "".join(sorted(marks))
    words = re.findall(f"\\w[\\w{mark_class}]*", text)
    return sum(not marks.isdisjoint(word) for word in words), len(words)
