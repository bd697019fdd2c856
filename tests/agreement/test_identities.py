"""What must hold for every rating table: identities and inequalities between the coefficients."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from agreement.statistics.label_agreement import label_agreement
from agreement.statistics.patterns import label_counts, rating_patterns

MORE = settings(max_examples=60)


@st.composite
def tables(draw, *, missing=True, max_raters=5):
    """Draw (ratings, q)."""
    q = draw(st.integers(2, 4))
    shape = (draw(st.integers(1, 12)), draw(st.integers(2, max_raters)))
    return draw(arrays(np.int64, shape, elements=st.integers(-1 if missing else 0, q - 1))), q


def values(ratings, q):
    """Return each figure's value, or its reason."""
    result = label_agreement(ratings, q=q, seed=1, replicates=0)
    figures = {**result.estimates, **result.prevalence}
    return {name: figure.reason or figure.value for name, figure in figures.items()}


def assert_same(ours, theirs):
    assert ours.keys() == theirs.keys()
    for name in ours:
        assert ours[name] == (
            theirs[name] if isinstance(theirs[name], str) else pytest.approx(theirs[name], abs=1e-9)
        ), name


@MORE
@given(tables(), st.randoms(use_true_random=False))
def test_reordering_items_and_raters_changes_nothing(table, random):
    ratings, q = table
    items, raters = list(range(ratings.shape[0])), list(range(ratings.shape[1]))
    random.shuffle(items)
    random.shuffle(raters)
    ours, theirs = values(ratings[items][:, raters], q), values(ratings, q)
    if ratings.shape[1] == 2 and raters == [1, 0] and isinstance(theirs.get("bias_index"), float):
        theirs["bias_index"] = -theirs["bias_index"]
    assert_same(ours, theirs)


@MORE
@given(tables(), st.randoms(use_true_random=False))
def test_relabelling_changes_no_coefficient(table, random):
    ratings, q = table
    new = list(range(q))
    random.shuffle(new)
    relabelled = np.where(ratings < 0, -1, np.array(new)[ratings])
    assert_same(estimates_only(relabelled, q), estimates_only(ratings, q))


def estimates_only(ratings, q):
    result = label_agreement(ratings, q=q, seed=1, replicates=0)
    return {name: figure.reason or figure.value for name, figure in result.estimates.items()}


@MORE
@given(tables(), st.integers(2, 4))
def test_duplicating_the_data_changes_no_coefficient_but_alpha_which_it_does_not_raise(table, times):
    ratings, q = table
    once, more = values(ratings, q), values(np.repeat(ratings, times, axis=0), q)
    alpha_once, alpha_more = once.pop("krippendorff_alpha"), more.pop("krippendorff_alpha")
    assert_same(more, once)
    if isinstance(alpha_once, str):
        assert alpha_more == alpha_once
    else:
        assert alpha_more <= alpha_once + 1e-12
        assert alpha_once == pytest.approx(1) or alpha_more < alpha_once


@MORE
@given(tables(), st.lists(st.integers(0, 1), min_size=1, max_size=5))
def test_items_with_a_single_rating_change_only_the_coefficients_that_use_their_labels(table, labels):
    ratings, q = table
    single = np.full((len(labels), ratings.shape[1]), -1)
    single[:, 0] = labels
    before, after = values(ratings, q), values(np.vstack([ratings, single]), q)
    if before["observed_agreement"] == "no_items":
        assert after["observed_agreement"] == "no_pairs"
        return
    for name in ("observed_agreement", "pabak", "krippendorff_alpha", "cohen_kappa", "focus_score"):
        assert after[name] == before[name] or after[name] == pytest.approx(before[name], abs=1e-12)


def test_items_with_a_single_rating_do_change_fleiss_and_ac1():
    pairs = np.array([[0, 0], [0, 0], [1, 1], [0, 1]])
    more = np.vstack([pairs, [[0, -1]] * 4])
    before, after = values(pairs, 2), values(more, 2)
    # pi goes from (5/8, 3/8) to (13/16, 3/16).
    assert before["fleiss_kappa"] == pytest.approx((0.75 - 34 / 64) / (1 - 34 / 64))
    assert after["fleiss_kappa"] == pytest.approx((0.75 - 178 / 256) / (1 - 178 / 256))
    assert after["gwet_ac1"] == pytest.approx((0.75 - 78 / 256) / (1 - 78 / 256))


@MORE
@given(tables())
def test_fleiss_is_at_most_brennan_prediger_and_that_at_most_ac1(table):
    ratings, q = table
    figures = values(ratings, q)
    if isinstance(figures["pabak"], str):
        return
    assert figures["pabak"] <= figures["gwet_ac1"] + 1e-12
    assert figures["pabak"] >= -1 / (q - 1) - 1e-12
    assert figures["gwet_ac1"] >= -1 / (q - 1) - 1e-12
    if not isinstance(figures["fleiss_kappa"], str):
        assert figures["fleiss_kappa"] <= figures["pabak"] + 1e-12
    if q == 2:
        assert figures["pabak"] == pytest.approx(2 * figures["observed_agreement"] - 1, abs=1e-12)


@MORE
@given(tables(missing=False))
def test_complete_data_orders_the_kappas_and_ties_alpha_to_fleiss(table):
    ratings, q = table
    n, m = ratings.shape
    figures = values(ratings, q)
    if figures["fleiss_kappa"] == "no_variation":
        assert figures["krippendorff_alpha"] == figures["conger_kappa"] == "no_variation"
        return
    fleiss, alpha = figures["fleiss_kappa"], figures["krippendorff_alpha"]
    assert alpha == pytest.approx(fleiss + (1 - fleiss) / (n * m), abs=1e-9)
    assert figures["conger_kappa"] >= fleiss - 1e-12
    if m == 2:
        assert figures["cohen_kappa"] == pytest.approx(figures["conger_kappa"], abs=1e-9)
    agreements = ("observed_agreement", "rating_weighted_agreement", "pair_pooled_agreement")
    assert [figures[name] for name in agreements] == pytest.approx([figures[agreements[0]]] * 3, abs=1e-12)


@MORE
@given(tables())
def test_no_figure_is_ever_outside_its_range_and_undefined_always_has_a_reason(table):
    ratings, q = table
    result = label_agreement(ratings, q=q, seed=1, replicates=20)
    single = ((ratings >= 0).sum(axis=1) == 1).any()
    for name, estimate in result.estimates.items():
        # Labels of single-rating items enter the chance agreement of Fleiss, which then has no lower bound.
        lowest = -np.inf if single and name == "fleiss_kappa" else -1 - 1e-9
        if estimate.value is not None:
            assert lowest <= estimate.value <= 1 + 1e-12
        if estimate.low is not None:
            assert lowest <= estimate.low <= estimate.high <= 1 + 1e-9
    one_label = np.unique(ratings[ratings >= 0]).size < 2
    pairable = bool(((ratings >= 0).sum(axis=1) >= 2).any())
    assert (result.estimates["fleiss_kappa"].reason == "no_variation") == (one_label and pairable)
    assert (result.estimates["gwet_ac1"].value is not None) == pairable


@MORE
@given(tables(max_raters=4))
def test_patterns_are_the_rows_of_the_table_counted_in_either_way_of_coding(table):
    ratings, q = table
    direct = rating_patterns(ratings, q, with_inverse=True)
    # Empty columns make the direct code too long, so that the rows are sorted as bytes.
    wide = rating_patterns(np.hstack([ratings, np.full((len(ratings), 30), -1)]), q, with_inverse=True)
    width = ratings.shape[1]
    assert np.array_equal(direct.rows, wide.rows[:, :width])
    assert np.array_equal(direct.multiplicity, wide.multiplicity)
    assert np.array_equal(direct.inverse, wide.inverse)
    rated = (ratings >= 0).any(axis=1)
    assert np.array_equal(direct.rows[direct.inverse[rated]], ratings[rated])
    assert (direct.inverse[~rated] == -1).all()
    assert label_counts(direct.rows, q).sum() == (direct.rows >= 0).sum()


@pytest.mark.parametrize(
    ("ratings", "words"),
    [
        ([0, 1, 0], "1 dimension"),
        ([[0.0, 1.0]], "integer codes"),
        ([[0, 2]], "0 to 1"),
        ([[0, -2]], "-1 (missing)"),
    ],
)
def test_a_table_that_is_none_is_refused_with_what_is_wrong(ratings, words):
    with pytest.raises(ValueError, match=words.replace("(", r"\(").replace(")", r"\)")):
        label_agreement(ratings, q=2, seed=1)
