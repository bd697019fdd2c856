"""Runs that go on after something changed, stopped or was cut into batches ask for no answer twice."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from assist.filtering.sampled import Sampled, filter_figures
from assist.models import AssistRun, Scheme
from assist.runs import units
from assist.runs.runs import run_resume
from tests.assist.asking import TEXTS, answers, asked, request, work
from tests.exports.endpoint import saying, status
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


@pytest.mark.parametrize("seed", [-1, 2**70])
def test_any_seed_gives_figures(seed):
    assert filter_figures(Sampled(100, 9, 1), Sampled(200, 1, 19), seed=seed).precision.value == 0.9
