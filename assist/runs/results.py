"""What came of a run: the answers that count, how many of which kind, and what they took."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Sum
from django.utils.translation import gettext

from annotation.access import judging_now
from annotation.models import Membership
from assist.models import AssistAnswer, AssistRun
from assist.runs.kinds import kind_named
from assist.runs.units import items_asked
from core.cache import cached
from core.canonical_json import sha256_of
from core.errors import Refused
from core.jobs import WORKING

STEPS = 50
"""While a run works, what is found of all its answers is found again so many times."""


def stamp_of(run: AssistRun) -> str:
    """Return a name for all that the answers which count for a run depend on.

    Answers come with the progress of a run; what becomes of items and marks stands in the project's log.
    """
    runs = run.project.assist_runs.aggregate(done=Sum("progress_done"), last=Max("number"))
    event = run.project.events.order_by("-id").values_list("id", flat=True).first()
    step = max(1, run.progress_total // STEPS) if run.state in WORKING else 1
    return f"{run.pk}:{run.state}:{event}:{runs['last']}:{(runs['done'] or 0) // step}"


def outcomes(run: AssistRun) -> dict[str, int]:
    """Return how many answers of a run are usable, not usable, and missing."""
    if run.finished_at is None:
        return _outcomes(run)
    name = f"assist-outcomes:{run.pk}:{run.finished_at.timestamp()}:{run.progress_done}:{run.requests}"
    return cached(name, lambda: _outcomes(run))


def _outcomes(run: AssistRun) -> dict[str, int]:
    states = dict(run.answers.order_by().values_list("state").annotate(n=Count("id")))
    return {state: states.get(state, 0) for state in AssistAnswer.State.values}


def problems(run: AssistRun) -> dict[str, int]:
    """Return how many answers of a run have which problem, the commonest first."""
    if run.finished_at is None:
        return _problems(run)
    name = f"assist-problems:{run.pk}:{run.finished_at.timestamp()}:{run.progress_done}:{run.requests}"
    return cached(name, lambda: _problems(run))


def _problems(run: AssistRun) -> dict[str, int]:
    rows = run.answers.exclude(problem="").order_by().values("problem").annotate(n=Count("id"))
    return {row["problem"]: row["n"] for row in sorted(rows, key=lambda row: (-row["n"], row["problem"]))}


def labels(run: AssistRun) -> dict[str, int]:
    """Return how many of the answers that count for a run come down to which word."""
    rows = answers_of(run).exclude(label="").order_by().values("label").annotate(n=Count("id"))
    return cached(
        f"assist-labels:{stamp_of(run)}",
        lambda: {row["label"]: row["n"] for row in sorted(rows, key=lambda row: row["label"])},
    )


def answers_of(run: AssistRun) -> QuerySet[AssistAnswer]:
    """Return the newest answer to each unit by the run's recipes, those of other runs too; no missing ones.

    An answer is asked for once, so that a run over more texts begins with what another has already.
    """
    came = ~Q(state=AssistAnswer.State.UNANSWERED)
    recipes = list(run.recipes.values())
    newer = AssistAnswer.objects.filter(
        came,
        recipe_sha256=OuterRef("recipe_sha256"),
        item=OuterRef("item"),
        variant=OuterRef("variant"),
        pk__gt=OuterRef("pk"),
    )
    items = items_asked(run).order_by().values("pk")
    found = AssistAnswer.objects.filter(came, ~Exists(newer), recipe_sha256__in=recipes, item__in=items)
    return found.select_related("item").order_by("item", "variant", "pk")


def answers_shown(run: AssistRun, member: Membership, label: str = "") -> Sequence[int]:
    """Return the keys of the answers that count for a run, in the order of items; none that come down to
    another word than `label`, and none about texts that the member judges now.

    Sorting out 110,000 answers takes a second, and a page shows a hundred.
    """
    found = answers_of(run).filter(label=label) if label else answers_of(run)
    # An array is read from the cache in a moment, where a list of 110,000 is made number by number.
    keys = cached(
        f"assist-answers:{stamp_of(run)}:{sha256_of(label)}",
        lambda: array("q", found.values_list("pk", flat=True)),
    )
    judged = judging_now(member)
    if not judged.exists():
        return keys
    rows = AssistAnswer.objects.filter(recipe_sha256__in=run.recipes.values(), item__in=judged.values("item"))
    hidden = set(rows.values_list("pk", flat=True))
    return [key for key in keys if key not in hidden]


def answers_in_order(keys: Sequence[int]) -> list[AssistAnswer]:
    """Return the answers with these keys and their items, in the order of the keys."""
    rows = AssistAnswer.objects.select_related("item").in_bulk(keys)
    return [rows[key] for key in keys if key in rows]  # a text may be erased meanwhile


def submission_bytes(run: AssistRun) -> bytes:
    """Return what a run answered as the file of a system's submission, an object by item.

    Raises Refused for a task that does not answer as a system does.
    """
    entry = kind_named(run.task).entry
    if entry is None:
        words = gettext("%(task)s answers nothing that can be scored.") % {"task": run.task}
        raise Refused("invalid", words, errors={"task": words})
    entries = ((row.item.external_id, entry(row)) for row in answers_of(run).iterator(chunk_size=500))
    found = {item: said for item, said in entries if said is not None}
    return json.dumps(found, ensure_ascii=False, indent=1).encode()


def run_summary(run: AssistRun) -> dict[str, Any]:
    """Return what a command and the API say of a run."""
    return {
        "run": run.number,
        "task": run.task,
        "state": run.state,
        "stopped_by": run.stopped_by,
        "error": run.error,
        "endpoint": run.endpoint,
        "model": run.model,
        "progress_done": run.progress_done,
        "progress_total": run.progress_total,
        "requests": run.requests,
        "tokens": run.tokens,
        "budget_requests": run.budget_requests,
        "budget_tokens": run.budget_tokens,
        "outcomes": outcomes(run),
        "problems": problems(run),
        "labels": labels(run),
    }
