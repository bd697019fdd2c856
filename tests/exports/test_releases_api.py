"""Leads ask for releases and download them; nobody else sees that there are any."""

import hashlib
import json

import pytest
from django.test import Client

from annotation.models import ProjectEvent
from exports import tasks
from exports.models import Release
from exports.releases.lifecycle import release_request
from exports.selection.parameters import SPLIT_BY, Parameters
from tests import factories
from tests.conftest import client_of
from tests.factories import close, focus_study, judge
from tests.factories.releases import release

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    made = focus_study(annotators=2, items=2)
    for item in made.items:
        judge(made, item, {})
    close(made)
    return made


def address(made, rest=""):
    return f"/api/projects/{made.project.slug}/releases/{rest}"


def body(response):
    return b"".join(response.streaming_content)


def test_a_lead_asks_for_a_release_and_a_worker_builds_it(
    made, lead_client, monkeypatch, django_capture_on_commit_callbacks
):
    monkeypatch.setattr(tasks.build_release, "delay", tasks.build_release)
    with django_capture_on_commit_callbacks(execute=True):
        asked = lead_client.post(
            address(made), {"version": "1.0", "parameters": {"judgements": False}}, "application/json"
        )
    assert (asked.status_code, asked.json()["state"]) == (202, "queued")
    shown = lead_client.get(address(made, "1.0/")).json()
    assert (shown["state"], shown["progress_done"], shown["progress_total"]) == ("done", 2, 2)
    assert shown["parameters"]["judgements"] is False
    assert "focus.json" in [file["name"] for file in shown["files"]]
    assert "storage" not in shown["files"][0]
    assert [row["version"] for row in lead_client.get(address(made)).json()] == ["1.0"]


def test_a_release_waits_while_the_broker_is_down(
    made, lead_client, monkeypatch, django_capture_on_commit_callbacks
):
    def down(release_id):
        raise OSError("no broker")

    monkeypatch.setattr(tasks.build_release, "delay", down)
    with django_capture_on_commit_callbacks(execute=True):
        assert lead_client.post(address(made), {"version": "1.0"}, "application/json").status_code == 202
    assert Release.objects.get().state == "queued"


def test_wrong_choices_are_refused_one_message_a_choice(made, lead_client):
    asked = lead_client.post(
        address(made), {"version": "1.0", "parameters": {"rounds": ["x"], "colour": 1}}, "application/json"
    )
    assert asked.status_code == 422
    assert asked.json()["errors"] == {"colour": "there is no such choice"}
    assert not Release.objects.exists()


def test_a_version_of_something_else_is_a_conflict(made, lead_client):
    release(made.project)
    asked = lead_client.post(
        address(made), {"version": "1.0", "parameters": {"comments": True}}, "application/json"
    )
    assert (asked.status_code, asked.json()["code"]) == (409, "taken")


def test_a_lead_cancels_a_release_once(made, lead_client):
    lead_client.post(address(made), {"version": "1.0"}, "application/json")
    cancelled = lead_client.post(address(made, "1.0/cancel/"))
    assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
    again = lead_client.post(address(made, "1.0/cancel/"))
    assert (again.status_code, again.json()["code"]) == (409, "not_ready")
    events = ProjectEvent.objects.filter(action="release cancelled").values_list("member", "details")
    assert list(events) == [(made.lead.pk, {"version": "1.0"})]
    asked = lead_client.post(address(made), {"version": "1.0"}, "application/json")
    assert (asked.status_code, asked.json()["state"]) == (202, "queued")


def test_a_file_comes_whole_in_parts_and_not_beyond_its_end(made, lead_client):
    done = release(made.project)
    (file,) = [file for file in done.files if file["name"] == "data/all.jsonl"]
    place = address(made, "1.0/files/data/all.jsonl")
    whole = lead_client.get(place)
    content = body(whole)
    assert hashlib.sha256(content).hexdigest() == file["sha256"]
    assert whole.headers["Content-Disposition"] == 'attachment; filename="all.jsonl"'
    part = lead_client.get(place, headers={"Range": "bytes=10-"})
    assert (part.status_code, body(part)) == (206, content[10:])
    assert part.headers["Content-Range"] == f"bytes 10-{len(content) - 1}/{len(content)}"
    other = lead_client.get(place, headers={"Range": "bytes=10-", "If-Range": '"another file"'})
    assert (other.status_code, body(other)) == (200, content)
    assert lead_client.get(place, headers={"Range": f"bytes={len(content)}-"}).status_code == 416


def test_a_name_that_is_no_file_of_the_release_is_not_found(made, lead_client):
    release(made.project)
    for name in ("../../etc/passwd", "nothing.json", "data"):
        assert lead_client.get(address(made, f"1.0/files/{name}")).status_code == 404


@pytest.mark.parametrize("rest", ["", "1.0/", "1.0/files/focus.json"])
def test_annotators_are_refused_and_outsiders_find_nothing(made, rest):
    release(made.project)
    factories.user("olu")
    assert client_of("ann").get(address(made, rest)).status_code == 403
    assert client_of("olu").get(address(made, rest)).status_code == 404
    assert Client().get(address(made, rest)).json()["code"] == "not_authenticated"
    assert client_of("ann").post(address(made), {"version": "9"}, "application/json").status_code == 403


def test_a_release_of_another_project_is_not_found_through_ones_own(made, lead_client):
    release(made.project, "1.0")
    other = focus_study(annotators=1, items=1)
    assert lead_client.get(address(other, "1.0/files/focus.json")).status_code == 404
    assert json.loads(lead_client.get(address(other)).content) == []


def switch(client, made, is_public, **options):
    return client.put(address(made, "1.0/public/"), {"is_public": is_public}, "application/json", **options)


def test_a_lead_opens_and_closes_the_public_page_and_the_log_says_so_once(made, lead_client):
    release(made.project)
    page = f"/releases/{made.project.slug}/1.0/"
    assert lead_client.get(address(made, "1.0/")).json()["is_public"] is False
    for _ in range(2):
        assert switch(lead_client, made, True).json()["is_public"] is True
    assert Client().get(page).status_code == 200
    assert switch(lead_client, made, False).json()["is_public"] is False
    assert Client().get(page).status_code == 404
    logged = ProjectEvent.objects.filter(action__contains="public").order_by("id")
    assert list(logged.values_list("action", "member", "details")) == [
        ("release made public", made.lead.pk, {"version": "1.0"}),
        ("release closed to the public", made.lead.pk, {"version": "1.0"}),
    ]


def test_only_a_lead_with_the_csrf_token_switches_the_public_page(made, lead_client):
    release(made.project)
    factories.user("olu")
    assert switch(client_of("ann"), made, True).status_code == 403
    assert switch(client_of("olu"), made, True).status_code == 404
    assert switch(Client(), made, True).json()["code"] == "not_authenticated"
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = lead_client.cookies
    assert switch(strict, made, True).json()["code"] == "csrf_failed"
    assert lead_client.put(address(made, "1.0/public/"), {}, "application/json").status_code == 422
    assert not Release.objects.get().is_public


def test_a_release_that_is_not_built_stays_closed(made, lead_client):
    release_request(project=made.project, version="1.0", parameters=Parameters())
    refused = switch(lead_client, made, True)
    assert (refused.status_code, refused.json()["code"]) == (409, "not_ready")
    assert not Release.objects.get().is_public


def test_the_schema_of_the_api_has_the_switch():
    schema = Client().get("/api/schema/?format=json").json()
    put = schema["paths"]["/api/projects/{slug}/releases/{version}/public/"]["put"]
    assert put["requestBody"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/ReleasePublicInputRequest"
    }
    assert schema["components"]["schemas"]["ReleasePublicInputRequest"]["required"] == ["is_public"]


def test_the_schema_of_the_api_names_every_choice_with_its_default():
    schema = Client().get("/api/schema/?format=json").json()["components"]["schemas"]
    asked = schema["ReleaseListInputRequest"]["properties"]["parameters"]
    choices = schema["ParametersRequest"]
    assert "#/components/schemas/ParametersRequest" in json.dumps(asked)
    defaults = Parameters().to_json()
    assert list(choices["properties"]) == list(defaults)
    given = {name: choice["default"] for name, choice in choices["properties"].items() if "default" in choice}
    assert given == {name: default for name, default in defaults.items() if default is not None}
    assert all(choice["description"] for choice in choices["properties"].values())
    assert "required" not in choices
    assert schema["SplitByEnum"]["enum"] == list(SPLIT_BY)
