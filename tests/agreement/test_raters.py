"""Each annotator's label shares, agreement with the others and with a key."""

import numpy as np
import pytest

from agreement.statistics.label_agreement import label_agreement
from agreement.statistics.raters import rater_figures
from agreement.statistics.standard_errors import wilson_interval
from tests.agreement.tables import random_ratings

RATINGS = np.array(
    [
        [0, 0, 0, -1],
        [0, 1, 0, -1],
        [1, 1, 0, -1],
        [1, 1, 1, -1],
        [0, 1, -1, -1],
        [-1, -1, -1, 1],
    ]
)


def test_shares_are_of_the_annotators_own_ratings():
    first, second, third, fourth = rater_figures(RATINGS, q=2, seed=1)
    assert [figures.label_counts for figures in (first, second, third, fourth)] == [
        (3, 2),
        (1, 4),
        (3, 1),
        (0, 1),
    ]
    assert second.shares[1].value == 0.8
    assert (second.shares[1].low, second.shares[1].high) == wilson_interval(4, 5)
    assert second.n_ratings == 5


def test_agreement_with_the_rest_is_the_mean_over_the_pairs_with_the_others():
    figures = rater_figures(RATINGS, q=2, seed=1)
    # Pairs: 0-1 agree on 3 of 5, 0-2 on 3 of 4, 1-2 on 2 of 4.
    assert figures[0].with_rest.value == pytest.approx((3 / 5 + 3 / 4) / 2)
    assert figures[1].with_rest.value == pytest.approx((3 / 5 + 2 / 4) / 2)
    assert figures[2].with_rest.value == pytest.approx((3 / 4 + 2 / 4) / 2)
    assert [each.n_others for each in figures] == [2, 2, 2, 0]
    assert figures[3].with_rest.reason == "no_pairs"
    pairs = label_agreement(RATINGS, q=2, seed=1).pairs
    assert [(pair.first, pair.second, pair.observed_agreement.value) for pair in pairs] == [
        (0, 1, 0.6),
        (0, 2, 0.75),
        (1, 2, 0.5),
    ]


def test_the_interval_of_agreement_with_the_rest_is_that_of_the_pair_where_there_is_one_other():
    ratings = random_ratings(np.random.default_rng(1), 80, 2, 3, missing=0.1)
    with_rest = rater_figures(ratings, q=3, seed=5)[0].with_rest
    pair = label_agreement(ratings, q=3, seed=5).pairs[0].observed_agreement
    assert (with_rest.value, with_rest.low, with_rest.high) == (pair.value, pair.low, pair.high)


def test_agreement_with_a_key_counts_the_items_that_have_one():
    key = np.array([0, 1, 1, 1, -1, -1])
    first, second, _, fourth = rater_figures(RATINGS, q=2, seed=1, key=key)
    assert (first.key_agreement.value, second.key_agreement.value) == (0.75, 1.0)
    assert second.key_kappa.value == 1.0
    # First: 00 01 11 11, p_o = .75, p_e = .5 * .25 + .5 * .75 = .5.
    assert first.key_kappa.value == pytest.approx(0.5)
    assert fourth.key_agreement.reason == "no_pairs"
    assert rater_figures(RATINGS, q=2, seed=1)[0].key_agreement is None


def test_a_table_without_ratings_has_annotators_without_figures():
    figures = rater_figures(np.full((3, 2), -1), q=2, seed=1)
    assert [(each.with_rest.reason, each.shares[0].reason) for each in figures] == [
        ("no_items", "no_items")
    ] * 2


def test_one_common_item_gives_no_interval_and_perfect_agreement_no_point():
    figures = rater_figures(np.array([[0, 0], [1, -1]]), q=2, seed=1)
    assert figures[0].with_rest.interval_reason == "single_item"
    perfect = rater_figures(np.array([[0, 0]] * 15 + [[1, 1]] * 15), q=2, seed=1)[0].with_rest
    assert (perfect.value, perfect.low, perfect.high) == (1.0, 0.9, 1.0)
    assert rater_figures(RATINGS, q=2, seed=1, replicates=0)[0].with_rest.interval_reason == "not_computed"


def test_figures_are_plain_json():
    written = rater_figures(RATINGS, q=2, seed=1, key=np.zeros(6, dtype=int))[0].to_json()
    assert written["shares"][0]["value"] == 0.6
    assert written["key_agreement"]["value"] == 0.6
    assert written["with_rest"]["value"] == 0.675
