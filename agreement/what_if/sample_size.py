"""How many more items until the interval of a coefficient is narrower than a width."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agreement.statistics.coefficients import COUNT_COEFFICIENTS, count_estimate
from agreement.statistics.cohen import light_fall, pair_figures, resampled_light
from agreement.statistics.estimates import BEYOND_LIMIT, NOT_COMPUTED, NOT_ESTIMABLE, SINGLE_ITEM
from agreement.statistics.intervals import Information, judged_interval
from agreement.statistics.label_agreement import count_interval
from agreement.statistics.rating_table import RatingTable, rating_table
from agreement.statistics.strata.resampling import resampled_interval
from agreement.statistics.strata.stratified import stratified_agreement
from agreement.statistics.strata.tables import strata_of
from core.canonical_json import canonical_float

# A pilot says little about a study a thousand times its size.
LIMIT = 1000
STRATA_KINDS = 2_000
# The interval of 1,000 resamples is itself known to a few percent only.
_PRECISION = 0.01


@dataclass(frozen=True, slots=True)
class ItemsNeeded:
    """How many items there are, with which width (None where not estimable), and how many more it takes."""

    n_items: int
    width: float | None
    more: int | None
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        width = None if self.width is None else canonical_float(self.width)
        return {"n_items": self.n_items, "width": width, "more": self.more, "reason": self.reason}


def items_needed(
    ratings: ArrayLike,
    *,
    q: int,
    name: str,
    width: float,
    seed: int | Sequence[int],
    replicates: int = 1000,
    clusters: ArrayLike | None = None,
) -> ItemsNeeded:
    """Return how many more items like these make a coefficient's interval narrower than width.

    The same bootstrap draws larger samples from the items there are, so they must be like those to come. name
    is cohen_kappa or one of COUNT_COEFFICIENTS; ratings, q and clusters are those of label_agreement.
    """
    table = rating_table(ratings, q=q, clusters=clusters)
    if name == "cohen_kappa":
        light = pair_figures(table, replicates=0, seed=seed).light
        reason = light.reason
        width_at = _light_width(table, 0.0 if light.value is None else light.value, replicates, seed)
    elif name in COUNT_COEFFICIENTS:
        reason = count_estimate(name, table.sums).reason
        width_at = _count_width(name, table, replicates, seed)
    else:
        raise ValueError(f"There is no coefficient named {name!r}.")
    return _needed(table.count_units.n, reason, width, width_at)


def strata_items_needed(
    strata: ArrayLike,
    *,
    q: int,
    name: str,
    width: float,
    seed: int | Sequence[int],
    replicates: int = 1000,
    clusters: ArrayLike | None = None,
) -> ItemsNeeded:
    """Return `items_needed` of the tables of an (items, strata, raters) array together.

    Items are drawn with all their strata; where clusters (items,) are given, clusters are drawn and counted.
    Where they are of more than STRATA_KINDS kinds the width that they have now is told and no number:
    drawing them again and again takes too long.
    """
    tables = strata_of(strata, q=q, clusters=clusters)
    now = stratified_agreement(strata, q=q, seed=seed, replicates=replicates, clusters=clusters).estimates
    if name not in now:
        raise ValueError(f"There is no coefficient named {name!r}.")
    n, kinds = tables.units.n, tables.units.multiplicity.size

    def width_at(size: int) -> float:
        value = now[name].known
        limits = now[name] if size == n else resampled_interval(tables, name, value, replicates, seed, n=size)
        return math.inf if limits.low is None or limits.high is None else limits.high - limits.low

    if now[name].reason is None and kinds > STRATA_KINDS and width_at(n) >= width:
        at_hand = width_at(n)
        return ItemsNeeded(n, None if math.isinf(at_hand) else at_hand, None, NOT_COMPUTED)
    return _needed(n, now[name].reason, width, width_at)


def _needed(n: int, reason: str | None, width: float, width_at: Callable[[int], float]) -> ItemsNeeded:
    if not width > 0:
        raise ValueError("The width of an interval is more than 0.")
    if reason is None and n < 2:
        reason = SINGLE_ITEM
    if reason is not None:
        return ItemsNeeded(n, None, None, reason)
    now = width_at(n)
    known = None if math.isinf(now) else now
    if now < width:
        return ItemsNeeded(n, known, 0)
    total = _smallest(n, width, width_at)
    if total is None:
        return ItemsNeeded(n, known, None, NOT_ESTIMABLE if known is None else BEYOND_LIMIT)
    return ItemsNeeded(n, known, total - n)


def _smallest(n: int, width: float, width_at: Callable[[int], float]) -> int | None:
    low, high = n, 2 * n
    while width_at(high) >= width:
        if high >= LIMIT * n:
            return None
        low, high = high, 2 * high
    while high - low > max(1, _PRECISION * high):
        middle = (low + high) // 2
        if width_at(middle) < width:
            high = middle
        else:
            low = middle
    return high


def _count_width(
    name: str, table: RatingTable, replicates: int, seed: int | Sequence[int]
) -> Callable[[int], float]:
    def width_at(n: int) -> float:
        resampled = table.resampled_sums(replicates, seed, n=n)
        return count_interval(name, table.sums, resampled, _grown(table, n)).width

    return width_at


def _grown(table: RatingTable, n: int) -> Information:
    """Return what a study of n texts like these would rest on."""
    return table.information.scaled(n / table.count_units.n)


def _light_width(
    table: RatingTable, value: float, replicates: int, seed: int | Sequence[int]
) -> Callable[[int], float]:
    def width_at(n: int) -> float:
        drawn = [resampled_light(table, sums) for sums in table.resampled_pair_sums(replicates, seed, n=n)]
        values, defined = (np.concatenate(part) for part in zip(*drawn, strict=True))
        return judged_interval(value, values, defined, _grown(table, n), below=light_fall(table)).width

    return width_at
