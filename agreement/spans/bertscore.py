"""BERTScore of two texts: greedy matching of contextual token embeddings. Where these come from: encoders.py.

Only roberta-large (layer 17) gives the numbers that papers call BERTScore; the figures of another encoder
compare with one another, and its name stands beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

BATCH = 64
"""How many different texts are encoded before their pairs are compared and their vectors deleted."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """The tokens of one text.

    vectors: (tokens, dimensions), each of length 1; counted: (tokens,) False for the markers that an encoder
    puts around a text ([CLS], </s>); cut: the text was longer than the encoder reads.
    """

    vectors: NDArray[np.float32]
    counted: NDArray[np.bool_]
    cut: bool = False


Embed = Callable[[Sequence[str]], list[Embedded]]


@dataclass(frozen=True, slots=True)
class BertScore:
    """Precision, recall and their harmonic mean; swapping the two texts swaps precision and recall."""

    precision: float
    recall: float
    f1: float


def bertscore(candidate: Embedded, reference: Embedded) -> BertScore | None:
    """Return the score of a candidate against a reference; None where either has no token.

    Notes
    -----
    Precision is the mean over the candidate's tokens of the highest cosine to any token of the reference,
    recall the same the other way round. Markers count in neither mean, but may be the best match of a token:
    so does the program of the authors, whose numbers papers report. No weights by rarity, no rescaling to a
    baseline. Where no token is like any other (precision + recall <= 0) F1 is 0.

    References
    ----------
    Zhang, T., Kishore, V., Wu, F., Weinberger, K. Q., & Artzi, Y. (2020). BERTScore: Evaluating text
    generation with BERT. ICLR 2020. arXiv:1904.09675, section 3.

    >>> east, north = np.eye(2, dtype=np.float32)
    >>> both = Embedded(np.stack([east, north]), np.array([True, True]))
    >>> bertscore(Embedded(east[None], np.array([True])), both)
    BertScore(precision=1.0, recall=0.5, f1=0.6666666666666666)
    """
    if not candidate.counted.any() or not reference.counted.any():
        return None
    cosines = candidate.vectors @ reference.vectors.T
    precision = _mean(cosines.max(axis=1)[candidate.counted])
    recall = _mean(cosines.max(axis=0)[reference.counted])
    total = precision + recall
    return BertScore(precision, recall, 2 * precision * recall / total if total > 0 else 0.0)


def pair_scores(
    groups: Iterable[Sequence[str]], embed: Embed, *, batch: int = BATCH
) -> Iterator[list[BertScore | None]]:
    """Yield for each group of texts the scores of all its pairs, first with itself, first with second, ...

    Different texts are encoded once in a batch, and a batch at a time is in memory. A text alone in its group
    has nothing to be compared with: its group is empty.
    """
    waiting: list[Sequence[str]] = []
    texts: dict[str, None] = {}
    for group in groups:
        waiting.append(group)
        if len(group) > 1:
            texts.update(dict.fromkeys(group))
        if len(texts) >= batch:
            yield from _scored(waiting, texts, embed)
            waiting, texts = [], {}
    yield from _scored(waiting, texts, embed)


def _scored(
    groups: list[Sequence[str]], texts: dict[str, None], embed: Embed
) -> Iterator[list[BertScore | None]]:
    embedded = dict(zip(texts, embed(list(texts)), strict=True)) if texts else {}
    for group in groups:
        pairs = combinations_with_replacement(group, 2) if len(group) > 1 else ()
        yield [bertscore(embedded[a], embedded[b]) for a, b in pairs]


def _mean(cosines: NDArray[np.float32]) -> float:
    return min(1.0, float(cosines.mean(dtype=np.float64)))  # rounding may put a cosine above 1
