"""What an estimate is called where it is stored and shown: the keys of its JSON, in one place."""

from typing import TypedDict


class EstimateFigures(TypedDict):
    """A value with its 95% interval, or none and why; `estimates.REASONS` explains the codes.

    Where a report leaves a figure unsaid its numbers are None, undefined_share too.
    """

    value: float | None
    low: float | None
    high: float | None
    reason: str | None
    se: float | None
    interval_reason: str | None
    interval_method: str | None
    undefined_share: float
    caution: str | None


class PairFigures(TypedDict):
    """Two annotators, by their places, over the units that both judged."""

    first: int
    second: int
    n_common: int
    kappa: EstimateFigures
    observed_agreement: EstimateFigures


class DifferenceFigures(TypedDict):
    """How figures of one table moved between rounds: after - before by coefficient.

    n_both items recur; n_before and n_after were rated in that round only.
    """

    differences: dict[str, EstimateFigures]
    n_both: int
    n_before: int
    n_after: int


class TableCounts(TypedDict):
    """What a table of answers and a section of a report both say."""

    n_items: int
    n_pairable: int
    n_ratings: int
    n_pairable_ratings: int
    n_raters: int
    n_categories: int
    estimates: dict[str, EstimateFigures]
    pairs: list[PairFigures]
    pairs_undefined: dict[str, int]
    prevalence: dict[str, EstimateFigures]
    replicates: int
    seed: list[int]


class TableFigures(TableCounts):
    """One table of answers; label_counts are in the order of the categories."""

    label_counts: list[int]
