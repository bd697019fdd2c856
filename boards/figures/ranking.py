"""Places on a board: by the figure as it is printed, so that nobody is ahead by what nobody can read."""

from __future__ import annotations

from collections.abc import Sequence

DECIMALS = 2


def printed(value: float | None) -> str:
    """Return a score as a board prints it, and as it ranks; "" where there is none."""
    return "" if value is None else f"{value:.{DECIMALS}f}"


def ranks(figures: Sequence[float | None]) -> list[int | None]:
    """Return the place of each figure: equal ones as printed share a place, and none has no place.

    >>> ranks([0.5, 0.651, 0.649, 0.7, None])
    [4, 2, 2, 1, None]
    """
    shown = [None if figure is None else float(printed(figure)) for figure in figures]
    best_first = sorted((figure for figure in shown if figure is not None), reverse=True)
    places: dict[float, int] = {}
    for place, figure in enumerate(best_first, start=1):
        places.setdefault(figure, place)
    return [None if figure is None else places[figure] for figure in shown]


def order(figures: Sequence[float | None], when: Sequence[float]) -> list[int]:
    """Return the positions of rows as a board lists them: by place, the earlier first among equals."""
    places = ranks(figures)
    last = len(figures) + 1
    return sorted(range(len(figures)), key=lambda at: (places[at] or last, when[at], at))
