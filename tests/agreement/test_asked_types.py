"""A round that asks two of ten types of each text: what is not asked is in no figure, table or queue."""

import csv
import io

import pytest

from agreement.adjudication.answers import judged_units
from agreement.adjudication.queue import queue_progress
from agreement.computation.compute import report_compute
from agreement.computation.requests import report_request
from agreement.display.cells import Notes
from agreement.display.chart_files import CHARTS, chart_svg
from agreement.display.csv_latex import figures_csv, latex_table
from agreement.display.overview import overview
from agreement.display.sample_size import clean_plan, plan_report
from agreement.display.tables import annotator_table, applicability, cross_table
from agreement.models import AgreementReport
from annotation.rounds.lifecycle import round_close, round_create
from annotation.rounds.opening import round_open
from tests import factories
from tests.factories import NO, asked_rounds

pytestmark = pytest.mark.django_db

ASKED = {"OSP", "TC", "LE", "WE"}


def reported(made) -> AgreementReport:
    round_close(made.round, by=made.lead)
    report = report_request(round=made.round, parameters={"replicates": 100})
    assert report_compute(report_id=report.pk)
    report.refresh_from_db()
    return report


@pytest.fixture
def made():
    return asked_rounds.judged()


@pytest.fixture
def report(made):
    return reported(made)


def test_a_type_is_counted_on_the_texts_that_were_asked_it(report):
    sections = {section["code"]: section for section in report.figures["sections"]}
    counts = {code: (sections[code]["n_items"], sections[code]["n_ratings"]) for code in ASKED}
    assert counts == {"OSP": (2, 6), "TC": (2, 6), "LE": (2, 5), "WE": (2, 6)}
    assert sections["OSP"]["labels"] == {"no": 4, "yes": 2}
    assert sections["OSP"]["yes_rate"] == pytest.approx(2 / 6)
    assert (sections["all"]["n_items"], sections["all"]["n_ratings"]) == (8, 23)
    for code in {"IE", "BS", "VAT", "OG", "QCE", "CF"}:
        section = sections[code]
        assert (section["n_items"], section["yes_rate"], section["n_cannot_judge"]) == (0, None, 0)
        assert section["estimates"]["krippendorff_alpha"]["reason"] == "no_items"
        assert section["consensus"]["undecided"] == section["queue"]["total"] == 0
    figures = report.figures
    assert (figures["n_items"], figures["n_units"], figures["n_judgements"]) == (4, 8, 23)


def test_shares_of_answers_are_of_those_asked(report):
    rows = {row["code"]: [count["n"] for count in row["counts"]] for row in applicability(report.figures)}
    assert (rows["OSP"], rows["VAT"]) == ([2, 4], [0, 0])
    row = next(row for row in overview(report.figures).rows if row.code == "VAT")
    assert (row.yes_rate.text, row.alpha.text, row.n_pairable, row.disputed) == ("–", "–", 0, 0)


def test_annotators_have_no_rate_of_what_they_were_not_asked(report):
    table = annotator_table(report.figures, Notes())
    codes = [code for code, *_ in table["heads"]]
    ann = dict(zip(codes, (cell.text for cell in table["rows"][0]["shares"]), strict=True))
    assert (ann["OSP"], ann["WE"], ann["VAT"]) == ("0.50", "0.00", "–")
    assert [row["n"] for row in table["rows"]] == [8, 8, 7]


def test_cross_tables_have_a_dash_where_nobody_was_asked(made, report):
    for whose, expected in (("each", 2), ("any", 1), ("consensus", 1), (made.annotators[0].pseudonym, 1)):
        table = cross_table(report.figures, "topic", whose)
        cells = {row["name"]: [cell["n"] for cell in row["cells"]] for row in table["rows"]}
        assert cells["Other Stakeholder Perspective"] == ["–", expected]
        assert cells["Temporal Contrast"] == ["–", 0]
        assert cells["Vague or Ambiguous Terms"] == ["–", "–"]
        totals = {row["name"]: row["total"] for row in table["rows"]}
        assert totals["Vague or Ambiguous Terms"] == "–"
    third = cross_table(report.figures, "topic", made.annotators[2].pseudonym)
    (of_le,) = (row["cells"] for row in third["rows"] if row["name"] == "Lacks Evidence")
    assert [cell["n"] for cell in of_le] == [1, "–"]


def test_the_queue_and_the_list_of_units_have_only_what_was_asked(made, report):
    units = report.disputed_units.values_list("item__external_id", "type_code", "why")
    assert sorted(units) == [("I-3", "OSP", "no_gold_span"), ("I-4", "LE", "undecided")]
    assert queue_progress(report, made.lead).total == 2
    assert [len(judged_units(made.round, made.lead, code)) for code in ("OSP", "VAT")] == [2, 0]


def test_consensus_spans_are_of_asked_types(report):
    spans = report.consensus_spans.values_list("item__external_id", "type_code", "kind", "support")
    assert sorted(spans) == [
        ("I-2", "LE", "gold", 3),
        ("I-3", "OSP", "disagreement", 1),
        ("I-3", "OSP", "disagreement", 1),
        ("I-4", "LE", "disagreement", 1),
    ]


def test_the_sample_size_is_planned_from_the_texts_that_were_asked(report):
    rows = {
        row["code"]: row for row in plan_report(report, clean_plan({"width": 0.5, "coefficient": "pabak"}))
    }
    assert {code: rows[code]["n_items"] for code in ("OSP", "LE", "VAT")} == {"OSP": 2, "LE": 2, "VAT": 0}
    assert (rows["VAT"]["more"], rows["VAT"]["reason"]) == (None, "no_items")


def test_files_say_undefined_where_nothing_was_asked(report):
    rows = list(csv.DictReader(io.StringIO(figures_csv(report.figures))))
    found = {(row["section"], row["figure"]): row for row in rows}
    assert found["type:VAT", "observed_agreement"]["reason"] == "no_items"
    assert found["type:VAT", "observed_agreement"]["n_items"] == "0"
    assert found["type:OSP", "observed_agreement"]["n_items"] == "2"
    assert "Vague or Ambiguous Terms & 0 & --" in latex_table(report.figures)
    for name in CHARTS.keys() - {"change"}:
        drawn = chart_svg(name, report.figures, {}, title="Round 1", guideline=1)
        assert "Vague or Ambiguous Terms" in drawn and "nan" not in drawn.lower()


def test_a_change_compares_what_both_rounds_asked(made):
    before = reported(made)
    again = round_create(
        project=made.project, overlap=3, items_of=made.round, types=["LE", "WE"], member=made.lead
    )
    round_open(again, members=made.annotators, by=made.lead)
    for item in (made.items[1], made.items[3]):
        for code in ("LE", "WE"):
            for member in made.annotators:
                factories.record(again, member, item, code, NO)
    made.round = again
    change = reported(made).change["sections"]
    assert change["type:LE"]["n_both"] == 2 and "type:OSP" not in change
    assert before.figures["n_items"] == 4


def test_means_over_texts_and_the_joint_mean_beside_ours(report):
    sections = {section["code"]: section["spans"] for section in report.figures["sections"]}
    of_osp, of_le = sections["OSP"], sections["LE"]
    # OSP: one text with two spans apart and a no: three pairs, two of them one-sided.
    assert of_osp["similarity"]["token_jaccard"]["value"] == 0
    assert (of_osp["over_items"]["exact"]["n_texts"], of_osp["joint"]["exact"]["n_texts"]) == (1, 1)
    # LE: three times the same span, and one span beside a no.
    assert of_le["over_items"]["exact"]["value"] == 1 and of_le["over_items"]["exact"]["n_texts"] == 1
    assert of_le["joint"]["exact"]["value"] == 0.5 and of_le["joint"]["exact"]["n_texts"] == 2
    rows = list(csv.DictReader(io.StringIO(figures_csv(report.figures))))
    (joint,) = (r for r in rows if (r["section"], r["figure"]) == ("type:LE", "exact_joint"))
    assert (joint["value"], joint["n_items"]) == ("0.5", "2")
