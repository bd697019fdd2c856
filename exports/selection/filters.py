"""What context filters left out of a release, for its card and manifest."""

from __future__ import annotations

from typing import TypedDict

from django.db.models import Count

from assist.models import AssistRun, FilteredItem
from assist.runs.units import prompt_sha256
from exports.selection.selection import Selection, items_chosen, items_present


class FilterFacts(TypedDict):
    """A filter with how many of the items it marks a release leaves out, and how many it has all the same.

    `prompt_sha256` is the digest of the prompt with its examples, as it stands beside each answer.
    """

    run: int
    endpoint: str
    model: str
    prompt_sha256: str
    temperature: float | None
    seed: int | None
    left_out: int
    released: int


def filters_of(selection: Selection) -> list[FilterFacts]:
    """Return what each run that marks items as filtered left out of a release, by its number."""
    marked = FilteredItem.objects.filter(
        run__project=selection.project, item__in=items_present(selection.project).order_by().values("pk")
    ).order_by()
    all_of = dict(marked.values_list("run").annotate(n=Count("pk")))
    if not all_of:
        return []
    there = marked.filter(item__in=items_chosen(selection).order_by().values("pk"))
    released = dict(there.values_list("run").annotate(n=Count("pk")))
    return [
        {
            "run": run.number,
            "endpoint": run.host,
            "model": run.model,
            "prompt_sha256": prompt_sha256(run.prompts[""], run.fixed),
            "temperature": run.temperature,
            "seed": run.seed,
            "left_out": all_of[run.pk] - released.get(run.pk, 0),
            "released": released.get(run.pk, 0),
        }
        for run in AssistRun.objects.filter(pk__in=all_of).order_by("number")
    ]
