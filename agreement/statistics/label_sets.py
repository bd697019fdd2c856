"""The set of types of an argument as one label: alpha with a distance between sets. Pure.

Krippendorff's alpha, 1 - D_o / D_e, with MASI or with Jaccard's distance in place of equal or not: two
annotators of whom one names a type more than the other disagree less than two who name different ones.

References
----------
Passonneau R (2006) Measuring Agreement on Set-valued Items (MASI) for Semantic and Pragmatic Annotation.
    LREC 2006. https://aclanthology.org/L06-1392/
Krippendorff K (2004) Content Analysis, 2nd ed., chapter 11 (alpha for any distance).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.statistics.bootstrap import (
    generator,
    resampled_items,
    resampled_weights,
    seed_words,
)
from agreement.statistics.estimates import (
    NO_ITEMS,
    NO_PAIRS,
    NO_VARIATION,
    SINGLE_ITEM,
    Estimate,
    undefined,
)
from agreement.statistics.intervals import Information, judged_interval
from agreement.statistics.pairs import Summation
from agreement.statistics.patterns import FloatArray, IntArray

SETS_STREAM = 5
TOO_MANY_SETS = "too_many_sets"
MOST_SETS = 2_000
"""Different sets up to which there is an interval: every resample needs all their distances."""

ALPHA_MASI, ALPHA_JACCARD = "alpha_masi", "alpha_jaccard_sets"

_BY_INDEX = 1_000
_CHUNK_CELLS = 2_000_000
_SUBSET, _OVERLAP = 2 / 3, 1 / 3


@dataclass(frozen=True, slots=True)
class SetAgreement:
    """Alpha over sets, and what it is of.

    n_items have a whole set of some annotator, n_pairable of two or more; n_sets counts the different sets.
    """

    n_items: int
    n_pairable: int
    n_sets: int
    estimates: dict[str, Estimate]

    def to_json(self) -> dict[str, Any]:
        return {
            "n_items": self.n_items,
            "n_pairable": self.n_pairable,
            "n_sets": self.n_sets,
            **{name: estimate.to_json() for name, estimate in self.estimates.items()},
        }


def set_distances(sets: ArrayLike) -> dict[str, FloatArray]:
    """Return the distances between sets, (sets, sets) each, for (sets, types) booleans.

    Jaccard: 1 - J with J the common types over all types of both. MASI: 1 - J M with M = 1 for the same sets,
    2/3 where one holds the other, 1/3 where they overlap, 0 where they share nothing.
    Two empty sets are alike (distance 0); an empty and another one share nothing (distance 1).

    >>> two = set_distances([[1, 0], [1, 1]])
    >>> round(float(two["alpha_jaccard_sets"][0, 1]), 4), round(float(two["alpha_masi"][0, 1]), 4)
    (0.5, 0.6667)
    """
    table = np.asarray(sets, dtype=np.float64)
    size = table.sum(axis=1)
    common = table @ table.T
    union = size[:, None] + size[None, :] - common
    with np.errstate(invalid="ignore"):
        jaccard = np.where(union == 0, 1.0, common / union)
    smaller = np.minimum(size[:, None], size[None, :])
    weight = np.where(union == common, 1.0, np.where(common == smaller, _SUBSET, _OVERLAP))
    return {ALPHA_MASI: 1 - jaccard * weight, ALPHA_JACCARD: 1 - jaccard}


def set_agreement(answers: ArrayLike, *, seed: int | Sequence[int], replicates: int = 1000) -> SetAgreement:
    """Return alpha over the sets of types, for an (items, types, raters) array of 1 yes, 0 no, -1 missing.

    A rater's set of an item counts where they answered every type of it yes or no: who was not asked one,
    did not judge it or could not has no set. The empty set, no type applies, is a set. Items are resampled.
    Undefined where no item has a set (``no_items``) or two (``no_pairs``), and where all sets of these items
    are the same (``no_variation``).

    >>> found = set_agreement([[[1, 1], [0, 1]], [[0, 0], [1, 1]], [[1, 0], [0, 0]]], seed=1, replicates=0)
    >>> round(found.estimates["alpha_jaccard_sets"].value, 4)
    0.3182
    """
    array = np.asarray(answers)
    if array.ndim != 3:
        raise ValueError(f"Answers are an (items, types, raters) array, not one of {array.ndim} dimensions.")
    whole = (array >= 0).all(axis=1) if array.shape[1] else np.zeros((array.shape[0], array.shape[2]), bool)
    item, rater = np.nonzero(whole)
    per_item = np.bincount(item, minlength=len(array))
    sets, code = np.unique(array[item, :, rater] == 1, axis=0, return_inverse=True)
    shared = per_item[item] > 1
    blocks = _blocks(item[shared], code.ravel()[shared])
    n_items, n_pairable = int((per_item > 0).sum()), int((per_item > 1).sum())
    if not blocks:
        nothing = undefined(NO_PAIRS if n_items else NO_ITEMS)
        return SetAgreement(
            n_items, n_pairable, len(sets), dict.fromkeys((ALPHA_MASI, ALPHA_JACCARD), nothing)
        )
    estimates = _alphas(blocks, set_distances(sets), seed_words(seed), replicates)
    return SetAgreement(n_items, n_pairable, len(sets), estimates)


def _blocks(item: IntArray, code: NDArray[np.integer[Any]]) -> list[IntArray]:
    """Return the codes of the sets of each item, one block (items, sets) for each number of sets."""
    order = np.lexsort((code, item))
    item, code = item[order], code[order]
    _, first, size = np.unique(item, return_index=True, return_counts=True)
    return [code[first[size == m][:, None] + np.arange(m)] for m in np.unique(size)]


def _alphas(
    blocks: list[IntArray], distances: dict[str, FloatArray], seed: tuple[int, ...], replicates: int
) -> dict[str, Estimate]:
    """Return alpha with each distance, all from the same resamples."""
    n, n_sets = sum(len(block) for block in blocks), len(next(iter(distances.values())))
    observed = np.stack([_disagreement(blocks, table) for table in distances.values()], axis=1)
    first = np.cumsum([0, *(len(block) for block in blocks)])
    item = np.concatenate(
        [np.repeat(at + np.arange(len(b)), b.shape[1]) for at, b in zip(first, blocks, strict=False)]
    )
    code = np.concatenate([block.ravel() for block in blocks])
    counts = np.bincount(code, minlength=n_sets).astype(np.float64)[None, :]
    whole = _values(observed.sum(axis=0)[None, :], counts, distances)
    estimates = {
        name: Estimate(float(value[0])) if defined[0] else undefined(NO_VARIATION)
        for name, (value, defined) in whole.items()
    }
    if not replicates or not all(defined[0] for _, defined in whole.values()):
        return estimates
    if n == 1 or n_sets > MOST_SETS:
        why = SINGLE_ITEM if n == 1 else TOO_MANY_SETS
        return {name: replace(found, interval_reason=why) for name, found in estimates.items()}
    drawn = [
        _values(weights @ kind_observed, kinds.apply(weights), distances)
        for weights, kind_observed, kinds in _resamples(item, code, observed, n_sets, seed, replicates)
    ]
    doubled = sum(_doubled(block, int(counts[0].argmax())) for block in blocks)
    information = Information(n, int((observed[:, 0] > 0).sum()), doubled)
    judged: dict[str, Estimate] = {}
    for name, found in estimates.items():
        values, defined = (np.concatenate([part[name][at] for part in drawn]) for at in (0, 1))
        judged[name] = judged_interval(found.known, values, defined, information).on(found)
    return judged


def _doubled(block: IntArray, commonest: int) -> int:
    """Count the items of which two annotators or more gave one and the same set, and not the commonest."""
    ordered = np.sort(block, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != commonest)
    return int(twice.any(axis=1).sum())


def _disagreement(blocks: list[IntArray], distances: FloatArray) -> FloatArray:
    """Return of each item the sum of distances over its ordered pairs, over (m - 1)."""
    found = []
    for block in blocks:
        m = block.shape[1]
        step = max(1, _CHUNK_CELLS // m**2)
        for at in range(0, len(block), step):
            part = block[at : at + step]
            found.append(distances[part[:, :, None], part[:, None, :]].sum(axis=(1, 2)) / (m - 1))
    return np.concatenate(found)


def _values(
    observed: FloatArray, counts: FloatArray, distances: dict[str, FloatArray]
) -> dict[str, tuple[FloatArray, NDArray[np.bool_]]]:
    """Return each alpha and where it is defined, for n D_o (rows, distances) and counts (rows, sets)."""
    n = counts.sum(axis=1)
    found = {}
    for at, (name, table) in enumerate(distances.items()):
        expected = np.einsum("ij,ij->i", counts @ table, counts)
        with np.errstate(divide="ignore", invalid="ignore"):
            found[name] = 1 - observed[:, at] * (n - 1) / expected, expected > 1e-12
    return found


def _resamples(
    item: IntArray, code: IntArray, observed: FloatArray, n_sets: int, seed: tuple[int, ...], replicates: int
) -> Iterator[tuple[FloatArray, FloatArray, Summation]]:
    """Yield weights (rows, kinds), and of the kinds their disagreements and the sets that they have.

    Items with the same sets are one kind, unless there are so many kinds that drawing items is quicker.
    """
    n, rng = len(observed), generator(seed, SETS_STREAM)
    size = np.bincount(item, minlength=n)
    bags = np.full((n, int(size.max())), -1, dtype=np.int64)
    bags[item, np.arange(item.size) - np.repeat(np.cumsum(size) - size, size)] = code
    _, first, multiplicity = np.unique(bags, axis=0, return_index=True, return_counts=True)
    if len(first) <= _BY_INDEX:
        kind, place = np.nonzero(bags[first] >= 0)
        kinds = Summation(kind, bags[first][kind, place], len(first), n_sets)
        chunks = resampled_weights(multiplicity, replicates, rng, chunk=kinds.chunk)
        yield from ((weights, observed[first], kinds) for weights in chunks)
    else:
        kinds = Summation(item, code, n, n_sets)
        yield from ((weights, observed, kinds) for weights in resampled_items(n, n, replicates, rng))
