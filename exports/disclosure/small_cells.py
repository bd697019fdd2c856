"""Which cells of a table of counts stay unsaid, so that none that is said, nor any sum, tells of few items.

Pure arithmetic: `exports.disclosure.disclosure` says where it is needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Mask = NDArray[np.bool_]


def hidden_cells(items: ArrayLike, least: int, also: ArrayLike | None = None) -> Mask:
    """Return which cells of a (rows, columns) table to hide; `items` has how many items each speaks of.

    Hidden is each cell about 1 to `least` - 1 items, whatever `also` says, and as many others as it takes
    that none of these follows from the sums of its row and of its column: the sums are taken as known, as
    they often are. Where rows or columns are too few for that the whole table is hidden.

    >>> hidden_cells([[9, 1, 8], [7, 6, 9], [8, 7, 6]], 5).astype(int).tolist()
    [[0, 1, 1], [0, 1, 1], [0, 0, 0]]
    >>> hidden_cells([[9, 8], [7, 0]], 5).tolist()
    [[False, False], [False, False]]
    """
    counts = np.atleast_2d(np.asarray(items, dtype=np.int64))
    hidden = (counts > 0) & (counts < least)
    if also is not None:
        hidden |= np.asarray(also, dtype=np.bool_)
    while open_cells := _that_follow(counts, hidden, least):
        if not all(_hide_one_more(counts, hidden, row, column) for row, column in open_cells):
            return np.ones_like(hidden)
    return hidden


def hidden_parts(items: ArrayLike, least: int) -> Mask:
    """Return which parts of a whole to hide; the sum of all parts is taken as known.

    >>> hidden_parts([2, 30, 9], 5).tolist()
    [True, False, True]
    """
    counts = np.asarray(items, dtype=np.int64)
    hidden = (counts > 0) & (counts < least)
    while hidden.any() and not hidden.all() and (hidden.sum() < 2 or counts[hidden].sum() < least):
        hidden[_smallest(counts, ~hidden)] = True
    return hidden


def _that_follow(counts: NDArray[np.int64], hidden: Mask, least: int) -> list[tuple[int, int]]:
    """Return the hidden cells of few items that their row, their column or all sums together give away."""
    if not hidden.any() or hidden.all():
        return []
    low, high = _bounds(counts, hidden)
    fixed = _fixed(hidden)
    fixed[hidden & np.equal(low, high)] = True
    found = []
    for row, column in np.argwhere(hidden & (counts > 0) & (counts < least)).tolist():
        lines = ((counts[row], hidden[row]), (counts[:, column], hidden[:, column]))
        thin = any(mine.sum() < 2 or line[mine].sum() < least for line, mine in lines if not mine.all())
        if fixed[row, column] or thin:
            found.append((row, column))
    return found


def _hide_one_more(counts: NDArray[np.int64], hidden: Mask, row: int, column: int) -> bool:
    """Hide the smallest cell beside this one, in the line that hides least; say whether there was any."""
    lines = [
        (int(hidden[row].sum()), [(row, int(at)) for at in np.flatnonzero(~hidden[row])]),
        (int(hidden[:, column].sum()), [(int(at), column) for at in np.flatnonzero(~hidden[:, column])]),
    ]
    for _, cells in sorted(lines, key=lambda line: line[0]):
        if cells:
            # What says nothing hides nothing: an empty cell comes last. One whose other line hides something
            # already needs no further cell there.
            crossed = np.logical_and.outer(hidden.any(axis=1), hidden.any(axis=0))
            hidden[min(cells, key=lambda at: (counts[at] == 0, not bool(crossed[at]), counts[at], at))] = True
            return True
    others = np.argwhere(~hidden)
    if not len(others):
        return False
    hidden[tuple(others[np.argmin(counts[~hidden])])] = True
    return True


def _bounds(counts: NDArray[np.int64], hidden: Mask) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return between what the hidden counts must lie, from all sums and from being no less than 0."""
    low = np.where(hidden, 0, counts)
    high = np.where(hidden, counts.sum(), counts)
    while True:
        before = low.copy(), high.copy()
        for axis in (0, 1):
            whole = counts.sum(axis=axis, keepdims=True)
            high = np.minimum(high, whole - (low.sum(axis=axis, keepdims=True) - low))
            low = np.maximum(low, whole - (high.sum(axis=axis, keepdims=True) - high))
        if (before[0] == low).all() and (before[1] == high).all():
            return low, high


def _fixed(hidden: Mask) -> Mask:
    """Return which hidden cells the sums of all rows and columns determine, whatever the counts are."""
    rows, columns = hidden.shape
    at = np.argwhere(hidden)
    sums = np.zeros((rows + columns, len(at)))
    sums[at[:, 0], np.arange(len(at))] = 1
    sums[rows + at[:, 1], np.arange(len(at))] = 1
    _, values, vectors = np.linalg.svd(sums)
    free = vectors[int((values > 1e-9).sum()) :]
    fixed = np.zeros_like(hidden)
    fixed[at[:, 0], at[:, 1]] = (np.abs(free) < 1e-9).all(axis=0)
    return fixed


def _smallest(counts: NDArray[np.int64], among: Mask) -> int:
    places = np.flatnonzero(among)
    return int(min(places, key=lambda at: (counts[at] == 0, counts[at], at)))
