"""When an interval may be trusted: what it rests on, how wide it is, and that none is ever a point."""

from pathlib import Path

import numpy as np
import pytest

from agreement.display.cells import cell
from agreement.display.wording import changed_since, interval_note
from agreement.spans.agreement import JudgedText, span_estimates, span_table
from agreement.statistics.bootstrap import Interval, percentile_interval
from agreement.statistics.coefficients import evaluate_count
from agreement.statistics.difference import agreement_change
from agreement.statistics.estimates import Estimate
from agreement.statistics.intervals import (
    Information,
    judged_interval,
    never_a_point,
    t_ratio,
)
from agreement.statistics.label_agreement import label_agreement
from agreement.statistics.raters import key_figures, rater_figures
from agreement.statistics.rating_table import rating_table
from agreement.statistics.strata.change import stratified_change
from agreement.statistics.strata.stratified import stratified_agreement
from agreement.statistics.strata.tables import strata_of
from agreement.what_if.sample_size import items_needed, strata_items_needed
from tests.agreement.tables import random_ratings

N = 20


def tables():
    """Yield degenerate and random tables of codes by name."""
    yield "all agree", np.tile([[0, 0, 0], [1, 1, 1]], (N // 2, 1))
    yield "none agrees", np.tile([[0, 1], [1, 0]], (N // 2, 1))
    yield "a constant rater", np.tile([[0, 0], [0, 1]], (N // 2, 1))
    yield "two constant raters", np.tile([[0, 1]], (N, 1))
    yield "every item two to one", np.tile([[0, 0, 1], [1, 0, 0]], (N // 2, 1))
    yield "one category", np.zeros((N, 3), dtype=int)
    yield "one differs", np.array([[0, 0]] * (N - 1) + [[0, 1]])
    yield "single ratings", np.array([[0, -1, 0]] * 8 + [[-1, 1, 1]] * 8 + [[1, -1, -1]] * 4)
    rng = np.random.default_rng(8)
    for number in range(12):
        accuracy, missing = rng.uniform(0.4, 1.0), rng.choice([0.0, 0.4])
        n, raters, q = rng.integers(2, 40), rng.integers(2, 5), rng.integers(2, 4)
        yield f"random {number}", random_ratings(rng, n, raters, q, accuracy=accuracy, missing=missing)


def figures(found):
    """Yield every estimate inside a result, whatever it is made of."""
    if isinstance(found, Estimate):
        yield found
    elif isinstance(found, dict):
        for value in found.values():
            yield from figures(value)
    elif isinstance(found, list | tuple):
        for value in found:
            yield from figures(value)
    elif hasattr(found, "__dataclass_fields__"):
        for name in found.__dataclass_fields__:
            yield from figures(getattr(found, name))


@pytest.mark.parametrize(("name", "table"), list(tables()), ids=[name for name, _ in tables()])
def test_no_interval_is_a_point_and_each_holds_its_value(name, table):
    q = max(int(table.max()) + 1, 2)
    items = np.arange(len(table))
    alike = np.repeat(items[: (len(table) + 1) // 2], 2)[: len(table)]
    strata = np.stack([table, table[::-1]], axis=1)
    options = {"q": q, "seed": 3, "replicates": 200}
    found = [
        label_agreement(table, **options),
        label_agreement(table, **options, clusters=alike),
        label_agreement(table, **options, clusters=items // 2),
        stratified_agreement(strata, **options),
        rater_figures(table, **options, key=table[:, 0]),
        key_figures(table[:, 0], table[:, 1], **options),
        agreement_change(table, table, items_before=items, items_after=items, **options),
        agreement_change(table, table[::-1], items_before=items, items_after=items + 500, **options),
        stratified_change(strata, strata, items_before=items, items_after=items, **options),
    ]
    estimates = [one for one in figures(found) if one.low is not None]
    assert estimates
    for estimate in estimates:
        assert estimate.low < estimate.high, (name, estimate)
        assert estimate.low <= estimate.value <= estimate.high, (name, estimate)


@pytest.mark.parametrize("spans", [((3, 8), (3, 8)), ((3, 8), (9, 13)), ((3, 8), (3, 13)), ((3, 8), None)])
@pytest.mark.parametrize("n", [2, 30])
def test_no_interval_of_alike_spans_is_a_point(spans, n):
    texts = [JudgedText("We must act now, all of us", dict(zip("AB", spans, strict=True)))] * n
    for estimate in span_estimates(span_table(texts), replicates=100).values():
        if estimate.value is not None:
            assert estimate.low < estimate.high and estimate.low <= estimate.value <= estimate.high
            assert estimate.interval_method == "rule_of_three"


def test_what_does_not_differ_is_bounded_by_three_in_n_clusters_not_rows():
    table = np.zeros((60, 2), dtype=int)
    table[:24] = 1
    texts = np.repeat(np.arange(15), 4)
    alone, together = (
        label_agreement(table, q=2, seed=1, clusters=clusters).estimates for clusters in (None, texts)
    )
    assert alone["observed_agreement"].low == pytest.approx(1 - 3 / 60)
    assert together["observed_agreement"].low == pytest.approx(1 - 3 / 15)
    # Cohen's kappa: the bound goes through its own chance agreement, .4^2 + .6^2.
    assert together["cohen_kappa"].low == pytest.approx((0.8 - 0.52) / 0.48)
    # The counterpart at the other end, and in the middle: two of three agree on every item.
    none = label_agreement([[0, 1]] * 30, q=2, seed=1).estimates["observed_agreement"]
    assert (none.low, none.high) == (0, pytest.approx(0.1))
    middle = label_agreement([[0, 0, 1]] * 30, q=2, seed=1).estimates["observed_agreement"]
    assert (middle.low, middle.high) == (pytest.approx(0.9 / 3), pytest.approx(0.9 / 3 + 0.1))
    assert middle.interval_method == "rule_of_three"


def test_information_is_counted_in_texts_with_two_ratings_that_differ_or_share_the_rarer_label():
    ratings = [[0, 0, 0], [1, 1, 0], [1, -1, -1], [0, 1, 0], [1, 1, 1], [0, 0, -1]]
    rows = rating_table(ratings, q=2).information
    assert (rows.clusters, rows.differing, rows.doubled) == (5, 2, 2)
    texts = rating_table(ratings, q=2, clusters=[7, 7, 7, 8, 8, 9]).information
    assert (texts.clusters, texts.differing, texts.doubled) == (3, 2, 2)
    strata = strata_of(np.stack([ratings, [[0, 0, 0]] * 5 + [[1, 0, 0]]], axis=1), q=2).information
    assert (strata.clusters, strata.differing, strata.doubled) == (6, 3, 2)


@pytest.mark.parametrize(
    ("information", "caution"),
    [
        (Information(14, 9, 9), "few_texts"),
        (Information(15, 5, 5), None),
        (Information(15, 5, 4), "few_positives"),
        (Information(200, 4, 50), "few_differences"),
        (Information(200, 5), None),
    ],
)
def test_a_caution_is_shown_by_counts_of_texts(information, caution):
    assert information.caution == caution
    values = np.random.default_rng(1).normal(0.5, 0.05, 1000)
    interval = judged_interval(0.5, values, np.ones(1000, dtype=bool), information)
    assert (interval.caution, interval.method) == (caution, "symmetric_percentile")
    refused = judged_interval(0.5, values, np.arange(1000) > 60, information)
    assert (refused.low, refused.reason, refused.caution) == (None, "not_estimable", caution)


def test_an_interval_is_symmetric_and_wider_the_fewer_texts_it_rests_on():
    rng = np.random.default_rng(2)
    values = 0.6 - rng.gamma(2.0, 0.05, 4000)
    defined = np.ones(values.size, dtype=bool)
    far = 0.6 - np.quantile(values, 0.025)
    for informative, widening in ((5, 2.776 * np.sqrt(5 / 4)), (20, 2.093 * np.sqrt(20 / 19)), (400, 1.968)):
        interval = judged_interval(0.6, values, defined, Information(500, informative))
        assert 0.6 - interval.low == pytest.approx(far * widening / 1.96, rel=5e-3)
        assert interval.high == pytest.approx(min(1.2 - interval.low, 1.0))
    assert 1.959964 * t_ratio(19) == pytest.approx(2.0930, abs=1e-3)
    # With one disagreement fewer than none would give is never claimed: at least the rule of three.
    near = judged_interval(
        0.98, np.linspace(0.975, 0.985, 1000), np.ones(1000, dtype=bool), Information(50, 1)
    )
    assert near.low <= 0.98 - 0.06 * 1.98


def test_no_number_of_items_is_0_because_a_width_was_0():
    for table in ([[0, 0], [1, 1]] * 10, [[0, 1]] * 20, [[0, 0, 1]] * 20, [[0, 0], [0, 1]] * 10):
        for name in ("krippendorff_alpha", "cohen_kappa", "pabak"):
            found = items_needed(table, q=2, name=name, width=0.05, seed=1, replicates=200)
            assert found.width is None or (found.width > 0.05 and found.more != 0), (table[:2], name, found)
            strata = np.asarray(table)[:, None]
            found = strata_items_needed(strata, q=2, name=name, width=0.05, seed=1, replicates=200)
            assert found.width is None or (found.width > 0.05 and found.more != 0), (table[:2], name, found)


def test_a_score_is_never_a_point_and_holds_its_value():
    flat = never_a_point(1.0, Interval(1.0, 1.0, None, 0.0), 30)
    assert (flat.low, flat.high, flat.method) == (pytest.approx(0.9), 1.0, "rule_of_three")
    skewed = never_a_point(0.4, Interval(0.5, 0.7, None, 0.0), 30)
    assert (skewed.low, skewed.high) == (0.4, 0.7)


def test_the_worked_example_of_the_documentation():
    table = [[1, 1]] * 15 + [[1, 0]] * 5 + [[0, 1]] * 5 + [[0, 0]] * 25
    prepared = rating_table(table, q=2)
    drawn, codes = evaluate_count("krippendorff_alpha", prepared.resampled_sums(1000, 1))
    percentiles = percentile_interval(drawn, codes == 0)
    assert (percentiles.low, percentiles.high) == pytest.approx((0.3283, 0.7981), abs=5e-5)
    assert (prepared.information.differing, prepared.information.doubled) == (10, 15)
    alpha = label_agreement(table, q=2, seed=1).estimates["krippendorff_alpha"]
    assert alpha.value == pytest.approx(0.5875)
    assert t_ratio(9) * np.sqrt(10 / 9) == pytest.approx(1.216, abs=5e-4)
    assert (alpha.low, alpha.high) == pytest.approx((0.272, 0.903), abs=5e-4)
    agreed = label_agreement([[1, 1]] * 20 + [[0, 0]] * 30, q=2, seed=1).estimates["krippendorff_alpha"]
    assert (agreed.low, agreed.high, agreed.caution) == (
        pytest.approx(1 - 0.06 * 2.0625),
        1,
        "few_differences",
    )
    told = Path("docs/statistics.md").read_text()
    for number in ("0.3283", "0.7981", "1.216", "[0.272, 0.903]", "[0.876, 1]"):
        assert number in told


def test_an_interval_says_beside_the_figure_what_there_is_to_say_of_it():
    bound = Estimate(1.0, 0.8, 1.0, interval_method="rule_of_three", caution="few_texts").to_json()
    plain = Estimate(0.5, 0.3, 0.7, interval_method="symmetric_percentile").to_json()
    none = Estimate(0.5, interval_reason="not_estimable", caution="few_positives").to_json()
    assert interval_note(plain) == "" and cell(plain).doubt == ""
    assert interval_note(bound).startswith("limits by the rule of three: ")
    assert "; interval not to be trusted: so few items have two ratings" in interval_note(bound)
    assert interval_note(none).startswith("no interval: so few items carry a less common label")
    assert cell(bound).doubt.count(";") == 1 and "rule of three" in cell(bound).doubt
    assert "plain percentiles" in changed_since({"version": 6, "protocol": "focus"})
    assert not changed_since({"version": 7, "protocol": "focus"})
