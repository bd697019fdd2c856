"""How many units a run would ask about and what that may take, without filling every prompt of many texts."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db.models import Count, Exists, OuterRef, Sum

from assist.models import AssistRun
from assist.runs.budget import WRAPPING, tokens_expected
from assist.runs.kinds import kind_named, text_alone
from assist.runs.units import answers_kept, items_asked, template_of, units_of_item, units_waiting

EXACTLY = 1_000
"""Up to so many items every prompt is filled and its tokens counted; of more the first ones say the rate."""


@dataclass(slots=True)
class Counted:
    """Units with an answer, those to be asked about, by source and licence, and what their prompts take."""

    kept: int = 0
    asked: int = 0
    tokens: int = 0
    first_prompt: str = ""
    sources: dict[tuple[str, str], int] = field(default_factory=dict)


def units_counted(run: AssistRun) -> Counted:
    """Count the units of a run. Tokens are rough in any case, and of many texts a sample says how rough."""
    many = items_asked(run).order_by()[: EXACTLY + 1].count() > EXACTLY
    if many and kind_named(run.task).units is text_alone:
        return _counted_by_the_database(run)
    return _counted_one_by_one(run)


def _counted_one_by_one(run: AssistRun) -> Counted:
    found = Counted()
    for answered, waiting in units_waiting(run):
        found.kept += answered
        for one in waiting:
            found.first_prompt = found.first_prompt or one.prompt
            found.asked += 1
            found.tokens += tokens_expected(one.prompt)
            place = one.item.source, one.item.licence
            found.sources[place] = found.sources.get(place, 0) + 1
    return found


def _counted_by_the_database(run: AssistRun) -> Counted:
    """Count where each item is asked about by each prompt, with nothing but its text."""
    found = Counted()
    items = items_asked(run).order_by()
    for variant in run.prompts:
        answers = answers_kept(run).filter(variant=variant, recipe_sha256=run.recipes[variant])
        waiting = items.exclude(Exists(answers.filter(item=OuterRef("pk")))) if answers.exists() else items
        rows = waiting.values_list("source", "licence").annotate(n=Count("pk"), length=Sum("text_length"))
        asked = characters = 0
        for source, licence, n, length in rows:
            asked += n
            characters += length
            found.sources[source, licence] = found.sources.get((source, licence), 0) + n
        found.asked += asked
        if not asked:
            continue
        template = template_of(run, variant)
        first = list(waiting.order_by("pk")[:EXACTLY])
        if not found.first_prompt:
            found.first_prompt = next(
                one.prompt for one in units_of_item(run, first[0]) if one.unit.variant == variant
            )
        rate = sum(len(item.text.encode()) for item in first) / sum(item.text_length for item in first)
        around = len(template.replace("{text}", "").encode())
        of_texts = template.count("{text}") * characters * rate
        found.tokens += round(asked * (WRAPPING + around / 4) + of_texts / 4)
    found.kept = len(run.prompts) * items.count() - found.asked
    return found
