"""A report's figures without each annotator and by field, and a report resampled by a field of its items."""

import csv

import numpy as np
import pytest

from agreement.computation.compute import report_compute
from agreement.computation.influence import influence_compute
from agreement.models import AgreementReport, InfluenceFigures
from agreement.report.label_figures import seed_of
from agreement.statistics.label_agreement import label_agreement
from agreement.statistics.strata.stratified import stratified_agreement
from annotation.rounds.lifecycle import round_close
from tests import factories
from tests.conftest import client_of

pytestmark = [pytest.mark.django_db, pytest.mark.database]

ALPHA = "krippendorff_alpha"
N = 24
LE = np.array([[n % 2, n % 2, (n // 3) % 2] for n in range(N)])
WE = np.array([[n % 3 == 0, n % 3 == 0, n % 4 == 0] for n in range(N)], dtype=int)


def made_of():
    """Return a round with a report: 24 texts of 12 sources and two topics, judged by three people."""
    made = factories.study(annotators=3, items=N)
    for place, item in enumerate(made.items):
        item.source, item.topic = f"source {place // 2:02}", ["tax", "war"][place % 5 == 0]
        item.metadata = {"difficulty": 1 + place % 3, "thread": f"t{place // 4}", "lists": ["a", "b"]}
        if place == 3:
            item.metadata["editor"] = "X"
        item.save()
    factories.open_round(made)
    for place, item in enumerate(made.items):
        for number, member in enumerate(made.annotators):
            for code, answers in (("LE", LE), ("WE", WE)):
                answer = factories.yes(item, item.text[:5]) if answers[place, number] else factories.NO
                factories.record(made.round, member, item, code, answer)
    made.round = round_close(made.round, by=made.lead)
    assert report_compute(report_id=AgreementReport.objects.get().id)
    return made


def address(made, rest="influence/"):
    return f"/api/projects/{made.project.slug}/rounds/{made.round.number}/report/{rest}"


def rows_of(response):
    return list(csv.DictReader(response.content.decode("utf-8-sig").splitlines()))


def as_published(value):
    return pytest.approx(value, abs=1e-9)


def test_a_lead_asks_a_worker_computes_and_page_and_files_show_it(lead_client):
    made = made_of()
    assert lead_client.get(address(made)).json() == {"state": "none", "error": "", "result": None}
    assert lead_client.get(address(made, "influence.csv")).status_code == 404
    asked = lead_client.post(address(made))
    assert (asked.status_code, asked.json()["state"]) == (202, "queued")
    assert lead_client.post(address(made)).json()["state"] == "queued"
    influence_compute(influence_id=InfluenceFigures.objects.get().pk)
    body = lead_client.get(address(made)).json()
    assert body["state"] == "done"
    sections = {section["key"]: section for section in body["result"]["sections"]}
    rest = label_agreement(LE[:, :2], q=2, seed=seed_of(1, "type:LE")).estimates[ALPHA]
    whole = label_agreement(LE, q=2, seed=seed_of(1, "type:LE")).estimates[ALPHA]
    last = sections["type:LE"]["annotators"][2]
    assert last["estimates"][ALPHA]["value"] == as_published(rest.value)
    assert last["estimates"][ALPHA]["low"] == as_published(rest.low)
    assert last["differences"][ALPHA]["value"] == as_published(rest.value - whole.value)
    fields = {table["field"]: table["values"] for table in body["result"]["fields"]}
    assert {"topic", "source", "difficulty", "thread"} <= set(fields)
    assert [(row["value"], row["n_items"]) for row in fields["difficulty"]] == [("1", 8), ("2", 8), ("3", 8)]
    mine = np.arange(N) % 5 == 0
    strata = np.stack([LE, WE], axis=1)
    of_war = stratified_agreement(strata[mine], q=2, seed=seed_of(1, "all")).estimates[ALPHA]
    assert fields["topic"][1]["estimates"][ALPHA]["value"] == as_published(of_war.value)
    rows = rows_of(lead_client.get(address(made, "influence.csv")))
    left_out = made.annotators[2].pseudonym
    person = next(
        r for r in rows if (r["section"], r["figure"], r["without"]) == ("type:LE", ALPHA, left_out)
    )
    assert float(person["difference_value"]) == as_published(rest.value - whole.value)
    war = next(r for r in rows if r["field_value"] == "war" and r["figure"] == ALPHA)
    assert float(war["value"]) == as_published(of_war.value)
    latex = lead_client.get(address(made, "influence.tex")).content.decode()
    assert f"without {left_out}" in latex
    assert "types as strata, each against its own chance" in latex
    page = lead_client.get(f"/p/{made.project.slug}/rounds/{made.round.number}/agreement/").content.decode()
    assert "moves by" in page
    assert "By <b>difficulty</b>" in page


def test_only_leads_ask_and_a_worker_refuses_changed_judgements(lead_client):
    made = made_of()
    client = client_of(made.annotators[0].user.username)
    assert client.post(address(made)).status_code == 403
    lead_client.post(f"/p/{made.project.slug}/rounds/{made.round.number}/agreement/influence/")
    AgreementReport.objects.update(judgements_sha256="0" * 64)
    influence_compute(influence_id=InfluenceFigures.objects.get().pk)
    body = lead_client.get(address(made)).json()
    assert (body["state"], body["result"]) == ("failed", None)
    assert body["error"].startswith("The judgements have changed")


def test_a_report_is_resampled_by_a_field_that_its_lead_names(lead_client):
    made = made_of()
    plain = AgreementReport.objects.get()
    page = f"/p/{made.project.slug}/rounds/{made.round.number}/agreement/"
    assert '<option value="thread">' in lead_client.get(page).content.decode()
    lead_client.post(f"{page}compute/", {"cluster": "source"})
    report = AgreementReport.objects.exclude(pk=plain.pk).get()
    assert report.parameters["cluster"] == "source"
    assert report_compute(report_id=report.id)
    report.refresh_from_db()
    assert (report.figures["n_clusters"], "n_clusters" in plain.figures) == (12, False)
    sections, before = (
        {section["key"]: section for section in one.figures["sections"]} for one in (report, plain)
    )
    seed = seed_of(1, "type:LE")
    direct = label_agreement(LE, q=2, seed=seed, clusters=np.arange(N) // 2).estimates[ALPHA]
    found = sections["type:LE"]["estimates"][ALPHA]
    assert found["value"] == before["type:LE"]["estimates"][ALPHA]["value"] == as_published(direct.value)
    assert (found["low"], found["high"]) == (as_published(direct.low), as_published(direct.high))
    for key in ("type:LE", "all"):
        spans = sections[key]["spans"]["similarity"]["token_jaccard"]
        assert spans["value"] == before[key]["spans"]["similarity"]["token_jaccard"]["value"]
    shown = lead_client.get(page).content.decode()
    assert "the 12 values of <b>source</b>" in " ".join(shown.split())
    rows = rows_of(lead_client.get(address(made, "figures.csv")))
    assert {(row["cluster"], row["n_clusters"]) for row in rows} == {("source", "12")}
    latex = lead_client.get(address(made, "table.tex")).content.decode()
    assert "Intervals draw clusters of texts: the 12 values of source" in latex
    # Computing again keeps it, until single texts are chosen.
    lead_client.post(f"{page}compute/")
    assert AgreementReport.objects.count() == 2
    assert not lead_client.get(address(made, "")).json()["out_of_date"]
    lead_client.post(f"{page}compute/", {"cluster": ""})
    assert lead_client.get(address(made, "")).json()["parameters"].get("cluster") is None


def test_few_clusters_are_cautioned_though_texts_are_many(lead_client):
    made = made_of()
    lead_client.post(address(made, ""), {"cluster": "topic"}, content_type="application/json")
    report = AgreementReport.objects.order_by("id").last()
    assert report_compute(report_id=report.id)
    report.refresh_from_db()
    whole = report.figures["sections"][-1]
    assert whole["estimates"][ALPHA]["caution"] == "few_texts"
    assert whole["spans"]["similarity"]["exact"]["caution"] == "few_texts"


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ("nothing", "No item of the round has a value in the field 'nothing'."),
        ("editor", "The item 'i1' has no value in the field 'editor'"),
        ("lists", "The item 'i1' has several values in the field 'lists' (a, b): an item is in one cluster."),
        ("", "must be the name of a field of the items"),
        (7, "must be the name of a field of the items"),
    ],
)
def test_a_field_that_is_no_cluster_is_refused_with_the_item(lead_client, field, why):
    made = made_of()
    refused = lead_client.post(address(made, ""), {"cluster": field}, content_type="application/json")
    assert refused.status_code == 422
    found = refused.json()["errors"]["cluster"]
    first = min(item.external_id for item in made.items)
    assert found.startswith(why.replace("'i1'", repr(first)))
    assert AgreementReport.objects.count() == 1
