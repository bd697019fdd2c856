"""The figures of one table of answers: counts, coefficients with intervals, consensus and prevalence."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.report.figures import AnswerFigures, SetFigures, StrataFigures
from agreement.statistics.estimates import NO_VARIATION, TableResult
from agreement.statistics.kappa_paradox import table_readings
from agreement.statistics.label_agreement import label_agreement, pairs_undefined
from agreement.statistics.label_sets import set_agreement
from agreement.statistics.strata.stratified import StratifiedResult, stratified_agreement
from core.canonical_json import canonical_float

MIN_COMMON = 5
"""In a table of many annotators, pairs with fewer common units enter no pairwise figure."""

MANY_RATERS = 12
"""Up to this many annotators every pair counts; a crowd has too many pairs with one or two common units."""


@dataclass(frozen=True, slots=True)
class Consensus:
    """What the votes decide, unit by unit: (units,) arrays.

    label: code of the label that more than half of the votes chose, -1 where there is none; votes: how many
    there are; unanimous: at least one vote and no two that differ.
    """

    label: NDArray[np.int64]
    votes: NDArray[np.int64]
    unanimous: NDArray[np.bool_]

    @property
    def undecided(self) -> NDArray[np.bool_]:
        return (self.votes > 0) & (self.label < 0)


def consensus_of(ratings: ArrayLike, q: int) -> Consensus:
    """Return the majority of each row of a (units, raters) table; the rule is `consensus.label_consensus`."""
    table = np.asarray(ratings)
    counts = np.stack([(table == code).sum(axis=1) for code in range(q)], axis=1)
    votes = counts.sum(axis=1)
    decided = 2 * counts.max(axis=1, initial=0) > votes
    return Consensus(
        label=np.where(decided & (votes > 0), counts.argmax(axis=1), -1),
        votes=votes,
        unanimous=(votes > 0) & (counts.max(axis=1, initial=0) == votes),
    )


def is_crowd(ratings: NDArray[np.integer]) -> bool:
    """Say whether there are so many annotators that pairs of them share little."""
    return bool(ratings.shape[1] > MANY_RATERS)


def min_common_of(ratings: NDArray[np.integer]) -> int:
    """Return how many units two annotators must share to be compared as a pair."""
    return MIN_COMMON if is_crowd(ratings) else 1


def seed_of(seed: int, key: str) -> tuple[int, int]:
    """Return the seed of one section: the same however many sections are computed, and in which order."""
    return seed, zlib.crc32(key.encode())


def table_figures(
    ratings: ArrayLike,
    *,
    key: str,
    categories: tuple[str, ...],
    parameters: dict[str, Any],
    clusters: ArrayLike | None = None,
    positive: int = 1,
    strata: ArrayLike | None = None,
    item_clusters: ArrayLike | None = None,
) -> AnswerFigures:
    """Return the figures of one (units, raters) table as plain data.

    clusters (units,) says which units are resampled together, item_clusters (items,) which items. strata
    are the same ratings as (items, types, raters) where the units are of several types: the figures are then
    of the types together, each against its own chance, and what the one table of all units has is `stacked`.
    """
    table = np.asarray(ratings)
    q = len(categories)
    min_common = min_common_of(table)
    seed = seed_of(parameters["seed"], key)
    result = label_agreement(
        table,
        q=q,
        seed=seed,
        replicates=parameters["replicates"] if strata is None else 0,
        clusters=clusters,
        min_common=min_common,
        positive=positive,
    )
    of_strata: StrataFigures = {}
    if strata is not None:
        together = stratified_agreement(
            strata,
            q=q,
            seed=seed,
            replicates=parameters["replicates"],
            min_common=min_common,
            clusters=item_clusters,
        )
        of_strata = _of_strata(together, result)
        result = _as_table(together, result)
    readings = [] if _types_differ(result, strata) else table_readings(result, categories=categories)
    consensus = consensus_of(table, q)
    labels = dict(zip(categories, result.label_counts, strict=True))
    return {
        **result.counts_json(),
        **of_strata,
        "labels": labels,
        "min_common": min_common,
        "paradox": next((reading.sentence for reading in readings if reading.is_paradox), None),
        "readings": [reading.sentence for reading in readings if not reading.is_paradox],
        "consensus": {
            "decided": {
                name: int(((consensus.label == code) & (consensus.votes > 1)).sum())
                for code, name in enumerate(categories)
            },
            "single": {
                name: int(((consensus.label == code) & (consensus.votes == 1)).sum())
                for code, name in enumerate(categories)
            },
            "undecided": int(consensus.undecided.sum()),
        },
    }


def set_figures(strata: ArrayLike, *, key: str, parameters: dict[str, Any]) -> SetFigures:
    """Return alpha over the sets of types of an item, for (items, types, raters) answers, as plain data."""
    seed = seed_of(parameters["seed"], key)
    return cast(SetFigures, set_agreement(strata, seed=seed, replicates=parameters["replicates"]).to_json())


def _as_table(together: StratifiedResult, stacked: TableResult) -> TableResult:
    """Return the counts of the one table of all units with the coefficients of the types together."""
    return replace(
        stacked,
        estimates={name: together.estimates[name] for name in stacked.estimates},
        pairs=together.pairs,
        pairs_undefined=pairs_undefined(
            together.pairs, n_raters=stacked.n_raters, few_common=together.few_common
        ),
        replicates=together.replicates,
        seed=together.seed,
    )


def _of_strata(together: StratifiedResult, stacked: TableResult) -> StrataFigures:
    """Return what only types together have: how many, the plain means over them, the stacked coefficients."""
    return {
        "n_strata": together.n_strata,
        "mean_of_types": {
            name: {
                "value": None if mean is None else canonical_float(mean),
                "reason": together.estimates[name].reason or NO_VARIATION if mean is None else None,
                "n": together.means_of[name],
            }
            for name, mean in together.means.items()
        },
        "stacked": {name: estimate.to_json() for name, estimate in stacked.estimates.items()},
    }


def _types_differ(result: TableResult, strata: ArrayLike | None) -> bool:
    """Whether each type has one answer only, and not all the same: no sentence of one table says that."""
    kappa = result.estimates["cohen_kappa" if result.n_raters == 2 else "fleiss_kappa"]
    used = sum(count > 0 for count in result.label_counts)
    return strata is not None and kappa.reason == NO_VARIATION and used > 1
