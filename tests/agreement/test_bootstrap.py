"""The bootstrap: what is resampled, when an interval is refused, and how often it holds the true value."""

import numpy as np
import pytest

from agreement.statistics import bootstrap as intervals
from agreement.statistics.bootstrap import (
    clustered_units,
    generator,
    percentile_interval,
    resampled_items,
    resampled_weights,
)
from agreement.statistics.coefficients import evaluate_count
from agreement.statistics.label_agreement import label_agreement
from agreement.statistics.pairs import cohen_kappa, light_kappa, table_sums
from agreement.statistics.rating_table import _normal_is_safe, _normal_sums, rating_table
from agreement.statistics.standard_errors import rule_of_three, wilson_interval
from tests.agreement.tables import case_ratings, known_answer, random_ratings, two_by_two

ALL = ("observed_agreement", "cohen_kappa", "fleiss_kappa", "pabak", "gwet_ac1", "krippendorff_alpha")


def limits(result, name):
    return result.estimates[name].low, result.estimates[name].high


def resampled_item_by_item(ratings, q, replicates, seed, clusters=None):
    """Return the limits of every figure when whole items are drawn one by one, the plain way."""
    rng = np.random.default_rng(seed)
    clusters = np.arange(len(ratings)) if clusters is None else clusters
    items = [np.flatnonzero(clusters == item) for item in np.unique(clusters)]
    drawn = {name: [] for name in ALL}
    for _ in range(replicates):
        rows = np.concatenate([items[item] for item in rng.integers(len(items), size=len(items))])
        result = label_agreement(ratings[rows], q=q, seed=1, replicates=0)
        for name in ALL:
            drawn[name].append(result.estimates[name].value)
    return {
        name: np.percentile([value for value in drawn[name] if value is not None], [2.5, 97.5])
        for name in ALL
    }


def test_intervals_are_those_of_drawing_items_one_by_one():
    ratings = random_ratings(np.random.default_rng(5), 60, 3, 3, accuracy=0.7, missing=0.15)
    ours = label_agreement(ratings, q=3, seed=2, replicates=4000)
    plain = resampled_item_by_item(ratings, 3, 600, seed=3)
    for name in ALL:
        width = plain[name][1] - plain[name][0]
        assert limits(ours, name) == pytest.approx(plain[name], abs=0.12 * width), name


def test_rows_of_one_item_are_resampled_together():
    rng = np.random.default_rng(6)
    base = random_ratings(rng, 40, 3, 2, accuracy=0.6, missing=0.1)
    clusters = np.repeat(np.arange(40), 4)
    pooled = np.repeat(base, 4, axis=0)
    together = label_agreement(pooled, q=2, seed=2, replicates=4000, clusters=clusters)
    alone = label_agreement(pooled, q=2, seed=2, replicates=4000)
    plain = resampled_item_by_item(pooled, 2, 400, seed=3, clusters=clusters)
    for name in ("observed_agreement", "fleiss_kappa", "cohen_kappa", "gwet_ac1"):
        assert together.estimates[name].value == pytest.approx(alone.estimates[name].value, abs=1e-12)
        width = plain[name][1] - plain[name][0]
        assert limits(together, name) == pytest.approx(plain[name], abs=0.15 * width), name
        # Four equal rows an item: as if independent, the interval would be half as wide.
        low, high = limits(alone, name)
        assert (high - low) / width == pytest.approx(0.5, abs=0.1)
    assert together.estimates["observed_agreement"].se is None


def test_units_of_a_clustered_table_are_bags_of_patterns():
    units = clustered_units(np.array([2, 0, 1, 0, 2, -1, -1, 1]), np.array(list("aabbccdd")), 3)
    # a = {0, 2}, b = {0, 1}, c = {2}, d = {1}; the same bag counts once.
    assert units.n == 4
    same = clustered_units(np.array([0, 2, 2, 0, 1]), np.array([7, 7, 9, 9, 8]), 3)
    assert sorted(same.multiplicity) == [1, 2]
    weights = same.pattern_weights(same.multiplicity[None].astype(float))
    assert weights.tolist() == [[2, 1, 2]]


def test_the_seed_alone_decides_the_interval_whatever_the_order_of_the_items():
    ratings = random_ratings(np.random.default_rng(7), 50, 4, 3, missing=0.2)
    first = label_agreement(ratings, q=3, seed=11)
    assert label_agreement(ratings[::-1], q=3, seed=11).to_json() == first.to_json()
    for seed in (12, [11, 4]):
        other = label_agreement(ratings, q=3, seed=seed)
        assert all(limits(other, name) != limits(first, name) for name in ALL)
    assert first.seed == (11,)


def test_resamples_keep_their_size_and_the_mean_of_the_multiplicities():
    multiplicity = np.array([5, 20, 75])
    weights = np.concatenate(list(resampled_weights(multiplicity, 4000, generator(1, 0), chunk=37)))
    assert (weights.sum(axis=1) == 100).all()
    assert weights.mean(axis=0) == pytest.approx(multiplicity, abs=0.4)
    whole = np.concatenate(list(resampled_weights(multiplicity, 4000, generator(1, 0))))
    assert np.array_equal(weights, whole)


def test_normal_draws_stand_in_for_multinomial_ones_only_where_every_count_is_large():
    ratings = random_ratings(np.random.default_rng(8), 40_000, 4, 2, accuracy=0.7, missing=0.2)
    prepared = rating_table(ratings, q=2)
    units, matrix = prepared.row_units, prepared.pairs.summation().dense()
    drawn = prepared.pairs.pair_sums(_normal_sums(units, matrix, 20_000, generator(1, 1), n=None))
    exact = prepared.pairs.pair_sums(
        np.concatenate([w @ matrix for w in resampled_weights(units.multiplicity, 20_000, generator(2, 1))])
    )
    for quantile in (0.025, 0.5, 0.975):
        ours, theirs = (
            np.quantile(light_kappa(cohen_kappa(sums), sums.common > 0)[0], quantile)
            for sums in (drawn, exact)
        )
        # The standard error of a 2.5% quantile of 20,000 draws is 2% of the standard deviation, here .00002.
        assert ours == pytest.approx(theirs, abs=0.0002)
    assert _normal_is_safe(table_sums(prepared.tables))
    assert _normal_is_safe(table_sums(rating_table(two_by_two(5000, 0, 0, 5000), q=2).tables))
    assert not _normal_is_safe(table_sums(rating_table(two_by_two(5000, 3, 4, 5000), q=2).tables))
    assert not _normal_is_safe(table_sums(rating_table(two_by_two(90_000, 150, 150, 5), q=2).tables))


def test_normal_draws_keep_the_number_of_items_as_multinomial_ones_do():
    ratings = random_ratings(np.random.default_rng(8), 3000, 3, 2, accuracy=0.7)
    prepared = rating_table(ratings, q=2)
    matrix = prepared.pairs.summation().dense()
    drawn = prepared.pairs.pair_sums(_normal_sums(prepared.row_units, matrix, 4000, generator(1, 1), n=None))
    assert drawn.common == pytest.approx(np.full((3, 4000), 3000.0), abs=1e-8)
    # An agreeing pair of ratings is binomial.
    share = table_sums(prepared.tables).agreeing / 3000
    assert drawn.agreeing.std(axis=1) == pytest.approx(np.sqrt(3000 * share * (1 - share)), rel=0.05)
    larger = prepared.pairs.pair_sums(
        _normal_sums(prepared.row_units, matrix, 4000, generator(1, 1), n=12_000)
    )
    assert larger.common == pytest.approx(np.full((3, 4000), 12_000.0), abs=1e-8)
    assert larger.agreeing.std(axis=1) == pytest.approx(2 * drawn.agreeing.std(axis=1), rel=1e-6)


def test_a_single_item_has_values_and_no_interval():
    result = label_agreement(case_ratings(known_answer("single_item_disagree")), q=2, seed=1)
    for name in ALL:
        estimate = result.estimates[name]
        assert estimate.value is not None
        assert (estimate.low, estimate.high, estimate.interval_reason) == (None, None, "single_item")
    assert result.pairs[0].kappa.interval_reason == "single_item"


def test_without_replicates_every_interval_says_that_it_was_not_asked_for():
    result = label_agreement(two_by_two(5, 2, 1, 8), q=2, seed=1, replicates=0)
    assert {estimate.interval_reason for estimate in result.estimates.values()} == {"not_computed"}


def test_an_interval_is_refused_where_more_than_5_percent_of_the_resamples_leave_the_figure_undefined():
    # Two of fifty items are not unanimous on "no": a resample misses both with probability (48/50)^50 = .13.
    result = label_agreement(two_by_two(2, 0, 0, 48), q=2, seed=1, replicates=4000)
    for name in ("fleiss_kappa", "cohen_kappa", "krippendorff_alpha", "conger_kappa"):
        estimate = result.estimates[name]
        assert estimate.value == 1
        assert (estimate.low, estimate.high, estimate.interval_reason) == (None, None, "not_estimable")
        assert estimate.undefined_share == pytest.approx((48 / 50) ** 50, abs=0.02)
        assert estimate.caution == "few_positives"
    for name in ("observed_agreement", "pabak", "gwet_ac1"):
        assert result.estimates[name].interval_reason is None
        assert result.estimates[name].undefined_share == 0


def test_with_enough_items_that_differ_the_interval_is_given_with_its_undefined_share():
    # Three of fifty: (47/50)^50 = .045.
    estimate = label_agreement(two_by_two(1, 2, 0, 47), q=2, seed=1, replicates=4000).estimates[
        "fleiss_kappa"
    ]
    assert estimate.undefined_share == pytest.approx((47 / 50) ** 50, abs=0.012)
    assert estimate.undefined_share < 0.05
    assert estimate.low < estimate.value < estimate.high
    assert estimate.caution == "few_positives"
    plain = label_agreement(two_by_two(6, 3, 2, 47), q=2, seed=1).estimates["fleiss_kappa"]
    assert (plain.caution, plain.interval_method) == (None, "symmetric_percentile")


def test_resamples_without_any_pair_count_as_undefined_for_every_figure():
    ratings = np.array([[0, 1]] * 2 + [[0, -1]] * 20)
    estimate = label_agreement(ratings, q=2, seed=1, replicates=4000).estimates["observed_agreement"]
    assert estimate.undefined_share == pytest.approx((20 / 22) ** 22, abs=0.02)
    assert estimate.interval_reason == "not_estimable"


def test_perfect_agreement_gets_the_rule_of_three_and_not_a_point():
    result = label_agreement(two_by_two(20, 0, 0, 30), q=2, seed=1)
    assert limits(result, "observed_agreement") == pytest.approx((1 - 3 / 50, 1))
    assert limits(result, "pabak") == pytest.approx((1 - 6 / 50, 1))
    # Carried through each coefficient's own chance agreement: 1 - (3/50)/(1 - p_e).
    p_e = 0.4**2 + 0.6**2
    for name in ("fleiss_kappa", "cohen_kappa", "conger_kappa"):
        assert limits(result, name) == pytest.approx((1 - 0.06 / (1 - p_e), 1))
    assert limits(result, "gwet_ac1") == pytest.approx((1 - 0.06 / (1 - 2 * 0.4 * 0.6), 1))
    d_e = (100**2 - 40**2 - 60**2) / (100 * 99)
    assert limits(result, "krippendorff_alpha") == pytest.approx((1 - 0.06 / d_e, 1))
    assert {result.estimates[name].interval_method for name in ALL} == {"rule_of_three"}
    assert result.pairs[0].observed_agreement.low == pytest.approx(0.94)


def test_the_rule_of_three_counts_only_items_with_two_ratings():
    ratings = np.vstack([two_by_two(10, 0, 0, 10), [[0, -1]] * 20])
    assert limits(label_agreement(ratings, q=2, seed=1), "observed_agreement") == pytest.approx(
        (1 - 3 / 20, 1)
    )


def test_complete_disagreement_gets_the_rule_of_three_at_the_other_end():
    result = label_agreement(case_ratings(known_answer("full_disagreement_balanced")), q=2, seed=1)
    assert limits(result, "observed_agreement") == pytest.approx((0, 3 / 20))
    assert limits(result, "pabak") == pytest.approx((-1, -1 + 6 / 20))


def test_wilsons_interval_and_the_rule_of_three_are_the_published_ones():
    # Newcombe (1998) Stat Med 17:857-872, Table I, score method: 81/263, 15/148, 0/20, 1/29.
    for successes, n, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611)):
        assert wilson_interval(successes, n) == pytest.approx((low, high), abs=5e-5)
    assert wilson_interval(1, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)
    assert (rule_of_three(50), rule_of_three(2)) == (0.06, 1.0)


def test_percentiles_are_numpys():
    values = np.random.default_rng(1).normal(size=997)
    interval = percentile_interval(values, np.ones(997, dtype=bool))
    assert (interval.low, interval.high) == pytest.approx(np.percentile(values, [2.5, 97.5]), abs=1e-12)


def test_hundreds_of_raters_get_a_mean_kappa_over_the_pairs_that_share_enough_items():
    rng = np.random.default_rng(9)
    ratings = np.full((600, 120), -1)
    truth = rng.integers(2, size=600)
    for item in range(600):
        # Twelve of the workers do half of the work.
        raters = np.concatenate([rng.choice(12, 3, replace=False), 12 + rng.choice(108, 2, replace=False)])
        ratings[item, raters] = np.where(rng.random(5) < 0.8, truth[item], 1 - truth[item])
    all_pairs = label_agreement(ratings, q=2, seed=1, replicates=100)
    result = label_agreement(ratings, q=2, seed=1, replicates=300, min_common=12)
    assert len(result.pairs) == 66
    assert all(pair.n_common >= 12 and pair.second < 12 for pair in result.pairs)
    assert result.pairs_undefined["too_few_common_items"] == len(all_pairs.pairs) - 66
    assert (
        sum(all_pairs.pairs_undefined.values()) + sum(p.kappa.value is not None for p in all_pairs.pairs)
        == 7140
    )
    kappas = [pair.kappa.value for pair in result.pairs]
    assert result.estimates["cohen_kappa"].value == pytest.approx(np.mean(kappas), abs=1e-12)
    assert result.estimates["cohen_kappa"].low < np.mean(kappas) < result.estimates["cohen_kappa"].high
    assert result.pairs[0].kappa.low is not None
    assert all_pairs.pairs[0].kappa.low is None


def test_sparse_and_dense_sums_of_pair_tables_are_equal(monkeypatch):
    ratings = random_ratings(np.random.default_rng(10), 80, 6, 3, missing=0.4)
    dense = label_agreement(ratings, q=3, seed=1, replicates=200).to_json()
    monkeypatch.setattr("agreement.statistics.pairs._DENSE_ENTRIES", 0)
    assert label_agreement(ratings, q=3, seed=1, replicates=200).to_json() == dense


def test_the_interval_covers_the_true_value_in_about_95_of_100_studies():
    """Balanced labels, 50 items, two raters: statistics.md measured .94 for kappa."""
    rng = np.random.default_rng(20)
    studies, accuracy = 400, 0.85
    # Two raters right independently: they agree with p^2 + (1-p)^2, and chance is 1/2.
    agreement = accuracy**2 + (1 - accuracy) ** 2
    truths = {"observed_agreement": agreement, "pabak": 2 * agreement - 1, "fleiss_kappa": 2 * agreement - 1}
    covered = dict.fromkeys(truths, 0)
    for number in range(studies):
        truth = rng.integers(2, size=(50, 1))
        ratings = np.where(rng.random((50, 2)) < accuracy, truth, 1 - truth)
        prepared = rating_table(ratings, q=2)
        resampled = prepared.resampled_sums(500, number)
        for name, true in truths.items():
            values, codes = evaluate_count(name, resampled)
            interval = percentile_interval(values, codes == 0)
            covered[name] += interval.low <= true <= interval.high
    for name, number in covered.items():
        assert 0.91 <= number / studies <= 0.985, name


def test_items_drawn_by_index_are_drawn_as_often_and_as_unevenly_as_in_a_multinomial_draw(monkeypatch):
    n, kept, replicates = 40, 30, 20_000
    monkeypatch.setattr(intervals, "_CHUNK_CELLS", 999 * kept)
    drawn = np.concatenate(list(resampled_items(n, kept, replicates, generator(3, 0))))
    assert drawn.shape == (replicates, kept)
    multiplicity = np.array([1] * kept + [n - kept])
    plain = np.concatenate(list(resampled_weights(multiplicity, replicates, generator(4, 0))))[:, :-1]
    # Mean 1, variance 1 - 1/n and covariance -1/n, as of n draws with replacement.
    for weights in (drawn, plain):
        assert weights.mean() == pytest.approx(1, abs=0.005)
        covariance = np.cov(weights.T)
        assert np.diag(covariance).mean() == pytest.approx(1 - 1 / n, abs=0.01)
        assert covariance[~np.eye(kept, dtype=bool)].mean() == pytest.approx(-1 / n, abs=0.002)
    assert np.percentile(drawn.sum(axis=1), [2.5, 97.5]).tolist() == [24, 35]
    assert np.percentile(plain.sum(axis=1), [2.5, 97.5]).tolist() == [24, 35]


def test_all_items_drawn_by_index_are_n_in_every_resample():
    (drawn,) = resampled_items(5, 5, 100, generator(0, 0))
    assert set(drawn.sum(axis=1)) == {5.0}
    assert list(resampled_items(5, 5, 0, generator(0, 0))) == []
