"""Competence of annotators asked for on a finished report: through the API, on the page, by a worker."""

import csv

import pytest

from agreement.competence import crowd_models
from agreement.computation import competence as jobs
from agreement.computation.compute import report_compute
from agreement.models import AgreementReport, CompetenceEstimate
from annotation.rounds.lifecycle import round_close
from tests import factories
from tests.conftest import client_of

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def made_of(annotators=5, items=6):
    """Return a round with a report: LE is yes on every second text, the last annotator says the opposite."""
    made = factories.study(annotators=annotators, items=items)
    factories.open_round(made)
    for place, item in enumerate(made.items):
        for number, member in enumerate(made.annotators):
            says = (place % 2 == 0) != (number == annotators - 1)
            answer = factories.yes(item, item.text[:5]) if says else factories.NO
            factories.record(made.round, member, item, "LE", answer)
            factories.record(made.round, member, item, "WE", factories.NO)
    made.round = round_close(made.round, by=made.lead)
    report = AgreementReport.objects.get()
    assert report_compute(report_id=report.id)
    return made


def address(made, rest="competence/"):
    return f"/api/projects/{made.project.slug}/rounds/{made.round.number}/report/{rest}"


def rows_of(response):
    return list(csv.DictReader(response.content.decode("utf-8-sig").splitlines()))


def test_a_lead_asks_a_worker_computes_and_page_and_files_show_it(lead_client):
    made = made_of()
    assert lead_client.get(address(made)).json() == {"state": "none", "error": "", "result": None}
    assert lead_client.get(address(made, "competence.csv")).status_code == 404
    asked = lead_client.post(address(made))
    assert (asked.status_code, asked.json()["state"]) == (202, "queued")
    assert lead_client.post(address(made)).json()["state"] == "queued"
    jobs.competence_compute(estimate_id=CompetenceEstimate.objects.get().pk)
    body = lead_client.get(address(made)).json()
    assert body["state"] == "done"
    assert body["result"]["library"].startswith("crowd-kit ")
    sections = {section["code"]: section for section in body["result"]["sections"]}
    assert (sections["LE"]["reason"], sections["WE"]["reason"]) == (None, "no_variation")
    assert sections["OSP"]["reason"] == "fewer_than_five_annotators"
    people = sections["LE"]["annotators"]
    assert [person["n"] for person in people] == [6] * 5
    for method in crowd_models.METHODS:
        assert min(people, key=lambda person: person[method]) is people[-1]
        assert sections["LE"]["other_than_majority"][method] == 0
    table = rows_of(lead_client.get(address(made, "competence.csv")))
    assert [row["annotator"] for row in table if row["section"] == "type:LE"] == [
        person["pseudonym"] for person in people
    ]
    units = rows_of(lead_client.get(address(made, "posteriors.csv")))
    assert [(row["item"], row["type"], row["votes"]) for row in units] == [
        (item.external_id, "LE", "5") for item in made.items
    ]
    for place, row in enumerate(units):
        right = "no" if place % 2 else "yes"
        assert row["majority"] == right
        assert float(row[f"dawid_skene_{right}"]) > 0.9
        assert float(row["mace_yes"]) + float(row["mace_no"]) == pytest.approx(1)
    page = lead_client.get(f"/p/{made.project.slug}/rounds/{made.round.number}/agreement/").content.decode()
    assert "Competence of each annotator" in page
    assert "everyone gave one and the same answer" in page


def test_the_button_of_the_page_asks_and_nobody_but_leads_may(lead_client):
    made = made_of(items=2)
    page = f"/p/{made.project.slug}/rounds/{made.round.number}/agreement/"
    assert "Compute the competence of annotators" in lead_client.get(page).content.decode()
    assert lead_client.post(f"{page}competence/").status_code == 302
    assert CompetenceEstimate.objects.get().state == "queued"
    assert "Being computed" in lead_client.get(page).content.decode()
    annotator = client_of(made.annotators[0].user)
    assert annotator.post(address(made)).status_code == 403
    assert annotator.get(address(made, "posteriors.csv")).status_code == 403


def test_without_the_extra_the_page_says_what_to_install_and_asking_again_computes(lead_client, monkeypatch):
    made = made_of(items=2)
    monkeypatch.setattr(crowd_models, "library_version", lambda: "")
    lead_client.post(address(made))
    estimate = CompetenceEstimate.objects.get()
    jobs.competence_compute(estimate_id=estimate.pk)
    page = f"/p/{made.project.slug}/rounds/{made.round.number}/agreement/"
    text = lead_client.get(page).content.decode()
    assert "pip install -r requirements-competence.txt" in text
    assert "Compute again" in text
    monkeypatch.undo()
    assert lead_client.post(address(made)).json()["state"] == "queued"
    jobs.competence_compute(estimate_id=estimate.pk)
    estimate.refresh_from_db()
    assert not jobs.is_without_library(estimate)


def test_judgements_that_changed_since_are_not_mixed_with_the_report(lead_client):
    made = made_of(items=2)
    lead_client.post(address(made))
    AgreementReport.objects.update(judgements_sha256="0" * 64)
    jobs.competence_compute(estimate_id=CompetenceEstimate.objects.get().pk)
    body = lead_client.get(address(made)).json()
    assert (body["state"], body["error"]) == ("failed", jobs.CHANGED)
    assert lead_client.post(address(made)).json()["state"] == "queued"


def test_a_dead_workers_estimate_goes_on():
    made_of(items=2)
    estimate = jobs.competence_request(report=AgreementReport.objects.get())
    CompetenceEstimate.objects.update(enqueued_at="2026-01-01T00:00Z")
    assert jobs.competence_sweep() == [estimate.pk]
