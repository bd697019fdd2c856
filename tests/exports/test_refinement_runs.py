"""A run of refinement survives its endpoint and its workers, and the database keeps what was said."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotation.models import ProjectEvent
from core.errors import Refused
from exports import tasks
from exports.models import QuestionRefinement, RefinementRun
from exports.refinement import worker as work
from exports.refinement.runs import refined_reject, refined_restore, refinement_cancel, refinement_sweep
from exports.refinement.worker import refinement_work
from tests.exports.endpoint import Clock, saying, status
from tests.exports.refining import acts_meanwhile, gold_study, refine, request, rows
from tests.factories import focus_study

pytestmark = [pytest.mark.django_db, pytest.mark.database]

made = pytest.fixture(gold_study)
meanwhile = pytest.fixture(acts_meanwhile)


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


def test_a_worker_stores_nothing_while_another_has_its_run(made, endpoint, meanwhile):
    run = request(made, endpoint)
    meanwhile([lambda: RefinementRun.objects.update(lease_token="another")])
    refinement_work(run_id=run.pk, timing=Clock().timing)
    run.refresh_from_db()
    assert (run.state, run.lease_token, rows()) == ("running", "another", [])


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
    monkeypatch.setattr("exports.refinement.worker.refinement_work", lambda run_id: answers.pop(0))
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
    RefinementRun.objects.update(state="running", lease_token="x", attempts=3, lease_until=past)
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
    assert "nobody foresaw (KeyError in " in run.error
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


def test_the_database_keeps_what_was_asked_and_answered(made, endpoint):
    run = refine(made, endpoint)
    other = focus_study(annotators=1, items=1)
    row = rows()[0]
    free = {"state", "progress_done", "progress_total", "lease_token", "attempts", "lease_until", "error"}
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
        "splits_left_out": ["test"],
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
