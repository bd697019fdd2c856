"""The report through HTTP: for leads, never while the round is blind, as JSON, CSV and LaTeX."""

import json

import pytest

from agreement.computation.compute import report_compute
from agreement.models import AgreementReport
from annotation.rounds.lifecycle import round_close
from tests import factories
from tests.conftest import client_of

READ = [
    "",
    "queue/",
    "figures.json",
    "figures.csv",
    "table.tex",
    "charts/alpha.svg",
    "charts/applicability.pdf",
]

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def study():
    """Two texts, three annotators, LE: 2-1 on the first with two equal spans, all no on the second."""
    made = factories.study(items=2)
    factories.open_round(made)
    first, second = made.items
    for number, member in enumerate(made.annotators):
        answer = factories.yes(first, "Everyone's grades") if number else factories.NO
        factories.record(made.round, member, first, "LE", answer)
        factories.record(made.round, member, second, "LE", factories.NO)
    return made


def address(made, rest=""):
    return f"/api/projects/{made.project.slug}/rounds/{made.round.number}/report/{rest}"


def closed_and_computed(made):
    made.round = round_close(made.round, by=made.lead)
    report = AgreementReport.objects.get()
    assert report_compute(report_id=report.id)
    report.refresh_from_db()
    return report


def test_a_lead_reads_the_figures_of_a_closed_round(study, lead_client):
    round_close(study.round, by=study.lead)
    waiting = lead_client.get(address(study)).json()
    assert (waiting["state"], waiting["figures"]) == ("queued", None)
    report_compute(report_id=AgreementReport.objects.get().id)
    body = lead_client.get(address(study)).json()
    assert (body["state"], body["out_of_date"], body["error"]) == ("done", False, "")
    section = next(entry for entry in body["figures"]["sections"] if entry["key"] == "type:LE")
    assert section["estimates"]["observed_agreement"]["value"] == pytest.approx(2 / 3)
    assert body["digest"] == AgreementReport.objects.get().digest


@pytest.mark.parametrize("rest", READ)
def test_nobody_but_a_lead_reads_any_of_it(study, rest):
    closed_and_computed(study)
    factories.user("olu")
    assert client_of("ann").get(address(study, rest)).status_code == 403
    assert client_of("olu").get(address(study, rest)).status_code == 404
    assert client_of("lea").get(address(study, rest)).status_code == 200


@pytest.mark.parametrize("rest", READ)
def test_an_open_round_shows_nothing(study, lead_client, rest):
    response = lead_client.get(address(study, rest))
    assert (response.status_code, response.json()["code"]) == (409, "round_not_closed")
    assert lead_client.post(address(study)).status_code == 409


def test_asking_for_a_report_answers_accepted_and_queues_one(study, lead_client):
    closed_and_computed(study)
    response = lead_client.post(
        address(study), {"seed": 9, "replicates": 100}, content_type="application/json"
    )
    assert (response.status_code, response.json()["state"]) == (202, "queued")
    lead_client.post(address(study), {"seed": 9, "replicates": 100}, content_type="application/json")
    assert AgreementReport.objects.filter(state="queued").count() == 1


def test_a_wrong_parameter_is_refused_with_its_name(study, lead_client):
    closed_and_computed(study)
    response = lead_client.post(address(study), {"replicates": 5}, content_type="application/json")
    assert response.status_code == 422
    assert response.json()["errors"] == {"replicates": "must be a whole number from 100 to 20000"}


def test_parameters_that_are_no_object_are_refused(study, lead_client):
    closed_and_computed(study)
    response = lead_client.post(address(study), [1], content_type="application/json")
    assert (response.status_code, response.json()["code"]) == (422, "invalid")
    assert not AgreementReport.objects.filter(state="queued").exists()


def test_annotators_cannot_ask_for_a_report(study):
    closed_and_computed(study)
    assert client_of("ann").post(address(study)).status_code == 403


def test_the_queue_lists_what_waits_and_pages(lead_client):
    made = factories.study(items=3, annotators=2)
    factories.open_round(made)
    for item in made.items:
        factories.record(made.round, made.annotators[0], item, "LE", factories.NO)
        span = factories.yes(item, item.text[:5])
        factories.record(made.round, made.annotators[1], item, "LE", span)
        factories.record(made.round, made.annotators[1], item, "WE", factories.NO)
    closed_and_computed(made)
    body = lead_client.get(address(made, "queue/?page_size=2")).json()
    assert body["count"] == 3
    assert len(body["results"]) == 2
    assert body["results"][0] == {
        "item": "I-1",
        "type": "LE",
        "question": None,
        "question_text": None,
        "why": "undecided",
        "disputed": 1.0,
        "votes": [{"answer": "no", "n": 1}, {"answer": "yes", "n": 1}],
    }
    assert lead_client.get(address(made, "queue/?type=WE")).json()["count"] == 0
    assert lead_client.get(address(made, "queue/?why=reason_open")).json()["count"] == 0


def test_figures_download_as_the_stored_bytes(study, lead_client):
    report = closed_and_computed(study)
    response = lead_client.get(address(study, "figures.json"))
    assert json.loads(response.content) == report.figures
    assert response.headers["Content-Disposition"].endswith('-round-1-agreement.json"')
    assert response.content == lead_client.get(address(study, "figures.json")).content


def test_figures_download_as_csv_with_the_reason_of_what_is_undefined(study, lead_client):
    closed_and_computed(study)
    content = lead_client.get(address(study, "figures.csv")).content
    assert content.startswith(b"\xef\xbb\xbf")  # Excel on Windows needs it
    lines = content.decode("utf-8-sig").splitlines()
    assert lines[0].startswith("section,name,figure,value,low,high,se,reason")
    found = [line for line in lines if line.startswith("type:LE,Lacks Evidence,observed_agreement,")]
    assert found[0].split(",")[3] == "0.666666666667"
    assert "type:CF,Causality Flipped,krippendorff_alpha,,,,,no_items,,,,0,0,0,," in lines


def test_a_latex_table_has_the_chosen_rows_and_columns(study, lead_client):
    closed_and_computed(study)
    query = "table.tex?rows=type:LE,type:CF&columns=n_pairable,observed_agreement,krippendorff_alpha"
    assert lead_client.get(address(study, query)).content.decode() == (
        "\\begin{tabular}{lrrr}\n"
        "\\toprule\n"
        " & $n'$ & $p_a$ & $\\alpha$ \\\\\n"
        "\\midrule\n"
        "Lacks Evidence & 2 & 0.67 & 0.38 \\\\\n"
        "Causality Flipped & 0 & --$^{a}$ & --$^{a}$ \\\\\n"
        "\\bottomrule\n"
        "\\multicolumn{4}{l}{\\footnotesize $^{a}$ undefined: no item has a rating} \\\\\n"
        "\\multicolumn{4}{l}{\\footnotesize $\\alpha$: Krippendorff, nominal} \\\\\n"
        "\\end{tabular}\n"
    )


def test_a_latex_table_with_an_unknown_column_is_refused(study, lead_client):
    closed_and_computed(study)
    response = lead_client.get(address(study, "table.tex?columns=gamma"))
    assert response.status_code == 422
    assert "gamma" in response.json()["message"]


def test_charts_download_as_svg_and_as_pdf_with_the_name_of_the_round(study, lead_client):
    closed_and_computed(study)
    svg = lead_client.get(address(study, "charts/alpha.svg"))
    assert svg.headers["Content-Type"] == "image/svg+xml; charset=utf-8"
    assert svg.headers["Content-Disposition"].endswith('-round-1-agreement-alpha.svg"')
    assert f"Krippendorff&#x27;s alpha: {study.round.name}" in svg.content.decode()
    assert ">0.38 *<" in svg.content.decode()
    assert svg.content == lead_client.get(address(study, "charts/alpha.svg")).content
    pdf = lead_client.get(address(study, "charts/applicability.pdf"))
    assert pdf.headers["Content-Type"] == "application/pdf"
    assert pdf.headers["Content-Disposition"].endswith('-round-1-agreement-applicability.pdf"')
    assert pdf.content.startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("chart", "message"),
    [("pie.svg", "There is no chart “pie”"), ("change.svg", "No closed round came before this one")],
)
def test_a_chart_that_cannot_be_drawn_is_not_found_and_says_why(study, lead_client, chart, message):
    closed_and_computed(study)
    response = lead_client.get(address(study, f"charts/{chart}"))
    assert response.status_code == 404
    assert message in response.json()["message"]


def test_live_agreement_shows_aggregates_to_a_lead_and_to_nobody_who_annotates(lead_client):
    made = factories.study(items=2)
    factories.open_round(made, live_agreement=True)
    for member in made.annotators:
        factories.record(made.round, member, made.items[0], "LE", factories.NO)
    assert lead_client.post(address(made), content_type="application/json").status_code == 202
    report_compute(report_id=AgreementReport.objects.get().id)
    figures = lead_client.get(address(made)).json()["figures"]
    assert figures["n_judgements"] == 3
    assert figures["annotators"] == []
    assert lead_client.get(address(made, "queue/")).json()["count"] == 0
    made.annotators[0].is_lead = True
    made.annotators[0].save()
    assert client_of("ann").get(address(made)).status_code == 403
