"""Leads start, watch and cancel runs and reject answers through the API; nobody else sees any of it."""

import pytest
from django.test import Client

from exports import tasks
from exports.models import QuestionRefinement, RefinementRun
from exports.refinement import candidates as question_counts
from exports.refinement.worker import refinement_work
from tests import factories
from tests.conftest import client_of
from tests.exports.endpoint import KEY, Clock, saying
from tests.factories import close, focus_study, judge, yes

pytestmark = pytest.mark.django_db

API = "/api/projects/s/refinements/"


@pytest.fixture
def made(endpoint):
    made = focus_study(annotators=2, items=2, texts=("Parks make us happy.", "Taxes cause it."), slug="s")
    for item in made.items:
        judge(made, item, {"LE": [yes(item, item.text[:10])] * 2})
    close(made)
    return made


def choices(endpoint, **more):
    return {"endpoint": endpoint.url, "model": "tiny", "sources": [["test", ""]], **more}


def post(client, rest, body=None):
    return client.post(f"{API}{rest}", body or {}, "application/json")


def start(client, endpoint, **more):
    return post(client, "runs/", {"choices": choices(endpoint, **more), "texts_may_leave": True})


def work():
    refinement_work(run_id=RefinementRun.objects.get(state="queued").pk, timing=Clock().timing)


def test_a_lead_starts_a_run_and_reads_what_came_of_it(
    made, endpoint, lead_client, monkeypatch, django_capture_on_commit_callbacks
):
    sent = []
    monkeypatch.setattr(tasks.refine_questions, "delay", sent.append)
    endpoint.replies = [saying("What shows it?"), saying("No.")]
    with django_capture_on_commit_callbacks(execute=True):
        asked = start(lead_client, endpoint, seed=5)
    assert (asked.status_code, asked.json()["state"], asked.json()["number"]) == (202, "queued", 1)
    assert sent == [RefinementRun.objects.get().pk]
    work()
    shown = lead_client.get(f"{API}runs/1/")
    assert shown.json()["outcomes"] == {"refined": 1, "refused": 1, "failed": 0}
    assert (shown.json()["state"], shown.json()["seed"]) == ("done", 5)
    assert KEY not in shown.content.decode()
    assert [row["number"] for row in lead_client.get(f"{API}runs/").json()] == [1]
    (row,) = lead_client.get(API).json()["results"]
    assert (row["item"], row["type_code"], row["question"], row["rejected"]) == (
        "I-1",
        "LE",
        "What shows it?",
        False,
    )
    assert row["question_template"] == QuestionRefinement.objects.first().question_template
    everything = lead_client.get(f"{API}?run=1").json()["results"]
    assert [row["reason"] for row in everything] == ["", "it does not end with a question mark"]


def test_counts_are_told_before_anything_is_asked(made, endpoint, lead_client):
    counted = post(lead_client, "counts/", {"choices": choices(endpoint, max_questions=1)})
    assert "Parks make us happy." in counted.json()["example"]
    counts = {"questions": 2, "refined": 0, "not_sent": 0, "asked": 1, "left_over": 1}
    assert counts.items() <= counted.json().items()
    assert endpoint.asked == []


def test_counts_of_a_large_project_come_when_a_worker_has_counted(made, endpoint, lead_client, monkeypatch):
    monkeypatch.setattr(question_counts, "AT_ONCE", 0)
    asked = post(lead_client, "counts/", {"choices": choices(endpoint)})
    assert (asked.status_code, asked.json()["code"]) == (409, "not_ready")
    tasks.count_questions(made.project.pk)
    counted = post(lead_client, "counts/", {"choices": choices(endpoint)})
    assert "Parks make us happy." in counted.json()["example"]
    counts = {"questions": 2, "refined": 0, "not_sent": 0, "asked": 2, "left_over": 0}
    assert counts.items() <= counted.json().items()


def test_wrong_choices_are_refused_one_message_a_choice(made, endpoint, lead_client):
    asked = start(lead_client, endpoint, endpoint_key="x", timeout=0)
    assert asked.status_code == 422
    assert set(asked.json()["errors"]) == {"endpoint_key", "timeout"}
    unticked = post(lead_client, "runs/", {"choices": choices(endpoint)})
    assert set(unticked.json()["errors"]) == {"texts_may_leave"}
    assert not RefinementRun.objects.exists()


def test_a_run_at_work_is_a_conflict_until_it_is_cancelled(made, endpoint, lead_client):
    start(lead_client, endpoint)
    assert (start(lead_client, endpoint).status_code, RefinementRun.objects.count()) == (409, 1)
    assert post(lead_client, "runs/1/cancel/").json()["state"] == "cancelled"
    assert start(lead_client, endpoint).json()["number"] == 2


def test_a_lead_rejects_a_question_and_takes_it_back(made, endpoint, lead_client):
    start(lead_client, endpoint)
    work()
    key = QuestionRefinement.objects.first().pk
    assert post(lead_client, f"{key}/reject/").json()["rejected"] is True
    assert post(lead_client, f"{key}/reject/").status_code == 409
    assert post(lead_client, f"{key}/restore/").json()["rejected"] is False
    assert post(lead_client, "999999/reject/").status_code == 404


READ = ["", "runs/", "runs/1/"]
WRITE = ["counts/", "runs/", "runs/1/cancel/", "KEY/reject/", "KEY/restore/"]


@pytest.mark.parametrize(("act", "rest"), [("get", rest) for rest in READ] + [("post", r) for r in WRITE])
def test_annotators_are_refused_and_outsiders_find_nothing(made, endpoint, lead_client, act, rest):
    start(lead_client, endpoint)
    work()
    rest = rest.replace("KEY", str(QuestionRefinement.objects.first().pk))
    factories.user("olu")
    body = {"choices": choices(endpoint), "texts_may_leave": True}
    answers = {
        name: client.get(f"{API}{rest}") if act == "get" else post(client, rest, body)
        for name, client in (("ann", client_of("ann")), ("olu", client_of("olu")), ("nobody", Client()))
    }
    assert answers["ann"].status_code == 403
    assert answers["olu"].status_code == 404
    assert answers["nobody"].json()["code"] == "not_authenticated"
    assert RefinementRun.objects.get().state == "done"
    assert not QuestionRefinement.objects.filter(rejected_at__isnull=False).exists()


def test_refinements_of_another_project_are_not_found_through_ones_own(made, endpoint, lead_client):
    start(lead_client, endpoint)
    work()
    key = QuestionRefinement.objects.first().pk
    focus_study(annotators=1, items=1, slug="other")
    other = "/api/projects/other/refinements/"
    assert lead_client.get(other).json()["results"] == []
    assert lead_client.get(f"{other}runs/").json() == []
    assert lead_client.get(f"{other}runs/1/").status_code == 404
    assert lead_client.get(f"{other}?run=1").status_code == 404
    assert lead_client.post(f"{other}runs/1/cancel/").status_code == 404
    assert lead_client.post(f"{other}{key}/reject/").status_code == 404
