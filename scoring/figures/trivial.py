"""What answers are worth that know nothing of the text: the rows that a system has to beat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from scoring.figures.types import NONE, Decided, Scope

MOST_TYPES = 2
"""How many types an answer may name of an item."""


@dataclass(frozen=True, slots=True)
class TrivialRow:
    """The same answer for every item, and its micro F1 over all scored pairs; None where nothing is scored.

    types : those that are named, none for None of the Above
    """

    types: tuple[str, ...]
    f1: float | None


def none_for_all(decided: Mapping[str, Decided], *, types: Sequence[str], scope: Scope) -> TrivialRow:
    """Score None of the Above for every item; `decided`, `types` and `scope` are those of `type_scores`."""
    return _constant(_totals(decided, types, scope), ())


def best_constant(decided: Mapping[str, Decided], *, types: Sequence[str], scope: Scope) -> TrivialRow:
    """Return the one or two types that are worth most where every item is answered with them.

    No other constant answer has a higher micro F1; of equals the first in the order of the codebook.

    >>> items = {"a": {"LE": True, "WE": False}, "b": {"LE": True, "WE": True}}
    >>> best_constant(items, types=["LE", "WE"], scope="all")
    TrivialRow(types=('LE', 'WE'), f1=0.8571428571428571)
    """
    totals = _totals(decided, types, scope)
    answers = [chosen for n in range(1, MOST_TYPES + 1) for chosen in combinations(types, n)]
    rows = [_constant(totals, chosen) for chosen in answers]
    return max(rows, key=lambda row: -1.0 if row.f1 is None else row.f1)


def random_answers(items: Sequence[str], *, types: Sequence[str], seed: int) -> dict[str, list[str]]:
    """Return two types for each item, drawn evenly: `type_scores` says what they are worth."""
    rng = np.random.default_rng(seed)
    return {item: [types[at] for at in rng.permutation(len(types))[:MOST_TYPES]] for item in items}


def _totals(decided: Mapping[str, Decided], types: Sequence[str], scope: Scope) -> dict[str, tuple[int, int]]:
    """Return of each type, and of NONE, in how many scored items it is right and in how many wrong."""
    found = dict.fromkeys((*types, NONE), (0, 0))

    def add(code: str, there: bool) -> None:
        right, wrong = found[code]
        found[code] = (right + there, wrong + (not there))

    for decisions in decided.values():
        for code in types:
            decision = decisions.get(code)
            if decision is not None or scope == "all":
                add(code, bool(decision))
        if scope == "all" or all(decisions.get(code) is not None for code in types):
            add(NONE, not any(decisions.get(code) for code in types))
    return found


def _constant(totals: Mapping[str, tuple[int, int]], chosen: tuple[str, ...]) -> TrivialRow:
    named = chosen or (NONE,)
    tp = sum(totals[code][0] for code in named)
    fp = sum(totals[code][1] for code in named)
    fn = sum(right for code, (right, _) in totals.items() if code not in named)
    below = 2 * tp + fp + fn
    return TrivialRow(chosen, 2 * tp / below if below else None)
