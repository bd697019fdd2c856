"""Diversity of questions; runs, systems and methods compared: known answers and second implementations."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from scoring.figures.comparison import (
    correlation,
    kappa_matrix,
    kappa_of,
    paired_difference,
    runs_together,
)
from scoring.figures.diversity import (
    at_equal_n,
    cr_diversity,
    first_words,
    ngram_published,
    ngram_within,
)

REFERENCE = Path(__file__).parents[1] / "reference" / "scoring"


def known(name):
    return json.loads((REFERENCE / f"{name}.json").read_text("utf-8"))


def near(value, within=1e-9):
    return None if value is None else pytest.approx(value, abs=within)


@pytest.mark.parametrize("case", known("diversity")["cases"], ids=lambda case: case["why"])
def test_the_known_answers_of_diversity(case, request):
    questions = case["questions"]
    if isinstance(questions, str):
        file = request.getfixturevalue("shared_data").parent / questions
        questions = [q["cq"] for row in json.loads(file.read_text("utf-8")).values() for q in row["cqs"]]
    expected = case["expected"]
    for name, measure in (("ngram_published", ngram_published), ("ngram_within", ngram_within)):
        found = measure(questions)
        assert found.score == near(expected[name]["score"])
        assert list(found.by_n) == [near(value) for value in expected[name]["by_n"].values()]
    assert cr_diversity(questions) == near(expected["cr_diversity"], 0.005)


def test_sets_are_compared_at_equal_numbers():
    questions = [f"Why is {word} so?" for word in "abcdefghij"] + ["Why?"] * 10
    whole = ngram_published(questions).score
    part = at_equal_n(questions, 5, lambda chosen: ngram_published(chosen).score, seed=3)
    assert part > whole
    assert part == at_equal_n(questions, 5, lambda chosen: ngram_published(chosen).score, seed=3)
    assert at_equal_n(questions, 20, lambda chosen: ngram_published(chosen).score, seed=3) == whole
    with pytest.raises(ValueError, match="subset of 21"):
        at_equal_n(questions, 21, cr_diversity, seed=3)


def test_the_most_frequent_beginnings():
    assert first_words(["Is it true that x?", "Is it true?", "Who says?", "Is it so?"])[0] == (
        "Is it true",
        1,
    )
    assert first_words(["Is it true that x?", "Is it true too?", "Who says?"])[0] == ("Is it true", 2)


@pytest.mark.parametrize("case", known("seeds")["cases"])
def test_the_known_answers_of_runs(case):
    found, expected = runs_together(case["runs"]), case["expected"]
    assert (found.n, found.mean, found.sd, found.sd_reason) == (
        expected["n"],
        near(expected["mean"]),
        near(expected["sd"]),
        expected["sd_reason"],
    )
    assert found.n_undefined == expected.get("n_undefined", 0)


@pytest.mark.parametrize("case", known("correlation")["cases"])
def test_the_known_answers_of_correlation(case):
    found, expected = correlation(case["human"], case["method"]), case["expected"]
    for name in ("pearson", "spearman", "kendall_tau_b"):
        assert getattr(found, name) == near(expected[name])
    assert found.reason == expected.get("reason")


def test_the_known_answers_of_the_kappa_matrix():
    methods, expected = known("kappa_matrix")["methods"], known("kappa_matrix")["expected"]
    pairs = {f"{pair.first}|{pair.second}": pair for pair in kappa_matrix(methods)}
    for key, row in expected.items():
        assert (pairs[key].with_nae.value, pairs[key].with_nae.reason) == (near(row["kappa"]), row["reason"])
    assert pairs["human|human_reference"].without_nae == (1.0, 4, None)


def test_kappa_is_that_of_scikit_learn():
    rng = np.random.default_rng(1)
    first, second = (rng.choice(["a", "b", "c"], 200).tolist() for _ in range(2))
    assert kappa_of(first, second).value == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


def test_systems_are_told_apart_where_the_paired_interval_leaves_out_0():
    rng = np.random.default_rng(2)
    hard = rng.random(60)
    better = paired_difference(np.minimum(hard + 0.1, 1), hard, seed=3)
    alike = paired_difference(hard, rng.permutation(hard), seed=3)
    assert better.told_apart and better.low > 0.05 and better.value == pytest.approx(0.1, abs=0.02)
    assert not alike.told_apart and alike.low < 0 < alike.high
