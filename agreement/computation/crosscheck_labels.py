"""The same figures by independent implementations: statsmodels and, where it is installed, krippendorff.

Both are imported inside the functions: their import alone takes seconds, and krippendorff is optional at run
time. Neither is trusted where it is known to be wrong: statsmodels gets items with equally many ratings only,
and neither gets a table in which our figure is undefined. Where items have different numbers of ratings our
figure is computed again for those that have the most common number, and compared there.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from agreement.report.figures import CheckFigures
from agreement.statistics.estimates import Estimate, TableResult
from agreement.statistics.label_agreement import label_agreement
from agreement.statistics.patterns import IntArray, label_counts, validated_ratings
from core.canonical_json import canonical_float

TOLERANCE = 1e-9
CHECKED, NOT_CHECKED, DIFFERS = "checked", "not_checked", "differs"
CHECKED_SUBSET = "checked_subset"
"""Not the figure itself is checked, but the same arithmetic on those items that the library can take."""

SUBSET_WHY = (
    "statsmodels needs equally many ratings of every item: checked on the items with the most common number"
)

# krippendorff builds an items x categories x categories array of floats.
LARGEST_ARRAY = 50_000_000
NO_OTHER = "no independent implementation at hand"
NEVER = "no independent implementation at hand for items with different numbers of ratings"

Theirs = Callable[[IntArray, int], float]


@dataclass(frozen=True, slots=True)
class Check:
    """One figure of ours against a library's; pair holds two rater indices where the figure is of a pair."""

    name: str
    status: str
    library: str | None = None
    ours: float | None = None
    theirs: float | None = None
    why: str | None = None
    pair: tuple[int, int] | None = None

    def to_json(self) -> CheckFigures:
        return {
            "name": self.name,
            "status": self.status,
            "library": self.library,
            "ours": None if self.ours is None else canonical_float(self.ours),
            "theirs": None if self.theirs is None else canonical_float(self.theirs),
            "why": self.why,
            "pair": list(self.pair) if self.pair else None,
        }


Recompute = Callable[[str, Estimate], Sequence[Check]]
"""How other libraries recompute a figure, by its name and our estimate."""


def cross_check(
    ratings: ArrayLike, *, q: int, result: TableResult, tolerance: float = TOLERANCE
) -> tuple[Check, ...]:
    """Recompute what other libraries can of a result of label_agreement for this (items, raters) table.

    Every figure of the result is in the answer once: checked, differs (with both values), or not checked and
    why.
    """
    array = validated_ratings(ratings, q)
    array = array[(array >= 0).any(axis=1)] if array.size else array
    by_figure: dict[str, Recompute] = {
        "krippendorff_alpha": lambda _, estimate: [_check_alpha(array, q, estimate, tolerance)],
        "cohen_kappa": lambda *_: _cohen_checks(array, q, result, tolerance),
        **dict.fromkeys(
            _BY_STATSMODELS,
            lambda name, estimate: [_check_by_statsmodels(name, array, q, estimate, tolerance)],
        ),
        **dict.fromkeys(
            EQUAL_WHERE_COMPLETE,
            lambda name, estimate: [_check_observed(name, array, q, estimate, tolerance)],
        ),
    }
    return checks_of(result, by_figure)


def checks_of(result: TableResult, by_figure: Mapping[str, Recompute]) -> tuple[Check, ...]:
    """Return the checks of each figure of a result; of one that `by_figure` lacks, why it is not checked."""
    checks: list[Check] = []
    for name, estimate in result.estimates.items():
        if estimate.value is None:
            checks.append(Check(name, NOT_CHECKED, why=f"undefined: {estimate.words}"))
        elif name in by_figure:
            checks += by_figure[name](name, estimate)
        else:
            checks.append(Check(name, NOT_CHECKED, ours=estimate.value, why=NO_OTHER))
    return tuple(checks)


def compared(
    name: str,
    library: str,
    ours: float,
    theirs: float,
    tolerance: float,
    pair: tuple[int, int] | None = None,
) -> Check:
    """Return the check of our figure against a library's."""
    if not np.isfinite(theirs):
        return Check(name, DIFFERS, library, ours, None, f"{library} returned {theirs}", pair)
    status = CHECKED if abs(ours - theirs) <= tolerance else DIFFERS
    return Check(name, status, library, ours, float(theirs), None, pair)


def _check_alpha(array: IntArray, q: int, estimate: Estimate, tolerance: float) -> Check:
    name = "krippendorff_alpha"
    try:
        import krippendorff  # noqa: F401
    except ImportError:
        return Check(name, NOT_CHECKED, ours=estimate.value, why="krippendorff is not installed")
    if array.shape[0] * q * q > LARGEST_ARRAY:
        return Check(name, NOT_CHECKED, ours=estimate.value, why="the table is too large for krippendorff")
    return compared(name, "krippendorff", estimate.known, krippendorff_alpha(array, q), tolerance)


def krippendorff_alpha(array: IntArray, q: int) -> float:
    """Return alpha of an (items, raters) table by the library of its name."""
    import krippendorff

    # It wants raters x items, takes interval data unless told otherwise, and marks missing by NaN.
    data = np.where(array < 0, np.nan, array).T
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = krippendorff.alpha(
            reliability_data=data, level_of_measurement="nominal", value_domain=list(range(q))
        )
    return float(found)


def _equally_many(array: IntArray, q: int) -> bool:
    numbers = label_counts(array, q).sum(axis=1)
    return bool(numbers.min() == numbers.max())


def _check_observed(name: str, array: IntArray, q: int, estimate: Estimate, tolerance: float) -> Check:
    # These three differ from each other only by how they weigh items with more ratings than others.
    if _equally_many(array, q):
        return compared(name, "statsmodels", estimate.known, observed(array, q), tolerance)
    return Check(name, NOT_CHECKED, ours=estimate.value, why=NEVER)


def _check_by_statsmodels(name: str, array: IntArray, q: int, estimate: Estimate, tolerance: float) -> Check:
    theirs = _BY_STATSMODELS[name]
    if _equally_many(array, q):
        return compared(name, "statsmodels", estimate.known, theirs(array, q), tolerance)
    numbers = label_counts(array, q).sum(axis=1)
    subset = array[numbers == most_common_number(numbers)]
    again = label_agreement(subset, q=q, seed=0, replicates=0).estimates[name]
    if again.value is None:
        why = f"statsmodels needs equally many ratings of every item; on those that have them: {again.words}"
        return Check(name, NOT_CHECKED, ours=estimate.value, why=why)
    check = compared(name, "statsmodels", again.value, theirs(subset, q), tolerance)
    return replace(check, status=CHECKED_SUBSET, why=SUBSET_WHY) if check.status == CHECKED else check


def most_common_number(numbers: IntArray) -> int:
    """Return the most common number of ratings from two on, of equals the larger."""
    values, times = np.unique(numbers[numbers > 1], return_counts=True)
    return int(values[len(values) - 1 - times[::-1].argmax()])


def _statsmodels_kappa(array: IntArray, q: int, method: str) -> float:
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    table, _ = aggregate_raters(array[array >= 0].reshape(len(array), -1), n_cat=q)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(fleiss_kappa(table, method=method))


def fleiss(array: IntArray, q: int) -> float:
    """Return Fleiss' kappa by statsmodels of items with equally many ratings."""
    return _statsmodels_kappa(array, q, "fleiss")


def _pabak(array: IntArray, q: int) -> float:
    return _statsmodels_kappa(array, q, "uniform")


def observed(array: IntArray, q: int) -> float:
    """Return p_a by statsmodels of items with equally many ratings."""
    # statsmodels does not give p_a itself; its kappa against uniform chance is (p_a - 1/q) / (1 - 1/q).
    return _pabak(array, q) * (1 - 1 / q) + 1 / q if q > 1 else 1.0


_BY_STATSMODELS: dict[str, Theirs] = {
    "fleiss_kappa": fleiss,
    "pabak": _pabak,
    "observed_agreement": observed,
}
EQUAL_WHERE_COMPLETE = ("rating_weighted_agreement", "pair_pooled_agreement")

CHECKABLE = ("krippendorff_alpha", "cohen_kappa", *_BY_STATSMODELS, *EQUAL_WHERE_COMPLETE)
"""The coefficients for which an independent implementation exists, for some tables at least."""


def _cohen_checks(array: IntArray, q: int, result: TableResult, tolerance: float) -> list[Check]:
    from statsmodels.stats.inter_rater import cohens_kappa

    checks = []
    defined = []
    for pair in result.pairs:
        raters = (pair.first, pair.second)
        if pair.kappa.value is None:
            why = f"undefined: {pair.kappa.words}"
            checks.append(Check("cohen_kappa", NOT_CHECKED, why=why, pair=raters))
            continue
        both = array[:, raters]
        both = both[(both >= 0).all(axis=1)]
        table = np.zeros((q, q))
        np.add.at(table, (both[:, 0], both[:, 1]), 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = float(cohens_kappa(table, return_results=False))
        defined.append(theirs)
        checks.append(compared("cohen_kappa", "statsmodels", pair.kappa.known, theirs, tolerance, raters))
    mean = compared(
        "cohen_kappa",
        "statsmodels",
        result.estimates["cohen_kappa"].known,
        float(np.mean(defined)),
        tolerance,
    )
    return [mean, *checks]
