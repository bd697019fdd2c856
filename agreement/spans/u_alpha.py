"""u_alpha of 2016: agreement on what is marked in texts, all texts making one continuum.

It replaces alpha_u of 1995 and 2004, which has no lower bound and is not 0 at chance. What it does not see
is one unit split in two: marked against not marked is all it knows.

References ---------- Krippendorff K, Mathet Y, Bouvry S, Widlöcher A (2016) On the reliability of unitizing
textual continua: further developments. Quality & Quantity 50:2347-2364. doi:10.1007/s11135-015-0266-1
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from agreement.spans.unitizing import NO_SPANS, Alpha, Unit
from agreement.statistics.estimates import NO_ITEMS, NO_PAIRS, NO_VARIATION

SUMS = ("both", "neither", "one", "unit_squares", "unmarked")
"""What a text adds: l11, l00, l10 (l01 is as much), S1 and S0 of the paper, in positions (S1: squared)."""


def coincidences(annotators: Sequence[Sequence[Unit]], length: int) -> NDArray[np.float64] | None:
    """Return what one text adds to `SUMS`, shape (5,); None where fewer than two annotators judged it.

    Parameters
    ----------
    annotators : sequence of sequence of (start, end)
        The units of every annotator who judged the text, an empty sequence for one who marked nothing.
        Positions are half open; units of one annotator must not overlap, but may touch.
    length : int
        Number of positions of the text.

    Raises ValueError for a unit outside the text, or one that overlaps another of the same annotator.
    """
    count = len(annotators)
    if count < 2:
        return None
    changes: dict[int, int] = {0: 0, length: 0}
    squares = marked = 0
    for units in annotators:
        reached = 0
        for start, end in sorted(units):
            if not 0 <= start < end <= length:
                raise ValueError(f"unit ({start}, {end}) is not inside a text of {length} positions")
            if start < reached:
                raise ValueError(f"unit ({start}, {end}) overlaps another unit of the same annotator")
            reached = end
            changes[start] = changes.get(start, 0) + 1
            changes[end] = changes.get(end, 0) - 1
            squares += (end - start) ** 2
            marked += end - start
    both = neither = one = 0
    marking = 0
    for start, end in pairwise(sorted(changes)):
        marking += changes[start]
        rest = count - marking
        both += (end - start) * marking * (marking - 1)
        neither += (end - start) * rest * (rest - 1)
        one += (end - start) * marking * rest
    others = count - 1
    unmarked = count * length - marked
    return np.array([both / others, neither / others, one / others, squares, unmarked], dtype=np.float64)


def disagreements(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return observed and expected disagreement of added sums (5, ...), both as shares of all positions.

    With l.. all positions of all annotators, l1. and l0. those marked and not marked, S1 the squared lengths
    of the units and S0 the unmarked positions: D = l..^2 - S1 - S0, e11 = l.. (l1.^2 - S1) / D, e00 = l..
    (l0.^2 - S0) / D. Expected is 0 where nothing, or everything, is marked.
    """
    both, neither, one, squares, unmarked = sums
    marked, blank = both + one, neither + one
    total = marked + blank
    varies = (marked > 0) & (blank > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        possible = total**2 - squares - unmarked
        expected_alike = (marked**2 - squares + blank**2 - unmarked) / possible
        observed = 2 * one / total
    return np.where(varies, observed, 0.0), np.where(varies, 1 - expected_alike, 0.0)


def u_alpha(texts: Iterable[NDArray[np.float64] | None]) -> Alpha:
    """Return 1 - observed / expected of the coincidences of texts; texts with one annotator are left out.

    Undefined where nothing is marked (`no_spans`), everything is (`no_variation`), no text has two annotators
    (`no_pairs`) or there is none (`no_items`).

    >>> round(u_alpha([coincidences([[(10, 30)], [(12, 32)]], 100)]).value, 3)
    0.878
    """
    parts = list(texts)
    pairable = [part for part in parts if part is not None]
    if not pairable:
        return Alpha(None, 0.0, 0.0, NO_PAIRS if parts else NO_ITEMS)
    sums = np.sum(pairable, axis=0)
    observed, expected = (float(part) for part in disagreements(sums))
    if expected > 0:
        return Alpha(1 - observed / expected, observed, expected)
    return Alpha(None, 0.0, 0.0, NO_SPANS if not sums[0] + sums[2] else NO_VARIATION)
