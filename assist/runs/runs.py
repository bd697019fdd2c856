"""What a lead does with runs: ask for one, look at what it would send, cancel it, resume it; and the sweep.

Asking the model itself is the worker's side: `assist.runs.worker`.

See docs/decisions/assistants.md.
"""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext

from annotation.access import refuse_archived
from annotation.models import Membership, Project, ProjectEvent
from assist.models import AssistRun
from assist.runs.counting import units_counted
from assist.runs.parameters import MOST_BUDGET, RunChoices
from core.errors import NotFound, Refused
from core.jobs import ATTEMPTS, WORKING, cancel, requeue, sweep


def run_request(*, project: Project, choices: RunChoices, by: Membership | None = None) -> AssistRun:
    """Ask for a run. Raises Refused while another one is at work."""
    refuse_archived(project)
    try:
        with transaction.atomic():
            last = project.assist_runs.aggregate(last=Max("number"))["last"] or 0
            run = project.assist_runs.create(number=last + 1, member=by, **choices.to_row())
            ProjectEvent.objects.create(
                project=project,
                member=by,
                action="assistant requested",
                details={
                    "run": run.number,
                    "task": run.task,
                    "endpoint": run.host,
                    "model": run.model,
                    "sources": [source or "not stated" for source, _ in choices.sources],
                },
            )
    except IntegrityError:
        raise _at_work() from None
    return run


def run_preview(*, project: Project, choices: RunChoices) -> dict[str, Any]:
    """Return what a run would send: how many, of which sources, the first prompt, and what it may take.

    `expected_tokens` are those of all prompts, counted roughly, with the longest answers. Nothing is sent
    and nothing is stored.
    """
    run = AssistRun(project=project, number=0, **choices.to_row())
    found = units_counted(run)
    return {
        "task": choices.kind.name,
        "endpoint": run.endpoint,
        "model": run.model,
        "count": found.asked,
        "kept": found.kept,
        "sources": [
            {"source": source, "licence": licence, "count": n}
            for (source, licence), n in sorted(found.sources.items())
        ],
        "first_prompt": found.first_prompt,
        "prompt_tokens": found.tokens,
        "answer_tokens_at_most": found.asked * choices.max_tokens,
        "expected_tokens": found.tokens + found.asked * choices.max_tokens,
    }


def run_cancel(*, run: AssistRun, by: Membership | None) -> None:
    """Stop a run. What is stored stays; an answer under way is dropped. Raises Refused where it has ended."""
    with transaction.atomic():
        if not cancel(AssistRun.objects.filter(pk=run.pk), lease_until=None, finished_at=timezone.now()):
            raise Refused("not_ready", gettext("Run %(number)s has ended already.") % {"number": run.number})
        ProjectEvent.objects.create(
            project=run.project,
            member=by,
            action="assistant cancelled",
            details={"run": run.number, "task": run.task},
        )


def run_resume(
    *,
    run: AssistRun,
    by: Membership | None = None,
    budget_requests: int | None = None,
    budget_tokens: int | None = None,
) -> None:
    """Let a run that stopped or was cancelled go on, with the budget that is given or the one it had.

    Raises Refused where it is done, another is at work, or its budget is used up and not raised.
    """
    refuse_archived(run.project)
    run.refresh_from_db()
    given = {"budget_requests": budget_requests, "budget_tokens": budget_tokens}
    budget = {name: value for name, value in given.items() if value is not None}
    errors = {}
    for name, used in (("budget_requests", run.requests), ("budget_tokens", run.tokens + run.reserved)):
        value = budget.get(name, getattr(run, name))
        if value is not None and (not isinstance(value, int) or not used < value <= MOST_BUDGET):
            errors[name] = gettext("%(used)s are used already: give more than that.") % {"used": used}
    if errors:
        raise Refused("invalid", " ".join(f"{key}: {told}" for key, told in errors.items()), errors=errors)
    if run.state == AssistRun.State.DONE:
        raise Refused("not_ready", gettext("Run %(number)s is done.") % {"number": run.number})
    try:
        with transaction.atomic():
            rows = AssistRun.objects.filter(pk=run.pk)
            if not requeue(rows, finished_at=None, stopped_by="", **budget):
                raise _at_work()
            ProjectEvent.objects.create(
                project=run.project,
                member=by,
                action="assistant resumed",
                details={"run": run.number, "task": run.task, **budget},
            )
    except IntegrityError:
        raise _at_work() from None
    run.refresh_from_db()


def run_sweep() -> list[int]:
    """Return the runs to send to a worker again; give up on those whose worker died ATTEMPTS times."""
    stopped = gettext(
        "The worker stopped %(attempts)s times without a new answer (killed, or out of memory)."
    ) % {"attempts": ATTEMPTS}
    return sweep(AssistRun.objects.all(), stopped=stopped, finished_at=timezone.now()).again


def run_or_404(project: Project, number: int) -> AssistRun:
    """Return a run of the project by its number. Raises NotFound."""
    found = project.assist_runs.select_related("project", "member").filter(number=number).first()
    if found is None:
        raise NotFound(gettext("There is no run %(number)s in this project.") % {"number": number})
    return found


def run_unfinished(project: Project, choices: RunChoices) -> AssistRun | None:
    """Return the newest run that asks the same and has not come to its end; None where there is none."""
    wanted = choices.to_row()
    same = ("task", "recipes", "items", "sources", "examples", "again", "endpoint", "max_tokens")
    for run in project.assist_runs.filter(task=choices.kind.name).exclude(state=AssistRun.State.DONE)[:20]:
        if all(getattr(run, name) == wanted[name] for name in same):
            return run
    return None


def is_at_work(run: AssistRun) -> bool:
    """Whether a run waits or is asking."""
    return run.state in WORKING


def _at_work() -> Refused:
    return Refused("taken", gettext("A run is at work already: wait until it is done, or cancel it."))
