"""Suggestions on pages and over the API: chosen as a round opens, shown by half, split in the report."""

import json

import pytest
from django.urls import reverse

from agreement.computation.compute import report_compute
from agreement.computation.requests import report_request
from annotation.judging.recording import Seen
from annotation.models import Round, Suggestion
from annotation.rounds.lifecycle import round_create, round_draw
from tests.factories import NO, assignment_of, close, focus_study, record, study, yes
from tests.factories.suggestions import ENDPOINT, focus_run, suggesting_round
from tests.pages import html_of

pytestmark = pytest.mark.django_db

WORDS = "The library should stay open all night."


@pytest.fixture(autouse=True)
def endpoint(settings):
    settings.LLM_ENDPOINTS = [ENDPOINT]


@pytest.fixture
def made():
    made = study(annotators=2, items=2)
    focus_run(made, {"LE": WORDS})
    made.round = draft(made, "main")
    return made


def draft(made, purpose: str) -> Round:
    drafted = round_create(project=made.project, purpose=purpose, overlap=2, member=made.lead, name=purpose)
    round_draw(drafted, member=made.lead)
    return drafted


def address(made, name="round_open") -> str:
    return reverse(name, args=[made.project.slug, made.round.number])


def opened(made, client, **choice):
    client.force_login(made.lead.user)
    people = [member.pk for member in made.annotators]
    answer = client.post(address(made), {"choose": "1", "annotators": people, **choice}, follow=True)
    made.round.refresh_from_db()
    return html_of(answer)


def test_a_lead_opens_a_round_with_half_of_the_suggestions_shown(made, client):
    client.force_login(made.lead.user)
    page = html_of(client.get(address(made)))
    assert "Run 1: tiny" in page
    assert '<option value="" selected>No suggestions</option>' in page
    page = opened(made, client, run="1", shown="half")
    assert (made.round.status, made.round.suggestions, made.round.suggestion_run) == ("open", "half", 1)
    assert made.round.suggested.filter(shown=True).count() == 10
    assert "run 1 by tiny, shown at half of the units, at random" in page


def test_nothing_picked_is_none(made, client):
    opened(made, client, run="", shown="half")
    assert (made.round.status, made.round.suggestions) == ("open", "")
    assert not Suggestion.objects.exists()


def test_a_run_that_is_not_offered_is_refused_and_nothing_is_opened(made, client):
    page = opened(made, client, run="9", shown="half")
    assert made.round.status == "draft"
    assert "9 is not one of the available choices" in page


@pytest.mark.parametrize("why", ["calibration", "no endpoint"])
def test_where_there_can_be_none_the_page_offers_none(made, client, settings, why):
    if why == "calibration":
        made.round = draft(made, "calibration")
    else:
        settings.LLM_ENDPOINTS = []
    client.force_login(made.lead.user)
    assert "Suggestions" not in html_of(client.get(address(made)))


def test_the_api_opens_with_them_and_refuses_with_the_field(made, client):
    client.force_login(made.lead.user)
    path = f"/api/projects/{made.project.slug}/rounds/{made.round.number}/open/"

    def post(given):
        return client.post(path, json.dumps(given), content_type="application/json")

    refused = post({"suggestions": {"run": 9}})
    assert (refused.status_code, list(refused.json()["errors"])) == (422, ["suggestions"])
    answer = post({"suggestions": {"run": 1, "shown": "all"}})
    assert answer.status_code == 200, answer.content
    assert (answer.json()["suggestions"], answer.json()["suggestion_run"]) == ("all", 1)


def test_the_api_stores_what_was_visible_and_refuses_what_was_not(made, client):
    suggesting_round(made, made.project.assist_runs.get(), "half", name="Second")
    ann, item = made.annotators[0], made.items[0]
    client.force_login(ann.user)
    of_item = made.round.suggested.filter(item=item, applicable=False)
    shown, hidden = (of_item.filter(shown=one).first() for one in (True, False))
    path = f"/api/projects/{made.project.slug}/rounds/{made.round.number}/judgements/"

    def post(one, event):
        sent = {
            "assignment": assignment_of(made.round, ann, item).pk,
            "type": one.type_code,
            "answer": NO,
            "base_revision": 0,
            "event_id": event,
            "suggestion": {"id": one.pk, "taken": True},
        }
        return client.post(path, json.dumps(sent), content_type="application/json")

    row = post(shown, "one").json()["row"]
    assert (row["suggestion"], row["suggestion_taken"]) == (shown.pk, True)
    refused = post(hidden, "two")
    assert (refused.status_code, list(refused.json()["errors"])) == (422, ["suggestion"])


def test_no_page_or_answer_of_an_annotator_has_the_hidden_half_or_a_run(made, client):
    suggesting_round(made, made.project.assist_runs.get(), "half", name="Second")
    hidden = made.round.suggested.filter(shown=False)
    slug, number = made.project.slug, made.round.number
    plain = focus_study(annotators=1, items=1)
    focus_run(plain, {"LE": WORDS})
    client.force_login(made.annotators[0].user)
    base = f"/api/projects/{slug}/rounds/{number}"
    told = [
        client.get(path).content.decode()
        for path in (
            f"{base}/workspace/",
            f"{base}/units/?after=0",
            f"{base}/outline/",
            f"{base}/",
            f"/p/{slug}/",
            reverse("my_decisions", args=[slug, number]),
            reverse("workspace", args=[slug, number]),
        )
    ]
    units = json.loads(told[1])["results"]
    seen = {one["id"] for text in units for one in text["suggestions"].values()}
    assert seen == set(made.round.suggested.filter(shown=True).values_list("pk", flat=True))
    assert not seen & set(hidden.values_list("pk", flat=True))
    theirs = f"/api/projects/{plain.project.slug}/rounds/{plain.round.number}/units/?after=0"
    assert "suggestion" not in client.get(theirs).content.decode()


def test_the_agreement_page_warns_and_tells_the_anchoring(made, client):
    suggesting_round(made, made.project.assist_runs.get(), "half", name="Second")
    for one in made.round.suggested.select_related("item"):
        for member in made.annotators:
            if one.shown:
                record(
                    made.round,
                    member,
                    one.item,
                    one.type_code,
                    yes(one.item, one.quote) if one.quote else NO,
                    seen=Seen(one.pk, taken=True),
                )
            else:
                record(made.round, member, one.item, one.type_code, yes(one.item, one.item.text[:5]))
    close(made)
    report_compute(report_id=report_request(round=made.round, parameters={"replicates": 100}).pk)
    client.force_login(made.lead.user)
    page = html_of(client.get(address(made, "agreement")))
    assert "This round mixes judgements with and without a suggestion in sight." in page
    assert "Annotators were shown what tiny answered at 10 of 20 units that it answered." in page
    assert "20 answers were taken from it." in page
    assert 'id="suggestions"' in page
    plain = focus_study(annotators=2, items=1)
    close(plain)
    report_compute(report_id=report_request(round=plain.round, parameters={"replicates": 100}).pk)
    assert 'id="suggestions"' not in html_of(client.get(address(plain, "agreement")))
