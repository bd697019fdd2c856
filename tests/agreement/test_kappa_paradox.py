"""Every sentence about a low kappa has its precondition; the paradox is claimed only where it is one."""

import numpy as np
import pytest

from agreement.statistics import kappa_paradox as paradox
from agreement.statistics.kappa_paradox import kappa_paradox, table_readings
from agreement.statistics.label_agreement import label_agreement
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


def read(ratings, replicates=0, q=2, categories=("yes", "no")):
    result = label_agreement(ratings, q=q, seed=1, replicates=replicates)
    return table_readings(result, categories=categories)


def coin(items, raters, share, seed):
    """Answers by chance alone: every rater says yes to this share of the items, whatever they are."""
    return (np.random.default_rng(seed).random((items, raters)) >= share).astype(int)


# Tables of two raters as (both yes, first alone, second alone, both no), with p_a, kappa and skew by hand.
TABLES = {
    "agreed, balanced": (two_by_two(40, 10, 10, 40), []),
    "F&C 1990, first paradox: p_a .85, kappa .32": (two_by_two(80, 10, 5, 5), [paradox.PREVALENCE]),
    "F&C 1990, its pair: p_a .85, kappa .70": (two_by_two(40, 9, 6, 45), []),
    "p_a .92, kappa -.04": (two_by_two(92, 4, 4, 0), [paradox.PREVALENCE]),
    "p_a .60, balanced: kappa .20": (two_by_two(32, 20, 20, 28), [paradox.CHANCE]),
    "p_a .60 by chance, skewed: kappa -.13": (two_by_two(57, 20, 20, 3), [paradox.CHANCE]),
    "p_a .78, skewed, below the mark: kappa .08": (two_by_two(75, 11, 11, 3), [paradox.CHANCE]),
    "p_a .80, not skewed: kappa .58": (two_by_two(50, 10, 10, 30), []),
    "p_a .66, balanced: kappa .32": (two_by_two(33, 17, 17, 33), [paradox.DISAGREE]),
    "seven items, p_a .86, skewed": (two_by_two(6, 1, 0, 0), [paradox.TOO_FEW]),
    "nine items, p_a .56": (two_by_two(3, 2, 2, 2), [paradox.TOO_FEW]),
    "five items, agreed": (two_by_two(3, 0, 0, 2), []),
    "one answer": (two_by_two(0, 0, 0, 12), [paradox.ONE_CATEGORY]),
    "rates apart: p_a .60": (
        case_ratings(known_answer("feinstein1990_asym")),
        [paradox.DISAGREE, paradox.BIAS],
    ),
    "three raters by chance, skewed": (coin(200, 3, 0.2, 1), [paradox.CHANCE]),
    "three raters by chance, balanced": (coin(200, 3, 0.5, 2), [paradox.CHANCE]),
    "three raters, rare and agreed": (case_ratings(known_answer("skew_3raters")), [paradox.PREVALENCE]),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_each_table_is_called_what_it_is(name):
    ratings, templates = TABLES[name]
    found = read(ratings)
    assert [reading.template for reading in found] == templates
    claimed = kappa_paradox(label_agreement(ratings, q=2, seed=1, replicates=0), categories=("yes", "no"))
    assert (claimed is not None) == any(one in paradox.PARADOXES for one in templates)


@pytest.mark.parametrize("seed", range(200))
def test_rare_answers_are_blamed_only_where_people_agree_and_answers_are_rare(seed):
    rng = np.random.default_rng(seed)
    share, noise = rng.uniform(0.02, 0.98), rng.uniform(0, 1)
    n, raters = int(rng.integers(2, 80)), int(rng.integers(2, 5))
    truth = (rng.random((n, 1)) < share).astype(int)
    guess = (rng.random((n, raters)) < share).astype(int)
    ratings = np.where(rng.random((n, raters)) < noise, guess, truth)
    ratings[rng.random((n, raters)) < rng.choice([0, 0.3])] = -1
    result = label_agreement(ratings, q=2, seed=1, replicates=0)
    templates = [reading.template for reading in table_readings(result)]
    observed = result.estimates["observed_agreement"].value
    kappa = result.estimates["cohen_kappa" if raters == 2 else "fleiss_kappa"].value
    counts = result.pairable_counts if raters == 2 else result.label_counts
    if paradox.PREVALENCE in templates:
        assert observed >= 0.8 and max(counts) / sum(counts) >= 0.75 and result.n_pairable >= 10
    if paradox.ONE_CATEGORY in templates:
        compared = ratings[(ratings >= 0).sum(axis=1) >= 2]
        assert len(set(compared[compared >= 0].tolist())) == 1
    if paradox.CHANCE in templates:
        assert kappa <= 0.2
    if paradox.DISAGREE in templates:
        assert 0.2 < kappa < 0.4
    if paradox.TOO_FEW in templates:
        assert result.n_pairable < 10
    if paradox.BIAS in templates:
        assert raters == 2 and kappa - result.estimates["fleiss_kappa"].value >= 0.05
        assert ((ratings >= 0).sum(axis=1) != 1).all()
    if observed is not None and kappa is not None and kappa < 0.4:
        assert len([one for one in templates if one != paradox.BIAS]) == 1


def test_chance_level_is_said_with_the_figures_it_rests_on():
    (reading,) = read(two_by_two(57, 20, 20, 3))
    assert reading.sentence == (
        "Agreement at or near chance level: the annotators agree in 60% of the comparisons, and by chance "
        "alone they would in 65% (Cohen's kappa -0.13)."
    )


def test_an_interval_down_to_chance_says_that_more_units_are_needed():
    (reading,) = read(two_by_two(9, 4, 4, 8), replicates=500)
    assert reading.template == paradox.UNCERTAIN
    assert reading.sentence.startswith(
        "Too few units to tell agreement from chance: the annotators agree in 68%"
    )


def test_different_rates_of_two_annotators_are_explained_by_bias():
    # Feinstein and Cicchetti's pair: same agreement, twice the kappa where the margins are further apart.
    bias = read(case_ratings(known_answer("feinstein1990_asym")))[-1]
    assert bias.sentence == (
        "Cohen's kappa (0.26) is above Scott's pi (0.19) because the two annotators use the categories at "
        "different rates: that bias lowers the agreement expected by chance."
    )
    sym = read(case_ratings(known_answer("feinstein1990_sym")))
    assert [reading.template for reading in sym] == [paradox.CHANCE]


def test_single_ratings_are_not_taken_for_bias_nor_for_what_was_compared():
    pairs = two_by_two(30, 0, 0, 0)
    lone = np.array([[1, -1]] * 50)
    assert "Every rating compared is “yes”" in sentence(np.vstack([pairs, lone]))
    apart = np.vstack([two_by_two(20, 6, 6, 20), lone])
    assert paradox.BIAS not in [reading.template for reading in read(apart)]


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
