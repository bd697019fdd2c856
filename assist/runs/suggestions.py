"""What runs can suggest to annotators: those that are done and answer what a round asks.

Nothing of a run reaches an annotator in another way.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from annotation.models import Project, Round
from annotation.rounds.suggestions import Asked, SuggestedAnswer
from assist.models import AssistAnswer, AssistRun
from assist.runs.kinds import KINDS, kind_named
from assist.runs.results import answers_of
from core.errors import Refused


def runs_suggesting(project: Project) -> list[AssistRun]:
    """Return the runs whose answers can be suggested, the newest first; none without an endpoint."""
    if not settings.LLM_ENDPOINTS:
        return []
    names = [name for name, kind in KINDS.items() if kind.suggest is not None]
    return list(project.assist_runs.filter(task__in=names, state=AssistRun.State.DONE).order_by("-number"))


def run_suggesting(*, round: Round, run: int, **_signal: Any) -> str:
    """Return the model of a run whose answers a round can suggest. Raises Refused with what to do."""
    found = round.project.assist_runs.filter(number=run).first()
    if not settings.LLM_ENDPOINTS:
        told = gettext("This installation names no endpoint: set ELENCHUS_LLM_ENDPOINTS.")
    elif found is None:
        told = gettext("There is no run %(run)s in this project.") % {"run": run}
    elif kind_named(found.task).suggest is None:
        told = gettext("Run %(run)s is of the task %(task)s, which answers no unit of a round.")
        told %= {"run": run, "task": found.task}
    elif found.state != AssistRun.State.DONE:
        told = gettext("Run %(run)s is not done: wait for it, or resume it.") % {"run": run}
    elif not _answers_about(found, round).exists():
        told = gettext("Run %(run)s has no usable answer about the texts of %(name)s: ask about them first.")
        told %= {"run": run, "name": round.name}
    else:
        return found.model
    raise Refused("invalid", told, errors={"suggestions": told})


def answers_suggested(*, round: Round, asked: Asked, **_signal: Any) -> dict[int, list[SuggestedAnswer]]:
    """Return what the run of a round answered about units of items, by item; what is unusable is left out."""
    run = round.project.assist_runs.filter(number=round.suggestion_run or 0).first()
    suggest = kind_named(run.task).suggest if run else None
    found: dict[int, list[SuggestedAnswer]] = {}
    if run is not None and suggest is not None:
        for answer in _answers_about(run, round).filter(item__in=list(asked)):
            found.setdefault(answer.item_id, []).extend(suggest(answer, asked[answer.item_id]))
    return found


def _answers_about(run: AssistRun, round: Round) -> Any:
    drawn = round.round_items.order_by().values("item")
    return answers_of(run).filter(state=AssistAnswer.State.USABLE, item__in=drawn)
