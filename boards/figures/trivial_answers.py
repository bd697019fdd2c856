"""Answers about questions that know nothing of the text, as systems would hand them in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

import numpy as np

QUESTIONS = 3


def references_of_others(
    references: Mapping[str, Sequence[str]],
    *,
    seed: int,
    key: Callable[[str], Hashable] = str.strip,
) -> dict[str, list[str]]:
    """Return for each item three different references of other items, drawn evenly.

    An item has fewer where the others have no three that differ from each other.
    """
    rng = np.random.default_rng(seed)
    asked = [(item, text) for item, texts in references.items() for text in texts]
    found: dict[str, list[str]] = {}
    for item in references:
        chosen: dict[Hashable, str] = {}
        for at in rng.permutation(len(asked)):
            other, text = asked[at]
            if other != item:
                chosen.setdefault(key(text), text)
            if len(chosen) == QUESTIONS:
                break
        found[item] = list(chosen.values())
    return found


def most_frequent(
    questions: Iterable[str], *, key: Callable[[str], Hashable] = str.strip, most: int = QUESTIONS
) -> list[str]:
    """Return the questions that are asked most often, in the words of their first time; ties in file order.

    >>> most_frequent(["Why?", "Who?", "Why? "], most=1)
    ['Why?']
    """
    counted: Counter[Hashable] = Counter()
    words: dict[Hashable, str] = {}
    for question in questions:
        found = key(question)
        counted[found] += 1
        words.setdefault(found, question)
    return [words[found] for found, _ in counted.most_common(most)]
