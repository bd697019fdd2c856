"""The task `context`: whether a text has what a reader needs to understand it on its own.

The definition and the five examples are those of the FOCUS authors' filter (their Section 3.3 and Table 10),
quoted from their published prompt; a lead can show examples of the project instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from annotation.access import visible_items
from annotation.models import Item, Project
from assist.filtering.votes import votes_of_people
from assist.reading.model_answers import INSUFFICIENT, NOT_IN_THE_FORM, SUFFICIENT, read_context
from assist.runs.kinds import Example, Found, Kind, Unit

PROMPT = """\
An argument is contextually sufficient if it provides all necessary background information, allowing the \
reader to fully understand and evaluate the claim without requiring external knowledge.

{examples}

Is the following argument contextually sufficient?

Argument: {text}

Answer with yes or no."""

QUOTED = (
    "Because deer and humans are not of the same species. If all life is not equivalent in value, then the "
    "lives of some species must be worth more or less than others.",
    "There are no long-term studies on the COVID vaccine because it hasn’t existed for a long time. "
    "‘Long-term’ in this context could mean 5, 10, or even 15+ years. While the vaccine is effective now, "
    "its long-term effects on the body remain uncertain.",
    "There are different theories about oppression and its causes. Second-wave feminists often argue that, "
    "because we live in a patriarchy, a woman's sexuality cannot be separated from the oppressive "
    "male-centric culture.",
    "Taking or doing whatever you want violates the rights of others, making you susceptible to law "
    "enforcement. Protecting individual rights through law enforcement is essential to maintaining a free "
    "society.",
    "I believe I am extremely unattractive and that no woman will love me for who I am. My hobbies are the "
    "only things I have, but because they are extremely common, I am not considered unique and therefore "
    "seen as boring.",
)
"""The five sufficient arguments that the authors of FOCUS show the model."""

_WORDS = {"yes": "yes", "no": "no", SUFFICIENT: "yes", INSUFFICIENT: "no"}


def examples_drawn(project: Project, *, n: int, seed: int) -> list[dict[str, str]]:
    """Draw up to n texts that two people passed and as many that two failed, the same ones for a seed."""
    votes = votes_of_people(project)
    items = visible_items(project).filter(pk__in=votes).order_by("pk")
    passed: list[str] = []
    failed: list[str] = []
    for pk, external_id in items.values_list("pk", "external_id"):
        answer = _agreed(votes[pk])
        if answer:
            (passed if answer == "yes" else failed).append(external_id)
    random = Random(f"examples:{seed}")
    chosen = [*random.sample(passed, min(n, len(passed))), *random.sample(failed, min(n, len(failed)))]
    random.shuffle(chosen)
    return [{"id": name, "answer": "yes" if name in passed else "no"} for name in chosen]


def _agreed(votes: tuple[int, int]) -> str:
    """Return yes or no where at least two people said so and nobody else otherwise."""
    yes, no = votes
    return "yes" if yes >= 2 and not no else "no" if no >= 2 and not yes else ""


def _example(project: Project, item: Item, given: Any) -> str:
    if given is not None:
        answer = _WORDS.get(str(given).strip().casefold())
        if answer is None:
            raise ValueError(gettext("%(id)s: the answer is yes or no.") % {"id": item.external_id})
        return answer
    answer = _agreed(votes_of_people(project, item.pk).get(item.pk, (0, 0)))
    if not answer:
        raise ValueError(
            gettext("%(id)s: no two people agree about it. Say yes or no in the file, or choose another.")
            % {"id": item.external_id}
        )
    return answer


def _block(examples: Sequence[Example]) -> str:
    shown = [f"Argument: {example.item.text}\nAnswer: {example.answer}" for example in examples]
    return "\n\n".join(["Examples:", *shown])


def _read(raw: str, _item: Item, _unit: Unit) -> Found:
    label = read_context(raw)
    return Found({"label": label}, label) if label else Found(problem=NOT_IN_THE_FORM)


CONTEXT = Kind(
    name="context",
    title=gettext_lazy("Filter texts for context"),
    prompts={"": PROMPT},
    read=_read,
    max_tokens=100,
    example=_example,
    block=_block,
    default_block="\n\n".join(
        [
            "Examples of contextually sufficient arguments:",
            *(f"Argument: {text}\nAnswer: yes" for text in QUOTED),
        ]
    ),
    most_examples=20,
)
