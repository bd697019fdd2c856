"""Precision and recall of a filter, from a sample of what it passed and a thinner one of the refused. Pure.

References
----------
Cochran WG (1977) Sampling Techniques, chapter 5 (stratified sampling).
Brown LD, Cai TT, DasGupta A (2001) Stat Sci 16:101-133. doi:10.1214/ss/1009213286 (Jeffreys' interval)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

REPLICATES = 10_000
TAILS = (2.5, 97.5)


class Sampled(NamedTuple):
    """What people said of the sample of one kind: `total` texts of the kind, and votes of those drawn."""

    total: int
    yes: int
    no: int
    undecided: int = 0

    @property
    def judged(self) -> int:
        return self.yes + self.no


@dataclass(frozen=True, slots=True)
class Share:
    """A share between 0 and 1 with its 95% interval; no value, and why, where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FilterFigures:
    """How well a filter does, with what people said of either kind of text."""

    precision: Share
    recall: Share
    passed: Sampled
    refused: Sampled


def filter_figures(passed: Sampled, refused: Sampled, *, seed: int = 0) -> FilterFigures:
    """Return precision and recall of a filter; a text counts as sufficient where most of its people say so.

    Each kind is weighted by its number of texts over those that were judged: a sampled refused text stands
    for many. Undecided texts are left out and counted. The intervals are percentiles of draws from the two
    Beta distributions of Jeffreys' prior, with this seed.

    Undefined: precision where nothing that passed was judged; recall where either kind that has texts was
    not judged, or where nothing at all is sufficient.

    >>> figures = filter_figures(Sampled(100, 9, 1), Sampled(200, 1, 19))
    >>> round(figures.precision.value, 3), round(figures.recall.value, 3)
    (0.9, 0.9)
    """
    if not passed.judged:
        nothing = Share(None, reason="nothing that passed was judged")
        return FilterFigures(nothing, nothing, passed, refused)
    rng = np.random.default_rng(seed % 2**64)
    right = passed.yes / passed.judged
    rights = rng.beta(passed.yes + 0.5, passed.no + 0.5, REPLICATES)
    low, high = np.percentile(rights, TAILS)
    precision = Share(right, float(low), float(high))
    if refused.total and not refused.judged:
        return FilterFigures(precision, Share(None, reason="nothing refused was judged"), passed, refused)
    wrong = refused.yes / refused.judged if refused.judged else 0.0
    wrongs = rng.beta(refused.yes + 0.5, refused.no + 0.5, REPLICATES) if refused.total else np.zeros(1)
    found, left = passed.total * right, refused.total * wrong
    if not found + left:
        return FilterFigures(precision, Share(None, reason="nothing is sufficient"), passed, refused)
    draws = passed.total * rights / (passed.total * rights + refused.total * wrongs)
    low, high = np.percentile(draws, TAILS)
    return FilterFigures(precision, Share(found / (found + left), float(low), float(high)), passed, refused)
