"""A round with suggestions: its figures with and without, and the anchoring with its interval."""

import csv
import io

import numpy as np
import pytest

from agreement.computation.compute import report_compute
from agreement.computation.requests import report_request
from agreement.display.csv_latex import figures_csv, latex_table
from agreement.models import AgreementReport
from agreement.report.figures import ReportFigures
from agreement.report.loading import read_judgements
from agreement.statistics.anchoring import anchoring
from annotation.judging.recording import Seen
from annotation.models import Suggestion
from tests.declared import drift
from tests.factories import NO, close, focus_study, judge, record, study, yes
from tests.factories.suggestions import ENDPOINT, focus_run, label_run, suggesting_round

TEXTS = tuple(f"Text {number} says that parks make people happy." for number in range(1, 9))


def test_anchoring_is_the_difference_of_two_shares():
    equal = [True, True, False, True, False, False]
    shown = [True, True, True, False, False, False]
    found = anchoring(equal, shown, [1, 2, 3, 1, 2, 3], seed=1, replicates=200)
    assert (found.n_shown, found.n_hidden) == (3, 3)
    assert found.shown.value == pytest.approx(2 / 3)
    assert found.hidden.value == pytest.approx(1 / 3)
    assert found.difference.value == pytest.approx(1 / 3)
    assert found.difference.low < 1 / 3 < found.difference.high
    assert found.difference.caution == "few_texts"


def test_its_interval_is_that_of_a_bootstrap_over_texts_done_by_hand():
    rng = np.random.default_rng(5)
    item = np.repeat(np.arange(60), 4)
    shown = np.tile([True, True, False, False], 60)
    equal = rng.random(240) < np.where(shown, 0.8, 0.5)
    found = anchoring(equal, shown, item, seed=7, replicates=4000)
    by_item = [(equal[item == one], shown[item == one]) for one in range(60)]
    values = []
    for _ in range(4000):
        drawn = [by_item[at] for at in rng.integers(60, size=60)]
        same, seen = (np.concatenate([one[side] for one in drawn]) for side in (0, 1))
        values.append(same[seen].mean() - same[~seen].mean())
    low, high = np.percentile(values, [2.5, 97.5])
    value = equal[shown].mean() - equal[~shown].mean()
    assert found.difference.value == pytest.approx(value)
    half = max(value - low, high - value)
    # Ours are as far on both sides and a little wider, for t instead of the normal.
    assert found.difference.low == pytest.approx(value - half * 1.03, abs=0.01)
    assert found.difference.high == pytest.approx(value + half * 1.03, abs=0.01)
    assert found.difference.caution is None


def test_the_order_of_answers_and_the_names_of_texts_change_nothing():
    rng = np.random.default_rng(3)
    equal, shown, item = rng.random(80) < 0.6, rng.random(80) < 0.5, np.repeat(np.arange(20), 4)
    first = anchoring(equal, shown, item, seed=1, replicates=300)
    order = rng.permutation(80)
    assert anchoring(equal[order], shown[order], item[order] + 100, seed=1, replicates=300) == first


@pytest.mark.parametrize(
    ("shown", "clusters", "reasons"),
    [
        ([True, True], [1, 2], (None, "no_items", "no_items", None)),
        ([False, False], [1, 2], ("no_items", None, "no_items", None)),
        ([True, False], [1, 1], (None, None, None, "single_item")),
    ],
)
def test_what_has_no_answers_of_a_kind_or_one_text_is_said(shown, clusters, reasons):
    found = anchoring([True, False], shown, clusters, seed=1, replicates=100)
    told = found.shown.reason, found.hidden.reason, found.difference.reason
    assert (*told, found.difference.interval_reason) == reasons


def test_without_answers_nothing_is_defined():
    found = anchoring([], [], [], seed=1)
    assert (found.n_shown, found.difference.reason) == (0, "no_items")
    with pytest.raises(ValueError, match="its cluster"):
        anchoring([True], [True, False], [1], seed=1)


@pytest.fixture
def endpoint(settings):
    settings.LLM_ENDPOINTS = [ENDPOINT]


def computed(made) -> AgreementReport:
    report = report_request(round=made.round, parameters={"replicates": 100})
    report_compute(report_id=report.pk)
    report.refresh_from_db()
    assert (report.state, report.error) == ("done", "")
    return report


def anchored(shown="half"):
    """Return a closed round in which all say what is suggested (no) where it is shown, and yes elsewhere."""
    made = study(annotators=2, items=8, texts=TEXTS)
    suggesting_round(made, focus_run(made), shown, types=["OSP", "LE"])
    for one in Suggestion.objects.select_related("item"):
        for member in made.annotators:
            if one.shown:
                seen = Seen(one.pk, taken=member == made.annotators[0])
                record(made.round, member, one.item, one.type_code, NO, seen=seen)
            else:
                record(made.round, member, one.item, one.type_code, yes(one.item, "parks"))
    close(made)
    return made


@pytest.mark.django_db
@pytest.mark.database
def test_the_report_splits_its_figures_and_warns_where_both_are_mixed(endpoint):
    figures = computed(anchored()).figures
    found = figures["suggestions"]
    assert drift(figures, ReportFigures) == []
    assert (found["mixed"], found["shown"], found["model"]) == (True, "half", "tiny")
    assert (found["n_suggested"], found["n_shown"], found["n_taken"]) == (16, 8, 8)
    overall, *by_type = found["anchoring"]
    assert (overall["key"], overall["n_shown"], overall["n_hidden"]) == ("all", 16, 16)
    assert [overall[name]["value"] for name in ("shown", "hidden", "difference")] == [1.0, 0.0, 1.0]
    assert [row["key"] for row in by_type] == ["type:OSP", "type:LE"]
    with_it, without = found["with_suggestion"], found["without_suggestion"]
    assert (with_it["n_judgements"], without["n_judgements"]) == (16, 16)
    assert [section["key"] for section in without["sections"]] == ["type:OSP", "type:LE", "all"]
    assert with_it["sections"][-1]["labels"] == {"no": 16, "yes": 0}
    assert without["sections"][-1]["labels"] == {"no": 0, "yes": 16}
    assert without["sections"][-1]["spans"]["similarity"]["exact"]["value"] == 1.0
    assert figures["sections"][-1]["labels"] == {"no": 16, "yes": 16}
    assert figures["sections"][-1]["estimates"]["krippendorff_alpha"]["value"] == 1.0


@pytest.mark.django_db
def test_the_csv_has_every_figure_with_and_without_a_suggestion_and_the_anchoring(endpoint):
    figures = computed(anchored()).figures
    rows = list(csv.DictReader(io.StringIO(figures_csv(figures))))
    assert list(rows[0])[-1] == "suggestion"
    of = {(row["section"], row["figure"], row["suggestion"]): row for row in rows}
    assert len(of) == len(rows)
    whole = {key[:2] for key in of if key[2] == ""}
    halves = [{key[:2] for key in of if key[2] == how} for how in ("with", "without")]
    assert halves[0] == halves[1] == {key for key in whole if not key[1].startswith("bertscore")}
    agreement = [of["all", "krippendorff_alpha", how] for how in ("", "with", "without")]
    assert [(row["value"], row["reason"], row["n_ratings"]) for row in agreement] == [
        ("1.0", "", "32"),
        ("", "no_variation", "16"),
        ("", "no_variation", "16"),
    ]
    shares = [
        of["all", name, "anchoring"]
        for name in ("suggested_share_shown", "suggested_share_hidden", "anchoring")
    ]
    assert [(row["value"], row["n_ratings"]) for row in shares] == [
        ("1.0", "16"),
        ("0.0", "16"),
        ("1.0", "32"),
    ]
    assert of["type:LE", "anchoring", "anchoring"]["name"] == of["type:LE", "pabak", ""]["name"]


@pytest.mark.django_db
def test_the_latex_table_has_a_row_with_and_one_without_below_each_section(endpoint):
    figures = computed(anchored()).figures
    lines = latex_table(figures, rows=["all"], columns=["n_pairable", "observed_agreement"]).splitlines()
    start = lines.index("\\midrule") + 1
    assert lines[start : start + 4] == [
        "All types & 16 & 1.00 \\\\",
        "\\quad with suggestion & 8 & 1.00 \\\\",
        "\\quad without suggestion & 8 & 1.00 \\\\",
        "\\bottomrule",
    ]
    notes = "\n".join(lines[start + 4 :])
    assert "Suggestions by tiny, at 8 of 16 units; anchoring: share of answers that are" in notes
    assert "All types: 1.00 " in notes and "(16 and 16 answers)" in notes
    compared = latex_table(figures, rows=["all"], columns=["bertscore"]).splitlines()
    assert compared[start - 1 : start + 3][1:] == [
        "All types & --$^{a}$ \\\\",
        "\\quad with suggestion & -- \\\\",
        "\\quad without suggestion & -- \\\\",
    ]


@pytest.mark.django_db
def test_a_report_without_suggestions_has_neither_in_its_files(endpoint):
    figures = {key: told for key, told in computed(anchored()).figures.items() if key != "suggestions"}
    assert "suggestion" not in figures_csv(figures) + latex_table(figures)


@pytest.mark.django_db
def test_a_round_that_shows_them_all_is_not_mixed_and_has_no_anchoring(endpoint):
    found = computed(anchored("all")).figures["suggestions"]
    assert (found["mixed"], found["without_suggestion"]["n_judgements"]) == (False, 0)
    assert found["anchoring"][0]["difference"]["reason"] == "no_items"
    assert found["anchoring"][0]["shown"]["value"] == 1.0


@pytest.mark.django_db
def test_labels_of_questions_are_split_too(endpoint):
    made = study("cqs_gen", annotators=2, items=4, questions=3)
    suggesting_round(made, label_run(made, "USE"), "half")
    for one in Suggestion.objects.select_related("question__item"):
        for member in made.annotators:
            record(
                made.round,
                member,
                one.item,
                one.question,
                {"label": "USE"},
                seen=Seen(one.pk) if one.shown else None,
            )
    close(made)
    found = computed(made).figures["suggestions"]
    assert [row["key"] for row in found["anchoring"]] == ["all"]
    assert found["anchoring"][0]["difference"]["value"] == 0.0
    assert [
        found[name]["sections"][0]["labels"]["USE"] for name in ("with_suggestion", "without_suggestion")
    ] == [
        12,
        12,
    ]


@pytest.mark.django_db
def test_the_digest_knows_what_was_visible_and_a_round_without_is_as_it_was(endpoint):
    made = anchored()
    before = read_judgements(made.round)
    assert before.suggested.visible.sum() == 16
    assert read_judgements(made.round, types=["OSP"]).suggested is None
    plain = focus_study(annotators=2, items=1)
    judge(plain, plain.items[0], {})
    close(plain)
    assert "suggestions" not in computed(plain).figures
