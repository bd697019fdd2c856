"""What every coefficient would be without one annotator, and how far it then moves.

The difference to all annotators is paired: items (or clusters of them) are resampled once for both figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agreement.statistics.difference import agreement_change
from agreement.statistics.estimates import Estimate
from agreement.statistics.label_agreement import label_agreement
from agreement.statistics.patterns import IntArray
from agreement.statistics.strata.change import stratified_change
from agreement.statistics.strata.stratified import stratified_agreement

INFLUENCED = (
    "observed_agreement",
    "cohen_kappa",
    "fleiss_kappa",
    "pabak",
    "gwet_ac1",
    "krippendorff_alpha",
)


@dataclass(frozen=True, slots=True)
class Figures:
    """The coefficients of one table, or of several together, and the number of units with two ratings."""

    n_pairable: int
    estimates: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class WithoutRater:
    """The figures without one annotator (column); differences are without - all, with paired intervals."""

    rater: int
    figures: Figures
    differences: Mapping[str, Estimate]


def figures_of(
    ratings: IntArray,
    *,
    q: int,
    seed: int | Sequence[int],
    replicates: int = 1000,
    clusters: ArrayLike | None = None,
    min_common: int = 1,
) -> Figures:
    """Return the coefficients of (items, raters) or, together, of (items, strata, raters) codes.

    Codes are 0..q-1, -1 for missing; clusters (items,) names what is resampled together.
    """
    choices: dict[str, Any] = {
        "q": q,
        "seed": seed,
        "replicates": replicates,
        "min_common": min_common,
        "clusters": clusters,
    }
    found = (
        label_agreement(ratings, **choices) if ratings.ndim == 2 else stratified_agreement(ratings, **choices)
    )
    return Figures(found.n_pairable, {name: found.estimates[name] for name in INFLUENCED})


def without_each(
    ratings: IntArray,
    *,
    q: int,
    seed: int | Sequence[int],
    replicates: int = 1000,
    clusters: ArrayLike | None = None,
    min_common: int = 1,
) -> tuple[WithoutRater, ...]:
    """Return the figures without each annotator in turn; arguments are those of `figures_of`.

    With two annotators nothing is left to compare: every figure is then undefined.

    >>> ratings = np.array([[0, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 0, 1], [1, 1, 1]])
    >>> last = without_each(ratings, q=2, seed=1, replicates=0)[2]
    >>> last.figures.estimates["observed_agreement"].value, last.differences["observed_agreement"].value
    (1.0, 0.33333333333333337)
    """
    units = np.arange(len(ratings)) if clusters is None else np.asarray(clusters)
    change = agreement_change if ratings.ndim == 2 else stratified_change
    found = []
    for rater in range(ratings.shape[-1]):
        rest = np.delete(ratings, rater, axis=-1)
        figures = figures_of(
            rest, q=q, seed=seed, replicates=replicates, clusters=clusters, min_common=min_common
        )
        moved = change(
            ratings,
            rest,
            q=q,
            items_before=units,
            items_after=units,
            seed=seed,
            replicates=replicates,
            min_common=min_common,
        )
        found.append(WithoutRater(rater, figures, {name: moved.differences[name] for name in INFLUENCED}))
    return tuple(found)
