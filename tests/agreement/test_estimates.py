"""An estimate is a value or a reason, its JSON the same bytes on every machine."""

import json
import math

import numpy as np
import pytest

from agreement.statistics.estimates import REASONS, Estimate, undefined
from agreement.statistics.label_agreement import label_agreement
from core.canonical_json import canonical_float
from tests.agreement.tables import case_ratings, known_answer


@pytest.mark.parametrize(
    "fields",
    [
        {"value": None},
        {"value": 0.5, "reason": "no_pairs"},
        {"value": math.nan},
        {"value": math.inf},
        {"value": 0.5, "low": 0.1},
        {"value": 0.5, "low": math.nan, "high": 1.0},
        {"value": 0.5, "se": math.nan},
    ],
)
def test_an_estimate_that_is_neither_a_value_nor_a_reason_cannot_be_made(fields):
    with pytest.raises(ValueError, match=r"estimate|interval|undefined"):
        Estimate(**fields)


def test_floats_are_written_with_12_significant_digits():
    assert canonical_float(1 / 3) == 0.333333333333
    assert canonical_float(0.1 + 0.2) == 0.3
    assert math.copysign(1, canonical_float(-0.0)) == 1
    assert canonical_float(123456789.123456789) == 123456789.123
    with pytest.raises(ValueError, match="finite"):
        canonical_float(math.nan)


def test_an_undefined_figure_is_written_as_null_with_its_reason():
    assert undefined("no_pairs").to_json() == {
        "value": None,
        "low": None,
        "high": None,
        "reason": "no_pairs",
        "se": None,
        "interval_reason": None,
        "interval_method": None,
        "undefined_share": 0.0,
        "caution": None,
    }


def test_a_whole_result_is_plain_json_without_nan():
    for case_id in ("gwet_raw4raters", "pair_undefined", "empty", "single_item_agree"):
        case = known_answer(case_id)
        result = label_agreement(case_ratings(case), q=case["q"], seed=3)
        written = json.dumps(result.to_json(), allow_nan=False)
        assert json.loads(written) == result.to_json()


def test_every_code_that_a_result_carries_has_words():
    rng = np.random.default_rng(1)
    codes = set()
    for _ in range(40):
        ratings = rng.integers(-1, 2, size=(rng.integers(0, 6), 3))
        result = label_agreement(ratings, q=2, seed=1, replicates=20)
        for estimate in (*result.estimates.values(), *result.prevalence.values()):
            codes |= {estimate.reason, estimate.interval_reason, estimate.caution}
        codes |= set(result.pairs_undefined)
    codes.discard(None)
    assert {"no_items", "no_pairs", "no_variation", "not_applicable", "single_item"} <= codes
    assert codes <= set(REASONS)


def test_fewer_than_two_categories_leave_only_observed_agreement():
    result = label_agreement([[0, 0], [0, 0]], q=1, seed=1)
    assert result.estimates["observed_agreement"].value == 1
    assert result.estimates["pabak"].reason == "too_few_categories"
    assert result.estimates["gwet_ac1"].reason == "too_few_categories"
    assert result.estimates["fleiss_kappa"].reason == "no_variation"
    assert result.estimates["cohen_kappa"].reason == "no_variation"
    assert result.estimates["krippendorff_alpha"].reason == "no_variation"
    none = label_agreement(np.empty((0, 3), dtype=int), q=0, seed=1)
    assert {estimate.reason for estimate in none.estimates.values()} == {"no_items"}
    assert none.n_raters == 3


def test_variation_is_judged_on_the_items_that_the_coefficient_looks_at():
    # Pairs are all 0, a lone 1 stands beside: alpha and Cohen see one category, Fleiss two.
    result = label_agreement([[0, 0], [0, 0], [0, 0], [1, -1]], q=2, seed=1)
    assert result.estimates["krippendorff_alpha"].reason == "no_variation"
    assert result.estimates["cohen_kappa"].reason == "no_variation"
    assert result.estimates["fleiss_kappa"].value == 1
    assert result.estimates["gwet_ac1"].value == 1


@pytest.mark.parametrize("n_items", [9, 10, 11, 12, 13, 49, 98, 1001])
def test_unanimous_data_are_undefined_whatever_their_number(n_items):
    """Where others divide by 1 - 0.9999999999999998 the answer depends on the number of items."""
    result = label_agreement(np.ones((n_items, 3), dtype=int), q=3, seed=1, replicates=50)
    for name in ("fleiss_kappa", "cohen_kappa", "conger_kappa", "krippendorff_alpha"):
        assert result.estimates[name].reason == "no_variation"
    assert result.estimates["gwet_ac1"].value == 1
    assert result.estimates["pabak"].value == pytest.approx(1, abs=1e-15)
