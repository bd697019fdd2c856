"""Choices that all runs have in common, checked one by one: where to ask, how, and which sources."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from assist.models import TokensField

LIMITS = {
    "max_tokens": (16, 32_000),
    "timeout": (5, 120),
    "per_minute": (1, 600),
}
"""The least and the most of each limit. A timeout stays well below a worker's lease."""

TEMPERATURES = (0.0, 2.0)


def check_choice(key: str, value: Any) -> Any:
    """Return a choice as it is stored. Raises ValueError with what is wrong, in a sentence."""
    if key in LIMITS:
        return whole_number(value, *LIMITS[key])
    if key == "seed":
        return None if value is None else whole_number(value, 0, 2**63 - 1)
    if key == "temperature":
        return None if value is None else _temperature(value)
    if key == "sources":
        return _sources(value)
    if key == "again":
        if not isinstance(value, bool):
            raise ValueError(gettext("Expected true or false, got %(value)s.") % {"value": repr(value)})
        return value
    return _text(key, text_given(value))


def whole_number(value: Any, least: int, most: int) -> int:
    """Return a whole number between two others. Raises ValueError."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(
            gettext("Expected a whole number from %(least)s to %(most)s, got %(value)s.")
            % {"least": least, "most": most, "value": repr(value)}
        )
    return value


def text_given(value: Any) -> str:
    """Return a text. Raises ValueError for anything else."""
    if not isinstance(value, str):
        raise ValueError(gettext("Expected a text, got %(value)s.") % {"value": repr(value)})
    return value


def _text(key: str, value: str) -> str:
    if key == "endpoint" and value not in settings.LLM_ENDPOINTS:
        raise ValueError(gettext("This installation does not name this endpoint."))
    if key == "tokens_field" and value not in TokensField.values:
        raise ValueError(gettext("Expected one of %(values)s.") % {"values": ", ".join(TokensField.values)})
    if key == "model" and not (value.strip() and value.isprintable() and len(value) <= 200):
        raise ValueError(
            gettext("Expected the model's name as the endpoint knows it, of 200 characters at most.")
        )
    return value.strip()


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
