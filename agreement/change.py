"""How agreement changed between two rounds, and how many more items an interval of a given width needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agreement.coefficients import COUNT_COEFFICIENTS, count_estimate, count_features, count_sums, evaluate_count
from agreement.intervals import Units, clustered_units, generator, percentile_interval, resampled_weights, seed_words
from agreement.labels import count_interval
from agreement.pair_figures import light_of_sums
from agreement.pairwise import Summation
from agreement.patterns import FloatArray, IntArray
from agreement.results import NOT_COMPUTED, NOT_ESTIMABLE, SINGLE_ITEM, Estimate, canonical_float, undefined
from agreement.study import COUNT_STREAM, PAIR_STREAM, Study, study_of

LIGHT = "cohen_kappa"


@dataclass(frozen=True, slots=True)
class Change:
    """Differences after - before by coefficient; n_both items recur, n_before and n_after are in one round only."""

    differences: Mapping[str, Estimate]
    n_both: int
    n_before: int
    n_after: int

    def to_json(self) -> dict[str, Any]:
        return {
            "differences": {name: estimate.to_json() for name, estimate in self.differences.items()},
            "n_both": self.n_both,
            "n_before": self.n_before,
            "n_after": self.n_after,
        }
