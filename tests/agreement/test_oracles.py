"""The same figures by independent implementations, on thousands of random tables with missing cells."""

import warnings

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from agreement.statistics.coefficients import count_estimate
from agreement.statistics.label_agreement import label_agreement
from agreement.statistics.rating_table import rating_table
from tests.agreement.tables import random_ratings


def random_tables(seed, number, *, missing=True, raters=(2, 6)):
    rng = np.random.default_rng(seed)
    for _ in range(number):
        q = int(rng.integers(2, 6))
        shape = int(rng.integers(1, 25)), int(rng.integers(*raters))
        share = rng.uniform(0, 0.6) if missing else 0.0
        yield random_ratings(rng, *shape, q, accuracy=rng.uniform(0, 1), missing=share), q


def test_alpha_equals_krippendorffs_on_two_thousand_tables_with_missing_cells():
    compared = undefined = 0
    for ratings, q in random_tables(1, 2000):
        ours = count_estimate("krippendorff_alpha", rating_table(ratings, q=q).sums)
        data = np.where(ratings < 0, np.nan, ratings).T
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                theirs = krippendorff.alpha(data, level_of_measurement="nominal", value_domain=list(range(q)))
            except ValueError:
                theirs = np.nan
        if ours.value is None:
            assert np.isnan(theirs)
            undefined += 1
        else:
            assert ours.value == pytest.approx(theirs, abs=1e-9)
            compared += 1
    assert compared > 1800
    assert undefined > 20


def test_fleiss_and_brennan_prediger_equal_statsmodels_on_a_thousand_complete_tables():
    compared = 0
    for ratings, q in random_tables(2, 1000, missing=False):
        sums = rating_table(ratings, q=q).sums
        counts, _ = aggregate_raters(ratings, n_cat=q)
        theirs = fleiss_kappa(counts, method="uniform")
        assert count_estimate("pabak", sums).value == pytest.approx(theirs, abs=1e-9)
        ours = count_estimate("fleiss_kappa", sums)
        if ours.value is not None:
            assert ours.value == pytest.approx(fleiss_kappa(counts), abs=1e-9)
            compared += 1
    assert compared > 900


def test_pairwise_kappas_equal_scikit_learns_on_the_common_items_of_three_hundred_tables():
    compared = 0
    for ratings, q in random_tables(3, 300, raters=(2, 4)):
        result = label_agreement(ratings, q=q, seed=1, replicates=0)
        kappas = []
        for pair in result.pairs:
            both = ratings[:, [pair.first, pair.second]]
            both = both[(both >= 0).all(axis=1)]
            assert pair.n_common == len(both)
            assert pair.observed_agreement.value == pytest.approx((both[:, 0] == both[:, 1]).mean())
            if len(np.unique(both)) < 2:
                assert pair.kappa.reason == "no_variation"
                continue
            theirs = cohen_kappa_score(both[:, 0], both[:, 1])
            assert pair.kappa.value == pytest.approx(theirs, abs=1e-9)
            kappas.append(theirs)
        if kappas:
            assert result.estimates["cohen_kappa"].value == pytest.approx(np.mean(kappas), abs=1e-9)
            compared += len(kappas)
        else:
            assert result.estimates["cohen_kappa"].value is None
    assert compared > 400


def test_gwets_coefficients_equal_a_plain_reading_of_his_formulas_on_tables_with_missing_cells():
    """No library here computes AC1 with missing ratings: here it is, item by item, from the definition."""
    compared = 0
    for ratings, q in random_tables(4, 500):
        pi, agreement = np.zeros(q), []
        rated = [row[row >= 0] for row in ratings if (row >= 0).any()]
        for row in rated:
            counts = np.array([(row == k).sum() for k in range(q)])
            pi += counts / len(row) / len(rated)
            if len(row) >= 2:
                agreement.append((counts * (counts - 1)).sum() / (len(row) * (len(row) - 1)))
        sums = rating_table(ratings, q=q).sums
        if not agreement:
            assert count_estimate("gwet_ac1", sums).value is None
            continue
        p_a = np.mean(agreement)
        chance = (pi * (1 - pi)).sum() / (q - 1)
        assert count_estimate("gwet_ac1", sums).value == pytest.approx(
            (p_a - chance) / (1 - chance), abs=1e-9
        )
        if pi.max() < 1 - 1e-9:
            chance = (pi**2).sum()
            ours = count_estimate("fleiss_kappa", sums).value
            assert ours == pytest.approx((p_a - chance) / (1 - chance), abs=1e-9)
        compared += 1
    assert compared > 450
