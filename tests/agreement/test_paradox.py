"""One plain sentence where kappa and the prevalence-adjusted coefficients part ways."""

import numpy as np
import pytest

from agreement.labels import label_agreement
from agreement.paradox import kappa_paradox
from tests.agreement.tables import case_ratings, known_answer, two_by_two


def sentence(ratings, q=2, categories=("yes", "no")):
    result = label_agreement(ratings, q=q, seed=1, replicates=0)
    return kappa_paradox(result, categories=categories)


def test_a_skewed_table_is_explained_by_its_prevalence():
    assert sentence(case_ratings(known_answer("skew_3raters"))) == (
        "Fleiss' kappa (0.34) is far below AC1 (0.97) and PABAK (0.94) although the annotators agree in 97% "
        "of the comparisons: 98% of the ratings are “no”, so kappa expects most of that agreement by chance "
        "and a few disagreements cost it much."
    )
    assert sentence(two_by_two(118, 5, 2, 0)).startswith("Cohen's kappa (-0.02) is far below AC1 (0.94)")


def test_different_rates_of_two_annotators_are_explained_by_bias():
    # Feinstein and Cicchetti's pair: same agreement, twice the kappa where the margins are further apart.
    asymmetric = case_ratings(known_answer("feinstein1990_asym"))
    assert sentence(asymmetric) == (
        "Cohen's kappa (0.26) is above Scott's pi (0.19) because the two annotators use the categories at "
        "different rates: that bias lowers the agreement expected by chance."
    )
    assert sentence(case_ratings(known_answer("feinstein1990_sym"))) is None


def test_one_category_used_by_everyone_is_explained_as_undefined():
    assert sentence(two_by_two(0, 0, 0, 12)) == (
        "Every rating compared is “no”: the annotators agree throughout, but Cohen's kappa is undefined "
        "(0/0), because with a single category in use agreement by chance would be complete too."
    )


@pytest.mark.parametrize(
    "ratings",
    [two_by_two(40, 10, 10, 40), np.empty((0, 2), dtype=int), np.array([[0, -1], [-1, 1]])],
    ids=["balanced", "no items", "no pairs"],
)
def test_nothing_is_said_where_there_is_no_paradox(ratings):
    assert sentence(ratings) is None


def test_prevalence_of_more_than_two_raters_has_names_of_its_own():
    ratings = np.array([[0, 0, 1], [0, 1, 1], [1, 1, 1], [0, 1, -1]])
    prevalence = label_agreement(ratings, q=2, seed=1, replicates=0).prevalence
    # Shares of 0 by item: 2/3, 1/3, 0, 1/2; rates of 0 by rater: 3/4, 1/4, 0.
    assert prevalence["prevalence_gap"].value == pytest.approx(abs(2 * (1.5 / 4) - 1))
    assert prevalence["yes_rate_range"].value == pytest.approx(0.75)
    assert set(prevalence) == {"prevalence_gap", "yes_rate_range"}


def test_the_positive_category_can_be_the_second():
    table = two_by_two(5, 3, 1, 11)
    first = label_agreement(table, q=2, seed=1, replicates=0).prevalence
    second = label_agreement(table, q=2, seed=1, replicates=0, positive=1).prevalence
    assert second["prevalence_index"].value == -first["prevalence_index"].value == pytest.approx(0.3)
    assert second["bias_index"].value == -first["bias_index"].value == pytest.approx(-0.1)
    assert second["p_pos"].value == first["p_neg"].value == pytest.approx(22 / 26)
