"""Marking what a context filter found insufficient: new rounds leave such items out, nothing is deleted.

See docs/decisions/assistants.md.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext

from annotation.access import refuse_archived
from annotation.models import Membership, Project, ProjectEvent
from assist.models import AssistRun, FilteredItem
from assist.reading.model_answers import INSUFFICIENT
from assist.runs.results import answers_of, stamp_of
from assist.runs.runs import is_at_work
from core.bulk_insert import bulk_insert_values
from core.cache import cached
from core.errors import Refused

BATCH = 5_000


def filter_mark(*, run: AssistRun, by: Membership | None = None) -> int:
    """Mark the items that a run found insufficient as filtered; return how many were marked now.

    An item that another run marked stays that run's. Raises Refused for another task, while the run is at
    work, and where it found nothing insufficient.
    """
    refuse_archived(run.project)
    if run.task != "context":
        raise Refused("invalid", gettext("Run %(number)s filters nothing.") % {"number": run.number})
    if is_at_work(run):
        words = gettext("Run %(number)s is at work: wait until it has ended.")
        raise Refused("not_ready", words % {"number": run.number})
    now = timezone.now()
    marked = 0
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=run.project_id)
        refused = answers_of(run).filter(label=INSUFFICIENT)
        if not refused.exists():
            raise Refused(
                "not_ready", gettext("The filter found no text insufficient: there is nothing to mark.")
            )
        there = FilteredItem.objects.filter(item=OuterRef("item"))
        rows = iter(list(refused.filter(~Exists(there)).order_by("item").values_list("item", "pk")))
        while batch := list(islice(rows, BATCH)):
            values = [(item, run.pk, answer, now) for item, answer in batch]
            bulk_insert_values(FilteredItem, ("item_id", "run_id", "answer_id", "marked_at"), values)
            marked += len(batch)
        if marked:
            AssistRun.objects.filter(pk=run.pk).update(applied_at=now)
            _log(run, by, "items filtered", marked)
    run.refresh_from_db()
    return marked


def filter_take_back(*, run: AssistRun, by: Membership | None = None) -> int:
    """Take the marks of a run back: rounds may draw its items again; return how many there were."""
    refuse_archived(run.project)
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=run.project_id)
        taken, _ = FilteredItem.objects.filter(run=run).delete()
        if not taken:
            raise Refused(
                "not_ready", gettext("Run %(number)s marks no item as filtered.") % {"number": run.number}
            )
        AssistRun.objects.filter(pk=run.pk).update(applied_at=None)
        _log(run, by, "filtering taken back", taken)
    run.refresh_from_db()
    return taken


def marks_of(run: AssistRun) -> dict[str, int]:
    """Return how many items a run marks, and how many it found insufficient that nothing marks."""
    return cached(f"assist-marks:{stamp_of(run)}", lambda: _marks_of(run))


def _marks_of(run: AssistRun) -> dict[str, int]:
    there = FilteredItem.objects.filter(item=OuterRef("item"))
    refused = answers_of(run).filter(label=INSUFFICIENT)
    counted = refused.filter(~Exists(there)).order_by().aggregate(n=Count("pk"))
    return {"marked": run.filtered_items.count(), "unmarked": counted["n"]}


def filtered_condition(*, project: Project, **_signal: Any) -> Q | None:
    """Return the condition on items that one is marked as filtered; None where none of the project is."""
    marked = FilteredItem.objects.filter(run__project=project).order_by()
    return Q(pk__in=marked.values("item")) if marked.exists() else None


def _log(run: AssistRun, by: Membership | None, action: str, items: int) -> None:
    ProjectEvent.objects.create(
        project=run.project, member=by, action=action, details={"run": run.number, "items": items}
    )
