"""The Celery side of evaluations: send work when the transaction is over, and do it by id.

A broker that is down never makes a request fail: the row stays queued and the sweep sends it later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from celery import shared_task
from django.core.cache import cache

from annotation.models import Membership
from core.cache import ASKED_AGAIN, Asked
from core.dispatch import send, send_after_commit
from core.errors import Refused
from scoring.models import Evaluation, Submission
from scoring.systems import evaluations
from scoring.systems.choices import Asked as Choice
from scoring.systems.comparing import comparison, comparison_name
from scoring.systems.handing_in import answers_hand_in


@shared_task(name="scoring.evaluate")
def evaluate_submission(evaluation_id: int) -> None:
    """Score a submission by one method."""
    evaluations.evaluation_run(evaluation_id=evaluation_id)


@shared_task(name="scoring.compare_evaluations")
def compare_evaluations(evaluation_ids: list[int]) -> None:
    """Store how evaluations compare."""
    rows = Evaluation.objects.select_related("submission__system__project", "submission__release__project")
    found = rows.defer("figures").in_bulk(evaluation_ids)
    chosen = [found[key] for key in evaluation_ids]
    with _comparison(chosen).at_work():
        try:
            comparison(chosen)
        except Refused as refusal:
            cache.set(_refused(chosen), refusal.message, ASKED_AGAIN)


def comparison_start(evaluations: Sequence[Evaluation]) -> None:
    """Have a worker compare evaluations; asking again soon changes nothing.

    Raises Refused where a worker found just now that they cannot be compared.
    """
    if why := cache.get(_refused(evaluations)):
        raise Refused("not_ready", why)
    if _comparison(evaluations).first():
        send(compare_evaluations, [one.pk for one in evaluations])


def _comparison(evaluations: Sequence[Evaluation]) -> Asked:
    return Asked(f"systems-compared-{comparison_name(evaluations)}")


def _refused(evaluations: Sequence[Evaluation]) -> str:
    return f"{_comparison(evaluations).name}:refused"


@shared_task(name="scoring.sweep_evaluations")
def sweep_evaluations() -> None:
    """Send what waits for too long or lost its worker."""
    for evaluation_id in evaluations.evaluation_sweep():
        send(evaluate_submission, evaluation_id)


def evaluation_start(*, submission: Submission, asked: Choice, by: Membership | None = None) -> Evaluation:
    """Do `evaluations.evaluation_request` and send it to a worker once the transaction is over."""
    return _sent(evaluations.evaluation_request(submission=submission, asked=asked, by=by))


def evaluation_start_again(*, evaluation: Evaluation, by: Membership | None = None) -> Evaluation:
    """Do `evaluations.evaluation_again` and send it to a worker once the transaction is over."""
    return _sent(evaluations.evaluation_again(evaluation=evaluation, by=by))


def answers_start(**given: Any) -> list[Evaluation]:
    """Do `handing_in.answers_hand_in` and send the evaluations to workers."""
    return [_sent(evaluation) for evaluation in answers_hand_in(**given)]


def _sent(evaluation: Evaluation) -> Evaluation:
    if evaluation.state == Evaluation.State.QUEUED:
        send_after_commit(evaluate_submission, evaluation.pk)
    return evaluation
