"""The Celery side of runs: send work when the transaction is over, and do it by id.

A broker that is down never makes a request fail: the row stays queued and the sweep sends it later.
"""

from __future__ import annotations

from celery import shared_task

from annotation.models import Membership, Project
from assist.models import AssistRun, TopicModel
from assist.runs import runs
from assist.runs.parameters import RunChoices
from assist.runs.worker import run_work
from assist.topics import suggesting
from core.dispatch import send, send_after_commit


@shared_task(name="assist.ask")
def ask_model(run_id: int) -> None:
    """Work on a run for some minutes, and send the rest of it to the queue again."""
    if run_work(run_id=run_id):
        send(ask_model, run_id)


@shared_task(name="assist.find_topics")
def find_topics(model_id: int) -> None:
    """Find the topics that a lead asked for."""
    suggesting.topics_compute(model_id=model_id)


@shared_task(name="assist.sweep_runs")
def sweep_runs() -> None:
    """Send what waits for too long or lost its worker."""
    for run_id in runs.run_sweep():
        send(ask_model, run_id)
    for model_id in suggesting.topics_sweep():
        send(find_topics, model_id)


def topics_start(
    *, project: Project, topics: int, seed: int = 1, method: str = "nmf", by: Membership | None = None
) -> TopicModel:
    """Do `suggesting.topics_request` and send it to a worker once the transaction is over."""
    model = suggesting.topics_request(project=project, topics=topics, seed=seed, method=method, by=by)
    send_after_commit(find_topics, model.pk)
    return model


def run_start(*, project: Project, choices: RunChoices, by: Membership | None = None) -> AssistRun:
    """Do `runs.run_request` and send the run to a worker once the transaction is over."""
    run = runs.run_request(project=project, choices=choices, by=by)
    send_after_commit(ask_model, run.pk)
    return run


def run_start_again(
    *,
    run: AssistRun,
    by: Membership | None = None,
    budget_requests: int | None = None,
    budget_tokens: int | None = None,
) -> None:
    """Do `runs.run_resume` and send the run to a worker once the transaction is over."""
    runs.run_resume(run=run, by=by, budget_requests=budget_requests, budget_tokens=budget_tokens)
    send_after_commit(ask_model, run.pk)
