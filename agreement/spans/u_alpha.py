"""u_alpha of 2016: agreement on what is marked in texts, all texts making one continuum.

It replaces alpha_u of 1995 and 2004, which has no lower bound and is not 0 at chance. What it does not see
is one unit split in two: marked against not marked is all it knows.

References
----------
Krippendorff K, Mathet Y, Bouvry S, Widlöcher A (2016) On the reliability of unitizing
textual continua: further developments. Quality & Quantity 50:2347-2364. doi:10.1007/s11135-015-0266-1
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from agreement.spans.unitizing import NO_SPANS, Alpha, Unit
from agreement.statistics.estimates import NO_ITEMS, NO_PAIRS, NO_VARIATION

U_ALPHA, ALPHA_TOKEN = "u_alpha", "alpha_token"
POOLED_ALPHAS = (U_ALPHA, ALPHA_TOKEN)
"""The two alphas of all texts as one: over marked units in code points, and over positions one by one."""

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


def continuum_row(
    by_unit: Sequence[Sequence[Unit]], length: int, by_token: Sequence[Sequence[Unit]], count: int
) -> NDArray[np.float64]:
    """Return what one text adds to both POOLED_ALPHAS, (10,): zeros where fewer than two judged it.

    by_unit are the units of each annotator in code points, by_token in the positions, count of them.
    """
    row = np.zeros(2 * len(SUMS))
    units, tokens = coincidences(by_unit, length), coincidences(by_token, count)
    if units is not None and tokens is not None:
        # Each position is a unit of its own: the sum of squared lengths is the number of positions marked.
        tokens[3] = tokens[0] + tokens[2]
        row[: len(SUMS)], row[len(SUMS) :] = units, tokens
    return row


def unmarked_rows(annotators: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the `continuum_row` of texts that nobody marked, (texts, 10).

    lengths (texts, 2) are in code points and in positions.
    """
    rows = np.zeros((len(annotators), 2 * len(SUMS)))
    places = np.where(annotators > 1, annotators, 0)[:, None] * lengths
    rows[:, [1, 6]] = rows[:, [4, 9]] = places
    return rows


def pooled_parts(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return observed and expected disagreement of POOLED_ALPHAS, each (2, ...), of added rows (10, ...).

    In positions, not as shares: those of several types are added up, so that each has its own expectation.
    """
    parts = []
    for own in (sums[: len(SUMS)], sums[len(SUMS) :]):
        total = own[0] + own[1] + 2 * own[2]
        parts.append([share * total for share in disagreements(own)])
    return np.array([part[0] for part in parts]), np.array([part[1] for part in parts])


def pooled_differing(rows: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return in how many texts, of rows (texts, 10), somebody marks what another does not, for each alpha."""
    differing: NDArray[np.int64] = (rows[:, SUMS.index("one") :: len(SUMS)] > 0).sum(axis=0)
    return differing


def why_undefined(sums: NDArray[np.float64], *, texts: int, pairable: int) -> str:
    """Return the reason of an alpha of one type whose expected disagreement is 0; sums are its own five."""
    if not pairable:
        return NO_PAIRS if texts else NO_ITEMS
    return NO_VARIATION if sums[0] + sums[2] else NO_SPANS


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
