"""How much one team could learn about the references, in bits, beside how much there is to learn.

A bound on any team's cleverness: a score that can take v values tells at most log2 v bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, log, log2, sqrt

from scoring.figures.matching import QUESTIONS
from scoring.reading.focus_answers import MOST_TYPES

LABELS = 4
"""Kinds of answers that a row counts: useful, unhelpful, invalid and not able to evaluate."""


@dataclass(frozen=True, slots=True)
class Learnable:
    """At most so many bits of the references: by the scores of all entries, and with the columns beside them.

    each : by the score of one entry; where only better scores are told, of one that is
    """

    each: float
    scores: float
    with_columns: float
    hidden: float


def values_of_a_score(items: int, *, scope: str = "", runs: int = 1) -> int:
    """Return how many values a score can take where whoever handed the files in knows all but the references.

    scope : "" for questions, of which three an item are useful or not; "decided" or "all" for two types an
        item (micro F1 = 2 tp / (answered + there): tp alone is not known in scope all, and beside it how
        many of the answers are decided in scope decided; how many are there is the same in every score)

    >>> values_of_a_score(34)
    103
    """
    if not scope:
        return int(runs * items * QUESTIONS + 1)
    answers = items * MOST_TYPES
    return int((comb(answers + 2, 2) if scope == "decided" else answers + 1) ** runs)


def learnable(
    feedback: str,
    *,
    items: int,
    entries: int,
    labels: int,
    bits_a_label: float,
    scope: str = "",
    runs: int = 1,
    methods: int = 1,
) -> Learnable:
    """Return what one team could learn that hands in as many entries as it may, while the board is open.

    Under `better` what is told is a rising row of scores and at which entries it rose: of k entries with v
    values there are C(k + v, k).

    >>> found = learnable("full", items=34, entries=10, labels=806, bits_a_label=1.555)
    >>> round(found.each, 1), round(found.scores, 1), round(found.hidden)
    (6.7, 66.9, 1253)
    """
    hidden = labels * bits_a_label
    if feedback == "after_close":
        return Learnable(0.0, 0.0, 0.0, hidden)
    if feedback == "rounded":
        each = methods * log2(items + 1)
        # Score, both ends of its interval and the share of NAE are each one of so many steps.
        beside = 3 * each + 1
        return Learnable(each, min(hidden, entries * each), min(hidden, entries * (each + beside)), hidden)
    values = values_of_a_score(items, scope=scope, runs=runs)
    each = methods * log2(values)
    # How many types are there, None of the Above among them, every score of types tells a little of.
    there = log2(labels + items + 1) if scope else 0.0
    scores = there + entries * each
    if feedback == "better":
        scores = there + methods * sum(log2(values + at) - log2(at) for at in range(1, entries + 1))
    # F1 of every type tells of each how many are there: of types no bound but all there is to learn is named.
    beside = hidden if scope else methods * _columns(items, runs=runs) + 1
    return Learnable(each, min(hidden, scores), min(hidden, scores + entries * beside), hidden)


def _columns(items: int, *, runs: int) -> float:
    """Return the bits of the counts by label and of the interval, which follows from how items scored."""
    questions = items * QUESTIONS
    return runs * (log2(comb(questions + LABELS - 1, LABELS - 1)) + log2(comb(items + QUESTIONS, QUESTIONS)))


def most_ahead(bits: float, answers: int) -> float:
    """Return by how much, on average, a score may run ahead of fresh references by what was learned.

    answers : how many answers of a file are right or wrong, each counted alike in the score

    The score is a mean of so many values from 0 to 1; at most 1.

    References
    ----------
    Xu and Raginsky (2017), Information-theoretic analysis of generalization capability of learning
    algorithms, NeurIPS, theorem 1. https://doi.org/10.48550/arXiv.1705.07809

    >>> round(most_ahead(6.7, 102), 2)
    0.15
    """
    return min(1.0, sqrt(bits * log(2) / (2 * answers))) if answers else 1.0


def entropy(counts: Mapping[str, int] | Sequence[int]) -> float:
    """Return the bits of one label where labels are as frequent as counted.

    >>> entropy([2, 2])
    1.0
    """
    numbers = list(counts.values()) if isinstance(counts, Mapping) else list(counts)
    total = sum(numbers)
    return -sum(n / total * log2(n / total) for n in numbers if n) if total else 0.0
