"""The page Assistants: what would be sent, the run, what came of it, and candidate questions, for leads."""

import re

import pytest

from annotation.models import Question
from assist.models import AssistRun
from tests.assist.asking import TEXTS, work
from tests.conftest import client_of
from tests.exports.endpoint import saying
from tests.factories import close, open_round, study

pytestmark = pytest.mark.django_db

PAGE = "/p/s/assistants/"


@pytest.fixture
def made():
    return study("context_sufficiency", annotators=2, items=3, texts=TEXTS, slug="s")


def text(response):
    return " ".join(response.content.decode().split())


def given(endpoint, task="context", **more):
    return {
        "task": task,
        "endpoint": endpoint.url,
        "model": "tiny",
        "sources": ['["test", ""]'],
        "tokens_field": "max_tokens",
        "temperature": "0",
        **more,
    }


def start(client, endpoint, **more):
    asked = {**given(endpoint, **more), "act": "start", "texts_may_leave": "on"}
    response = client.post(PAGE, asked)
    assert response.status_code == 302, text(response)
    return work(AssistRun.objects.order_by("-number").first())


def test_without_an_endpoint_the_page_says_how_to_switch_it_on(made, lead_client):
    page = text(lead_client.get(PAGE))
    assert "This installation names no language model" in page
    assert "<textarea" not in page


def test_what_would_be_sent_is_shown_first_and_needs_a_confirmation(made, endpoint, lead_client):
    page = text(lead_client.post(PAGE, {**given(endpoint), "act": "preview"}))
    assert "<b>3</b> would be asked" in page
    assert "Parks make people happy because they can rest. {braces}" in page
    page = text(lead_client.post(PAGE, {**given(endpoint), "act": "start"}))
    assert "Confirm this before anything is sent." in page
    assert (endpoint.asked, AssistRun.objects.count()) == ([], 0)


def test_a_wrong_choice_stands_at_its_field(made, endpoint, lead_client):
    page = text(lead_client.post(PAGE, {**given(endpoint, prompt="Enough?"), "act": "preview"}))
    assert "Write {text} where it goes: context needs it." in page
    page = text(lead_client.post(PAGE, {**given(endpoint, items="I-77"), "act": "preview"}))
    assert "I-77 is no item of this project." in page
    page = text(lead_client.post(PAGE, {**given(endpoint), "act": "preview", "sources": []}))
    assert "Tick at least one source" in page


def test_all_wrong_choices_are_told_at_once_each_at_its_field_and_once(made, endpoint, lead_client):
    wrong = {"model": "", "sources": [], "prompt": "Enough?", "examples": "I-88", "items": "I-77"}
    page = lead_client.post(PAGE, {**given(endpoint, **wrong, per_minute="0"), "act": "start"})
    told = {name: words for name in _FIELDS if (words := re.findall(_PROBLEM % name, page.content.decode()))}
    assert told == {
        "model": ["This field is required."],
        "sources": ["Tick at least one source whose texts may be sent."],
        "prompt": ["Write {text} where it goes: context needs it."],
        "examples": ["I-88 is no item of this project."],
        "items": ["I-77 is no item of this project."],
        "per_minute": ["Ensure this value is greater than or equal to 1."],
    }
    assert (endpoint.asked, AssistRun.objects.count()) == ([], 0)
    page = lead_client.post(PAGE, {**given(endpoint, task="none", prompt="Enough?"), "act": "preview"})
    assert re.findall(_PROBLEM % "task", page.content.decode()) == [
        "Select a valid choice. none is not one of the available choices."
    ]


_FIELDS = (
    *("task", "endpoint", "model", "sources", "budget_requests", "budget_tokens"),
    *("prompt", "examples", "items"),
    *("per_minute", "max_tokens", "timeout", "temperature", "seed", "tokens_field", "again"),
)
_PROBLEM = r'id="id_%s_problem">\s*<ul class="errorlist"[^>]*><li>([^<]*)</li></ul>'


def test_a_run_is_followed_cancelled_and_resumed_with_a_higher_budget(made, endpoint, lead_client):
    endpoint.otherwise = saying("yes")
    run = start(lead_client, endpoint, budget_requests="1")
    page = text(lead_client.get(f"{PAGE}runs/1/"))
    assert "The budget of 1 requests is used up." in page
    assert "stopped by the budget" in page
    assert "stopped by an error" not in page + text(lead_client.get(PAGE))
    assert "Until now 1. Left empty it stays so." in page
    assert "Until now without a limit. Left empty it stays so." in page
    assert "there is no limit" not in page
    page = text(lead_client.post(f"{PAGE}runs/1/", {"act": "resume", "budget_requests": "1"}))
    assert "1 are used already: give more than that." in page
    lead_client.post(f"{PAGE}runs/1/", {"act": "resume", "budget_requests": "9"})
    assert "The run waits for a worker" in text(lead_client.get(f"{PAGE}runs/1/"))
    assert "The run is cancelled" in text(lead_client.post(f"{PAGE}runs/1/", {"act": "cancel"}, follow=True))
    assert lead_client.get(f"{PAGE}runs/1/progress/").headers["HX-Refresh"] == "true"
    lead_client.post(f"{PAGE}runs/1/", {"act": "resume"})
    assert work(run).state == "done"
    page = text(lead_client.get(PAGE))
    assert ">Run 1</a>" in page


def test_why_answers_are_not_usable_is_said_in_words(made, endpoint, lead_client):
    endpoint.otherwise = lambda one: saying("Perhaps." if "he said.\n\nAnswer" in one.prompt else "Yes.")
    start(lead_client, endpoint)
    page = text(lead_client.get(f"{PAGE}runs/1/"))
    assert "Not usable because: not in the form that was asked for (1)</p>" in page
    assert "not_in_the_form" not in page


def test_a_filter_shows_both_kinds_and_draws_for_people_who_see_nothing_of_it(made, endpoint, lead_client):
    endpoint.otherwise = lambda one: saying("No." if "he said.\n\nAnswer" in one.prompt else "Yes.")
    start(lead_client, endpoint)
    page = text(lead_client.get(f"{PAGE}runs/1/"))
    passed, refused = page.split("Refused, at random")
    assert ("That is what he said." in refused, "Taxes fell" in passed) == (True, True)
    asked = lead_client.post(f"{PAGE}runs/1/", {"act": "draw", "passed": "2", "share": "1", "seed": "0"})
    assert asked["Location"] == "/p/s/rounds/1/"
    assert "The figures come when the round is closed." in text(lead_client.get(f"{PAGE}runs/1/"))
    ann = client_of("ann")
    assert ann.get(PAGE).status_code == 403
    assert ann.get(f"{PAGE}runs/1/").status_code == 403


def test_candidates_are_kept_edited_and_made_and_a_scheme_is_filled(endpoint, lead_client):
    made = study("cqs_gen", annotators=1, items=1, questions=0, slug="s")
    item = made.items[0]
    address = f"{PAGE}items/{item.pk}/"
    endpoint.otherwise = saying("Who says so?\nWhy?")
    start(lead_client, endpoint, task="questions")
    lead_client.post(f"{PAGE}runs/1/", {"act": "collect"})
    assert address in text(lead_client.get(PAGE))
    page = text(lead_client.get(f"{address}?scheme=sign"))
    assert page.count("Near repeats") == 2
    assert "&lt;eventB&gt;" in page
    filled = {"act": "fill", "scheme": _pk("sign"), "<eventA>": "It rains", "<eventB>": ""}
    assert "Some slots have no words yet." in text(lead_client.post(address, filled))
    lead_client.post(address, {**filled, "<eventB>": "roads are wet"})
    rows = list(item.proposed_questions.order_by("pk"))
    assert [row.origin for row in rows] == ["tiny"] * 4 + ["theory"] * 3
    decided = {f"state-{row.pk}": "dropped" for row in rows} | {f"state-{rows[0].pk}": "kept"}
    lead_client.post(address, {"act": "decide", **decided, f"text-{rows[0].pk}": "Who really says so?"})
    page = text(lead_client.post(address, {"act": "make", "seed": "1"}, follow=True))
    assert "1 question was made." in page
    assert Question.objects.get().text == "Who really says so?"


def test_candidates_stay_hidden_from_a_lead_who_judges_the_text(endpoint, lead_client):
    made = study("cqs_gen", annotators=1, items=1, questions=1, slug="s")
    made.lead.is_annotator = True
    made.lead.save()
    made.annotators.append(made.lead)
    open_round(made)
    assert lead_client.get(f"{PAGE}items/{made.items[0].pk}/").status_code == 409
    close(made)
    assert lead_client.get(f"{PAGE}items/{made.items[0].pk}/").status_code == 200


def _pk(code):
    from assist.models import Scheme

    return Scheme.objects.get(code=code).pk


def test_a_run_that_proposed_nothing_offers_nothing_to_take_in(endpoint, lead_client):
    made = study("cqs_gen", annotators=1, items=1, questions=0, slug="s")
    endpoint.otherwise = saying("None.")
    start(lead_client, endpoint, task="questions")
    page = text(lead_client.get(f"{PAGE}runs/1/"))
    assert "no question in it" in page and "Take in what it proposes" not in page
    assert 'Sources whose texts were sent: <span translate="no">test</span>' in page
    endpoint.otherwise = saying("Who says so?")
    start(lead_client, endpoint, task="questions", again="on")
    assert "Take in what it proposes" in text(lead_client.get(f"{PAGE}runs/2/"))
    assert made.project.assist_runs.count() == 2


def test_a_label_stands_under_the_words_of_its_question_and_no_key_of_the_database(endpoint, lead_client):
    made = study("cqs_gen", annotators=1, items=1, questions=2, slug="s")
    endpoint.otherwise = saying("Useful")
    start(lead_client, endpoint, task="question_labels")
    page = text(lead_client.get(f"{PAGE}runs/1/"))
    for question in Question.objects.filter(item=made.items[0]):
        assert f">{question.text}</p>" in page
        assert f"· {question.pk}</h3>" not in page
