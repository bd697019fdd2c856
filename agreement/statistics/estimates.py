"""What an agreement figure is: a value with its interval, or no value with a reason.

Nothing in here is ever NaN. A figure that cannot be computed has ``value=None`` and a reason code; an
interval that cannot be trusted has ``low=high=None`` and an ``interval_reason`` code while its value stays.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from agreement.statistics.figures import EstimateFigures, PairFigures, TableCounts, TableFigures
from core.canonical_json import canonical_float

NO_ITEMS = "no_items"
NO_PAIRS = "no_pairs"
NO_VARIATION = "no_variation"
TOO_FEW_CATEGORIES = "too_few_categories"
NOT_APPLICABLE = "not_applicable"
TOO_FEW_COMMON_ITEMS = "too_few_common_items"
CATEGORY_UNUSED = "category_unused"

SINGLE_ITEM = "single_item"
NOT_ESTIMABLE = "not_estimable"
NOT_COMPUTED = "not_computed"
NO_SPREAD = "no_spread"
BEYOND_LIMIT = "beyond_limit"

RULE_OF_THREE = "rule_of_three"

FEW_POSITIVES = "few_positives"
FEW_DIFFERENCES = "few_differences"
FEW_TEXTS = "few_texts"

KEPT_BACK = "kept_back"
"""Not undefined but unsaid: in a release that keeps labels or texts back, and while a round is open."""

REASONS: Mapping[str, str] = {
    NO_ITEMS: "no item has a rating",
    NO_PAIRS: "no item has two ratings to compare",
    NO_VARIATION: "everyone used one and the same category, so chance agreement is 1 (0/0)",
    TOO_FEW_CATEGORIES: "fewer than two categories are declared",
    NOT_APPLICABLE: "the figure is not defined for this number or pattern of ratings",
    TOO_FEW_COMMON_ITEMS: "the two annotators share fewer items than the minimum asked for",
    CATEGORY_UNUSED: "neither annotator used the category",
    SINGLE_ITEM: "one item alone gives no interval",
    NOT_ESTIMABLE: "more than 5% of the resamples leave the figure undefined",
    NOT_COMPUTED: "not asked for",
    NO_SPREAD: "all items have the same value, so that resampling them cannot show how far it may be off",
    BEYOND_LIMIT: "more than a thousand times as many items would be needed",
    KEPT_BACK: "not told, because it would speak of so few items that it would tell their answers",
    RULE_OF_THREE: "limits by the rule of three: no resample differs, and at most 3 in n items may be of a "
    "kind that was not seen",
    FEW_POSITIVES: "so few items carry a less common label that no interval method is trustworthy",
    FEW_DIFFERENCES: "so few items are judged differently that no interval method is trustworthy",
    FEW_TEXTS: "so few items have two ratings to compare that no interval method is trustworthy",
}


def _canonical(value: float | None) -> float | None:
    return None if value is None else canonical_float(value)


@dataclass(frozen=True, slots=True)
class Estimate:
    """One figure: a value with its 95% interval, or no value and the code of the reason why.

    se is the analytic standard error where one exists; undefined_share is the share of bootstrap resamples in
    which the figure was undefined; interval_method is "symmetric_percentile", "rule_of_three", "wilson" or
    "percentile"; caution is a code such as ``few_positives``. Codes are explained in REASONS.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    se: float | None = None
    interval_reason: str | None = None
    undefined_share: float = 0.0
    interval_method: str | None = None
    caution: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ValueError("An estimate has either a value or a reason why it has none.")
        if (self.low is None) != (self.high is None):
            raise ValueError("An interval has both limits or none.")
        for number in (self.value, self.low, self.high, self.se, self.undefined_share):
            if number is not None and not math.isfinite(number):
                raise ValueError("An undefined figure is None with a reason, never NaN or infinite.")

    @property
    def known(self) -> float:
        """The value of a figure that is known to be defined; raises ValueError where it is not."""
        if self.value is None:
            raise ValueError(f"The figure is undefined: {self.words}.")
        return self.value

    @property
    def words(self) -> str:
        """Why the figure is undefined, in words; empty where it is defined."""
        return REASONS[self.reason] if self.reason else ""

    def to_json(self) -> EstimateFigures:
        return {
            "value": _canonical(self.value),
            "low": _canonical(self.low),
            "high": _canonical(self.high),
            "reason": self.reason,
            "se": _canonical(self.se),
            "interval_reason": self.interval_reason,
            "interval_method": self.interval_method,
            "undefined_share": canonical_float(self.undefined_share),
            "caution": self.caution,
        }


def undefined(reason: str) -> Estimate:
    """Return the estimate that has no value, for the reason given by its code."""
    return Estimate(value=None, reason=reason)


@dataclass(frozen=True, slots=True)
class PairEstimate:
    """Two raters (column indices) compared over the items both rated."""

    first: int
    second: int
    n_common: int
    kappa: Estimate
    observed_agreement: Estimate

    def to_json(self) -> PairFigures:
        return {
            "first": self.first,
            "second": self.second,
            "n_common": self.n_common,
            "kappa": self.kappa.to_json(),
            "observed_agreement": self.observed_agreement.to_json(),
        }


@dataclass(frozen=True, slots=True)
class TableResult:
    """Every figure of one rating table.

    n_items have at least one rating, n_pairable at least two; n_ratings counts all ratings,
    n_pairable_ratings (N) those of the pairable items; label_counts counts all ratings by category,
    pairable_counts those of the pairable items.
    pairs_undefined counts by reason the rater pairs that the mean of Cohen's kappas leaves out.
    """

    n_items: int
    n_pairable: int
    n_ratings: int
    n_pairable_ratings: int
    n_raters: int
    n_categories: int
    label_counts: tuple[int, ...]
    estimates: Mapping[str, Estimate]
    pairs: tuple[PairEstimate, ...]
    pairs_undefined: Mapping[str, int]
    prevalence: Mapping[str, Estimate] = field(default_factory=dict)
    replicates: int = 0
    seed: tuple[int, ...] = ()
    pairable_counts: tuple[int, ...] = ()

    def to_json(self) -> TableFigures:
        return {**self.counts_json(), "label_counts": list(self.label_counts)}

    def counts_json(self) -> TableCounts:
        """Return all but label_counts, which are by place."""
        return {
            "n_items": self.n_items,
            "n_pairable": self.n_pairable,
            "n_ratings": self.n_ratings,
            "n_pairable_ratings": self.n_pairable_ratings,
            "n_raters": self.n_raters,
            "n_categories": self.n_categories,
            "estimates": {name: estimate.to_json() for name, estimate in self.estimates.items()},
            "pairs": [pair.to_json() for pair in self.pairs],
            "pairs_undefined": dict(self.pairs_undefined),
            "prevalence": {name: estimate.to_json() for name, estimate in self.prevalence.items()},
            "replicates": self.replicates,
            "seed": list(self.seed),
        }
