"""A text cut where spans start and end, so that overlapping spans of several annotators can all be shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a text. `by`: who marked it; `starts`: whose spans start here. Both sorted."""

    text: str
    by: tuple[int, ...]
    starts: tuple[int, ...]


def segments(text: str, spans: Iterable[tuple[int, int, int]]) -> list[Segment]:
    """Cut a text at the bounds of spans (who, start, end), code points, half open.

    The pieces put together are the text again.

    >>> [(s.text, s.by) for s in segments("so it goes", [(1, 0, 5), (2, 3, 10)])]
    [('so ', (1,)), ('it', (1, 2)), (' goes', (2,))]
    """
    spans = list(spans)
    bounds = sorted({0, len(text), *(bound for _, start, end in spans for bound in (start, end))})
    return [
        Segment(
            text[low:high],
            tuple(sorted({who for who, start, end in spans if start <= low and high <= end})),
            tuple(sorted({who for who, start, _ in spans if start == low})),
        )
        for low, high in pairwise(bounds)
    ]


def excerpt_bounds(text: str, spans: Iterable[tuple[int, int, int]], margin: int = 160) -> tuple[int, int]:
    """Return the part of a long text that shows all its spans, cut at spaces; the beginning without spans."""
    spans = list(spans)
    first = min((start for _, start, _ in spans), default=0)
    last = max((end for _, _, end in spans), default=0)
    low, high = max(0, first - margin), min(len(text), last + margin)
    if low > 0:
        low = text.find(" ", low, first) + 1 or low
    if high < len(text):
        found = text.rfind(" ", last, high)
        high = found if found > 0 else high
    return low, high
