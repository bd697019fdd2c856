"""What a judge is asked once more by a person, or by the worker after a killed one, at an endpoint that
remembers what it answered to each Idempotency-Key."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from core.jobs import ClaimLost
from scoring.models import Evaluation
from scoring.systems import evaluations
from scoring.systems.choices import read_choices
from scoring.systems.evaluations import (
    evaluation_cancel,
    evaluation_request,
    evaluation_run,
    evaluation_sweep,
)
from tests.exports.endpoint import saying, status
from tests.scoring.systems import questions, questions_release, submitted

pytestmark = [pytest.mark.django_db, pytest.mark.database]


class Remembering:
    """Answers as `now` says, and to a key that it knows what it answered before, errors too."""

    def __init__(self) -> None:
        self.now: tuple = saying("Useful")
        self.made: dict[str, tuple] = {}
        self.keys: list[str] = []

    def __call__(self, asked):
        key = asked.headers["Idempotency-Key"]
        self.keys.append(key)
        return self.made.setdefault(key, self.now)


@pytest.fixture
def remembering(judge_endpoint):
    judge_endpoint.otherwise = Remembering()
    return judge_endpoint.otherwise


@pytest.fixture
def ask(remembering) -> Callable[[], Evaluation]:
    """Return what a lead does: ask for the same evaluation, the first time and again."""
    made, release = questions_release()
    submission = submitted(made, release, questions("A?", "B?"))
    [asked] = read_choices(
        made.project, methods=["model_label"], judge={"model": "m"}, texts_may_leave=True, replicates=0
    )
    return lambda: evaluation_request(submission=submission, asked=asked)


def worked(evaluation):
    evaluation_run(evaluation_id=evaluation.pk)
    evaluation.refresh_from_db()
    return evaluation


@pytest.mark.parametrize(("code", "tries"), [(500, 4), (503, 4), (404, 1)])
def test_what_failed_is_asked_under_new_keys_when_a_person_has_it_scored_again(ask, remembering, code, tries):
    remembering.now = status(code)
    failed = worked(ask())
    assert (failed.state, len(remembering.keys)) == ("failed", tries)
    first = set(remembering.keys)
    remembering.now = saying("Useful")
    again = worked(ask())
    assert (again.pk, again.state, again.error) == (failed.pk, "done", "")
    assert len(remembering.keys) == tries + 2 and not first & set(remembering.keys[tries:])


def test_what_fails_again_is_asked_under_new_keys_again(ask, remembering):
    for tries in (4, 8):
        remembering.now = status(500)
        assert worked(ask()).state == "failed"
        assert len(set(remembering.keys)) == tries
    remembering.now = saying("Useful")
    assert worked(ask()).state == "done"


def kill(during):
    """Have the worker die as the next answer comes, before that is stored."""

    def die(*_):
        raise ClaimLost

    during.setattr(evaluations, "answer_row", die)


def lose_its_worker(evaluation):
    Evaluation.objects.filter(pk=evaluation.pk).update(lease_until=timezone.now() - timedelta(minutes=2))


@pytest.mark.parametrize("failed_before", [False, True])
def test_the_worker_after_a_killed_one_asks_under_the_same_key(ask, remembering, monkeypatch, failed_before):
    if failed_before:
        remembering.now = status(500)
        worked(ask())
        remembering.now = saying("Useful")
    remembering.keys.clear()
    with monkeypatch.context() as during:
        kill(during)
        evaluation = worked(ask())
    assert (evaluation.state, len(remembering.keys)) == ("running", 1)
    lose_its_worker(evaluation)
    assert evaluation_sweep() == [evaluation.pk]
    assert worked(evaluation).state == "done"
    assert [remembering.keys.index(key) for key in remembering.keys] == [0, 0, 2]


def test_what_was_cancelled_or_given_up_with_a_request_under_way_is_paid_for_once(
    ask, remembering, monkeypatch
):
    with monkeypatch.context() as during:
        kill(during)
        evaluation = worked(ask())
    Evaluation.objects.filter(pk=evaluation.pk).update(attempts=3)
    lose_its_worker(evaluation)
    assert evaluation_sweep() == []
    evaluation.refresh_from_db()
    assert evaluation.state == "failed"
    ask()
    with monkeypatch.context() as during:
        kill(during)
        worked(evaluation)
    evaluation_cancel(evaluation=evaluation)
    assert worked(ask()).state == "done"
    assert [remembering.keys.index(key) for key in remembering.keys] == [0, 0, 0, 3]
