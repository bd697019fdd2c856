"""Groups and all types of a report: the types together, their mean, and the stacked table beside them."""

import krippendorff
import numpy as np
import pytest

from agreement.adjudication.against_decisions import KeyFigures
from agreement.computation.crosscheck_labels import CHECKED, DIFFERS
from agreement.computation.crosscheck_strata import check_strata
from agreement.display.cells import Notes, letters
from agreement.display.csv_latex import figures_csv, latex_table
from agreement.display.overview import overview
from agreement.display.tables import span_headers, stacked_table
from agreement.display.wording import changed_since
from agreement.report.assembly import build_report
from agreement.report.comparison import round_change
from agreement.report.label_figures import table_figures
from agreement.spans.u_alpha import coincidences, u_alpha
from agreement.statistics.label_agreement import label_agreement
from agreement.statistics.raters import key_figures
from bench.report import judgements_make
from core.canonical_json import canonical

PARAMETERS = {"seed": 1, "replicates": 200, "span_match": 0.5, "live": False, "encoder": None}
WORKED = np.array([[[1, 1], [1, 1]], [[1, 0], [1, 1]], [[0, 1], [1, 1]], [[0, 0], [1, 1]]])


def figures_of(ratings, categories=("no", "yes"), replicates=200):
    n, types, raters = ratings.shape
    return table_figures(
        ratings.transpose(1, 0, 2).reshape(-1, raters),
        key="all",
        categories=tuple(categories),
        parameters={"seed": 1, "replicates": replicates},
        clusters=np.tile(np.arange(n), types),
        strata=ratings,
    )


@pytest.fixture(scope="module")
def judged():
    return judgements_make(40)


@pytest.fixture(scope="module")
def report(judged):
    judgements, texts = judged
    return build_report(
        judgements,
        PARAMETERS,
        texts=lambda ids: ((item, texts[item]) for item in ids),
        progress=lambda done, total: None,
    ).figures


def section(figures, key):
    return next(entry for entry in figures["sections"] if entry["key"] == key)


def test_the_worked_example_of_the_documentation():
    found = figures_of(WORKED, replicates=0)
    assert found["estimates"]["krippendorff_alpha"]["value"] == pytest.approx(0.125)
    mean = found["mean_of_types"]["krippendorff_alpha"]
    assert (mean["value"], mean["n"]) == (pytest.approx(0.125), 1)
    assert found["stacked"]["krippendorff_alpha"]["value"] == pytest.approx(0.375)
    spans = u_alpha([coincidences([[(10, 30)], [(12, 32)]], 100)])
    assert spans.value == pytest.approx(1 - 8 / (200 - 200 * 800 / 39040 - 200 * 25440 / 39040))
    assert round(spans.value, 3) == 0.878


def test_all_types_are_the_types_each_against_its_own_chance_summed_by_hand(judged, report):
    judgements, _ = judged
    above = below = 0.0
    for index in range(len(judgements.types)):
        table = judgements.ratings(index).astype(float)
        table[table < 0] = np.nan
        counts = np.array([np.nansum(table == code) for code in (0, 1)])
        n = counts.sum()
        weight = (n**2 - (counts**2).sum()) / (n - 1)
        alpha = krippendorff.alpha(
            reliability_data=table.T, level_of_measurement="nominal", value_domain=[0, 1]
        )
        above, below = above + weight * (1 - alpha), below + weight
    whole = section(report, "all")
    estimate = whole["estimates"]["krippendorff_alpha"]
    assert estimate["value"] == pytest.approx(1 - above / below, abs=1e-9)
    assert estimate["low"] < estimate["value"] < estimate["high"]
    each = [
        entry["estimates"]["krippendorff_alpha"]["value"]
        for entry in report["sections"]
        if entry["kind"] == "type"
    ]
    assert whole["mean_of_types"]["krippendorff_alpha"]["value"] == pytest.approx(np.mean(each))
    stacked = label_agreement(
        np.concatenate([judgements.ratings(i) for i in range(10)]), q=2, seed=1, replicates=0
    )
    assert whole["stacked"]["krippendorff_alpha"]["value"] == pytest.approx(
        stacked.estimates["krippendorff_alpha"].value
    )
    assert whole["stacked"]["krippendorff_alpha"]["value"] > estimate["value"] + 0.05
    assert "stacked" not in section(report, "type:T0")


def test_shares_without_chance_are_the_same_together_and_stacked(report):
    whole = section(report, "all")
    for name in ("observed_agreement", "focus_score", "pair_pooled_agreement", "unanimous_share"):
        assert whole["estimates"][name]["value"] == pytest.approx(whole["stacked"][name]["value"])
        assert whole["estimates"][name]["low"] is not None


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_another_library_summed_type_by_type_finds_the_same_and_sees_what_differs(missing):
    from agreement.report.label_figures import _as_table
    from agreement.statistics.strata.stratified import stratified_agreement

    rng = np.random.default_rng(5)
    ratings = (rng.random((60, 4, 3)) < np.array([0.1, 0.4, 0.8, 0.0])[None, :, None]).astype(int)
    ratings[rng.random(ratings.shape) < missing] = -1
    stacked = label_agreement(ratings.reshape(-1, 3), q=2, seed=1, replicates=0)
    result = _as_table(stratified_agreement(ratings, q=2, seed=1, replicates=0), stacked)
    checks = check_strata(ratings, q=2, result=result)
    assert DIFFERS not in {check.status for check in checks}
    assert {check.name for check in checks if check.status == CHECKED} >= {
        "krippendorff_alpha",
        "cohen_kappa",
    }
    wrong = check_strata(ratings, q=2, result=stacked)
    assert {"krippendorff_alpha", "fleiss_kappa"} <= {
        check.name for check in wrong if check.status == DIFFERS
    } or missing


def test_who_knows_only_the_base_rates_agrees_with_no_key_beyond_chance():
    rng = np.random.default_rng(3)
    shares = np.linspace(0.05, 0.95, 10)
    answers = (rng.random((300, 10, 2)) < shares[None, :, None]).astype(int)
    units = answers.reshape(-1, 2)
    items, types = np.repeat(np.arange(300), 10), np.tile(np.arange(10), 300)
    chosen = {"q": 2, "seed": 1, "replicates": 200, "clusters": items}
    together: KeyFigures = key_figures(units[:, 0], units[:, 1], strata=types, **chosen)
    assert together.kappa.low < 0 < together.kappa.high
    assert key_figures(units[:, 0], units[:, 1], **chosen).kappa.low > 0.25


def test_the_change_of_all_types_is_the_difference_of_the_types_together(judged, report):
    judgements, _ = judged
    after, texts = judgements_make(30, seed=2)
    change = round_change(judgements, after, PARAMETERS)
    now = build_report(
        after,
        {**PARAMETERS, "replicates": 0},
        texts=lambda ids: ((item, texts[item]) for item in ids),
        progress=lambda done, total: None,
    ).figures
    for key in ("all", "group:g1", "type:T3"):
        for name, moved in change[key]["differences"].items():
            then = section(report, key)["estimates"][name]["value"]
            assert moved["value"] == pytest.approx(section(now, key)["estimates"][name]["value"] - then)
    alpha = change["all"]["differences"]["krippendorff_alpha"]
    assert alpha["low"] < alpha["value"] < alpha["high"]
    assert (change["all"]["n_both"], change["all"]["n_before"]) == (30, 10)


def test_page_and_files_show_the_types_together_their_mean_and_in_the_details_the_stacked_table(report):
    whole = section(report, "all")
    row = overview(report).pooled[-1]
    assert row.alpha.text == f"{whole['estimates']['krippendorff_alpha']['value']:.2f}"
    assert row.alpha.below == f"mean {whole['mean_of_types']['krippendorff_alpha']['value']:.2f}"
    _, rows = stacked_table(report, Notes())
    assert [entry["how"] for entry in rows[-3:]] == ["together", "mean over types", "stacked"]
    assert rows[-1]["cells"][-1].text == f"{whole['stacked']['krippendorff_alpha']['value']:.2f}"
    csv = figures_csv(report)
    assert "all,All types,krippendorff_alpha_stacked," in csv
    assert "all,All types,krippendorff_alpha_mean_of_types," in csv
    assert "all,All types,u_alpha," in csv and "alpha_u," not in csv
    tex = latex_table(report, columns=["krippendorff_alpha", "u_alpha"])
    assert "types as strata, each against its own chance (Type 0, Type 1" in tex
    assert "Plain mean of $\\alpha$ over types" in tex and "Krippendorff et al. 2016" in tex


def test_an_old_report_stays_readable_under_its_names_and_says_what_changed(report):
    old = canonical(report)
    old["version"] = 5
    for entry in old["sections"]:
        for name in ("mean_of_types", "stacked", "n_strata"):
            entry.pop(name, None)
        spans = entry["spans"]
        spans["alpha_u"] = spans.pop("u_alpha")
        del spans["alpha_token_within"]
    assert "stack the types into one table" in changed_since(old) and not changed_since(report)
    assert "alpha_u (2004)" in span_headers(old) and "u-alpha (2016)" in span_headers(report)
    assert "all,All types,alpha_u," in figures_csv(old)
    assert "types stacked into one table" in latex_table(old, columns=["alpha_u"])
    assert overview(old).pooled[-1].alpha.below == ""
    assert stacked_table(old, Notes())[1] == []


def test_notes_go_on_after_z():
    notes = Notes("t")
    marks = [notes.mark(f"sentence {n}") for n in range(30)]
    assert marks[24:29] == ["y", "z", "aa", "ab", "ac"]
    assert (letters(51), letters(52), letters(701), letters(702)) == ("az", "ba", "zz", "aaa")


def test_texts_that_nobody_marked_count_in_the_alphas_of_all_texts(judged, report):
    judgements, texts = judged
    own = judgements.of_type(2)
    rows = []
    for item in range(len(judgements.items)):
        mine = own.unit == item
        spans = [[(s, e)] if s >= 0 else [] for s, e in zip(own.start[mine], own.end[mine], strict=True)]
        rows.append(coincidences(spans, len(texts[item])))
    found = section(report, "type:T2")["spans"]["u_alpha"]
    assert found["value"] == pytest.approx(u_alpha(rows).value, abs=1e-12)
    assert found["low"] < found["value"] < found["high"]
