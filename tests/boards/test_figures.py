"""The pure rules of boards: places, what may be told, and bits."""

import math

import pytest

from boards.figures.bits import entropy, learnable, values_of_a_score
from boards.figures.feedback import beats, rounded, to_step, told, why_untold
from boards.figures.ranking import order, ranks

FIGURES = {
    "value": 0.6471,
    "low": 0.5588,
    "high": 0.7353,
    "sd": None,
    "nae_share": 0.0882,
    "runs": 1,
    "items": 34,
    "human": 0.61,
    "labels": {"Useful": 66, "Unhelpful": 20, "Invalid": 7, "not_able_to_evaluate": 9},
    "diversity": {"ngram_within": 2.81, "n": 102},
    "methods": [{"method": "chrf:40", "value": 0.6471, "low": 0.5588, "high": 0.7353}],
}


def test_equal_figures_as_printed_share_a_place_and_the_next_is_left_out():
    assert ranks([0.68, 0.654, 0.646, 0.49]) == [1, 2, 2, 4]
    assert ranks([None, 0.2]) == [None, 1]
    assert ranks([]) == []


def test_within_equal_figures_the_earlier_stands_first_whatever_the_hidden_digits():
    assert order([0.6501, 0.6549, 0.9, None], [2.0, 1.0, 3.0, 0.0]) == [2, 1, 0, 3]


def test_each_feedback_tells_what_it_says_and_nothing_else():
    assert told(FIGURES, "full", is_over=False, is_better=None) == FIGURES
    assert told(FIGURES, "after_close", is_over=False, is_better=True) is None
    assert told(FIGURES, "after_close", is_over=True, is_better=None) == FIGURES
    assert told(FIGURES, "better", is_over=True, is_better=False) is None
    assert told(FIGURES, "better", is_over=False, is_better=None) is None
    assert told(FIGURES, "better", is_over=False, is_better=True) == FIGURES
    with pytest.raises(ValueError, match="no feedback 'all'"):
        told(FIGURES, "all", is_over=True, is_better=True)


def test_rounding_leaves_no_digit_behind_from_which_the_score_could_be_had():
    found = told(FIGURES, "rounded", is_over=True, is_better=None)
    assert found is not None
    assert found["value"] == 22 / 34
    assert found["low"] == 19 / 34
    assert found["nae_share"] == 3 / 34
    assert found["labels"] == {}
    assert found["sd"] is None
    assert found["methods"] == [{"method": "chrf:40", "value": 22 / 34, "low": 19 / 34, "high": 25 / 34}]
    assert found["diversity"] == FIGURES["diversity"]
    near = rounded({**FIGURES, "value": 0.65, "methods": []})
    assert near["value"] == found["value"]
    assert to_step(None, 34) is None


def test_a_score_is_better_where_the_difference_is_more_than_its_standard_error():
    assert beats(0.031, 0.03)
    assert not beats(0.03, 0.03)
    assert not beats(-0.1, 0.01)
    assert why_untold("better", False) == "not_better"
    assert why_untold("better", None) is None
    assert why_untold("after_close", None) == "after_the_close"


def test_the_bits_of_the_issue_come_out():
    found = learnable("full", items=34, entries=10, labels=806, bits_a_label=1.555)
    assert values_of_a_score(34) == 103
    assert round(found.each, 1) == 6.7
    assert found.scores == pytest.approx(10 * math.log2(103))
    assert round(found.hidden) == 1253
    assert found.scores < found.with_columns < found.hidden


def test_less_feedback_tells_less():
    bits = {
        feedback: learnable(feedback, items=34, entries=10, labels=806, bits_a_label=1.555).scores
        for feedback in ("full", "rounded", "better", "after_close")
    }
    assert bits["rounded"] == pytest.approx(10 * math.log2(35))
    assert bits["better"] == pytest.approx(math.log2(math.comb(113, 10)))
    assert bits["after_close"] == 0
    assert bits["after_close"] < bits["better"] < bits["rounded"] < bits["full"]


def test_a_score_of_types_tells_how_many_answers_are_right_and_how_many_are_there():
    assert values_of_a_score(50, scope="all") == 101
    assert values_of_a_score(50, scope="decided") == math.comb(102, 2)
    assert values_of_a_score(50, scope="all", runs=3) == 101**3
    given = {"items": 50, "entries": 3, "labels": 500, "bits_a_label": 0.8}
    found = learnable("full", scope="decided", **given)
    assert found.scores == pytest.approx(3 * math.log2(math.comb(102, 2)) + math.log2(551))
    assert found.with_columns == found.hidden == 400
    better = learnable("better", scope="all", **given)
    assert better.scores == pytest.approx(math.log2(math.comb(104, 3)) + math.log2(551))
    assert entropy({"yes": 1, "no": 3}) == pytest.approx(0.8113, abs=1e-4)
    assert entropy([]) == 0
