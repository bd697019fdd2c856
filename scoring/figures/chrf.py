"""Sentence chrF, the similarity of CQs-Gen that needs no model: sacrebleu's, with its defaults.

Computed here, since sacrebleu takes the n-grams of both anew for every pair; the tests compare the two.

References
----------
Popović M (2015) chrF: character n-gram F-score for automatic MT evaluation. WMT. doi:10.18653/v1/W15-3049
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from scoring.figures.figure import FloatArray

ORDERS = range(1, 7)
BETA_SQUARED = 4

Grams = tuple[tuple[Counter[str], int], ...]
"""Of each order the character n-grams with their counts, and how many there are."""


def chrf_table(questions: Sequence[str], references: Sequence[str]) -> FloatArray:
    """Return chrF of each question against each reference, (questions, references), 0 to 100.

    Character n-grams of 1 to 6, beta 2, white space removed, case kept.

    >>> chrf_table(["Who says so?"], ["Who says so?", "xyz"]).round(1).tolist()
    [[100.0, 0.0]]
    """
    known = [_grams(reference) for reference in references]
    scores = [[_score(grams, other) for other in known] for grams in map(_grams, questions)]
    return np.array(scores, dtype=np.float64).reshape(len(questions), len(references))


@lru_cache(maxsize=512)
def _grams(text: str) -> Grams:
    joined = "".join(text.split())
    return tuple(
        (Counter(joined[at : at + n] for at in range(len(joined) - n + 1)), max(0, len(joined) - n + 1))
        for n in ORDERS
    )


def _score(question: Grams, reference: Grams) -> float:
    """Return the F of the mean precision and the mean recall over the orders that both texts have."""
    precision = recall = 0.0
    orders = 0
    for (ours, n_ours), (theirs, n_theirs) in zip(question, reference, strict=True):
        if not n_ours or not n_theirs:
            continue
        small, large = (ours, theirs) if len(ours) < len(theirs) else (theirs, ours)
        shared = sum(min(count, large[gram]) for gram, count in small.items() if gram in large)
        precision += shared / n_ours
        recall += shared / n_theirs
        orders += 1
    if not precision + recall:
        return 0.0
    precision, recall = precision / orders, recall / orders
    return 100 * (1 + BETA_SQUARED) * precision * recall / (BETA_SQUARED * precision + recall)
