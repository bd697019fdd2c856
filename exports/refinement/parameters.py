"""What a lead chooses for a run of refinements, the same from the page, the API and the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from core.errors import Refused
from exports.models import RefinementRun
from exports.refinement.prompt import DEFAULT_PROMPT, prompt_problem

LIMITS = {
    "max_tokens": (16, 32_000),
    "timeout": (5, 120),
    "per_minute": (1, 600),
    "max_questions": (1, 10_000),
}
"""The least and the most of each limit. A timeout stays well below a worker's lease."""

TEMPERATURES = (0.0, 2.0)


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
        return _whole(value, *LIMITS[key])
    if key == "seed":
        return None if value is None else _whole(value, 0, 2**63 - 1)
    if key == "temperature":
        return None if value is None else _temperature(value)
    if key == "sources":
        return _sources(value)
    if key == "splits_left_out":
        if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
            raise ValueError(gettext("Expected a list of splits, got %(value)s.") % {"value": repr(value)})
        return tuple(value)
    if key == "again":
        if not isinstance(value, bool):
            raise ValueError(gettext("Expected true or false, got %(value)s.") % {"value": repr(value)})
        return value
    if not isinstance(value, str):
        raise ValueError(gettext("Expected a text, got %(value)s.") % {"value": repr(value)})
    return _text(key, value)


def _text(key: str, value: str) -> str:
    if key == "prompt":
        prompt = value.replace("\r\n", "\n").strip()
        if problem := prompt_problem(prompt):
            raise ValueError(problem)
        return prompt
    if key == "endpoint" and value not in settings.LLM_ENDPOINTS:
        raise ValueError(gettext("This installation does not name this endpoint."))
    if key == "tokens_field" and value not in RefinementRun.TokensField.values:
        raise ValueError(
            gettext("Expected one of %(values)s.") % {"values": ", ".join(RefinementRun.TokensField.values)}
        )
    if key == "model" and not (value.strip() and value.isprintable() and len(value) <= 200):
        raise ValueError(
            gettext("Expected the model's name as the endpoint knows it, of 200 characters at most.")
        )
    return value.strip()


def _whole(value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(
            gettext("Expected a whole number from %(least)s to %(most)s, got %(value)s.")
            % {"least": least, "most": most, "value": repr(value)}
        )
    return value


def _temperature(value: Any) -> float:
    least, most = TEMPERATURES
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ValueError(
            gettext("Expected a number from %(least)s to %(most)s, got %(value)s.")
            % {"least": f"{least:g}", "most": f"{most:g}", "value": repr(value)}
        )
    return float(value)


def _sources(value: Any) -> tuple[tuple[str, str], ...]:
    pairs = list(value) if isinstance(value, list | tuple) else []
    if not pairs or not all(
        isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(name, str) for name in pair)
        for pair in pairs
    ):
        raise ValueError(gettext("Name at least one source whose texts may be sent, each with its licence."))
    return tuple((source, licence) for source, licence in pairs)
