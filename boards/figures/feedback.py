"""What of an entry's figures may be told: everything that people or programs read of them comes from here.

`full` tells the figures as they are. `rounded` tells score, interval and share of NAE to the step of one
item. `better` is the Ladder: a score that beats the team's best by more than the standard error of the paired
difference, and of any other only that it does not. `after_close` tells nothing before the board is closed.

References
----------
Blum and Hardt (2015), The Ladder: a reliable leaderboard for machine learning competitions, ICML.
https://proceedings.mlr.press/v37/blum15.html

See docs/decisions/boards.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

Feedback = Literal["full", "rounded", "better", "after_close"]

NOT_BETTER = "not_better"
AFTER_THE_CLOSE = "after_the_close"

_TOLD_ROUNDED = ("value", "low", "high", "nae_share", "human")
_TOLD_AS_IT_IS = ("runs", "items", "diversity")
"""What of a row says nothing of the references."""


def told(
    figures: Mapping[str, Any], feedback: str, *, is_over: bool, is_better: bool | None
) -> dict[str, Any] | None:
    """Return the figures that may be told, or None where none may be."""
    if feedback == "full":
        return dict(figures)
    if feedback == "rounded":
        return rounded(figures)
    if feedback == "better":
        return dict(figures) if is_better else None
    if feedback == "after_close":
        return dict(figures) if is_over else None
    raise ValueError(f"There is no feedback {feedback!r}.")


def rounded(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return score, interval and share of NAE to the step of one item, and what needs no reference."""
    steps = max(1, int(figures["items"]))
    found = {name: to_step(figures.get(name), steps) for name in _TOLD_ROUNDED}
    return {
        **found,
        **{name: figures.get(name) for name in _TOLD_AS_IT_IS},
        "sd": None,
        "labels": {},
        "methods": [
            {"method": one["method"], **{name: to_step(one.get(name), steps) for name in _TOLD_ROUNDED[:3]}}
            for one in figures.get("methods", ())
        ],
    }


def to_step(value: float | None, steps: int) -> float | None:
    """Return a share to the nearest of so many steps.

    >>> to_step(0.64, 34) == 22 / 34
    True
    """
    return None if value is None else round(value * steps) / steps


def beats(difference: float, standard_error: float) -> bool:
    """Return whether a paired difference from the team's best is more than its standard error."""
    return difference > standard_error


def why_untold(feedback: str, is_better: bool | None) -> str | None:
    """Return the code of why a finished entry's figures are not told; None where its turn has not come."""
    if feedback == "after_close":
        return AFTER_THE_CLOSE
    return NOT_BETTER if is_better is False else None
