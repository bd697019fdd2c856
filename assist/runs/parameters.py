"""What a lead chooses for a run, the same from the page, the API and the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from annotation.access import visible_items
from annotation.models import Project
from assist.asking.choices import check_choice, whole_number
from assist.asking.prompts import placeholder_missing, placeholder_problem
from assist.models import TokensField
from assist.runs.kinds import Example, Kind, kind_named
from assist.runs.units import prompt_sha256, sources_of
from core.canonical_json import sha256_of
from core.errors import Refused

MOST_BUDGET = 2**31 - 1
_COMMON = (
    "endpoint",
    "model",
    "temperature",
    "seed",
    "tokens_field",
    "max_tokens",
    "timeout",
    "per_minute",
    "again",
)


@dataclass(frozen=True, slots=True)
class RunChoices:
    """Which task to do about what, where to ask, and how much it may cost.

    `prompts` has one of each variant of the task. `examples` are rows of an `id`, an item of the project, and
    what the task needs to say of it. `items` are external ids; None are all of the sources. `sources` are
    the pairs of source and licence whose texts may leave the installation.
    """

    kind: Kind
    endpoint: str
    model: str
    sources: tuple[tuple[str, str], ...]
    prompts: Mapping[str, str]
    fixed: Mapping[str, str]
    examples: tuple[Mapping[str, Any], ...] = ()
    items: tuple[str, ...] | None = None
    temperature: float | None = 0.0
    seed: int | None = None
    tokens_field: str = TokensField.MAX_TOKENS.value
    max_tokens: int = 300
    timeout: int = 60
    per_minute: int = 600
    again: bool = False
    budget_requests: int | None = None
    budget_tokens: int | None = None

    @property
    def recipes(self) -> dict[str, str]:
        """What an answer is kept under, by variant: (task, prompt, model, temperature, seed)."""
        return {
            variant: sha256_of(
                {
                    "task": self.kind.name,
                    "prompt": prompt_sha256(prompt, dict(self.fixed)),
                    "model": self.model,
                    "temperature": self.temperature,
                    "seed": self.seed,
                }
            )
            for variant, prompt in self.prompts.items()
        }

    def to_row(self) -> dict[str, Any]:
        """Return the columns of a run."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        del values["kind"]
        return {
            **values,
            "task": self.kind.name,
            "recipes": self.recipes,
            "prompts": dict(self.prompts),
            "fixed": dict(self.fixed),
            "sources": [list(pair) for pair in self.sources],
            "examples": [dict(example) for example in self.examples],
            "items": None if self.items is None else list(self.items),
        }


GIVEN = ("task", *_COMMON, "prompt", "examples", "items", "sources", "budget_requests", "budget_tokens")
"""What may be given from outside."""


def run_choices(project: Project, given: Mapping[str, Any]) -> RunChoices:
    """Check choices that came from outside; what is not given takes its default. Raises Refused.

    Each wrong one is refused with its field.
    """
    kind = kind_named(given.get("task"))
    problems = {
        key: gettext("There is no such choice.") for key in sorted(set(given) - {*GIVEN}) if key not in GIVEN
    }
    if kind.protocol is not None and project.protocol != kind.protocol:
        problems["task"] = gettext(
            "%(task)s asks what %(protocol)s judges: this project has another protocol."
        ) % {
            "task": kind.name,
            "protocol": kind.protocol.label,
        }
    values: dict[str, Any] = {"max_tokens": kind.max_tokens}
    chosen = {
        "endpoint": _only_endpoint(),
        **{key: given[key] for key in _COMMON if given.get(key, "") != ""},
    }
    for key, value in chosen.items():
        _checked(values, problems, key, lambda key=key, value=value: check_choice(key, value))
    if not settings.LLM_ENDPOINTS:
        problems["endpoint"] = gettext("This installation names no endpoint: set ELENCHUS_LLM_ENDPOINTS.")
    if not given.get("model"):
        problems["model"] = gettext("This has no default.")
    _checked(values, problems, "sources", lambda: _sources(project, given.get("sources")))
    _checked(values, problems, "prompts", lambda: _prompts(kind, given.get("prompt")), told="prompt")
    for key in ("budget_requests", "budget_tokens"):
        if given.get(key) is not None:
            _checked(values, problems, key, lambda key=key: whole_number(given[key], 1, MOST_BUDGET))
    _checked(values, problems, "items", lambda: _items(project, given.get("items")))
    shown: list[Example] = []
    _checked(values, problems, "examples", lambda: _examples(project, kind, given.get("examples"), shown))
    if not problems:
        _checked(values, problems, "checked", lambda: _fits(project, kind, shown, values), told="examples")
        values.pop("checked", None)
    if problems:
        told = "; ".join(f"{key}: {problem}" for key, problem in problems.items())
        raise Refused(
            "invalid",
            gettext("These choices do not make a run: %(message)s") % {"message": told},
            errors=problems,
        )
    block = kind.block(shown) if shown else kind.default_block
    fixed = {**kind.fixed(project), **({"examples": block} if "examples" in kind.known else {})}
    return RunChoices(kind=kind, fixed=fixed, **values)


def _checked(
    values: dict[str, Any], problems: dict[str, str], key: str, check: Any, *, told: str = ""
) -> None:
    try:
        values[key] = check()
    except ValueError as error:
        problems[told or key] = str(error)


def _only_endpoint() -> str:
    return settings.LLM_ENDPOINTS[0] if len(settings.LLM_ENDPOINTS) == 1 else ""


def _sources(project: Project, given: Any) -> tuple[tuple[str, str], ...]:
    """Return pairs of source and licence; a name alone stands for all its licences."""
    known = [(source, licence) for source, licence, _ in sources_of(project)]
    pairs: list[tuple[str, str]] = []
    for one in given if isinstance(given, list | tuple) else []:
        found = [pair for pair in known if one == pair[0] or list(pair) == one or pair == one]
        if not found:
            raise ValueError(
                gettext("No item of this project has the source %(source)s.") % {"source": repr(one)}
            )
        pairs += [pair for pair in found if pair not in pairs]
    checked: tuple[tuple[str, str], ...] = check_choice("sources", pairs)
    return checked


def _prompts(kind: Kind, given: Any) -> dict[str, str]:
    if given is None or given == "":
        return dict(kind.prompts)
    if isinstance(given, Mapping):
        if set(given) != set(kind.prompts):
            raise ValueError(
                gettext("Expected a prompt for each of %(variants)s.") % {"variants": ", ".join(kind.prompts)}
            )
        return {variant: _prompt(kind, given[variant]) for variant in kind.prompts}
    return {next(iter(kind.prompts)): _prompt(kind, given)}


def _prompt(kind: Kind, given: Any) -> str:
    if not isinstance(given, str):
        raise ValueError(gettext("Expected a text, got %(value)s.") % {"value": repr(given)})
    prompt = given.replace("\r\n", "\n").strip()
    if problem := placeholder_problem(prompt, kind.known):
        raise ValueError(problem)
    if missing := placeholder_missing(prompt, kind.needed):
        raise ValueError(
            gettext("Write {%(name)s} where it goes: %(task)s needs it.")
            % {"name": missing, "task": kind.name}
        )
    return prompt


def _items(project: Project, given: Any) -> tuple[str, ...] | None:
    if given is None:
        return None
    if not isinstance(given, list | tuple) or not all(isinstance(name, str) for name in given):
        raise ValueError(gettext("Expected a list of ids of items."))
    names = tuple(dict.fromkeys(given))
    if not names:
        raise ValueError(gettext("Name at least one item."))
    if missing := items_missing(project, names):
        raise ValueError(gettext("%(id)s is no item of this project.") % {"id": missing[0]})
    return names


def items_missing(project: Project, names: Sequence[str]) -> list[str]:
    """Return the ids that no item of the project has, in their order."""
    known: set[str] = set()
    for start in range(0, len(names), 500):
        part = names[start : start + 500]
        known |= set(
            visible_items(project).filter(external_id__in=part).values_list("external_id", flat=True)
        )
    return [name for name in names if name not in known]


def _examples(
    project: Project, kind: Kind, given: Any, shown: list[Example]
) -> tuple[Mapping[str, Any], ...]:
    """Return the rows of the examples, each with the answer that is shown; `shown` gets the examples."""
    if given is None or given == []:
        return ()
    rows = (
        [{"id": row} if isinstance(row, str) else row for row in given]
        if isinstance(given, list | tuple)
        else []
    )
    if not rows or not all(isinstance(row, Mapping) and isinstance(row.get("id"), str) for row in rows):
        raise ValueError(gettext("Expected a list of examples, each with the id of an item."))
    if len(rows) > kind.most_examples:
        raise ValueError(gettext("At most %(n)s examples are shown.") % {"n": kind.most_examples})
    items = {
        item.external_id: item
        for item in visible_items(project).filter(external_id__in=[r["id"] for r in rows])
    }
    found: list[Mapping[str, Any]] = []
    for row in rows:
        item = items.get(row["id"])
        if item is None:
            raise ValueError(gettext("%(id)s is no item of this project.") % {"id": row["id"]})
        answer = kind.example(project, item, row.get("answer"))
        shown.append(Example(item, answer))
        found.append({"id": item.external_id, "answer": answer})
    return tuple(found)


def _fits(project: Project, kind: Kind, shown: Sequence[Example], values: Mapping[str, Any]) -> None:
    """Raise ValueError where the examples do not go with the items that are asked about."""
    rows = visible_items(project)
    if values["items"] is not None:
        rows = rows.filter(external_id__in=values["items"])
    splits = set(rows.order_by().values_list("split", flat=True).distinct())
    kind.check(project, shown, splits)
    if values["items"] is not None and {example.item.external_id for example in shown} >= set(
        values["items"]
    ):
        raise ValueError(gettext("All the items are examples: there is nothing to ask about."))
