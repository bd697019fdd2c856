"""The published figures against other libraries: checked, not checked and why, or differs."""

import builtins
from dataclasses import replace

import numpy as np
import pytest

from agreement.computation.crosscheck_labels import DIFFERS, cross_check
from agreement.statistics.estimates import Estimate
from agreement.statistics.label_agreement import label_agreement
from tests.agreement.tables import case_ratings, known_answer, random_ratings


def checks_of(ratings, q, result=None):
    result = result or label_agreement(ratings, q=q, seed=1, replicates=0)
    return cross_check(ratings, q=q, result=result)


def statuses(checks):
    return {check.name: (check.status, check.library) for check in checks if check.pair is None}


def differing(checks):
    return [check for check in checks if check.status == DIFFERS]


def test_complete_ratings_are_checked_by_both_libraries():
    ratings = random_ratings(np.random.default_rng(1), 40, 3, 3)
    checks = checks_of(ratings, 3)
    assert differing(checks) == []
    found = statuses(checks)
    for name in (
        "fleiss_kappa",
        "pabak",
        "cohen_kappa",
        "observed_agreement",
        "rating_weighted_agreement",
        "pair_pooled_agreement",
    ):
        assert found[name] == ("checked", "statsmodels")
    assert found["krippendorff_alpha"] == ("checked", "krippendorff")
    assert found["gwet_ac1"] == ("not_checked", None)
    pairs = [check for check in checks if check.pair]
    assert [(check.pair, check.status) for check in pairs] == [
        ((0, 1), "checked"),
        ((0, 2), "checked"),
        ((1, 2), "checked"),
    ]
    assert all(abs(check.ours - check.theirs) <= 1e-9 for check in checks if check.status == "checked")


def test_with_missing_ratings_fleiss_is_checked_on_the_items_with_equally_many_and_says_so():
    ratings = case_ratings(known_answer("gwet_raw4raters"))
    found = {check.name: check for check in checks_of(ratings, 5) if check.pair is None}
    complete = ratings[(ratings >= 0).all(axis=1)]
    for name in ("fleiss_kappa", "pabak", "observed_agreement"):
        assert found[name].status == "checked_subset"
        assert "items with the most common number" in found[name].why
        ours = label_agreement(complete, q=5, seed=1, replicates=0).estimates[name].value
        assert found[name].ours == pytest.approx(ours)
        assert found[name].theirs == pytest.approx(ours)
    for name in ("rating_weighted_agreement", "pair_pooled_agreement"):
        assert found[name].status == "not_checked"
        assert "different numbers of ratings" in found[name].why
    assert found["krippendorff_alpha"].theirs == pytest.approx(0.743421052631579)
    assert found["cohen_kappa"].theirs == pytest.approx(0.7001626371070886)


def test_the_same_number_of_ratings_by_changing_raters_can_be_checked():
    ratings = np.array([[0, 0, -1], [1, -1, 1], [-1, 0, 1], [-1, -1, -1], [1, 1, -1]])
    assert statuses(checks_of(ratings, 2))["fleiss_kappa"] == ("checked", "statsmodels")


def test_arithmetic_that_is_wrong_on_incomplete_tables_is_found_on_the_subset(monkeypatch):
    def wrong(*args, **kwargs):
        result = label_agreement(*args, **kwargs)
        moved = Estimate(result.estimates["fleiss_kappa"].value + 1e-6)
        return replace(result, estimates={**result.estimates, "fleiss_kappa": moved})

    ratings = case_ratings(known_answer("gwet_raw4raters"))
    monkeypatch.setattr("agreement.computation.crosscheck_labels.label_agreement", wrong)
    assert statuses(checks_of(ratings, 5))["fleiss_kappa"] == ("differs", "statsmodels")


def test_items_of_one_number_of_ratings_that_leave_fleiss_undefined_are_no_check_and_say_why():
    ratings = np.array([[0, 0, -1], [0, 0, -1], [0, 0, -1], [0, 1, 1], [1, 1, 0]])
    found = {check.name: check for check in checks_of(ratings, 2) if check.pair is None}
    assert found["fleiss_kappa"].status == "not_checked"
    assert "one and the same category" in found["fleiss_kappa"].why
    assert found["pabak"].status == "checked_subset"


@pytest.mark.parametrize("case_id", ["all_same_2raters", "pair_undefined", "empty", "single_item_agree"])
def test_an_undefined_figure_is_not_checked_because_the_libraries_would_return_nan(case_id):
    case = known_answer(case_id)
    ratings = case_ratings(case)
    result = label_agreement(ratings, q=2, seed=1, replicates=0)
    checks = checks_of(ratings, 2, result)
    assert differing(checks) == []
    for check in checks:
        if check.pair is None and result.estimates[check.name].value is None:
            assert check.status == "not_checked"
            assert check.why.startswith("undefined: ")


def test_a_category_that_nobody_used_still_counts_for_the_library():
    case = known_answer("unused_category")
    assert statuses(checks_of(case_ratings(case), case["q"]))["pabak"] == ("checked", "statsmodels")


@pytest.mark.parametrize("name", ["krippendorff_alpha", "fleiss_kappa", "pabak", "cohen_kappa"])
def test_a_wrong_figure_differs_with_both_values(name):
    ratings = random_ratings(np.random.default_rng(2), 40, 2, 3)
    result = label_agreement(ratings, q=3, seed=1, replicates=0)
    true = result.estimates[name].value
    wrong = replace(result, estimates={**result.estimates, name: Estimate(true + 1e-6)})
    checks = checks_of(ratings, 3, wrong)
    (found,) = differing(checks)
    assert (found.name, found.ours) == (name, true + 1e-6)
    assert found.theirs == pytest.approx(true, abs=1e-12)
    assert found.to_json()["status"] == "differs"


def test_a_wrong_pair_differs():
    ratings = random_ratings(np.random.default_rng(3), 40, 3, 2)
    result = label_agreement(ratings, q=2, seed=1, replicates=0)
    pairs = (replace(result.pairs[0], kappa=Estimate(0.5)), *result.pairs[1:])
    differing = [
        check for check in checks_of(ratings, 2, replace(result, pairs=pairs)) if check.status == "differs"
    ]
    assert [check.pair for check in differing] == [(0, 1)]


def test_without_krippendorff_alpha_is_not_checked_and_nothing_fails(monkeypatch):
    real = builtins.__import__

    def missing(name, *args, **kwargs):
        if name == "krippendorff":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
    checks = checks_of(random_ratings(np.random.default_rng(4), 20, 2, 2), 2)
    (alpha,) = [check for check in checks if check.name == "krippendorff_alpha"]
    assert (alpha.status, alpha.why) == ("not_checked", "krippendorff is not installed")


def test_a_table_too_large_for_krippendorffs_array_is_not_checked(monkeypatch):
    monkeypatch.setattr("agreement.computation.crosscheck_labels.LARGEST_ARRAY", 20 * 4 - 1)
    checks = checks_of(random_ratings(np.random.default_rng(4), 20, 2, 2), 2)
    (alpha,) = [check for check in checks if check.name == "krippendorff_alpha"]
    assert (alpha.status, alpha.why) == ("not_checked", "the table is too large for krippendorff")
