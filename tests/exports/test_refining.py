"""Questions of gold spans are reworded by a model, once each, whatever happens to endpoint and workers."""

import json
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotation.errors import Refused
from annotation.models import ProjectEvent
from exports import refinement_work as work
from exports import tasks
from exports.models import QuestionRefinement, RefinementRun
from exports.refinable import questions_count, questions_table, refinable_selection
from exports.refinement_choices import refinement_choices
from exports.refinement_work import refinement_work
from exports.refining import (
    refined_reject,
    refined_restore,
    refinement_cancel,
    refinement_request,
    refinement_sweep,
)
from tests.exports.endpoint import KEY, Clock, saying, status
from tests.exports.studies import adjudicate, close, cqs_study, focus_study, judge
from tests.factories import yes

pytestmark = [pytest.mark.django_db, pytest.mark.database]

SOURCES = [["test", ""]]
TEXTS = ("Parks make people happy. {type}", "The tax is the cause.", "Everyone's grades fell.")
TEMPLATE = "Could you explain or elaborate"


@pytest.fixture
def made():
    """Three items, each with one gold span of “Lacks Evidence”."""
    made = focus_study(annotators=2, items=3, texts=TEXTS, slug="s")
    for item in made.items:
        judge(made, item, {"LE": [yes(item, item.text[:12])] * 2})
    close(made)
    return made


def request(made, asked, /, **choices):
    given = {"endpoint": asked.url, "model": "tiny", "sources": SOURCES, "prompt": "{question}", **choices}
    return refinement_request(
        project=made.project, choices=refinement_choices(given), texts_may_leave=True, by=made.lead
    )


def refine(made, endpoint, clock=None, **choices):
    run = request(made, endpoint, **choices)
    assert refinement_work(run_id=run.pk, timing=(clock or Clock()).timing) is False
    run.refresh_from_db()
    return run


def rows(**filters):
    return list(QuestionRefinement.objects.filter(**filters).order_by("pk"))


@pytest.fixture
def meanwhile(monkeypatch):
    """Let something happen while a question is under way, here and not in the endpoint's thread."""
    real, acts = work.answer_ask, []

    def answer(*arguments, **options):
        found = real(*arguments, **options)
        act = acts.pop(0) if acts else None
        if act:
            act()
        return found

    monkeypatch.setattr(work, "answer_ask", answer)
    return acts.extend


def test_every_gold_span_is_asked_about_once_and_the_answer_stored_beside_the_template(made, endpoint):
    endpoint.otherwise = lambda asked: saying(f"Reworded: {asked.prompt[:-1]} {len(endpoint.asked)}?")
    run = refine(made, endpoint)
    assert (run.state, run.progress_done, run.progress_total, run.error) == ("done", 3, 3, "")
    found = rows()
    assert [row.item_id for row in found] == [item.pk for item in made.items]
    first = found[0]
    assert (first.type_code, first.start, first.end) == ("LE", 0, 12)
    assert first.question_template == endpoint.asked[0].prompt
    assert first.question == f"Reworded: {first.question_template[:-1]} 1?"
    assert (first.state, first.model, first.tries, first.reason) == ("refined", "served-1", 1, "")


def test_the_request_has_what_was_chosen_and_the_prompt_filled_and_nothing_else(made, endpoint):
    refine(
        made, endpoint, prompt="{type}|{span}|{argument}|{question}", seed=7, max_tokens=50, max_questions=1
    )
    (asked,) = endpoint.asked
    template = rows()[0].question_template
    assert asked.body == {
        "model": "tiny",
        "messages": [
            {"role": "user", "content": f"Lacks Evidence|Parks make p|{TEXTS[0]}|{template}"},
        ],
        "max_tokens": 50,
        "temperature": 0.0,
        "seed": 7,
    }


def test_what_an_endpoint_does_not_know_is_not_sent_to_it(made, endpoint):
    refine(made, endpoint, temperature=None, tokens_field="max_completion_tokens", max_questions=1)
    assert set(endpoint.asked[0].body) == {"model", "messages", "max_completion_tokens"}


def test_the_key_is_in_no_row_and_no_log(made, endpoint, caplog, tmp_path):
    endpoint.replies = [
        status(400, f"wrong key {KEY}".encode()),
        saying(f"Is it {KEY}?"),
        saying("Why?", model=f"m-{KEY}"),
    ]
    caplog.set_level("DEBUG")
    refine(made, endpoint)
    assert [(row.state, row.reason) for row in rows()] == [
        ("failed", "the endpoint answered with status 400"),
        ("refused", "it repeats the key of the endpoint"),
        ("refused", "it repeats the key of the endpoint"),
    ]
    assert all(asked.headers["Authorization"] == f"Bearer {KEY}" for asked in endpoint.asked)
    call_command("dumpdata", "exports", "annotation", output=str(tmp_path / "all.json"))
    assert KEY not in (tmp_path / "all.json").read_text()
    assert KEY not in caplog.text


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (saying("Parks do."), "it does not end with a question mark"),
        (saying("Why do parks", ending="length"), "it was cut off at the limit of tokens"),
        (saying("Why?", ending="content_filter"), "the endpoint filtered it"),
        (saying(None, refusal="No."), "the model declined"),
        (saying("  \n"), "it is empty"),
    ],
)
def test_an_answer_that_is_no_question_is_stored_as_refused_with_the_reason(made, endpoint, reply, reason):
    endpoint.otherwise = reply
    assert refine(made, endpoint).state == "done"
    assert {(row.state, row.question, row.reason) for row in rows()} == {("refused", "", reason)}


def test_the_endpoint_is_asked_no_faster_than_chosen(made, endpoint):
    clock = Clock()
    refine(made, endpoint, clock, per_minute=20)
    assert clock.slept == [3, 3]


def test_a_second_try_keeps_the_pace_too(made, endpoint):
    clock = Clock()
    endpoint.replies = [status(429, Retry_After="1")]
    refine(made, endpoint, clock, per_minute=20)
    assert clock.slept == [1, 2, 3, 3]


def test_a_run_asks_no_more_than_its_limit_and_the_next_one_goes_on(made, endpoint):
    counted = questions_count(
        questions_table(refinable_selection(made.project)),
        sources=(("test", ""),),
        again=False,
        max_questions=2,
    )
    assert (counted.questions, counted.refined, counted.asked, counted.left_over) == (3, 0, 2, 1)
    refine(made, endpoint, max_questions=2)
    assert [row.item_id for row in rows()] == [item.pk for item in made.items[:2]]
    refine(made, endpoint, max_questions=2)
    assert [row.item_id for row in rows(run__number=2)] == [made.items[2].pk]
    assert len(endpoint.asked) == 3


def test_what_failed_or_was_refused_is_asked_by_the_next_run_and_what_is_refined_is_not(made, endpoint):
    endpoint.replies = [saying("No."), status(400), saying("Why?")]
    refine(made, endpoint)
    refine(made, endpoint)
    assert [row.item_id for row in rows(run__number=2)] == [item.pk for item in made.items[:2]]
    refine(made, endpoint, again=True)
    assert len(rows(run__number=3)) == 3


def test_a_rejected_question_is_not_asked_again_unless_wanted(made, endpoint):
    refine(made, endpoint)
    refined_reject(refinement=rows()[0], by=made.lead)
    refine(made, endpoint)
    assert len(endpoint.asked) == 3
    refine(made, endpoint, again=True)
    assert len(endpoint.asked) == 6


def test_only_texts_of_the_ticked_sources_are_sent_and_never_a_withdrawn_one(made, endpoint):
    first, second, third = made.items
    first.licence = "all rights reserved"
    first.save()
    second.withdrawn_at, second.withdrawn_reason = timezone.now(), "private"
    second.save()
    counted = questions_count(
        questions_table(refinable_selection(made.project)),
        sources=(("test", ""),),
        again=False,
        max_questions=9,
    )
    assert (counted.questions, counted.not_sent, counted.asked) == (2, 1, 1)
    refine(made, endpoint)
    assert [asked.prompt for asked in endpoint.asked] == [rows()[0].question_template]
    assert rows()[0].item == third


def test_an_item_withdrawn_while_the_run_works_is_not_sent(made, endpoint, meanwhile):
    second = made.project.items.filter(pk=made.items[1].pk)
    meanwhile([lambda: second.update(withdrawn_at=timezone.now(), withdrawn_reason="private")])
    run = refine(made, endpoint)
    assert [row.item for row in rows()] == [made.items[0], made.items[2]]
    assert (run.state, run.progress_done, run.progress_total) == ("done", 2, 2)


def test_a_text_with_a_placeholder_in_it_is_sent_as_it_is(made, endpoint):
    refine(made, endpoint, prompt="{argument} {question}")
    assert endpoint.asked[0].prompt.startswith("Parks make people happy. {type} ")


def test_a_wrong_key_stops_the_run_at_once_and_says_so(made, endpoint):
    endpoint.otherwise = status(401)
    run = refine(made, endpoint)
    assert run.state == "failed"
    assert run.error == "Nothing more was asked: the endpoint does not accept the key (status 401)."
    assert (len(endpoint.asked), rows()) == (1, [])


def test_a_run_stops_when_nothing_is_answered_any_more(made, endpoint, monkeypatch):
    monkeypatch.setattr(work, "STOP_AFTER", 2)
    endpoint.otherwise = status(400)
    run = refine(made, endpoint)
    assert run.state == "failed"
    assert run.error == (
        "2 questions in a row had no answer. The last time the endpoint answered with status 400."
    )
    assert (len(endpoint.asked), len(rows(state="failed"))) == (2, 2)


def test_an_endpoint_that_the_installation_does_not_name_is_never_asked(made, endpoint, settings):
    with pytest.raises(Refused, match="does not name this endpoint"):
        request(made, endpoint, endpoint="http://169.254.169.254/v1")
    run = request(made, endpoint)
    settings.LLM_ENDPOINTS = []
    assert refinement_work(run_id=run.pk, timing=Clock().timing) is False
    run.refresh_from_db()
    assert run.state == "failed"
    assert "ELENCHUS_LLM_ENDPOINTS of the worker does not name 127.0.0.1" in run.error
    assert endpoint.asked == []


def test_nothing_is_sent_before_a_lead_confirms_that_texts_may_leave(made, endpoint):
    given = {"endpoint": endpoint.url, "model": "tiny", "sources": SOURCES}
    with pytest.raises(Refused) as refusal:
        refinement_request(
            project=made.project, choices=refinement_choices(given), texts_may_leave=False, by=made.lead
        )
    assert set(refusal.value.errors) == {"texts_may_leave"}
    assert not RefinementRun.objects.exists()


@pytest.mark.parametrize(
    ("choice", "value", "words"),
    [
        ("model", " ", "the model's name"),
        ("model", "a\nb", "the model's name"),
        ("prompt", "Reword this.", "Write {question}"),
        ("temperature", 3, "from 0 to 2"),
        ("temperature", True, "from 0 to 2"),
        ("seed", -1, "from 0"),
        ("max_tokens", 1, "from 16 to 32000"),
        ("timeout", 600, "from 5 to 120"),
        ("per_minute", 0, "from 1 to 600"),
        ("max_questions", 10_001, "from 1 to 10000"),
        ("tokens_field", "stream", "max_tokens, max_completion_tokens"),
        ("again", "yes", "true or false"),
        ("sources", [], "at least one source"),
        ("sources", ["test"], "at least one source"),
        ("api_key", "x", "no such choice"),
    ],
)
def test_a_choice_that_cannot_be_is_refused_by_name(made, endpoint, choice, value, words):
    with pytest.raises(Refused) as refusal:
        request(made, endpoint, **{choice: value})
    assert set(refusal.value.errors) == {choice}
    assert words in refusal.value.errors[choice]


def test_a_source_that_no_item_has_is_refused(made, endpoint):
    with pytest.raises(Refused, match="No item of the closed rounds has the source 'other'"):
        request(made, endpoint, sources=[["other", ""]])


def test_questions_of_the_other_protocol_have_no_spans_to_refine(endpoint):
    with pytest.raises(Refused, match="Only the questions of gold spans can be refined"):
        request(cqs_study(annotators=1), endpoint)


def test_one_run_at_a_time_works_on_a_project(made, endpoint):
    request(made, endpoint)
    with pytest.raises(Refused, match="A run is at work already"):
        request(made, endpoint)
    assert RefinementRun.objects.count() == 1


def test_a_second_worker_that_is_sent_the_same_run_leaves_it_alone(made, endpoint, meanwhile):
    run = request(made, endpoint)
    meanwhile([lambda: refinement_work(run_id=run.pk, timing=Clock().timing)])
    refinement_work(run_id=run.pk, timing=Clock().timing)
    assert (len(endpoint.asked), len(rows())) == (3, 3)


def test_a_late_worker_whose_lease_ran_out_stores_nothing_more(made, endpoint, meanwhile):
    run = request(made, endpoint)

    def taken_over():
        RefinementRun.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        assert refinement_sweep() == [run.pk]
        refinement_work(run_id=run.pk, timing=Clock().timing)

    meanwhile([taken_over])
    endpoint.replies = [saying("Too late?")]
    refinement_work(run_id=run.pk, timing=Clock().timing)
    assert [row.question for row in rows()] == ["What shows that?"] * 3
    run.refresh_from_db()
    assert run.state == "done"


def test_after_a_while_the_worker_hands_the_run_back_and_the_next_one_goes_on(made, endpoint, monkeypatch):
    monkeypatch.setattr(work, "SLICE", 25.0)
    run = request(made, endpoint, per_minute=2)
    clock = Clock()
    assert refinement_work(run_id=run.pk, timing=clock.timing) is True
    run.refresh_from_db()
    assert (run.state, run.progress_done, run.progress_total, run.attempts) == ("queued", 2, 3, 0)
    assert refinement_work(run_id=run.pk, timing=clock.timing) is False
    assert [row.item_id for row in rows()] == [item.pk for item in made.items]


def test_the_task_sends_the_rest_of_a_run_to_the_queue_again(monkeypatch):
    answers, sent = [True, False], []
    monkeypatch.setattr("exports.refinement_work.refinement_work", lambda run_id: answers.pop(0))
    monkeypatch.setattr(tasks.refine_questions, "delay", sent.append)
    tasks.refine_questions(7)
    tasks.refine_questions(8)
    assert sent == [7]


def test_the_sweep_sends_what_waits_too_long_and_gives_up_on_a_run_that_kills_its_workers(
    made, endpoint, monkeypatch
):
    sent = []
    monkeypatch.setattr(tasks.refine_questions, "delay", sent.append)
    run = request(made, endpoint)
    tasks.sweep_refinements()
    assert sent == []
    past = timezone.now() - timedelta(minutes=2)
    RefinementRun.objects.update(enqueued_at=past)
    tasks.sweep_refinements()
    assert sent == [run.pk]
    RefinementRun.objects.update(state="running", attempt="x", attempts=3, lease_until=past)
    tasks.sweep_refinements()
    run.refresh_from_db()
    assert (sent, run.state) == ([run.pk], "failed")
    assert "stopped 3 times without a new answer" in run.error


def test_a_cancelled_run_stores_nothing_more_and_keeps_what_it_has(made, endpoint, meanwhile):
    run = request(made, endpoint)
    meanwhile([None, lambda: refinement_cancel(run=run, by=made.lead)])
    endpoint.replies = [saying("Why?"), saying("Too late?")]
    assert refinement_work(run_id=run.pk, timing=Clock().timing) is False
    run.refresh_from_db()
    assert (run.state, [row.question for row in rows()]) == ("cancelled", ["Why?"])
    assert len(endpoint.asked) == 2
    with pytest.raises(Refused, match="has ended already"):
        refinement_cancel(run=run, by=made.lead)
    refine(made, endpoint)
    assert len(rows()) == 3


def test_an_unexpected_error_is_kept_without_its_message(made, endpoint, monkeypatch):
    def broken(_run):
        return iter([{}["Everyone's grades fell"]])

    monkeypatch.setattr(work, "questions_waiting", broken)
    run = refine(made, endpoint)
    assert run.state == "failed"
    assert run.error.startswith("KeyError in ")
    assert "grades" not in run.error


def test_the_log_says_who_asked_whom_for_what_and_what_came_of_it(made, endpoint):
    endpoint.replies = [saying("No."), saying("Why?"), status(400)]
    refine(made, endpoint)
    row = rows(state="refined")[0]
    refined_reject(refinement=row, by=made.lead)
    refined_restore(refinement=row, by=made.lead)
    events = ProjectEvent.objects.filter(action__contains="refine").order_by("pk")
    host = endpoint.url.split("/")[2]
    about = {"item": "I-2", "type": "LE", "run": 1}
    assert [(event.action, event.details, event.member) for event in events] == [
        (
            "refinement requested",
            {"run": 1, "endpoint": host, "model": "tiny", "sources": ["test"], "questions_at_most": 1000},
            made.lead,
        ),
        ("refinement done", {"run": 1, "refined": 1, "refused": 1, "failed": 1}, made.lead),
        ("refined question rejected", about, made.lead),
        ("refined question restored", about, made.lead),
    ]


def test_only_a_standing_refined_question_can_be_rejected_and_once(made, endpoint):
    endpoint.replies = [saying("No.")]
    refine(made, endpoint)
    refused, refined, _ = rows()
    with pytest.raises(Refused, match="rejected already, or has nothing"):
        refined_reject(refinement=refused, by=made.lead)
    refined_reject(refinement=refined, by=made.lead)
    with pytest.raises(Refused, match="rejected already"):
        refined_reject(refinement=refined, by=made.lead)
    assert QuestionRefinement.objects.get(pk=refined.pk).rejected_by == made.lead


def test_the_database_keeps_what_was_asked_and_answered(made, endpoint):
    run = refine(made, endpoint)
    other = focus_study(annotators=1, items=1)
    row = rows()[0]
    free = {"state", "progress_done", "progress_total", "attempt", "attempts", "lease_until", "error"}
    values = {
        "project": other.project,
        "number": 9,
        "member": None,
        "endpoint": "x",
        "model": "x",
        "prompt": "x",
        "temperature": None,
        "seed": 1,
        "tokens_field": "max_completion_tokens",
        "max_tokens": 9,
        "timeout": 9,
        "per_minute": 9,
        "max_questions": 9,
        "again": True,
        "sources": [],
        "created_at": timezone.now() - timedelta(days=1),
    }
    assert set(values) | free | {"id", "enqueued_at", "finished_at"} == {
        field.name for field in RefinementRun._meta.fields
    }
    for name, value in values.items():
        refused_by_trigger(RefinementRun.objects.filter(pk=run.pk), name, value, "never changes")
    values = {
        "run": refine(made, endpoint, again=True),
        "item": made.items[1],
        "type_code": "WE",
        "start": 1,
        "end": 3,
        "text_sha256": "x",
        "question_template": "x",
        "state": "failed",
        "question": "x",
        "reason": "x",
        "model": "x",
        "tries": 9,
        "answered_at": timezone.now() - timedelta(days=1),
    }
    assert set(values) | {"id", "rejected_at", "rejected_by"} == {
        field.name for field in QuestionRefinement._meta.fields
    }
    for name, value in values.items():
        refused_by_trigger(QuestionRefinement.objects.filter(pk=row.pk), name, value, "never changes")
    for model, pk in ((QuestionRefinement, row.pk), (RefinementRun, run.pk)):
        with pytest.raises(IntegrityError, match="is never deleted"), transaction.atomic():
            model.objects.filter(pk=pk)._raw_delete("default")


def refused_by_trigger(queryset, name, value, words):
    with pytest.raises(IntegrityError, match=words), transaction.atomic():
        queryset.update(**{name: value})


def test_the_database_refuses_a_second_answer_of_a_run_and_one_about_another_projects_item(made, endpoint):
    refine(made, endpoint)
    row = rows()[0]
    row.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)
    row.item = focus_study(annotators=1, items=1).items[0]
    with pytest.raises(IntegrityError, match="an item of the project of its run"), transaction.atomic():
        row.save(force_insert=True)


def test_nothing_is_locked_while_the_endpoint_thinks(made, endpoint, meanwhile):
    depth, found = len(connection.savepoint_ids), []
    meanwhile([lambda: found.append(len(connection.savepoint_ids))] * 3)
    refine(made, endpoint)
    assert found == [depth] * 3


def test_a_lead_adjudicating_meanwhile_changes_what_the_next_run_asks(made, endpoint):
    refine(made, endpoint)
    adjudicate(made, made.items[0], "LE", True, (0, 5))
    refine(made, endpoint)
    assert [(row.start, row.end) for row in rows(run__number=2)] == [(0, 5)]
    assert json.loads(json.dumps(endpoint.asked[-1].body))["messages"][0]["content"].count("Parks") == 1


def test_an_open_round_is_never_sent(endpoint):
    made = focus_study(annotators=2, items=1)
    judge(made, made.items[0], {"LE": [yes(made.items[0], made.items[0].text[:12])] * 2})
    with pytest.raises(Refused, match="No item of the closed rounds"):
        request(made, endpoint)
