"""The annotation API as a client meets it: who may do what, one shape of refusal, judgements exact."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import AnnotationEvent, Round, TypeAnnotation
from annotation.rounds.lifecycle import round_create, round_pause, round_resume
from tests.config.test_every_route import patterns
from tests.conftest import client_of
from tests.factories import assignment_of, open_round, study, user, yes

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    made = study(slug="campus", annotators=2, items=2)
    open_round(made)
    return made


def post(client, path, body=None):
    return client.post(f"/api/projects/campus/{path}", body or {}, content_type="application/json")


def judgement(made, **changes):
    assignment = assignment_of(made.round, made.annotators[0], made.items[0])
    body = {
        "event_id": "e1",
        "assignment": assignment.pk,
        "type": "LE",
        "base_revision": 0,
        "answer": yes(made.items[0], "library"),
        "active_seconds": 5,
    }
    return {**body, **changes}


def test_a_judgement_is_stored_and_shown_with_its_revision(made):
    answer = post(client_of("ann"), "rounds/1/judgements/", judgement(made))
    assert answer.status_code == 200
    body = answer.json()
    assert body["replayed"] is False
    row = body["row"]
    assert (row["applicable"], row["quote"], row["start"], row["end"]) == (True, "library", 4, 11)
    assert (row["revision"], row["active_seconds"]) == (1, 5)
    again = post(client_of("ann"), "rounds/1/judgements/", judgement(made)).json()
    assert again["replayed"] is True
    assert again["row"] == row


def test_saving_a_judgement_reads_few_tables_and_each_once(made):
    client = client_of("ann")
    post(client, "rounds/1/judgements/", judgement(made))
    second = judgement(made, event_id="e2", type="TC", answer={"applicable": False})
    with CaptureQueriesContext(connection) as asked:
        post(client, "rounds/1/judgements/", second)
    selects = [re.match(r'SELECT .* FROM "(\w+)"', query["sql"]) for query in asked]
    assert [found[1] for found in selects if found] == [
        "annotation_membership",
        "annotation_assignment",
        "annotation_typeannotation",
    ]


def test_a_stale_revision_is_409_with_the_stored_row(made):
    post(client_of("ann"), "rounds/1/judgements/", judgement(made))
    other = judgement(made, event_id="e2", answer={"applicable": False})
    answer = post(client_of("ann"), "rounds/1/judgements/", other)
    assert (answer.status_code, answer.json()["code"]) == (409, "stale_revision")
    assert answer.json()["row"]["quote"] == "library"


def test_a_broken_rule_is_422_with_one_message_a_field(made):
    answer = post(client_of("ann"), "rounds/1/judgements/", judgement(made, answer={"applicable": True}))
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert set(answer.json()["errors"]) == {"start", "end", "quote"}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"event_id": ""}, "event_id"),
        ({"event_id": "x" * 81}, "event_id"),
        ({"event_id": "a\u0000"}, "event_id"),
        ({"assignment": "many"}, "assignment"),
        ({"assignment": 2**70}, "assignment"),
        ({"base_revision": -1}, "base_revision"),
        ({"answer": "yes"}, "answer"),
        ({"type": "", "question": None}, "type"),
        ({"question": 3}, "type"),
    ],
)
def test_a_body_of_the_wrong_form_is_422_and_names_the_field(made, changes, field):
    answer = post(client_of("ann"), "rounds/1/judgements/", judgement(made, **changes))
    assert answer.status_code == 422
    assert field in answer.json()["errors"]
    assert not AnnotationEvent.objects.exists()


def test_lone_surrogates_and_nul_in_an_answer_are_refused_with_their_place(made):
    client = client_of("ann")
    for comment, what in (("a\ud800", "lone surrogate"), ("a\u0000", "NUL")):
        body = judgement(made, answer={"applicable": False, "comment": comment})
        answer = post(client, "rounds/1/judgements/", body)
        assert answer.status_code == 422
        assert "haracter 2 is" in answer.json()["errors"]["comment"]
        assert what in answer.json()["errors"]["comment"]


def test_texts_and_comments_are_kept_exactly(made):
    comment = "  two  spaces\r\nand a line \u2028 "
    answer = {"applicable": False, "comment": comment}
    body = post(client_of("ann"), "rounds/1/judgements/", judgement(made, answer=answer)).json()
    assert body["row"]["comment"] == comment
    assert TypeAnnotation.objects.get().comment == comment


def test_undo_is_an_answer_of_null(made):
    post(client_of("ann"), "rounds/1/judgements/", judgement(made))
    undone = judgement(made, event_id="e2", base_revision=1, answer=None)
    row = post(client_of("ann"), "rounds/1/judgements/", undone).json()["row"]
    assert (row["applicable"], row["quote"], row["revision"]) == (None, None, 2)


def test_nobody_sees_or_touches_anothers_assignment(made):
    answer = post(client_of("bea"), "rounds/1/judgements/", judgement(made))
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    post(client_of("ann"), "rounds/1/judgements/", judgement(made))
    units = client_of("bea").get("/api/projects/campus/rounds/1/units/").json()
    assert [unit["types"] for unit in units["results"]] == [{}, {}]


def test_units_come_in_pages_with_what_one_has_judged(made):
    post(client_of("ann"), "rounds/1/judgements/", judgement(made))
    client = client_of("ann")
    first = client.get("/api/projects/campus/rounds/1/units/?limit=1").json()
    assert first["next"] == 1
    assert first["results"][0]["item"] == {
        "id": "I-1",
        "text": made.items[0].text,
        "topic": "topic 1",
    }
    assert first["results"][0]["types"]["LE"]["quote"] == "library"
    second = client.get("/api/projects/campus/rounds/1/units/?limit=1&after=1").json()
    assert (second["next"], len(second["results"])) == (None, 1)


def test_the_workspace_says_the_rules_and_the_progress(made):
    post(client_of("ann"), "rounds/1/judgements/", judgement(made))
    overview = client_of("ann").get("/api/projects/campus/rounds/1/workspace/").json()
    assert (overview["units_total"], overview["units_decided"]) == (20, 1)
    assert [entry["code"] for entry in overview["spec"]["types"]][:3] == ["OSP", "TC", "IE"]
    assert overview["round"]["status"] == "open"


def test_questions_show_neither_origin_nor_id_nor_published_label():
    made = study("cqs_gen", slug="campus", annotators=2, items=1)
    open_round(made)
    answer = client_of("ann").get("/api/projects/campus/rounds/1/units/")
    assert [set(question) for question in answer.json()["results"][0]["questions"]] == [
        {"id", "position", "text", "row"}
    ] * 3
    assert "theory" not in answer.content.decode()
    assert "I-1-Q1" not in answer.content.decode()


LEAD_ROUTES = ["rounds/", "rounds/1/draw/", "rounds/1/open/", "rounds/1/close/", "rounds/1/reopen/"]
LEAD_ROUTES += ["rounds/1/reassign/", "rounds/1/pause/", "rounds/1/resume/"]


@pytest.mark.parametrize("path", LEAD_ROUTES)
def test_an_annotator_cannot_lead(made, path):
    answer = post(client_of("ann"), path)
    assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")
    assert Round.objects.get().status == "open"


def test_a_deactivated_member_is_told_so(made):
    made.annotators[0].is_active = False
    made.annotators[0].save()
    answer = client_of("ann").get("/api/projects/campus/rounds/1/units/")
    assert answer.status_code == 403
    assert answer.json() == {
        "code": "not_allowed",
        "message": "You were deactivated in this project. Ask one of its leads to reactivate you.",
        "member": made.annotators[0].pk,
    }


def test_who_annotates_no_more_is_named_in_the_refusal_so_that_the_workspace_asks_for_no_log_in(made):
    ann = made.annotators[0]
    ann.is_annotator, ann.is_lead = False, True
    ann.save()
    answer = post(client_of("ann"), "rounds/1/judgements/", judgement(made))
    assert (answer.status_code, answer.json()["member"]) == (403, ann.pk)


def test_writing_needs_the_csrf_token(made):
    client = Client(enforce_csrf_checks=True)
    client.force_login(user("ann"))
    answer = post(client, "rounds/1/judgements/", judgement(made))
    assert (answer.status_code, answer.json()["code"]) == (403, "csrf_failed")


def test_a_lead_runs_a_round_from_draft_to_closed_through_the_api():
    study(slug="campus", annotators=3, items=4)
    client = client_of("lea")
    created = post(client, "rounds/", {"name": "Pilot", "overlap": 2, "seed": 7})
    assert (created.status_code, created.json()["number"]) == (201, 1)
    assert post(client, "rounds/1/draw/", {"size": 3}).json() == {"items": 3}
    assert client_of("ann").get("/api/projects/campus/rounds/1/").status_code == 404
    assert post(client, "rounds/1/open/").json()["status"] == "open"
    progress = client.get("/api/projects/campus/rounds/1/").json()["progress"]
    assert [row["pseudonym"] for row in progress] == ["A2", "A3", "A4"]
    assert sum(row["total"] for row in progress) == 3 * 2 * 10
    own = client_of("ann").get("/api/projects/campus/rounds/1/").json()["progress"]
    assert [row["pseudonym"] for row in own] == ["A2"]
    assert post(client, "rounds/1/close/").json()["status"] == "closed"
    answer = post(client, "rounds/1/close/")
    assert (answer.status_code, answer.json()["code"]) == (409, "round_not_open")
    assert "only an open round closes" in answer.json()["message"]
    assert post(client, "rounds/1/reopen/", {"why": "one was ill"}).json()["status"] == "open"


def test_a_lead_changes_pauses_and_deletes_rounds_through_the_api(made):
    client = client_of("lea")
    here = "/api/projects/campus/rounds"
    changed = client.patch(f"{here}/1/", {"content_warning": "Harsh."}, content_type="application/json")
    assert (changed.status_code, changed.json()["content_warning"]) == (200, "Harsh.")
    refused = client.patch(f"{here}/1/", {"overlap": 1}, content_type="application/json")
    assert (refused.status_code, list(refused.json()["errors"])) == (422, ["overlap"])
    assert post(client, "rounds/1/pause/").json()["paused_at"] is not None
    assert post(client, "rounds/1/resume/").json()["paused_at"] is None
    assert client.delete(f"{here}/1/").json()["code"] == "round_not_draft"
    created = post(client, "rounds/", {"due_on": "2999-12-31"}).json()
    assert (created["number"], created["due_on"]) == (2, "2999-12-31")
    for who in ("ann", "lea"):
        answer = client_of(who).delete(f"{here}/2/")
        assert answer.status_code == {"ann": 403, "lea": 204}[who]
    assert client_of("ann").patch(f"{here}/1/").status_code == 403
    assert [one.number for one in Round.objects.all()] == [1]


def test_a_paused_round_has_a_code_of_its_own_and_the_workspace_is_told(made):
    client = client_of("ann")
    shown = [client.get("/api/projects/campus/rounds/1/workspace/").json()["round"]["paused"]]
    stored = post(client, "rounds/1/judgements/", judgement(made)).json()
    round_pause(made.round, by=made.lead)
    shown.append(client.get("/api/projects/campus/rounds/1/workspace/").json()["round"]["paused"])
    answer = post(client, "rounds/1/judgements/", judgement(made, event_id="e2", base_revision=1))
    assert (answer.status_code, answer.json()["code"]) == (409, "round_paused")
    repeated = post(client, "rounds/1/judgements/", judgement(made)).json()
    assert repeated == {"replayed": True, "row": stored["row"]}
    round_resume(made.round, by=made.lead)
    again = post(client, "rounds/1/judgements/", judgement(made, event_id="e2", base_revision=1))
    assert again.json()["row"]["revision"] == 2
    assert shown == [False, True]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ('{"name":' * 10_000, 400, "parse_error"),
        ('{"seed":' + "9" * 5000 + "}", 400, "parse_error"),
        ('"' + "x" * 10 * 2**20 + '"', 413, "too_large"),
        (r'{"name": "\ud800"}', 422, "invalid"),
        (r'{"name": "a\u0000"}', 422, "invalid"),
        ('{"overlap": -1}', 422, "invalid"),
        ("[]", 422, "invalid"),
    ],
    ids=["deep", "digits", "large", "surrogate", "NUL", "negative", "list"],
)
def test_json_that_cannot_be_is_refused_in_the_one_shape(made, body, status, code):
    answer = client_of("lea").post("/api/projects/campus/rounds/", body, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert Round.objects.count() == 1


def test_a_judgement_after_a_reopening_is_marked(made):
    lead = client_of("lea")
    post(lead, "rounds/1/close/")
    post(lead, "rounds/1/reopen/", {"why": "one was ill"})
    post(client_of("ann"), "rounds/1/judgements/", judgement(made))
    assert TypeAnnotation.objects.get().after_reopening is True


def test_the_schema_documents_every_route_and_the_docs_page_opens():
    client = client_of("lea")
    schema = client.get("/api/schema/?format=json").json()
    described = set(schema["paths"])
    routes = {
        re.sub(r"<\w+:(\w+)>", r"{\1}", str(pattern.pattern))
        for name, pattern in patterns()
        if "api-" in name
    }
    assert {f"/api/{route}" for route in routes} <= described
    assert client.get("/api/docs/").status_code == 200


def test_a_round_of_some_types_on_the_items_of_another_is_made_through_the_api(made):
    client = client_of("lea")
    first, second, third = made.round.type_codes[:3]
    given = {"name": "Again", "types": [second, first], "items_of": 1, "overlap": 2}
    assert post(client, "rounds/", given).json()["types"] == [first, second]
    assert Round.objects.get(number=2).round_items.count() == made.round.round_items.count()
    refused = post(client, "rounds/", {"types": ["ZZ"]})
    assert (refused.status_code, list(refused.json()["errors"])) == (422, ["types"])
    assert post(client, "rounds/", {"items_of": 9}).status_code == 404
    post(client, "rounds/2/open/", {"annotators": ["A2", "A3"]})
    page = client_of("ann").get("/api/projects/campus/rounds/2/units/").json()["results"][0]
    assert page["asked"] == [first, second]
    data = {**judgement(made), "assignment": page["assignment"], "type": third, "event_id": "elsewhere"}
    answer = post(client_of("ann"), "rounds/2/judgements/", data)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_undecided_units_are_reassigned_through_the_api():
    made = study("focus", annotators=2, items=2, slug="campus")
    open_round(made, overlap=1)
    first, second = made.round.type_codes[:2]
    client = client_of("lea")
    given = {"annotator": "A2", "takers": ["A3"], "types": [first, second]}
    assert post(client, "rounds/1/reassign/", given).json() == {"moved": 2, "left_over": 0}
    whole = {"annotator": "A2", "takers": ["A3"]}
    assert post(client, "rounds/1/reassign/", whole).json() == {"moved": 0, "left_over": 1}
    unknown = post(client, "rounds/1/reassign/", {"annotator": "A2", "takers": ["A9"]})
    assert (unknown.status_code, unknown.json()["code"]) == (422, "invalid")


def test_a_draft_is_listed_for_leads_alone(made):
    round_create(project=made.project, member=made.lead)
    for who, names in (("lea", ["Round 1", "Round 2"]), ("ann", ["Round 1"])):
        rounds = client_of(who).get("/api/projects/campus/rounds/").json()
        assert [row["name"] for row in rounds] == names
