"""Distinct rating patterns of a table with their multiplicities: what every figure is computed from.

Ratings are (items, raters) integer arrays with codes 0..q-1 and -1 for missing, everywhere in this app.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

IntArray = NDArray[np.integer]
FloatArray = NDArray[np.float64]

# A table of codes up to this size is counted in one pass; beyond it the rows are sorted.
_DIRECT_CODES = 1 << 21


@dataclass(frozen=True, slots=True)
class RatingPatterns:
    """Distinct rows of a rating table, items without any rating left out.

    rows : (patterns, raters), sorted, codes 0..q-1 and -1 for missing
    multiplicity : (patterns,), how many items have the row
    inverse : (items,), the row of each item, -1 where the item has no rating; None unless asked for
    """

    rows: IntArray
    multiplicity: IntArray
    q: int
    inverse: IntArray | None = None

    @property
    def item_rows(self) -> IntArray:
        """The row of each item, of patterns that were counted with it."""
        if self.inverse is None:
            raise ValueError("The patterns were counted without the row of each item.")
        return self.inverse

    @property
    def n_raters(self) -> int:
        return int(self.rows.shape[1])


def validated_ratings(ratings: ArrayLike, q: int) -> IntArray:
    """Return the ratings as a two-dimensional integer array.

    Raises ValueError where the shape, the type or a code is none of a rating table with q categories.
    """
    array = np.asarray(ratings)
    if array.size == 0 and array.ndim < 2:
        array = np.empty((0, 0), dtype=np.int64)
    if array.ndim != 2:
        raise ValueError(f"Ratings are an (items, raters) table, not an array of {array.ndim} dimensions.")
    if array.size == 0:
        array = array.astype(np.int64)
    if not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"Ratings are integer codes with -1 for missing, not {array.dtype}.")
    if q < 0:
        raise ValueError("The number of declared categories cannot be negative.")
    if array.size and (array.min() < -1 or array.max() >= q):
        raise ValueError(f"A rating lies outside the codes -1 (missing) and 0 to {q - 1}.")
    return array


def rating_patterns(ratings: ArrayLike, q: int, *, with_inverse: bool = False) -> RatingPatterns:
    """Count the distinct rows of an (items, raters) table; later cost does not depend on the items."""
    array = validated_ratings(ratings, q)
    n_items, n_raters = array.shape
    if (q + 1) ** n_raters <= _DIRECT_CODES:
        codes = np.zeros(n_items, dtype=np.int32)
        for column in array.T:
            codes *= q + 1
            codes += column.astype(np.int32, copy=False)
            codes += 1
        counts = np.bincount(codes, minlength=1)
        found = np.flatnonzero(counts)
        rows = np.empty((found.size, n_raters), dtype=np.int64)
        rest = found.copy()
        for rater in range(n_raters - 1, -1, -1):
            rest, digit = np.divmod(rest, q + 1)
            rows[:, rater] = digit - 1
        multiplicity = counts[found]
        inverse = np.searchsorted(found, codes) if with_inverse else None
    else:
        # Big-endian unsigned bytes sort as the numbers do, and comparing raw bytes is much faster than
        # columns.
        shifted = np.ascontiguousarray(array + 1, dtype=">u4" if q > 254 else np.uint8)
        raw = shifted.view(np.dtype((np.void, shifted.dtype.itemsize * n_raters))).ravel()
        found, inverse, multiplicity = np.unique(raw, return_inverse=True, return_counts=True)
        rows = found.view(shifted.dtype).reshape(-1, n_raters).astype(np.int64) - 1
    return _without_empty(rows, multiplicity.astype(np.int64), inverse if with_inverse else None, q)


def _without_empty(
    rows: IntArray, multiplicity: IntArray, inverse: IntArray | None, q: int
) -> RatingPatterns:
    rated = (rows >= 0).any(axis=1)
    if inverse is not None:
        position = np.where(rated, np.cumsum(rated) - 1, -1)
        inverse = position[inverse] if rated.size else np.empty(0, dtype=np.int64)
    return RatingPatterns(rows=rows[rated], multiplicity=multiplicity[rated], q=q, inverse=inverse)


def label_counts(rows: IntArray, q: int) -> IntArray:
    """Return r_ik: how many raters put item (row) i into category k, shape (rows, q)."""
    if rows.shape[1] == 0 or q == 0:
        return np.zeros((rows.shape[0], q), dtype=np.int64)
    return np.stack([(rows == k).sum(axis=1) for k in range(q)], axis=1)


@dataclass(frozen=True, slots=True)
class CountPatterns:
    """Distinct counts by category; which rater gave which label is forgotten.

    counts : (patterns, q); multiplicity : (patterns,); of_row : (row patterns,), the counts of each row
    """

    counts: IntArray
    multiplicity: IntArray
    of_row: IntArray


def count_patterns(patterns: RatingPatterns) -> CountPatterns:
    """Merge the row patterns that have the same counts by category."""
    counts = label_counts(patterns.rows, patterns.q)
    if not counts.size:
        return CountPatterns(counts, patterns.multiplicity, np.arange(len(counts)))
    base = patterns.n_raters + 1
    if base**patterns.q < 2**62:
        codes = counts @ (base ** np.arange(patterns.q, dtype=np.int64))
        _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        distinct = counts[first]
    else:
        distinct, inverse = np.unique(counts, axis=0, return_inverse=True)
    inverse = inverse.ravel()
    multiplicity = np.bincount(inverse, weights=patterns.multiplicity).astype(np.int64)
    return CountPatterns(distinct, multiplicity, inverse)
