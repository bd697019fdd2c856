"""Leads hand in a system's files over the API and read what they are worth; nobody else does."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from scoring.api import serializers as api
from scoring.models import Evaluation, Submission, System
from scoring.systems.evaluations import evaluation_run
from scoring.tasks import compare_evaluations
from tests import factories
from tests.conftest import client_of
from tests.factories import QUESTIONS
from tests.scoring.systems import (
    RIGHT,
    WRONG,
    focus_release,
    questions,
    questions_release,
    scored,
    submitted,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask():
    return questions_release()


def address(made, more=""):
    return f"/api/projects/{made.project.slug}/releases/1.0/evaluations/{more}"


def file(content, name="run1.json"):
    return SimpleUploadedFile(name, content if isinstance(content, bytes) else json.dumps(content).encode())


def test_files_are_handed_in_scored_and_read(
    ask, lead_client, django_capture_on_commit_callbacks, monkeypatch
):
    made, _ = ask
    sent = []
    monkeypatch.setattr("scoring.tasks.evaluate_submission.delay", sent.append)
    given = {
        "system": "Parrot",
        "description": "Seven billion words.",
        "link": "https://example.org/parrot",
        "files": [file(questions(*QUESTIONS[:2])), file(questions(*QUESTIONS[1:]), "run2.json")],
        "methods": ["exact", "chrf:35"],
        "replicates": "20",
        "seed": "3",
    }
    with django_capture_on_commit_callbacks(execute=True):
        answer = lead_client.post(address(made), given)
    assert answer.status_code == 202, answer.content
    assert [(row["method"], row["threshold"], row["state"], row["seed"]) for row in answer.json()] == [
        ("exact", None, "queued", 3),
        ("chrf", 35.0, "queued", 3),
    ]
    assert [entry["name"] for entry in answer.json()[0]["files"]] == ["run1.json", "run2.json"]
    assert sent == [row["id"] for row in answer.json()]
    assert System.objects.get().link == "https://example.org/parrot"
    evaluation_run(evaluation_id=sent[0])
    found = lead_client.get(address(made, f"{sent[0]}/")).json()
    assert (found["state"], found["reason"], found["headline"]["runs"]) == ("done", "", 2)
    assert found["figures"]["evaluations"][0]["figures"]["score"]["value"] == pytest.approx(1 / 6)
    listed = lead_client.get(address(made)).json()
    assert [(row["id"], row["state"]) for row in listed] == [(sent[1], "queued"), (sent[0], "done")]
    assert "figures" not in listed[0]
    cancelled = lead_client.post(address(made, f"{sent[1]}/cancel/"))
    assert cancelled.json()["state"] == "cancelled"
    assert lead_client.post(address(made, f"{sent[1]}/cancel/")).status_code == 409
    assert lead_client.post(address(made, f"{sent[1]}/again/")).json()["id"] == sent[1]
    assert lead_client.post(address(made, f"{sent[0]}/again/")).status_code == 409


def test_every_fault_is_told_and_nothing_is_stored(ask, lead_client):
    made, _ = ask
    wrong = {**questions("A?", "B?", "C?", "D?"), **{f"X{number}": {} for number in range(60)}}
    answer = lead_client.post(address(made), {"system": "Parrot", "files": [file(wrong)]})
    body = answer.json()
    assert (answer.status_code, body["code"], len(body["faults"]), body["more"]) == (422, "invalid", 50, 11)
    assert body["faults"][0] == {
        "file": "run1.json",
        "item": "I-1",
        "place": "cqs",
        "message": "4 questions where 3 are asked for",
    }
    assert not System.objects.exists()


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"files": []}, "files"),
        ({"system": " "}, "system"),
        ({"methods": ["sari"]}, "methods"),
        ({"methods": ["chrf:140"]}, "methods"),
        ({"scope": "decided"}, "scope"),
        ({"replicates": "-1"}, "replicates"),
        ({"replicates": "100001"}, "replicates"),
        ({"seed": "x"}, "seed"),
        ({"split": "dev"}, "split"),
        ({"link": "javascript:1"}, "link"),
        ({"system": "a\u202eb"}, "name"),
    ],
)
def test_a_wrong_choice_is_refused_beside_its_name(given, field, ask, lead_client):
    made, _ = ask
    body = {"system": "Parrot", "files": [file(questions("Why?"))], **given}
    answer = lead_client.post(address(made), body)
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [field])
    assert not Submission.objects.exists()
    assert not System.objects.exists()


def test_a_file_beyond_the_limit_and_another_kind_of_body_are_refused(ask, lead_client, monkeypatch):
    made, _ = ask
    monkeypatch.setattr(api, "MOST_BYTES", 10)
    answer = lead_client.post(address(made), {"system": "Parrot", "files": [file(questions("Why?"))]})
    assert (answer.status_code, list(answer.json()["errors"])) == (422, ["files"])
    assert lead_client.post(address(made), {"system": "x"}, "application/json").status_code == 415


def test_no_one_but_a_lead_learns_that_there_are_evaluations():
    made, release = focus_release()
    factories.user("olu")
    evaluation = scored(submitted(made, release, RIGHT))
    places = ["", f"{evaluation.pk}/", f"{evaluation.pk}/cancel/", f"{evaluation.pk}/again/"]
    for name, status in (("olu", 404), ("ann", 403), (None, 403)):
        client = client_of(name) if name else Client()
        for place in places:
            send = client.post if place.endswith(("cancel/", "again/")) else client.get
            assert send(address(made, place)).status_code == status, (name, place)
        answer = client.post(address(made), {"system": "Mine", "files": [file(RIGHT)]})
        assert answer.status_code == status
    assert System.objects.count() == 1


def test_an_evaluation_is_found_below_its_own_release_and_project_alone(lead_client):
    made, release = focus_release()
    other, _ = questions_release()
    evaluation = scored(submitted(made, release, RIGHT))
    assert lead_client.get(address(made, f"{evaluation.pk}/")).status_code == 200
    assert lead_client.get(address(other, f"{evaluation.pk}/")).status_code == 404
    assert lead_client.get(address(made, "999/")).status_code == 404
    assert lead_client.get(address(made).replace("1.0", "2.0")).status_code == 404


def test_a_lead_who_judges_the_texts_now_is_told_nothing_of_what_others_decided(lead_client):
    made, release = focus_release()
    evaluation = scored(submitted(made, release, RIGHT))
    made.lead.is_annotator = True
    made.lead.save()
    made.annotators = [*made.annotators, made.lead]
    factories.open_round(made)
    for place in ("", f"{evaluation.pk}/"):
        answer = lead_client.get(address(made, place))
        assert (answer.status_code, answer.json()["code"]) == (409, "not_ready")
    body = {"system": "Probe", "files": [file({"I-1": {"fsq_types": ["LE"], "spans": ["grades fell"]}})]}
    assert lead_client.post(address(made), body).status_code == 409
    assert Evaluation.objects.count() == 1


def test_the_documentation_describes_the_evaluations_with_examples(client):
    schema = client.get("/api/schema/", headers={"Accept": "application/json"}).json()
    path = schema["paths"]["/api/projects/{slug}/releases/{version}/evaluations/"]
    body = path["post"]["requestBody"]["content"]["multipart/form-data"]
    assert body["examples"]["TwoRunsByTwoMethods"]["value"]["methods"] == ["chrf:40", "exact"]
    assert set(path["get"]["responses"]) >= {"200", "403", "404"}
    fields = schema["components"]["schemas"]["Evaluation"]["properties"]
    assert {"state", "reason", "error", "headline", "release_digest", "engine"} <= set(fields)


def test_evaluations_are_compared_by_a_worker(lead_client, monkeypatch):
    made, release = focus_release()
    keys = [
        scored(submitted(made, release, file, name=name)).pk for file, name in ((RIGHT, "a"), (WRONG, "b"))
    ]
    monkeypatch.setattr("scoring.tasks.compare_evaluations.delay", lambda keys: None)
    asked = address(made, f"compare/?evaluation={keys[0]}&evaluation={keys[1]}")
    waiting = lead_client.get(asked)
    assert (waiting.status_code, waiting.json()) == (202, {"state": "running", "figures": None})
    compare_evaluations(keys)
    done = lead_client.get(asked)
    assert done.status_code == 200 and done.json()["state"] == "done"
    (pair,) = done.json()["figures"]["pairs"]
    assert (pair["first"], pair["second"], pair["value"]) == (*keys, 0.5)
    assert lead_client.get(address(made, f"compare/?evaluation={keys[0]}")).status_code == 409
    away = address(made, f"compare/?evaluation={keys[0]}&evaluation=999")
    assert lead_client.get(away).status_code == 404
