"""Several types together: numerators and denominators are added, so differing base rates are no agreement."""

import csv
import json
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from agreement.statistics.label_agreement import label_agreement
from agreement.statistics.strata.stratified import stratified_agreement

CASES = json.loads((Path(__file__).parents[1] / "reference" / "stratified.json").read_text("utf-8"))["cases"]
NAMES = {
    "pabak": "pabak",
    "ac1": "gwet_ac1",
    "fleiss": "fleiss_kappa",
    "alpha": "krippendorff_alpha",
}


def array_of(case):
    """Return the tables of a case as (items, strata, raters)."""
    tables, codes = case["tables"], {label: code for code, label in enumerate(case["categories"])}
    ratings = np.full((max(map(len, tables)), len(tables), max(len(row) for t in tables for row in t)), -1)
    for at, table in enumerate(tables):
        for item, row in enumerate(table):
            ratings[item, at, : len(row)] = [codes.get(label, -1) for label in row]
    return ratings


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_known_answers_together_and_as_mean(case):
    ratings, q = array_of(case), len(case["categories"])
    result = stratified_agreement(ratings, q=q, seed=1, replicates=0)
    for theirs, ours in NAMES.items():
        expected = case["values"][theirs]
        assert result.estimates[ours].value == pytest.approx(expected["together"], abs=1e-12)
        assert result.means[ours] == pytest.approx(expected["mean"], abs=1e-12)
        assert result.means_of[ours] == expected["defined"]
    [pair] = [pair for pair in result.pairs if (pair.first, pair.second) == (0, 1)]
    assert pair.kappa.value == pytest.approx(case["values"]["cohen_1_2"]["together"], abs=1e-12)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_alpha_by_another_implementation_summed_by_hand(case):
    ratings, q = array_of(case), len(case["categories"])
    observed = expected = 0.0
    for at in range(ratings.shape[1]):
        table = ratings[:, at].astype(float)
        table[table < 0] = np.nan
        pairable = (~np.isnan(table)).sum(axis=1) >= 2
        counts = np.array([np.nansum(table[pairable] == code) for code in range(q)])
        n = counts.sum()
        disagreement = (n**2 - (counts**2).sum()) / (n * (n - 1))
        if not disagreement:
            continue
        alpha = krippendorff.alpha(
            reliability_data=table.T, level_of_measurement="nominal", value_domain=list(range(q))
        )
        observed += n * disagreement * (1 - alpha)
        expected += n * disagreement
    result = stratified_agreement(ratings, q=q, seed=1, replicates=0)
    assert result.estimates["krippendorff_alpha"].value == pytest.approx(1 - observed / expected, abs=1e-12)


def test_raters_who_know_only_how_common_each_type_is_agree_beyond_chance_nowhere():
    rng = np.random.default_rng(7)
    shares = np.linspace(0.05, 0.95, 10)[None, :, None]
    ratings = (rng.random((400, 10, 3)) < shares).astype(int)
    together = stratified_agreement(ratings, q=2, seed=1).estimates["krippendorff_alpha"]
    stacked = label_agreement(ratings.reshape(-1, 3), q=2, seed=1, replicates=0)
    assert together.low < 0 < together.high and abs(together.value) < 0.03
    assert stacked.estimates["krippendorff_alpha"].value > 0.25


tables = st.integers(1, 3).flatmap(
    lambda strata: st.lists(
        st.lists(st.lists(st.integers(-1, 1), min_size=3, max_size=3), min_size=strata, max_size=strata),
        min_size=2,
        max_size=12,
    )
)


@given(tables)
def test_one_table_alone_is_itself_and_the_order_of_items_raters_and_tables_changes_nothing(rows):
    ratings = np.array(rows)
    result = stratified_agreement(ratings, q=2, seed=1, replicates=0)
    for changed in (
        ratings[::-1],
        ratings[:, ::-1],
        ratings[:, :, ::-1],
        np.where(ratings < 0, -1, 1 - ratings),
    ):
        again = stratified_agreement(changed, q=2, seed=1, replicates=0)
        for name, estimate in result.estimates.items():
            assert again.estimates[name].value == pytest.approx(estimate.value, abs=1e-9)
    single = stratified_agreement(ratings[:, :1], q=2, seed=1, replicates=0)
    alone = label_agreement(ratings[:, 0], q=2, seed=1, replicates=0)
    for name, estimate in single.estimates.items():
        assert estimate.value == pytest.approx(alone.estimates[name].value, abs=1e-9), name
        assert (estimate.reason is None) == (alone.estimates[name].reason is None)


def test_what_is_drawn_by_index_and_from_the_normal_limit_has_the_spread_of_the_multinomial(monkeypatch):
    rng = np.random.default_rng(3)
    ratings = (rng.random((900, 4, 3)) < np.array([0.5, 0.3, 0.2, 0.004])[None, :, None]).astype(int)

    def interval(**limits):
        for name, value in limits.items():
            monkeypatch.setattr(f"agreement.statistics.strata.resampling.{name}", value)
        found = stratified_agreement(ratings, q=2, seed=1, replicates=2000).estimates["krippendorff_alpha"]
        return np.array([found.low, found.high])

    exact = interval(_INDEX_PATTERNS=10**9, _NORMAL_DRAWS=10**9)
    assert interval(_INDEX_PATTERNS=1) == pytest.approx(exact, abs=0.004)
    assert interval(_NORMAL_DRAWS=1) == pytest.approx(exact, abs=0.004)


def test_all_alike_is_no_certainty():
    same = np.zeros((30, 2, 3), dtype=int)
    same[:15] = 1
    found = stratified_agreement(same, q=2, seed=1).estimates["krippendorff_alpha"]
    assert (found.value, found.high, found.interval_method) == (1.0, 1.0, "rule_of_three")
    assert 0.7 < found.low < 0.9


def written(tmp_path, case, **changed):
    path = tmp_path / "ratings.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        raters = max(len(row) for table in case["tables"] for row in table)
        writer.writerow(["item", "type", *(f"A{number}" for number in range(1, raters + 1))])
        for at, table in enumerate(case["tables"], start=1):
            for item, row in enumerate(table, start=1):
                cells = [label or "" for label in row]
                writer.writerow([f"i{item}", f"T{at}", *cells, *[""] * (raters - len(row))])
    return path


def printed(capsys, path, *options):
    call_command("agreement", str(path), "--strata", "type", *options)
    return capsys.readouterr().out


def test_the_command_gives_each_stratum_and_all_together(tmp_path, capsys):
    for case in CASES:
        out = printed(
            capsys,
            written(tmp_path, case),
            *("--json", "--categories", ",".join(case["categories"]), "--replicates", "0"),
        )
        told = json.loads(out)
        for theirs, ours in NAMES.items():
            expected = case["values"][theirs]
            each = [one["coefficients"][ours]["value"] for one in told["strata"].values()]
            assert each == pytest.approx(expected["each"], abs=1e-9)
            assert told["together"]["coefficients"][ours]["value"] == pytest.approx(
                expected["together"], abs=1e-9
            )
            assert told["together"]["coefficients"][ours]["mean_of_strata"] == pytest.approx(expected["mean"])


def test_the_command_prints_what_is_together_and_the_mean_beside_it(tmp_path, capsys):
    out = printed(capsys, written(tmp_path, CASES[0]), "--replicates", "0")
    assert "== T1 ==" in out and "== together ==" in out
    assert [line.split()[-3:] for line in out.splitlines() if line.startswith("Krippendorff")][-1] == [
        "0.010",
        "6",
        "[1]",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,A,B\n1,x,y\n", "row 1: there is no column 'type' after the first"),
        ("type,A,B\n1,x,y\n", "row 1: there is no column 'type' after the first"),
        ("item,type,type,A\n1,x,y,z\n", "row 1, column 3: 'type' stands twice"),
        ("item,type,A,B\n1,LE,x,y\n2,,x,y\n", "row 3, column 2 ('type'): the stratum is empty"),
        (
            "item,A,type,B\n1,x,LE,y\n1,x,WE,y\n1,x,LE,y\n",
            "row 4, column 1: the item '1' is already in row 2",
        ),
    ],
)
def test_a_strata_column_that_cannot_be_used_is_refused_with_its_place(tmp_path, text, said):
    path = tmp_path / "ratings.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CommandError) as refusal:
        call_command("agreement", str(path), "--strata", "type")
    assert said in str(refusal.value)
