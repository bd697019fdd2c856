"""What a lead chooses for a run of refinements, the same from the page, the API and the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from django.utils.translation import gettext

from assist.asking import choices
from core.errors import Refused
from exports.models import RefinementRun
from exports.refinement.prompt import DEFAULT_PROMPT, prompt_problem

LIMITS = {**choices.LIMITS, "max_questions": (1, 10_000)}
"""The least and the most of each limit."""


@dataclass(frozen=True, slots=True)
class RefinementChoices:
    """Where to ask, what to ask, and how much of it.

    `temperature` and `seed` are not sent where they are None. `sources` are the pairs of source and licence
    whose texts may leave the installation, but for items of `splits_left_out`. With `again` questions are
    asked that are refined already.
    """

    endpoint: str
    model: str
    sources: tuple[tuple[str, str], ...]
    prompt: str = DEFAULT_PROMPT
    temperature: float | None = 0.0
    seed: int | None = None
    tokens_field: str = RefinementRun.TokensField.MAX_TOKENS.value
    max_tokens: int = 300
    timeout: int = 60
    per_minute: int = 60
    max_questions: int = 1_000
    again: bool = False
    splits_left_out: tuple[str, ...] = ()

    def to_row(self) -> dict[str, Any]:
        """Return the columns of a run."""
        sources = [list(pair) for pair in self.sources]
        return {**asdict(self), "sources": sources, "splits_left_out": list(self.splits_left_out)}


def refinement_choices(given: Mapping[str, Any]) -> RefinementChoices:
    """Check choices that came from outside; what is not given takes its default. Raises Refused."""
    known = {field.name for field in fields(RefinementChoices)}
    problems = dict.fromkeys(sorted(set(given) - known), gettext("There is no such choice."))
    values: dict[str, Any] = {}
    for key in sorted(known & set(given)):
        try:
            values[key] = check_choice(key, given[key])
        except ValueError as error:
            problems[key] = str(error)
    for key in ("endpoint", "model", "sources"):
        if key not in given:
            problems[key] = gettext("This has no default.")
    if problems:
        message = "; ".join(f"{key}: {problem}" for key, problem in problems.items())
        raise Refused(
            "invalid",
            gettext("These choices do not make a run: %(message)s") % {"message": message},
            errors=problems,
        )
    return RefinementChoices(**values)


def check_choice(key: str, value: Any) -> Any:
    """Return a choice as it is stored. Raises ValueError with what is wrong, in a sentence."""
    if key in LIMITS:
        return choices.whole_number(value, *LIMITS[key])
    if key == "splits_left_out":
        if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
            raise ValueError(gettext("Expected a list of splits, got %(value)s.") % {"value": repr(value)})
        return tuple(value)
    if key == "prompt":
        prompt = choices.text_given(value).replace("\r\n", "\n").strip()
        if problem := prompt_problem(prompt):
            raise ValueError(problem)
        return prompt
    return choices.check_choice(key, value)
