"""Geometry of the small charts in a report: where dot, whisker and bars stand. The page draws them.

See docs/decisions/spans.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH, MARGIN = 132.0, 6.0
TICKS = (0.0, 0.5, 1.0)
BAR_WIDTH = 240.0


@dataclass(frozen=True, slots=True)
class Axis:
    """A horizontal axis from `low` to 1 over the width of a chart."""

    low: float

    def x(self, value: float) -> float:
        """Return the place of a value, held inside the chart."""
        share = (min(max(value, self.low), 1.0) - self.low) / (1.0 - self.low)
        return round(MARGIN + share * (WIDTH - 2 * MARGIN), 1)

    @property
    def ticks(self) -> list[dict[str, Any]]:
        return [{"x": self.x(tick), "label": f"{tick:g}"} for tick in TICKS if tick >= self.low]


@dataclass(frozen=True, slots=True)
class Whisker:
    """A dot with its interval; `trusted` is False where the interval is dashed or missing."""

    x: float
    x_low: float | None
    x_high: float | None
    trusted: bool


def axis_of(estimates: Iterable[Mapping[str, Any]]) -> Axis:
    """Return the axis on which all the estimates fit: from 0, or from the tenth below the lowest of them."""
    numbers = [
        number
        for estimate in estimates
        for number in (estimate["value"], estimate["low"])
        if number is not None
    ]
    lowest = min([0.0, *numbers])
    return Axis(max(-1.0, math.floor(lowest * 10 - 1e-9) / 10) if lowest < 0 else 0.0)


def whisker_of(estimate: Mapping[str, Any], axis: Axis) -> Whisker | None:
    """Return the dot and whisker of an estimate; None where it is undefined."""
    if estimate["value"] is None:
        return None
    bounded = estimate["low"] is not None
    return Whisker(
        x=axis.x(estimate["value"]),
        x_low=axis.x(estimate["low"]) if bounded else None,
        x_high=axis.x(estimate["high"]) if bounded else None,
        trusted=bounded and not estimate["caution"],
    )


def stacked_bar(counts: Sequence[int], longest: int, width: float = BAR_WIDTH) -> list[dict[str, float]]:
    """Return x and width of each part of a bar; a bar of `longest` fills the whole width."""
    parts, x = [], 0.0
    for count in counts:
        length = width * count / longest if longest else 0.0
        parts.append({"x": round(x, 1), "width": round(length, 1)})
        x += length
    return parts


def level(value: float | None, steps: int = 5) -> int | None:
    """Return the step of a tint, 0 to steps - 1, for a share between 0 and 1; None where there is none."""
    return None if value is None else min(steps - 1, max(0, int(value * steps)))
