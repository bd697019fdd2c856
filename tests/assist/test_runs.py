"""A run asks what was chosen, keeps each answer once, and stops before its budget."""

import pytest
from django.db import IntegrityError, transaction

from annotation.items.withdrawal import item_withdraw
from annotation.models import ProjectEvent
from assist.models import AssistAnswer, AssistRun
from assist.runs.parameters import run_choices
from assist.runs.results import answers_of, labels
from assist.runs.runs import run_cancel, run_preview, run_resume, run_sweep
from core.errors import Refused
from tests.assist.asking import SOURCES, TEXTS, answers, asked, choices, request, said_by_text, work
from tests.exports.endpoint import KEY, Clock, saying, status
from tests.factories import study

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def made():
    return study("focus", annotators=1, items=3, texts=TEXTS, slug="s")


def refused(made, fake, given):
    with pytest.raises(Refused) as refusal:
        run_choices(made.project, {"task": "context", "model": "tiny", "sources": SOURCES, **given})
    return refusal.value.errors


def test_each_text_is_asked_once_and_what_came_is_kept_with_all_that_shaped_it(made, endpoint):
    endpoint.otherwise = said_by_text(
        **{
            "he said": saying("No, it needs the thread.", usage=(40, 6)),
            "otherwise": saying("Yes.", usage=(50, 2)),
        }
    )
    run = asked(made, endpoint, seed=3)
    assert (run.state, run.requests, run.tokens, run.reserved) == ("done", 3, 150, 0)
    assert answers(run) == [
        ("I-1", "usable", "sufficient"),
        ("I-2", "usable", "insufficient"),
        ("I-3", "usable", "sufficient"),
    ]
    row = run.answers.get(item__external_id="I-2")
    assert (row.raw, row.ending, row.model, row.prompt_tokens, row.completion_tokens, row.tries) == (
        "No, it needs the thread.",
        *("stop", "served-1", 40, 6, 1),
    )
    sent = endpoint.asked[0].body
    assert (sent["model"], sent["temperature"], sent["seed"], sent["max_tokens"]) == ("tiny", 0, 3, 100)
    assert "{braces}" in endpoint.asked[0].prompt
    assert labels(run) == {"insufficient": 1, "sufficient": 2}
    logged = ProjectEvent.objects.filter(action__startswith="assistant").order_by("pk")
    assert list(logged.values_list("action", flat=True)) == ["assistant requested", "assistant done"]


def test_an_answer_is_kept_for_task_prompt_model_temperature_seed_and_text_and_not_asked_for_again(
    made, endpoint
):
    endpoint.otherwise = saying("yes")
    asked(made, endpoint)
    for _ in range(2):
        run = asked(made, endpoint)
        assert (run.state, run.requests, len(endpoint.asked)) == ("done", 0, 3)
        assert labels(run) == {"sufficient": 3}
    n = 3
    for other in (
        {"model": "large"},
        {"temperature": 0.5},
        {"seed": 1},
        {"prompt": "Enough? {text} {examples}"},
    ):
        assert asked(made, endpoint, **other).requests == 3
        n += 3
    assert len(endpoint.asked) == n
    endpoint.otherwise = saying("no")
    again = asked(made, endpoint, again=True)
    assert (again.requests, labels(again)) == (3, {"insufficient": 3})
    assert {row.label for row in answers_of(AssistRun.objects.get(number=1))} == {"insufficient"}


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (saying("yes", ending="length"), "cut_off"),
        (saying("yes", ending="content_filter"), "declined"),
        (saying(None, refusal="I will not."), "declined"),
        (saying("It depends"), "not_in_the_form"),
        (saying(f"yes {KEY}"), "repeats_key"),
        (saying("yes", model=f"m-{KEY}"), "repeats_key"),
    ],
)
def test_an_answer_that_is_not_usable_says_why_and_is_not_asked_for_again(made, endpoint, reply, problem):
    endpoint.otherwise = reply
    run = asked(made, endpoint, items=["I-1"])
    assert answers(run) == [("I-1", "unusable", problem)]
    row = run.answers.get()
    assert row.found is None
    assert KEY not in f"{row.raw}{row.model}{row.ending}{row.reason}"
    assert asked(made, endpoint, items=["I-1"]).requests == 0


def test_markup_and_hidden_characters_are_kept_as_they_came_and_read_past(made, endpoint):
    endpoint.otherwise = saying("<think>no?</think>\n**Yes**\x00\u200b")
    run = asked(made, endpoint, items=["I-1"])
    assert answers(run) == [("I-1", "usable", "sufficient")]
    assert run.answers.get().raw == "<think>no?</think>\n**Yes**\ufffd\u200b"


def test_a_request_that_fails_in_passing_is_tried_again_and_counted(made, endpoint):
    clock = Clock()
    endpoint.replies = [status(500), status(429, Retry_After="7"), saying("yes")]
    run = asked(made, endpoint, clock=clock, items=["I-1"])
    assert (answers(run), run.requests) == ([("I-1", "usable", "sufficient")], 3)
    assert 7 in clock.slept


def test_what_had_no_answer_is_asked_for_when_the_run_goes_on(made, endpoint):
    endpoint.otherwise = status(200, b'{"choices": 7}')
    run = asked(made, endpoint, items=["I-1"])
    assert answers(run) == [("I-1", "unanswered", "refused_by_endpoint")]
    endpoint.otherwise = said_by_text(**{"he said": status(503), "otherwise": "yes"})
    run = asked(made, endpoint)
    assert (run.state, run.stopped_by) == ("failed", "endpoint")
    assert run.error == "1 of the texts had no answer. Resume to ask about them again."
    endpoint.otherwise = saying("no")
    run_resume(run=run)
    assert answers(work(run))[1] == ("I-2", "usable", "insufficient")
    assert run.state == "done"


def test_a_wrong_key_stops_a_run_at_once_with_what_the_endpoint_meant(made, endpoint):
    endpoint.otherwise = status(401, KEY.encode())
    run = asked(made, endpoint)
    assert (run.state, run.stopped_by, len(endpoint.asked)) == ("failed", "endpoint", 1)
    assert run.error == "Nothing more was asked: the endpoint does not accept the key (status 401)."


def test_a_budget_of_requests_is_never_passed_and_a_higher_one_goes_on(made, endpoint):
    endpoint.otherwise = saying("yes")
    run = asked(made, endpoint, budget_requests=2)
    assert (run.state, run.stopped_by, len(endpoint.asked)) == ("failed", "budget", 2)
    assert run.error == "The budget of 2 requests is used up. Resume with a higher one to go on."
    with pytest.raises(Refused) as refusal:
        run_resume(run=run)
    assert refusal.value.errors == {"budget_requests": "2 are used already: give more than that."}
    run_resume(run=run, budget_requests=3)
    assert (work(run).state, run.requests, len(endpoint.asked)) == ("done", 3, 3)


def test_tries_count_for_the_budget(made, endpoint):
    endpoint.otherwise = status(500)
    run = asked(made, endpoint, budget_requests=2)
    assert (run.stopped_by, run.requests, len(endpoint.asked)) == ("budget", 2, 2)


def test_a_budget_of_tokens_stops_before_a_request_that_might_pass_it(made, endpoint):
    endpoint.otherwise = saying("yes", usage=(300, 100))
    run = asked(made, endpoint, prompt="{text} {examples}", budget_tokens=1000)
    assert (run.state, run.stopped_by) == ("failed", "budget")
    assert 0 < run.tokens <= 1000
    assert run.tokens == 400 * len(endpoint.asked)
    run_resume(run=run, budget_tokens=100_000)
    assert work(run).state == "done"


def test_an_answer_of_which_the_endpoint_counts_nothing_counts_at_its_worst(made, endpoint):
    endpoint.otherwise = saying("yes")
    run = asked(made, endpoint, items=["I-1"], budget_tokens=100_000)
    assert run.tokens > run.max_tokens


def test_texts_of_sources_that_were_not_ticked_and_of_others_never_leave(made, endpoint):
    made.project.items.filter(external_id="I-1").update(source="secret")
    item_withdraw(item=made.items[1], member=made.lead, why="It is broken.")
    endpoint.otherwise = saying("yes")
    asked(made, endpoint)
    assert [
        ("jobs" in one.prompt, "Parks" in one.prompt, "he said" in one.prompt) for one in endpoint.asked
    ] == [(True, False, False)]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"prompt": "Enough? {text} {colour}"}, "prompt"),
        ({"prompt": "Enough?"}, "prompt"),
        ({"examples": [{"id": "I-77", "answer": "yes"}]}, "examples"),
        ({"examples": [{"id": "I-1", "answer": "perhaps"}]}, "examples"),
        ({"examples": ["I-1"]}, "examples"),
        ({"endpoint": "https://elsewhere.example"}, "endpoint"),
        ({"sources": []}, "sources"),
        ({"sources": ["nowhere"]}, "sources"),
        ({"budget_requests": 0}, "budget_requests"),
        ({"budget_tokens": -1}, "budget_tokens"),
        ({"items": ["I-77"]}, "items"),
        ({"model": ""}, "model"),
        ({"task": "divination"}, "task"),
        ({"mood": "good"}, "mood"),
    ],
)
def test_a_wrong_choice_is_refused_with_its_field_and_nothing_is_sent(made, endpoint, given, field):
    assert list(refused(made, endpoint, given)) == [field]
    assert (endpoint.asked, AssistRun.objects.count()) == ([], 0)


def test_without_an_endpoint_everything_is_off(made, settings, endpoint):
    settings.LLM_ENDPOINTS = []
    assert "ELENCHUS_LLM_ENDPOINTS" in refused(made, endpoint, {})["endpoint"]


def test_an_endpoint_that_is_not_allowed_any_more_gets_nothing(made, settings, endpoint):
    run = request(made, endpoint)
    settings.LLM_ENDPOINTS = []
    work(run)
    assert (run.stopped_by, endpoint.asked) == ("endpoint", [])


def test_an_example_is_shown_and_never_asked_about(made, endpoint):
    endpoint.otherwise = saying("yes")
    run = asked(made, endpoint, examples=[{"id": "I-2", "answer": "No"}])
    assert [answer[0] for answer in answers(run)] == ["I-1", "I-3"]
    assert all("Argument: That is what he said.\nAnswer: no" in one.prompt for one in endpoint.asked)
    assert run.examples == [{"id": "I-2", "answer": "no"}]


def test_a_preview_counts_and_fills_the_first_prompt_and_sends_nothing(made, endpoint):
    found = run_preview(
        project=made.project, choices=choices(made, endpoint, prompt="{text} {examples}", max_tokens=50)
    )
    assert (found["count"], found["kept"], found["answer_tokens_at_most"]) == (3, 0, 150)
    assert found["sources"] == [{"source": "test", "licence": "", "count": 3}]
    assert found["first_prompt"].startswith(TEXTS[0])
    assert found["expected_tokens"] == found["prompt_tokens"] + 150
    assert (endpoint.asked, AssistRun.objects.count()) == ([], 0)


def test_one_run_at_a_time_and_a_cancelled_one_stores_nothing_more(made, endpoint):
    run = request(made, endpoint)
    with pytest.raises(Refused, match="at work already"):
        request(made, endpoint)
    run_cancel(run=run, by=made.lead)
    assert (work(run).state, endpoint.asked) == ("cancelled", [])
    with pytest.raises(Refused, match="has ended already"):
        run_cancel(run=run, by=made.lead)
    endpoint.otherwise = saying("yes")
    run_resume(run=run)
    assert work(run).state == "done"
    with pytest.raises(Refused, match="is done"):
        run_resume(run=run)


def test_a_run_that_no_worker_took_is_sent_again(made, endpoint):
    run = request(made, endpoint)
    AssistRun.objects.update(enqueued_at="2026-01-01T00:00:00Z")
    assert run_sweep() == [run.pk]


def test_the_database_keeps_what_was_asked_and_answered(made, endpoint):
    endpoint.otherwise = saying("yes")
    run = asked(made, endpoint)
    row = run.answers.first()
    for change in (
        lambda: AssistAnswer.objects.filter(pk=row.pk).update(label="insufficient"),
        lambda: AssistAnswer.objects.filter(pk=row.pk)._raw_delete("default"),
        lambda: AssistRun.objects.update(model="other"),
        lambda: AssistRun.objects.update(prompts={"": "other"}),
        lambda: AssistRun.objects.update(budget_requests=1, requests=2),
        lambda: AssistRun.objects.filter(pk=run.pk)._raw_delete("default"),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            change()
    twin = AssistAnswer.objects.get(pk=row.pk)
    twin.pk, twin.run = (
        None,
        AssistRun.objects.create(
            **{**choices(made, endpoint).to_row(), "project": made.project, "number": 9, "state": "done"},
            finished_at=row.answered_at,
        ),
    )
    with pytest.raises(IntegrityError), transaction.atomic():
        twin.save()
