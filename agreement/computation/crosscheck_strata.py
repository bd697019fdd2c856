"""Figures of several types together by independent implementations: each type by theirs, summed by hand."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from agreement.computation.crosscheck_labels import (
    CHECKED,
    CHECKED_SUBSET,
    EQUAL_WHERE_COMPLETE,
    LARGEST_ARRAY,
    NEVER,
    NOT_CHECKED,
    SUBSET_WHY,
    TOLERANCE,
    Check,
    Recompute,
    checks_of,
    compared,
    fleiss,
    krippendorff_alpha,
    most_common_number,
    observed,
)
from agreement.statistics.estimates import TableResult
from agreement.statistics.patterns import IntArray, label_counts
from agreement.statistics.strata.stratified import stratified_agreement

Parts = tuple[float, float]
"""What one type adds to numerator and denominator."""

Add = Callable[[IntArray, int], Parts]


def check_strata(
    strata: IntArray, *, q: int, result: TableResult, tolerance: float = TOLERANCE
) -> tuple[Check, ...]:
    """Recompute the figures of an (items, types, raters) array, as `cross_check` does of one table."""
    tables = [strata[:, at] for at in range(strata.shape[1])]
    tables = [table[(table >= 0).any(axis=1)] for table in tables]
    equal = all(np.unique((table >= 0).sum(axis=1)).size < 2 for table in tables)
    by_figure: dict[str, Recompute] = {
        "krippendorff_alpha": lambda _, estimate: [_alpha(tables, q, estimate.known, tolerance)],
        "cohen_kappa": lambda *_: _cohen(tables, q, result, tolerance),
        **dict.fromkeys(
            _ADD,
            lambda name, estimate: [
                _by_statsmodels(name, strata, tables, q, estimate.known, tolerance, equal=equal)
            ],
        ),
        **dict.fromkeys(
            EQUAL_WHERE_COMPLETE,
            lambda name, estimate: [_observed(name, tables, q, estimate.known, tolerance, equal=equal)],
        ),
    }
    return checks_of(result, by_figure)


def _observed(
    name: str, tables: list[IntArray], q: int, ours: float, tolerance: float, *, equal: bool
) -> Check:
    if equal and len({table_width(table) for table in tables} - {0}) < 2:
        return compared(name, "statsmodels", ours, _summed(_observed_parts, tables, q), tolerance)
    return Check(name, NOT_CHECKED, ours=ours, why=NEVER)


def table_width(table: IntArray) -> int:
    """Return how many ratings the items of a table have, all alike; 0 without items."""
    return int((table[0] >= 0).sum()) if len(table) else 0


def _summed(add: Add, tables: list[IntArray], q: int) -> float:
    parts = [add(table, q) for table in tables if ((table >= 0).sum(axis=1) > 1).any()]
    above, below = (sum(part[side] for part in parts) for side in (0, 1))
    return above / below if below else float("nan")


def _one_label(table: IntArray) -> bool:
    return np.unique(table[table >= 0]).size < 2


def _alpha(tables: list[IntArray], q: int, ours: float, tolerance: float) -> Check:
    name = "krippendorff_alpha"
    try:
        import krippendorff  # noqa: F401
    except ImportError:
        return Check(name, NOT_CHECKED, ours=ours, why="krippendorff is not installed")
    if max((len(table) for table in tables), default=0) * q * q > LARGEST_ARRAY:
        return Check(name, NOT_CHECKED, ours=ours, why="the table is too large for krippendorff")
    return compared(name, "krippendorff", ours, _summed(_alpha_parts, tables, q), tolerance)


def _alpha_parts(table: IntArray, q: int) -> Parts:
    counts = label_counts(table, q)
    labels = counts[counts.sum(axis=1) > 1].sum(axis=0).astype(np.float64)
    n = labels.sum()
    weight = float((n**2 - (labels**2).sum()) / (n - 1))
    return (weight * krippendorff_alpha(table, q), weight) if weight else (0.0, 0.0)


def _observed_parts(table: IntArray, q: int) -> Parts:
    return len(table) * observed(table, q), float(len(table))


def _pabak_parts(table: IntArray, q: int) -> Parts:
    return len(table) * (observed(table, q) - 1 / q), len(table) * (1 - 1 / q)


def _fleiss_parts(table: IntArray, q: int) -> Parts:
    if _one_label(table):
        return 0.0, 0.0
    agreed, kappa = observed(table, q), fleiss(table, q)
    if kappa == 1:
        shares = label_counts(table, q).sum(axis=0) / (table >= 0).sum()
        below = len(table) * (1 - float((shares**2).sum()))
        return below, below
    below = len(table) * (1 - agreed) / (1 - kappa)
    return below * kappa, below


_ADD: dict[str, Add] = {
    "observed_agreement": _observed_parts,
    "pabak": _pabak_parts,
    "fleiss_kappa": _fleiss_parts,
}


def _by_statsmodels(
    name: str,
    strata: IntArray,
    tables: list[IntArray],
    q: int,
    ours: float,
    tolerance: float,
    *,
    equal: bool,
) -> Check:
    if equal:
        return compared(name, "statsmodels", ours, _summed(_ADD[name], tables, q), tolerance)
    subset = np.full_like(strata, -1)
    for at in range(strata.shape[1]):
        numbers = (strata[:, at] >= 0).sum(axis=1)
        if (numbers > 1).any():
            kept = numbers == most_common_number(numbers)
            subset[kept, at] = strata[kept, at]
    again = stratified_agreement(subset, q=q, seed=0, replicates=0).estimates[name]
    if again.value is None:
        why = f"statsmodels needs equally many ratings of every item; on those that have them: {again.words}"
        return Check(name, NOT_CHECKED, ours=ours, why=why)
    equally = [subset[:, at] for at in range(strata.shape[1])]
    equally = [table[(table >= 0).any(axis=1)] for table in equally]
    check = compared(name, "statsmodels", again.value, _summed(_ADD[name], equally, q), tolerance)
    return replace(check, status=CHECKED_SUBSET, why=SUBSET_WHY) if check.status == CHECKED else check


def _cohen(tables: list[IntArray], q: int, result: TableResult, tolerance: float) -> list[Check]:
    checks, defined = [], []
    for pair in result.pairs:
        raters = (pair.first, pair.second)
        if pair.kappa.value is None:
            why = f"undefined: {pair.kappa.words}"
            checks.append(Check("cohen_kappa", NOT_CHECKED, why=why, pair=raters))
            continue
        both = [table[:, raters] for table in tables]
        theirs = _summed(_cohen_parts, [rows[(rows >= 0).all(axis=1)] for rows in both], q)
        defined.append(theirs)
        checks.append(compared("cohen_kappa", "statsmodels", pair.kappa.value, theirs, tolerance, raters))
    ours = result.estimates["cohen_kappa"].known
    mean = float(np.mean(defined)) if defined else float("nan")
    return [compared("cohen_kappa", "statsmodels", ours, mean, tolerance), *checks]


def _cohen_parts(both: IntArray, q: int) -> Parts:
    from statsmodels.stats.inter_rater import cohens_kappa

    if not len(both) or _one_label(both):
        return 0.0, 0.0
    table = np.zeros((q, q))
    np.add.at(table, (both[:, 0], both[:, 1]), 1)
    chance = float(table.sum(axis=1) @ table.sum(axis=0)) / len(both)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kappa = float(cohens_kappa(table, return_results=False))
    below = len(both) - chance
    return below * kappa, below
