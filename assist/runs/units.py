"""Which units a run asks about: items of the sources that were ticked, without those that have an answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet

from annotation.access import visible_items
from annotation.models import Item, Project
from annotation.projects.change_sign import project_stamp
from assist.asking.prompts import placeholders_filled
from assist.models import AssistAnswer, AssistRun
from assist.runs.kinds import Kind, Unit, kind_named
from core.cache import cached
from core.canonical_json import sha256_of

BATCH = 500


@dataclass(frozen=True, slots=True)
class Waiting:
    """A unit that has no answer yet, with the prompt as it is sent and what its answer is kept under."""

    item: Item
    unit: Unit
    prompt: str
    recipe_sha256: str
    prompt_sha256: str
    unit_sha256: str


def sources_of(project: Project) -> list[tuple[str, str, int]]:
    """Return each source and licence of a project's items with their number."""
    # Only what is logged changes items; counting 110,000 takes a second.
    told = f"assist-sources:{project.pk}:{project_stamp(project)}"
    rows = visible_items(project).order_by().values_list("source", "licence").annotate(items=Count("id"))
    return cached(told, lambda: sorted(rows))


def items_asked(run: AssistRun) -> QuerySet[Item]:
    """Return the items that a run is about: of its sources, those it names or all, without its examples."""
    sources = Q()
    for source, licence in run.sources:
        sources |= Q(source=source, licence=licence)
    rows = visible_items(run.project).filter(sources)
    if run.items is not None:
        rows = rows.filter(external_id__in=run.items)
    shown = [example["id"] for example in run.examples]
    return (rows.exclude(external_id__in=shown) if shown else rows).order_by("pk")


def units_of(run: AssistRun) -> Iterator[list[Waiting]]:
    """Yield all units of a run, batch by batch of items."""
    kind = kind_named(run.task)
    loaded = kind.load(run.project)
    for batch in _item_batches(run):
        yield [waiting for item in batch for waiting in _of_item(run, kind, loaded, item)]


def _item_batches(run: AssistRun) -> Iterator[list[Item]]:
    rows = items_asked(run)
    if run.items is not None:  # the names are looked up once, not again with each batch
        keys = list(rows.values_list("pk", flat=True))
        for first in range(0, len(keys), BATCH):
            yield list(visible_items(run.project).filter(pk__in=keys[first : first + BATCH]).order_by("pk"))
        return
    after = 0
    while batch := list(rows.filter(pk__gt=after)[:BATCH]):
        after = batch[-1].pk
        yield batch


def units_waiting(run: AssistRun) -> Iterator[tuple[int, list[Waiting]]]:
    """Yield, batch by batch, how many units have an answer already and those that have not."""
    for units in units_of(run):
        answered = set(
            answers_kept(run)
            .filter(unit_sha256__in=[unit.unit_sha256 for unit in units])
            .values_list("recipe_sha256", "unit_sha256")
        )
        left = [unit for unit in units if (unit.recipe_sha256, unit.unit_sha256) not in answered]
        yield len(units) - len(left), left


def answers_kept(run: AssistRun) -> QuerySet[AssistAnswer]:
    """Return the answers that a run need not ask for: those by its recipes, or its own if it says again."""
    found = AssistAnswer.objects.exclude(state=AssistAnswer.State.UNANSWERED)
    if run.again:
        return found.filter(run=run)
    return found.filter(recipe_sha256__in=run.recipes.values())


def units_of_item(run: AssistRun, item: Item) -> Iterator[Waiting]:
    """Yield what a run asks about one item."""
    kind = kind_named(run.task)
    yield from _of_item(run, kind, kind.load(run.project), item)


def template_of(run: AssistRun, place: str) -> str:
    """Return a prompt of a run with all in it that is the same for every unit."""
    template = str(run.prompts[place])
    if not run.fixed.get("examples"):
        template = template.replace("{examples}\n\n", "")
    kept = {"text": "{text}"}
    return placeholders_filled(template, {**run.fixed, **kept})


def _of_item(run: AssistRun, kind: Kind, loaded: Any, item: Item) -> Iterator[Waiting]:
    for unit in kind.units(loaded, run.prompts, item):
        place = kind.prompt_of(unit.variant)
        template = run.prompts[place]
        if not run.fixed.get("examples"):
            template = template.replace("{examples}\n\n", "")
        yield Waiting(
            item,
            unit,
            placeholders_filled(template, {**run.fixed, **unit.values}),
            run.recipes[place],
            prompt_sha256(run.prompts[place], run.fixed),
            sha256_of([run.project_id, item.external_id, unit.variant, dict(unit.values)]),
        )


def prompt_sha256(template: str, fixed: dict[str, str]) -> str:
    """Return the digest of a prompt together with what is the same in all of it, such as its examples."""
    return sha256_of({"prompt": template, "fixed": fixed})
