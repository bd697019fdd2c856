"""Runs that go on after something changed, stopped or was cut into batches ask for no answer twice."""

from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.items.withdrawal import item_withdraw
from assist.filtering.sampled import Sampled, filter_figures
from assist.models import AssistRun, Scheme
from assist.runs import units, worker
from assist.runs.runs import run_cancel, run_resume
from tests.assist.asking import TEXTS, answers, asked, request, work
from tests.exports.endpoint import Clock, saying, status
from tests.factories import study

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def made():
    return study("focus", annotators=1, items=3, texts=TEXTS, slug="s")


def test_the_names_of_a_runs_items_are_looked_up_once_however_many_batches_there_are(
    made, endpoint, monkeypatch
):
    monkeypatch.setattr(units, "BATCH", 1)
    run = request(made, endpoint, items=["I-3", "I-1", "I-2"])
    with CaptureQueriesContext(connection) as asked_of_database:
        batches = [[one.item.external_id for one in batch] for batch in units.units_of(run)]
    assert batches == [["I-1"], ["I-2"], ["I-3"]]
    assert sum("I-3" in query["sql"] for query in asked_of_database) == 1


def test_what_a_try_reserved_that_had_no_answer_is_free_when_the_budget_ends_the_run(made, endpoint):
    endpoint.otherwise = status(500)
    run = asked(made, endpoint, budget_requests=2)
    assert (run.stopped_by, run.requests, run.tokens, run.reserved) == ("budget", 2, 0, 0)


def test_a_run_asks_also_about_texts_that_came_after_they_were_counted(made, endpoint):
    endpoint.otherwise = saying("Yes")
    run = request(made, endpoint)
    # As the first slice of a long run left it: two of the three texts came later.
    AssistRun.objects.filter(pk=run.pk).update(progress_total=1)
    work(run)
    assert (run.state, run.error, run.progress_done, run.progress_total) == ("done", "", 3, 3)


def test_a_scheme_that_changes_while_a_run_stands_still_is_not_asked_about_again(tmp_path, endpoint):
    made = study("cqs_gen", annotators=1, items=2, questions=0, texts=("It rains.", "It pours."))
    made.project.items.update(metadata={"schemes": ["Sign"]})
    said = saying('{"eventA": "rain", "eventB": "wet"}')
    endpoint.replies = [said, status(401)]
    run = asked(made, endpoint, "slots")
    assert (run.state, run.requests) == ("failed", 2)
    Scheme.objects.filter(code="sign").update(conclusion="So it is.")
    endpoint.otherwise = said
    run_resume(run=run)
    assert [state for _, state, _ in answers(work(run))] == ["usable", "usable"]
    assert (run.state, run.requests) == ("done", 3)


class SlowModel(Clock):
    """A clock by which every answer takes longer than the pace, so that the next request leaves at once."""

    def meanwhile(self, monkeypatch, *acts):
        """Let the clock go on as each answer comes, and something happen with it."""
        real, left = worker.ask_endpoint, list(acts)

        def answering(*arguments, **options):
            answer = real(*arguments, **options)
            self.time += 10
            if left:
                left.pop(0)()
            return answer

        monkeypatch.setattr(worker, "ask_endpoint", answering)
        return self


@pytest.fixture
def slow(monkeypatch):
    return SlowModel().meanwhile(monkeypatch)


def test_an_answer_is_stored_and_the_next_request_counted_by_one_write_of_the_run(made, endpoint, slow):
    endpoint.otherwise = saying("yes")
    run = request(made, endpoint)
    with CaptureQueriesContext(connection) as asked_of_database:
        work(run, slow)
    writes = [query["sql"].split()[0] for query in asked_of_database if "assist_assist" in query["sql"]]
    # The claim, its progress, the first request; then each answer with one write of the run; the end.
    assert [word for word in writes if word in ("UPDATE", "INSERT")] == [
        *("UPDATE", "UPDATE", "UPDATE"),
        *("UPDATE", "INSERT") * 3,
        "UPDATE",
    ]
    assert (run.state, run.requests, run.reserved, slow.slept) == ("done", 3, 0, [])


def test_the_first_request_of_a_batch_is_counted_when_it_leaves(made, endpoint, slow, monkeypatch):
    monkeypatch.setattr(units, "BATCH", 2)
    endpoint.otherwise = saying("yes")
    run = request(made, endpoint)
    with CaptureQueriesContext(connection) as asked_of_database:
        work(run, slow)
    writes = [query["sql"].split()[0] for query in asked_of_database if "assist_assist" in query["sql"]]
    first, second = ["UPDATE", *("UPDATE", "INSERT") * 2], ["UPDATE", "UPDATE", "INSERT"]
    found = [word for word in writes if word in ("UPDATE", "INSERT")]
    assert found == ["UPDATE", "UPDATE", *first, *second, "UPDATE"]
    assert (run.state, run.requests, run.reserved, len(endpoint.asked)) == ("done", 3, 0, 3)


def test_an_item_that_is_withdrawn_while_a_request_is_under_way_is_not_asked_about(
    made, endpoint, monkeypatch
):
    endpoint.otherwise = saying("yes")
    slow = SlowModel().meanwhile(
        monkeypatch, lambda: item_withdraw(item=made.items[1], member=made.lead, why="Broken.")
    )
    run = asked(made, endpoint, clock=slow)
    assert [name for name, _, _ in answers(run)] == ["I-1", "I-3"]
    assert (run.state, run.requests, run.reserved, len(endpoint.asked)) == ("done", 2, 0, 2)


def test_where_the_next_request_would_pass_the_budget_the_answer_before_it_is_stored(made, endpoint, slow):
    endpoint.otherwise = saying("yes", usage=(300, 100))
    run = asked(made, endpoint, clock=slow, budget_requests=2)
    assert (run.stopped_by, run.requests, run.tokens, run.reserved) == ("budget", 2, 800, 0)
    assert [name for name, _, _ in answers(run)] == ["I-1", "I-2"]


def test_a_cancelled_run_neither_stores_the_answer_that_came_nor_asks_for_the_next(
    made, endpoint, monkeypatch
):
    endpoint.otherwise = saying("yes")
    run = request(made, endpoint)
    slow = SlowModel().meanwhile(monkeypatch, lambda: None, lambda: run_cancel(run=run, by=made.lead))
    work(run, slow)
    assert (run.state, len(endpoint.asked), len(answers(run))) == ("cancelled", 2, 1)


def test_a_slice_that_is_over_counts_nothing_that_is_not_sent(made, endpoint, monkeypatch):
    endpoint.otherwise = saying("yes")
    monkeypatch.setattr(worker, "units_asked", partial(worker.units_asked, slice_seconds=15))
    run, slow = request(made, endpoint), SlowModel().meanwhile(monkeypatch)
    assert worker.run_work(run_id=run.pk, timing=slow.timing) is True
    run.refresh_from_db()
    assert (run.state, run.requests, run.reserved, len(endpoint.asked)) == ("queued", 2, 0, 2)
    work(run, slow)
    assert (run.state, run.requests, len(endpoint.asked)) == ("done", 3, 3)


def test_tries_after_a_request_that_was_counted_with_the_answer_before_it_are_counted_each(
    made, endpoint, slow
):
    endpoint.replies = [saying("yes", usage=(9, 1)), status(500), status(503)]
    endpoint.otherwise = saying("yes", usage=(9, 1))
    run = asked(made, endpoint, clock=slow)
    assert (run.state, run.requests, run.tokens, run.reserved) == ("done", 5, 30, 0)


def test_what_is_asked_anew_after_it_had_no_answer_or_by_a_lead_has_a_key_of_its_own(made, endpoint):
    endpoint.otherwise = status(200, b"{}")
    given = {"items": ["I-1"]}
    asked(made, endpoint, **given)
    endpoint.otherwise = status(503)
    run = asked(made, endpoint, **given)
    endpoint.otherwise = saying("yes")
    run_resume(run=run)
    assert answers(work(run)) == [("I-1", "usable", "sufficient")]
    asked(made, endpoint, again=True, **given)
    keys = [one.headers["Idempotency-Key"] for one in endpoint.asked]
    # The four tries of one asking are one request; all else is another.
    assert [keys.index(key) for key in keys] == [0, 1, 1, 1, 1, 5, 6]


@pytest.mark.parametrize("seed", [-1, 2**70])
def test_any_seed_gives_figures(seed):
    assert filter_figures(Sampled(100, 9, 1), Sampled(200, 1, 19), seed=seed).precision.value == 0.9
