"""The reference tables: exact values, published figures to their printed precision, errors, reasons."""

import doctest
import json
import math

import numpy as np
import pytest

import agreement.statistics.label_agreement
from agreement.statistics.label_agreement import label_agreement
from agreement.statistics.patterns import count_patterns, rating_patterns
from agreement.statistics.rating_table import rating_table
from agreement.statistics.standard_errors import (
    Z_95,
    alpha_standard_error,
    cohen_null_standard_error,
    cohen_standard_error,
    fleiss_null_standard_error,
    gwet_standard_error,
)
from tests.agreement.tables import REFERENCE, case_ratings, known_answer, known_answers, two_by_two

ESTIMATES = {
    "percent_agreement": "observed_agreement",
    "percent_agreement_rating_weighted": "rating_weighted_agreement",
    "percent_agreement_pair_pooled": "pair_pooled_agreement",
    "unanimous_share": "unanimous_share",
    "focus_observed_agreement": "focus_score",
    "brennan_prediger": "pabak",
    "pabak": "pabak",
    "gwet_ac1": "gwet_ac1",
    "fleiss_kappa": "fleiss_kappa",
    "krippendorff_alpha": "krippendorff_alpha",
    "cohen_kappa": "cohen_kappa",
    "light_kappa": "cohen_kappa",
    "conger_kappa": "conger_kappa",
}
PREVALENCE = ("prevalence_index", "bias_index", "p_pos", "p_neg")
GWET_ERRORS = {
    "se_pa": "observed_agreement",
    "se_bp": "pabak",
    "se_ac1": "gwet_ac1",
    "se_fleiss": "fleiss_kappa",
}
# The alpha error of irrCAC 1.0 is the wrong one of three in circulation; its Conger with missing ratings uses
# other margins than ours.
NOT_OURS = ("se_kripp_irrCAC1.0", "conger_kappa_irrCAC", "se_conger_irrCAC")

each_case = pytest.mark.parametrize("case", known_answers(), ids=lambda case: case["id"])


@each_case
def test_every_coefficient_equals_the_exact_value_or_is_undefined_for_the_stated_reason(case):
    result = label_agreement(case_ratings(case), q=case["q"], seed=1, replicates=0)
    compared = 0
    for name, ours in ESTIMATES.items():
        if name not in case["values"]:
            continue
        estimate, expected = result.estimates[ours], case["values"][name]
        if expected is None:
            assert (estimate.value, estimate.reason) == (None, case["undefined"][name]["code"]), name
        else:
            assert estimate.value == pytest.approx(expected, abs=1e-12), name
        compared += 1
    assert compared >= 9


@each_case
def test_counts_of_items_and_ratings_are_those_of_the_table(case):
    result = label_agreement(case_ratings(case), q=case["q"], seed=1, replicates=0)
    assert result.n_items == case["n_items_rated"]
    assert result.n_pairable == case["n_items_pairable"]
    assert result.n_ratings == case["n_ratings"]
    assert result.n_raters == case["n_raters"]
    assert sum(count > 0 for count in result.label_counts) == case["q_observed"]
    undefined_pairs = case["values"].get("undefined_pairs", 0)
    if undefined_pairs:
        assert result.pairs_undefined == {"no_variation": undefined_pairs}


@each_case
def test_prevalence_and_bias_equal_the_exact_values_of_two_raters_and_two_categories(case):
    result = label_agreement(case_ratings(case), q=case["q"], seed=1, replicates=0)
    if "prevalence_index" not in case["values"]:
        assert not set(PREVALENCE) & set(result.prevalence) or case["n_items"] == 0
        return
    for name in PREVALENCE:
        if name in case["values"]:
            assert result.prevalence[name].value == pytest.approx(case["values"][name], abs=1e-12)
        else:
            assert result.prevalence[name].reason == "category_unused"
    kappa, pabak = result.estimates["cohen_kappa"].value, result.estimates["pabak"].value
    if kappa is not None:
        pi, bi = result.prevalence["prevalence_index"].value, result.prevalence["bias_index"].value
        assert kappa == pytest.approx((pabak - pi**2 + bi**2) / (1 - pi**2 + bi**2), abs=1e-12)


@each_case
def test_standard_errors_equal_the_reference(case):
    counted = count_patterns(rating_patterns(case_ratings(case), case["q"]))
    counts, multiplicity, errors = counted.counts, counted.multiplicity, case["se"]
    for name, coefficient in GWET_ERRORS.items():
        if name in errors:
            ours = gwet_standard_error(coefficient, counts, multiplicity)
            assert ours == pytest.approx(errors[name], abs=1e-10), name
    if "se_kripp" in errors:
        assert alpha_standard_error(counts, multiplicity) == pytest.approx(errors["se_kripp"], abs=1e-10)
    if "se_fleiss_null" in errors:
        ours = fleiss_null_standard_error(counts, multiplicity)
        assert ours == pytest.approx(errors["se_fleiss_null"], abs=1e-10)
    if "cohen_ase" in errors:
        table = rating_table(case_ratings(case), q=case["q"]).tables[0]
        assert cohen_standard_error(table) == pytest.approx(errors["cohen_ase"], abs=1e-10)
        assert cohen_null_standard_error(table) == pytest.approx(errors["cohen_ase0"], abs=1e-10)


@each_case
def test_published_figures_hold_to_their_printed_precision(case):
    result = label_agreement(case_ratings(case), q=case["q"], seed=1, replicates=0)
    table_factor = math.sqrt((result.n_items - 1) / result.n_items) if result.n_items else 1
    ours = {name: result.estimates[ESTIMATES[name]].value for name in ESTIMATES}
    ours |= {name: result.estimates[GWET_ERRORS[name]].se for name in GWET_ERRORS}
    ours["se_kripp"] = result.estimates["krippendorff_alpha"].se
    # Tables of counts divide by n where raw ratings divide by n - 1.
    for name in ("pa", "bp", "ac1", "fleiss", "kripp"):
        if ours[f"se_{name}"] is not None:
            ours[f"se_table_{name}"] = ours[f"se_{name}"] * table_factor
    if case["n_raters"] == 2 and ours["cohen_kappa"] is not None and result.n_items > 1:
        kappa, table = (
            result.estimates["cohen_kappa"],
            rating_table(case_ratings(case), q=case["q"]).tables[0],
        )
        ours["cohen_ase"], ours["cohen_ase0"] = kappa.se, cohen_null_standard_error(table)
        ours["cohen_ci_low"] = kappa.value - Z_95 * kappa.se
        ours["cohen_ci_high"] = kappa.value + Z_95 * kappa.se
        table = table / table.sum()
        ours["cohen_pe"] = float(table.sum(axis=0) @ table.sum(axis=1))
    if result.n_items:
        ours |= _chance_agreement(case)
    ours |= {
        f"{name}_abs": abs(figure.value)
        for name, figure in result.prevalence.items()
        if figure.value is not None
    }
    for name, published in case["published"].items():
        if name not in NOT_OURS:
            assert ours[name] == pytest.approx(published["value"], abs=published["tolerance"]), name


def _chance_agreement(case: dict) -> dict[str, float]:
    from agreement.statistics.coefficients import (
        expected_disagreement,
        fleiss_chance_agreement,
        gwet_chance_agreement,
        rating_weighted_agreement,
    )

    sums = rating_table(case_ratings(case), q=case["q"]).sums
    figures = {
        "ac1_pe": gwet_chance_agreement(sums),
        "fleiss_pe": fleiss_chance_agreement(sums),
        "kripp_De": expected_disagreement(sums),
        "kripp_Do": 1 - rating_weighted_agreement(sums),
    }
    for name, value in figures.items():
        assert value == pytest.approx(case["values"][name], abs=1e-12)
    return {name: float(value) for name, value in figures.items()}


def test_the_example_in_the_docstring_is_the_published_one():
    results = doctest.testmod(agreement.statistics.label_agreement)
    assert (results.failed, results.attempted) == (0, 4)


def test_a_standard_error_is_given_only_where_it_is_defined():
    single = label_agreement(case_ratings(known_answer("single_item_disagree")), q=2, seed=1)
    assert [estimate.se for estimate in single.estimates.values()] == [None] * len(single.estimates)
    unanimous = label_agreement(case_ratings(known_answer("all_same_2raters")), q=2, seed=1)
    assert unanimous.estimates["observed_agreement"].se == 0
    assert unanimous.estimates["fleiss_kappa"].se is None
    constant = label_agreement(case_ratings(known_answer("full_disagreement_constant")), q=2, seed=1)
    assert (constant.estimates["cohen_kappa"].value, constant.estimates["cohen_kappa"].se) == (0.0, 0.0)
    pairs = label_agreement(case_ratings(known_answer("pair_undefined")), q=2, seed=1).pairs
    # The other rater of each pair is constant: kappa does not vary, and rounding must not make it 1e-8.
    assert [pair.kappa.se for pair in pairs] == [None, 0.0, 0.0]


FOCUS = json.loads((REFERENCE / "focus_table8.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", FOCUS["rows"])
def test_every_table_behind_the_focus_papers_table_8_gives_its_printed_figures_and_the_exact_ones(row):
    printed = FOCUS["rows"][row]["printed"]
    for table in FOCUS["rows"][row]["tables"]:
        result = label_agreement(two_by_two(*(table[cell] for cell in "abcd")), q=2, seed=1, replicates=0)
        ours = {
            "observed_agreement": result.estimates["observed_agreement"],
            "cohen_kappa": result.estimates["cohen_kappa"],
            "pabak": result.estimates["pabak"],
            "fleiss_kappa_scott_pi": result.estimates["fleiss_kappa"],
            "gwet_ac1": result.estimates["gwet_ac1"],
            "krippendorff_alpha_nominal": result.estimates["krippendorff_alpha"],
            **result.prevalence,
        }
        for name, estimate in ours.items():
            if table[name] is None:
                assert estimate.value is None
                assert estimate.reason == ("category_unused" if name.startswith("p_") else "no_variation")
            else:
                assert estimate.value == pytest.approx(table[name], abs=1e-12)
        for name in ("observed_agreement", "cohen_kappa", "pabak"):
            if printed[name] != "undefined":
                assert f"{ours[name].value:.3f}".lstrip("0") == printed[name]
        for name, error in table["gwet_se"].items():
            name = {"pa": "observed_agreement", "ac1": "gwet_ac1", "fleiss": "fleiss_kappa"}.get(name, name)
            name = "krippendorff_alpha" if name == "alpha" else name
            assert result.estimates[name].se == (None if error is None else pytest.approx(error, abs=1e-10))


@pytest.mark.parametrize(
    "example", FOCUS["focus_observed_agreement_three_raters"]["examples"], ids=lambda each: each["name"]
)
def test_the_focus_score_of_three_raters_is_one_half_or_zero_an_item_and_no_base_for_pabak(example):
    ratings = [[example["categories"].index(label) for label in row] for row in example["ratings"]]
    result = label_agreement(np.array(ratings), q=len(example["categories"]), seed=1, replicates=0)
    values = {name: estimate.value for name, estimate in result.estimates.items()}
    assert values["focus_score"] == pytest.approx(example["focus_observed_agreement"], abs=1e-12)
    assert values["observed_agreement"] == pytest.approx(example["mean_pairwise_agreement"], abs=1e-12)
    assert values["unanimous_share"] == pytest.approx(example["unanimous_share"], abs=1e-12)
    assert values["pabak"] == pytest.approx(example["brennan_prediger_from_pairwise"], abs=1e-12)
    if len(example["categories"]) == 2:
        assert values["focus_score"] == pytest.approx((3 * values["observed_agreement"] + 1) / 4, abs=1e-12)
