"""What figures are without each annotator, and clusters of items as what is resampled."""

import io
import json
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from django.core.management import call_command

from agreement.statistics.estimates import FEW_TEXTS
from agreement.statistics.label_agreement import label_agreement
from agreement.statistics.strata.stratified import stratified_agreement
from agreement.what_if.influence import INFLUENCED, figures_of, without_each

ALPHA = "krippendorff_alpha"


@pytest.fixture(scope="module")
def ratings():
    """Sixty texts of three annotators of whom the last guesses: (items, raters)."""
    rng = np.random.default_rng(3)
    truth = rng.random(60) < 0.4
    right = [np.where(rng.random(60) < 0.9, truth, ~truth) for _ in range(2)]
    return np.stack([*right, rng.random(60) < 0.4], axis=1).astype(int)


@pytest.fixture(scope="module")
def strata(ratings):
    """The same as two tables: (items, strata, raters), the second with a missing rating."""
    second = ratings[::-1].copy()
    second[5, 1] = -1
    return np.stack([ratings, second], axis=1)


def alpha_of(table):
    cells = np.where(table < 0, np.nan, table.astype(float))
    return krippendorff.alpha(cells.T, level_of_measurement="nominal", value_domain=[0, 1])


def test_figures_without_an_annotator_are_those_of_a_table_without_the_column(ratings):
    for found in without_each(ratings, q=2, seed=4, replicates=200):
        rest = np.delete(ratings, found.rater, axis=1)
        assert found.figures.estimates[ALPHA].value == pytest.approx(alpha_of(rest))
        direct = label_agreement(rest, q=2, seed=4, replicates=200).estimates
        assert {name: found.figures.estimates[name] for name in INFLUENCED} == {
            name: direct[name] for name in INFLUENCED
        }
        difference = found.differences[ALPHA]
        assert difference.value == pytest.approx(alpha_of(rest) - alpha_of(ratings))
        assert difference.low < difference.value < difference.high


def test_the_interval_of_the_difference_is_paired(ratings):
    """Both figures of one resample: narrower than if the two were drawn apart."""
    whole = label_agreement(ratings, q=2, seed=4).estimates[ALPHA]
    for found in without_each(ratings, q=2, seed=4):
        apart = np.hypot(
            found.figures.estimates[ALPHA].high - found.figures.estimates[ALPHA].low, whole.high - whole.low
        )
        difference = found.differences[ALPHA]
        assert difference.high - difference.low < 0.9 * apart
    # Whoever guesses is found: agreement rises without them, and nobody else.
    last = without_each(ratings, q=2, seed=4)[-1].differences[ALPHA]
    assert last.low > 0


def test_types_together_are_left_one_annotator_short_in_every_type(strata):
    found = without_each(strata, q=2, seed=4, replicates=100)[2]
    direct = stratified_agreement(strata[:, :, :2], q=2, seed=4, replicates=100)
    whole = stratified_agreement(strata, q=2, seed=4, replicates=100)
    assert found.figures.estimates[ALPHA] == direct.estimates[ALPHA]
    assert found.figures.n_pairable == direct.n_pairable == 119
    moved = direct.estimates[ALPHA].value - whole.estimates[ALPHA].value
    assert found.differences[ALPHA].value == pytest.approx(moved)


def test_of_two_annotators_nothing_is_left(ratings):
    for found in without_each(ratings[:, :2], q=2, seed=1, replicates=100):
        assert {estimate.reason for estimate in found.figures.estimates.values()} == {"no_pairs"}
        assert {estimate.reason for estimate in found.differences.values()} == {"no_pairs"}


def test_clusters_of_alike_items_widen_the_interval_and_count_as_few(ratings):
    copies = np.repeat(ratings[:20], 3, axis=0)
    sources = np.repeat(np.arange(20), 3)
    apart = figures_of(copies, q=2, seed=1).estimates[ALPHA]
    together = figures_of(copies, q=2, seed=1, clusters=sources).estimates[ALPHA]
    assert together.value == apart.value
    assert together.high - together.low > 1.5 * (apart.high - apart.low)
    few = figures_of(copies, q=2, seed=1, clusters=sources // 3).estimates[ALPHA]
    assert few.caution == FEW_TEXTS


def test_clusters_of_tables_together_are_drawn_whole(strata):
    """Every item its own cluster is the same as none; three copies in one cluster are as wide as one."""
    copies = np.repeat(strata, 3, axis=0)
    sources = np.repeat(np.arange(60), 3)
    once = figures_of(strata, q=2, seed=1, replicates=4000).estimates["pabak"]
    own = figures_of(strata, q=2, seed=1, replicates=4000, clusters=np.arange(60)).estimates["pabak"]
    thrice = figures_of(copies, q=2, seed=1, replicates=4000, clusters=sources).estimates["pabak"]
    assert [own.value, thrice.value] == pytest.approx([once.value] * 2)
    for wide in (own, thrice):
        assert wide.high - wide.low == pytest.approx(once.high - once.low, rel=0.05)


FILE = "id,type,A,source,B,C\n" + "".join(
    f"{n},{kind},{'yn'[n % 2]},s{n // 3},{'yn'[n % 2]},{'yn'[n % 3 == 0]}\n"
    for n in range(12)
    for kind in "xz"
)


def run(tmp_path, *arguments):
    path = tmp_path / "ratings.csv"
    path.write_text(FILE)
    out = io.StringIO()
    call_command("agreement", str(path), *arguments, stdout=out)
    return out.getvalue()


def test_the_command_prints_clusters_and_figures_without_each(tmp_path):
    asked = ("--strata=type", "--cluster=source", "--without-each", "--replicates=200")
    found = json.loads(run(tmp_path, *asked, "--json"))
    assert found["cluster"] == {"column": "source", "n_clusters": 4}
    assert [one["annotator"] for one in found["without_each"]] == ["A", "B", "C"]
    last = found["without_each"][2]["coefficients"][ALPHA]
    together = found["together"]["coefficients"][ALPHA]
    assert last["value"] == 1.0
    assert last["difference"]["value"] == pytest.approx(1 - together["value"])
    text = run(tmp_path, *asked)
    assert "Resampled by 'source': 4 clusters of 12 items" in text
    assert "C: Krippendorff's alpha (nominal)" in text


def test_a_file_without_strata_has_clusters_too(tmp_path):
    path = tmp_path / "ratings.csv"
    rows = [(n, "yn"[n % 2], f"s{n // 5}", "yn"[n % 4 == 1]) for n in range(60)]
    path.write_text("id,A,source,B\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows))
    out = io.StringIO()
    call_command("agreement", str(path), "--json", "--cluster=source", stdout=out)
    found = json.loads(out.getvalue())
    codes = np.array([["yn".index(a), "yn".index(b)] for _, a, _, b in rows])
    direct = label_agreement(codes[:, [0, 1]], q=2, seed=0, clusters=np.arange(60) // 5).estimates["pabak"]
    assert found["cluster"] == {"column": "source", "n_clusters": 12}
    assert found["coefficients"]["pabak"]["value"] == pytest.approx(direct.value)
    assert found["coefficients"]["pabak"]["low"] == pytest.approx(direct.low, abs=0.03)


def test_the_worked_example_of_the_documentation_is_what_is_computed():
    told = " ".join(Path("docs/statistics.md").read_text().split())
    assert "six texts, three annotators, answers (0,0,1) (1,1,0) (0,0,0) (1,1,1) (0,0,1) (1,1,1)" in told
    ratings = np.array([[0, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 0, 1], [1, 1, 1]])
    first, _, third = without_each(ratings, q=2, seed=1, replicates=0)
    assert "without the third p_a is 1 and moves by +1/3" in told
    assert third.figures.estimates["observed_agreement"].value == 1
    assert third.differences["observed_agreement"].value == pytest.approx(1 / 3)
    assert "without the first it is 1/2 and moves by −1/6" in told
    assert first.figures.estimates["observed_agreement"].value == 0.5
    assert first.differences["observed_agreement"].value == pytest.approx(-1 / 6)
