"""What kinds of task there are: each says what is asked about an item and how the answer is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.utils.translation import gettext

from annotation.models import Item, Project, Protocol
from annotation.rounds.suggestions import SuggestedAnswer
from assist.models import AssistAnswer
from core.errors import Refused


class Found(NamedTuple):
    """What was read out of an answer, with the one word it comes down to; or the problem that it has."""

    value: Any = None
    label: str = ""
    problem: str = ""


class Unit(NamedTuple):
    """What is asked about an item: one of its variants, with what a prompt may say of it."""

    variant: str
    values: Mapping[str, str]
    known: Mapping[str, Any] = {}
    """What reading the answer needs beside the item; not sent."""


class Example(NamedTuple):
    """An item with the answer that a prompt shows for it."""

    item: Item
    answer: str


def text_alone(_loaded: Any, prompts: Mapping[str, str], item: Item) -> Iterable[Unit]:
    """Ask about an item by each prompt, with nothing but its text."""
    return [Unit(variant, {"text": item.text}) for variant in prompts]


def _nothing_fixed(_project: Project) -> dict[str, str]:
    return {}


def _no_example(_project: Project, _item: Item, _given: Any) -> str:
    raise ValueError(gettext("This task shows no examples."))


def _unchecked(_project: Project, _examples: Sequence[Example], _splits: set[str]) -> None:
    return None


@dataclass(frozen=True)
class Kind:
    """A kind of task.

    `prompts` are the defaults by variant, `known` the placeholders of a prompt and `needed` those it must
    have. `load` reads once what `units` needs, which says what is asked about an item; `prompt_of` is the
    variant of the prompt that a unit's variant is asked by. `fixed` is what is the same for all items of a
    project, `example` which answer is shown for an item (raises ValueError where there is none), and `block`
    how the examples stand in the prompt. `check` refuses what does not fit together. `read` reads an answer;
    `entry` is what stands for it in a submission, where the task answers as a system does; `suggest` what it
    says about those of some units that it answers, where annotators can be shown it.
    """

    name: str
    title: Any
    prompts: Mapping[str, str]
    read: Callable[[str, Item, Unit], Found]
    known: tuple[str, ...] = ("text", "examples")
    needed: tuple[str, ...] = ("text",)
    max_tokens: int = 300
    protocol: Protocol | None = None
    load: Callable[[Project], Any] = lambda project: None
    units: Callable[[Any, Mapping[str, str], Item], Iterable[Unit]] = text_alone
    prompt_of: Callable[[str], str] = field(default=lambda variant: variant)
    fixed: Callable[[Project], dict[str, str]] = _nothing_fixed
    example: Callable[[Project, Item, Any], str] = _no_example
    block: Callable[[Sequence[Example]], str] = lambda examples: ""
    default_block: str = ""
    check: Callable[[Project, Sequence[Example], set[str]], None] = _unchecked
    most_examples: int = 10
    entry: Callable[[AssistAnswer], dict[str, Any] | None] | None = None
    suggest: Callable[[AssistAnswer, Sequence[Any]], Iterable[SuggestedAnswer]] | None = None


KINDS: dict[str, Kind] = {}


def kind_register(kind: Kind) -> None:
    """Make a kind of task known: an app does so when it starts."""
    KINDS[kind.name] = kind


def kind_named(name: Any) -> Kind:
    """Return a kind of task by its name. Raises Refused."""
    found = KINDS.get(name) if isinstance(name, str) else None
    if found is None:
        words = gettext("There is no task %(task)s: choose one of %(tasks)s.") % {
            "task": repr(name),
            "tasks": ", ".join(sorted(KINDS)),
        }
        raise Refused("invalid", words, errors={"task": words})
    return found
