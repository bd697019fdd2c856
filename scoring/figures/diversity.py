"""How different a set of questions is: shares of distinct n-grams, how well they compress, how they begin.

Both figures fall with the number of questions, so sets are compared at equal numbers.
"""

from __future__ import annotations

import gzip
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

_WORD = re.compile(r"\w+")
LONGEST = 4
SUBSETS = 100


class NgramDiversity(NamedTuple):
    """The share of distinct n-grams for n = 1 to 4, and their sum; None where a length has no n-gram."""

    score: float | None
    by_n: tuple[float | None, ...]

    def to_json(self) -> dict[str, Any]:
        return {"score": self.score, "by_n": {str(n): share for n, share in enumerate(self.by_n, start=1)}}


def ngram_published(questions: Sequence[str]) -> NgramDiversity:
    """Return what CQs-Gen's Table 4 prints: all questions joined by one space and split at single spaces.

    N-grams across two questions count; the sum is over the lengths that occur, so it lies between 0 and 4.

    >>> round(ngram_published(["Why do you think that?", "Why do you think so?"]).score, 4)
    2.8738
    """
    words = " ".join(questions).split(" ")
    shares = tuple(_share([words], n) for n in range(1, LONGEST + 1))
    known = [share for share in shares if share is not None]
    return NgramDiversity(sum(known) if known else None, shares)


def ngram_within(questions: Sequence[str]) -> NgramDiversity:
    """Return the same of words in NFC and one case, with no n-gram across two questions.

    Undefined where no question is long enough for one of the lengths.
    """
    words = [_WORD.findall(unicodedata.normalize("NFC", question).casefold()) for question in questions]
    shares = tuple(_share(words, n) for n in range(1, LONGEST + 1))
    known = [share for share in shares if share is not None]
    return NgramDiversity(sum(known) if len(known) == LONGEST else None, shares)


def _share(texts: Iterable[Sequence[str]], n: int) -> float | None:
    grams = list(chain.from_iterable(zip(*(words[at:] for at in range(n)), strict=False) for words in texts))
    return len(set(grams)) / len(grams) if grams else None


def cr_diversity(questions: Sequence[str]) -> float | None:
    """Return gzip bytes over UTF-8 bytes of the questions joined by one space; None where there is no byte.

    Builds of zlib differ by a few bytes.
    """
    data = " ".join(questions).encode()
    return len(gzip.compress(data, compresslevel=9, mtime=0)) / len(data) if data else None


def at_equal_n(
    questions: Sequence[str],
    n: int,
    measure: Callable[[Sequence[str]], float | None],
    *,
    seed: int,
    subsets: int = SUBSETS,
) -> float | None:
    """Return the mean of a measure over random subsets of n questions; of all where there are no more.

    The order of a subset is that of the file. None where a subset has no value.
    """
    if n > len(questions):
        raise ValueError(f"A subset of {n} cannot be drawn from {len(questions)} questions.")
    if n == len(questions):
        return measure(questions)
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(subsets):
        chosen = sorted(rng.choice(len(questions), size=n, replace=False))
        values.append(measure([questions[at] for at in chosen]))
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None


def first_words(questions: Sequence[str], *, words: int = 3, most: int = 10) -> list[tuple[str, int]]:
    """Return the most frequent beginnings of questions with their numbers, ties in order of the file."""
    found = Counter(" ".join(question.split()[:words]) for question in questions)
    return found.most_common(most)
