"""The API of assistants: leads do by it all that the command does; others meet nothing of it."""

import pytest

from annotation.items.withdrawal import item_withdraw
from annotation.models import Question
from assist import tasks
from assist.models import AssistRun
from tests.assist.asking import SOURCES, TEXTS, asked, said_by_text, work
from tests.conftest import client_of
from tests.exports.endpoint import saying
from tests.factories import open_round, study

pytestmark = pytest.mark.django_db

GIVEN = {"task": "context", "model": "tiny", "sources": ["test"]}


@pytest.fixture
def made():
    return study("focus", annotators=1, items=3, texts=TEXTS, slug="s")


def post(client, path, given=None, slug="s"):
    return client.post(f"/api/projects/{slug}/assist/{path}", given or {}, content_type="application/json")


def get(client, path, slug="s"):
    return client.get(f"/api/projects/{slug}/assist/{path}")


def test_a_run_is_previewed_started_followed_and_read(
    made, endpoint, lead_client, monkeypatch, django_capture_on_commit_callbacks
):
    found = post(lead_client, "preview/", GIVEN).json()
    assert (found["count"], endpoint.asked) == (3, [])
    sent = []
    monkeypatch.setattr(tasks.ask_model, "delay", sent.append)
    with django_capture_on_commit_callbacks(execute=True):
        answer = post(lead_client, "", {**GIVEN, "budget_requests": 2})
    assert (answer.status_code, answer.json()["state"]) == (202, "queued")
    run = AssistRun.objects.get()
    assert (sent, run.sources, run.member) == ([run.pk], SOURCES, made.lead)
    assert post(lead_client, "", GIVEN).json()["code"] == "taken"
    endpoint.otherwise = saying("yes")
    work(run)
    shown = get(lead_client, "runs/1/").json()
    assert (shown["state"], shown["stopped_by"], shown["requests"]) == ("failed", "budget", 2)
    refused = post(lead_client, "runs/1/resume/")
    assert (refused.status_code, list(refused.json()["errors"])) == (422, ["budget_requests"])
    assert post(lead_client, "runs/1/resume/", {"budget_requests": 9}).status_code == 202
    work(run)
    answers = get(lead_client, "runs/1/answers/").json()
    assert [(row["item"], row["label"]) for row in answers["results"]] == [
        ("I-1", "sufficient"),
        ("I-2", "sufficient"),
        ("I-3", "sufficient"),
    ]
    assert get(lead_client, "").json()[0]["outcomes"]["usable"] == 3
    assert post(lead_client, "runs/1/cancel/").status_code == 409
    assert get(lead_client, "runs/1/submission/").status_code == 422


def test_answers_are_listed_in_the_order_of_items_by_label_and_as_they_are_now(made, endpoint, lead_client):
    endpoint.otherwise = said_by_text(**{"he said": "no", "otherwise": "yes"})
    asked(made, endpoint)

    def listed(query=""):
        return [row["item"] for row in get(lead_client, f"runs/1/answers/{query}").json()["results"]]

    assert (listed(), listed("?label=insufficient")) == (["I-1", "I-2", "I-3"], ["I-2"])
    assert (listed("?label=sufficient"), listed("?label=of%20none")) == (["I-1", "I-3"], [])
    endpoint.otherwise = saying("no")
    asked(made, endpoint, again=True, items=["I-3"])
    assert listed("?label=insufficient") == ["I-2", "I-3"]
    item_withdraw(item=made.items[1], member=made.lead, why="It is broken.")
    assert (listed(), listed("?label=insufficient")) == (["I-1", "I-3"], ["I-3"])


@pytest.mark.parametrize("path", ["", "preview/"])
def test_wrong_choices_are_refused_with_their_fields(made, endpoint, lead_client, path):
    answer = post(lead_client, path, {**GIVEN, "sources": [], "budget_tokens": 0, "prompt": "{nothing}"})
    assert answer.status_code == 422
    assert set(answer.json()["errors"]) == {"sources", "budget_tokens", "prompt"}


def test_what_a_model_said_of_a_text_is_kept_from_a_lead_who_judges_it_now(made, endpoint, lead_client):
    endpoint.otherwise = saying("yes, the secret word is mellon")
    post(lead_client, "", GIVEN)
    work(AssistRun.objects.get())
    assert b"mellon" in get(lead_client, "runs/1/answers/").content
    made.lead.is_annotator = True
    made.lead.save()
    made.annotators.append(made.lead)
    open_round(made)
    for path in ("", "runs/1/", "runs/1/answers/", f"items/{made.items[0].pk}/candidates/"):
        assert b"mellon" not in get(lead_client, path).content
    assert get(lead_client, f"items/{made.items[0].pk}/candidates/").json()["code"] == "not_ready"


def test_candidates_are_filled_decided_and_made_by_the_api(endpoint, lead_client):
    made = study("cqs_gen", annotators=1, items=1, questions=0, slug="s")
    item = f"items/{made.items[0].pk}/"
    known = {scheme["id"]: scheme for scheme in get(lead_client, "schemes/").json()}
    assert known["sign"]["slots"] == ["<eventA>", "<eventB>"]
    given = {"scheme": "sign", "slots": {"<eventA>": "It rains", "<eventB>": "roads are wet"}}
    filled = post(lead_client, f"{item}schemes/", given)
    assert (filled.status_code, len(filled.json()["groups"])) == (201, 3)
    rows = [group[0] for group in filled.json()["groups"]]
    decisions = [
        {"id": rows[0]["id"], "state": "kept", "text": "Edited?"},
        {"id": rows[1]["id"], "state": "dropped"},
    ]
    shown = post(lead_client, f"{item}candidates/", {"decisions": decisions}).json()
    assert [group[0]["state"] for group in shown["groups"]] == ["kept", "waiting", "dropped"]
    assert [group[0]["preselected"] for group in shown["groups"]] == [True, True, False]
    assert post(lead_client, "questions/", {"seed": 3}).json() == {"made": 1}
    assert list(Question.objects.values_list("text", "origin")) == [("Edited?", "theory")]
    wrong = post(lead_client, f"{item}schemes/", {"scheme": "sign", "slots": {"<eventA>": "x"}})
    assert (wrong.status_code, list(wrong.json()["errors"])) == (422, ["<eventB>"])


def test_annotators_meet_nothing_of_it(made, endpoint):
    client = client_of("ann")
    for path in ("", "runs/1/", "runs/1/answers/", "schemes/"):
        assert get(client, path).status_code == 403
