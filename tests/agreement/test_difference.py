"""Differences between two rounds, and how many more items an interval needs."""

import numpy as np
import pytest

from agreement.statistics.difference import agreement_change
from agreement.statistics.label_agreement import label_agreement
from agreement.what_if.sample_size import items_needed
from tests.agreement.tables import random_ratings, two_by_two

ALL = ("observed_agreement", "cohen_kappa", "fleiss_kappa", "pabak", "gwet_ac1", "krippendorff_alpha")


def width(estimate):
    return estimate.high - estimate.low


def change(before, after, items_before, items_after, **options):
    return agreement_change(
        before, after, q=2, items_before=items_before, items_after=items_after, seed=4, **options
    )


def test_the_difference_is_that_of_the_two_rounds_coefficients():
    rng = np.random.default_rng(1)
    before = random_ratings(rng, 60, 3, 2, accuracy=0.5, missing=0.1)
    after = random_ratings(rng, 80, 4, 2, accuracy=0.9, missing=0.1)
    result = change(before, after, np.arange(60), np.arange(1000, 1080))
    ends = [label_agreement(ratings, q=2, seed=1, replicates=0).estimates for ratings in (before, after)]
    for name in ALL:
        estimate = result.differences[name]
        assert estimate.value == pytest.approx(ends[1][name].value - ends[0][name].value, abs=1e-12)
        assert 0 < estimate.low < estimate.value < estimate.high
    # One item of the first round happens to have no rating.
    assert (before >= 0).any(axis=1).sum() == 59
    assert (result.n_both, result.n_before, result.n_after) == (0, 59, 80)


def test_independent_rounds_have_the_error_of_a_difference_of_independent_figures():
    rng = np.random.default_rng(2)
    before, after = (random_ratings(rng, 150, 3, 2, accuracy=accuracy) for accuracy in (0.6, 0.75))
    result = change(before, after, np.arange(150), np.arange(150, 300), replicates=4000)
    ends = [label_agreement(ratings, q=2, seed=9, replicates=4000).estimates for ratings in (before, after)]
    for name in ALL:
        expected = np.hypot(*(width(end[name]) for end in ends))
        assert width(result.differences[name]) == pytest.approx(expected, rel=0.07), name


def test_rounds_over_the_same_items_are_paired():
    rng = np.random.default_rng(3)
    before = random_ratings(rng, 100, 3, 2, accuracy=0.7)
    after = before.copy()
    after[:10] = random_ratings(rng, 10, 3, 2, accuracy=0.7)
    items = np.arange(100)
    paired = change(before, after[::-1], items, items[::-1]).differences
    independent = change(before, after, items, items + 100).differences
    for name in ALL:
        assert paired[name].value == pytest.approx(independent[name].value, abs=1e-12)
        assert width(paired[name]) < 0.6 * width(independent[name])
    same = change(before, before, items, items).differences
    for name in ALL:
        # No resample differs: 3 of 100 texts may be of a kind not seen, in either round.
        assert (same[name].value, same[name].interval_method) == (0, "rule_of_three")
        assert same[name].low == pytest.approx(-same[name].high)
    share = label_agreement(before, q=2, seed=1, replicates=0).estimates["observed_agreement"].value
    assert same["observed_agreement"].high == pytest.approx(0.03 * np.hypot(share, 1 - share))


def test_items_on_several_rows_are_resampled_together_in_both_rounds():
    rng = np.random.default_rng(4)
    before, after = (random_ratings(rng, 50, 3, 2, accuracy=accuracy) for accuracy in (0.6, 0.8))
    items = np.arange(50)
    single = change(before, after, items, items, replicates=3000)
    pooled = change(
        np.repeat(before, 5, axis=0),
        np.repeat(after, 5, axis=0),
        np.repeat(items, 5),
        np.repeat(items, 5),
        replicates=3000,
    )
    assert (pooled.n_both, pooled.n_before, pooled.n_after) == (50, 0, 0)
    for name in ("observed_agreement", "gwet_ac1", "cohen_kappa"):
        assert width(pooled.differences[name]) == pytest.approx(width(single.differences[name]), rel=0.07)


def test_rows_without_a_rating_belong_to_neither_round():
    rng = np.random.default_rng(6)
    before, after = random_ratings(rng, 30, 3, 2), random_ratings(rng, 40, 3, 2)
    unrated = np.full((25, 3), -1)
    plain = change(before, after, np.arange(30), np.arange(20, 60))
    padded = change(
        np.vstack([before, unrated]),
        np.vstack([after, unrated]),
        np.arange(55),
        np.concatenate([np.arange(20, 60), np.arange(25) + 200]),
    )
    assert padded.to_json() == plain.to_json()
    assert (plain.n_both, plain.n_before, plain.n_after) == (10, 20, 30)


def test_a_difference_with_an_undefined_end_is_undefined_for_the_same_reason():
    result = change(two_by_two(10, 0, 0, 0), two_by_two(5, 1, 1, 5), np.arange(10), np.arange(12))
    assert result.differences["cohen_kappa"].reason == "no_variation"
    assert result.differences["observed_agreement"].value == pytest.approx(10 / 12 - 1)
    empty = change(np.empty((0, 2), dtype=int), two_by_two(5, 1, 1, 5), [], np.arange(12))
    assert {estimate.reason for estimate in empty.differences.values()} == {"no_items"}
    one = change(two_by_two(1, 0, 0, 0), two_by_two(5, 1, 1, 5), [0], np.arange(12))
    assert one.differences["pabak"].interval_reason == "single_item"


def test_two_perfect_rounds_differ_by_no_more_than_both_rules_of_three_allow():
    result = change(two_by_two(15, 0, 0, 15), two_by_two(25, 0, 0, 25), np.arange(30), np.arange(100, 150))
    estimate = result.differences["observed_agreement"]
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0, -3 / 50, 3 / 30))


@pytest.mark.parametrize("name", ["krippendorff_alpha", "cohen_kappa", "pabak"])
def test_as_many_items_as_said_do_make_the_interval_narrower_than_the_width(name):
    ratings = random_ratings(np.random.default_rng(5), 60, 3, 2, accuracy=0.6, missing=0.1)
    now = width(label_agreement(ratings, q=2, seed=8).estimates[name])
    plan = items_needed(ratings, q=2, name=name, width=now / 2, seed=8)
    assert plan.n_items == 60
    assert plan.width == pytest.approx(now)
    # The width falls with the root of the number of items, and a little more: few texts widen it.
    assert 2.9 * 60 < plan.n_items + plan.more < 4 * 60
    larger = np.tile(ratings, (4, 1))
    assert width(label_agreement(larger, q=2, seed=9).estimates[name]) == pytest.approx(now / 2, rel=0.12)


def test_a_plan_needs_nothing_where_the_interval_is_narrow_and_says_why_where_it_cannot_tell():
    ratings = random_ratings(np.random.default_rng(5), 60, 3, 2, accuracy=0.6)
    assert items_needed(ratings, q=2, name="pabak", width=0.9, seed=1).more == 0
    assert items_needed(ratings, q=2, name="pabak", width=1e-6, seed=1).reason == "beyond_limit"
    unanimous = items_needed(two_by_two(9, 0, 0, 0), q=2, name="fleiss_kappa", width=0.1, seed=1)
    assert (unanimous.more, unanimous.reason) == (None, "no_variation")
    assert items_needed([[0, 1]], q=2, name="pabak", width=0.1, seed=1).reason == "single_item"
    # Perfect agreement narrows by the rule of three: 3/n < .01 from 301 items on.
    plan = items_needed(two_by_two(25, 0, 0, 25), q=2, name="observed_agreement", width=0.01, seed=1)
    assert plan.n_items + plan.more == pytest.approx(301, abs=4)
    with pytest.raises(ValueError, match="no coefficient"):
        items_needed(ratings, q=2, name="kappa", width=0.1, seed=1)
    with pytest.raises(ValueError, match="more than 0"):
        items_needed(ratings, q=2, name="pabak", width=0, seed=1)
