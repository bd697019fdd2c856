"""How well a system names the types of FOCUS: counts, precision, recall and F1 by type, micro and macro.

Scope `decided`: a pair of item and type that has no decision is not scored, and None of the Above only in
items of which every type is decided. Scope `all`, as in the FOCUS paper: what is not decided yes is a no.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scoring.figures.figure import (
    NEITHER,
    NEVER_ANSWERED,
    NEVER_THERE,
    NO_ITEMS,
    Figure,
    FloatArray,
    Resamples,
)

NONE = "NONE"
Scope = Literal["decided", "all"]
Decided = Mapping[str, bool | None]


@dataclass(frozen=True, slots=True)
class TypeScore:
    """The counts of one label over all scored items, and what follows from them."""

    tp: int
    fp: int
    fn: int
    precision: Figure
    recall: Figure
    f1: Figure


@dataclass(frozen=True, slots=True)
class TypeScores:
    """Every figure of one scope. macro is over the labels that are defined; in macro_zero others are 0."""

    types: Mapping[str, TypeScore]
    micro: Mapping[str, Figure]
    macro: Mapping[str, Figure]
    macro_zero: Mapping[str, Figure]


def type_scores(
    decided: Mapping[str, Decided],
    answered: Mapping[str, Collection[str]],
    *,
    types: Sequence[str],
    scope: Scope,
    replicates: int = 1000,
    seed: int | Sequence[int] = 1,
) -> TypeScores:
    """Score a system's types against decisions.

    decided : of each item the types with their decision; one that is missing or None has none
    answered : of each item the types that the system names, NONE or nothing for None of the Above; an item
        that is missing counts as nothing answered

    Raises ValueError for an answer that is no type of the codebook, or about an item that is not there.

    >>> items = {"a": {"LE": True, "WE": False}, "b": {"LE": False, "WE": True}}
    >>> scores = type_scores(items, {"a": ["LE"], "b": ["LE"]}, types=["LE", "WE"], scope="all", replicates=0)
    >>> scores.micro["f1"].value, scores.types["LE"].f1.value
    (0.5, 0.6666666666666666)
    """
    _check(decided, answered, types)
    labels = (*types, NONE)
    counts = item_counts(decided, answered, types=types, scope=scope)
    resamples = Resamples(counts.reshape(len(decided), len(labels) * 3), replicates=replicates, seed=seed)
    n = len(decided)
    scored = {label: _score(resamples, at, n) for at, label in enumerate(labels)}
    return TypeScores(
        types=scored,
        micro={name: _micro(resamples, name, len(labels), n) for name in _RATIOS},
        macro={name: _macro(resamples, name, len(labels), zero=False) for name in _RATIOS},
        macro_zero={name: _macro(resamples, name, len(labels), zero=True) for name in _RATIOS},
    )


def _check(
    decided: Mapping[str, Decided], answered: Mapping[str, Collection[str]], types: Sequence[str]
) -> None:
    known = {*types, NONE}
    for item, given in answered.items():
        if item not in decided:
            raise ValueError(f"There is no item {item!r} to score.")
        if not known.issuperset(given):
            raise ValueError(f"{item}: {min(set(given) - known)!r} is no type of the codebook.")


_STATES = {None: -1, False: 0, True: 1}


def item_counts(
    decided: Mapping[str, Decided],
    answered: Mapping[str, Collection[str]],
    *,
    types: Sequence[str],
    scope: Scope,
) -> NDArray[np.float64]:
    """Return tp, fp and fn of each type and of NONE for each item, (items, labels, 3), by id."""
    order = {item: at for at, item in enumerate(sorted(decided))}
    columns = {code: at for at, code in enumerate(types)}
    states = _states([decided[item] for item in order], types)
    named = np.zeros(states.shape, dtype=np.bool_)
    for item, given in answered.items():
        for code in given:
            if code != NONE:
                named[order[item], columns[code]] = True
    there = states > 0
    scored = states >= 0 if scope == "decided" else np.ones_like(named)
    # None of the Above is one label more: answered where nothing is named, there where nothing is yes.
    there, named = (np.column_stack([cells, ~cells.any(axis=1)]) for cells in (there, named))
    scored = np.column_stack([scored, scored.all(axis=1)])
    cells = (there & named, named & ~there, there & ~named)
    return np.stack([cell & scored for cell in cells], axis=-1).astype(np.float64)


def _states(decisions: Sequence[Decided], types: Sequence[str]) -> NDArray[np.int8]:
    """Return the decisions of each item as numbers, (items, types); many items share one object."""
    places: dict[int, int] = {}
    distinct: list[list[int]] = []
    which = np.zeros(len(decisions), dtype=np.int64)
    for at, found in enumerate(decisions):
        place = places.setdefault(id(found), len(distinct))
        if place == len(distinct):
            distinct.append([_STATES[found.get(code)] for code in types])
        which[at] = place
    return np.array(distinct, dtype=np.int8).reshape(len(distinct), len(types))[which]


def _parts(name: str, tp: FloatArray, fp: FloatArray, fn: FloatArray) -> tuple[FloatArray, FloatArray]:
    if name == "precision":
        return tp, tp + fp
    if name == "recall":
        return tp, tp + fn
    return 2 * tp, 2 * tp + fp + fn


_RATIOS = ("precision", "recall", "f1")


def _score(resamples: Resamples, at: int, n: int) -> TypeScore:
    tp, fp, fn = (int(count) for count in resamples.totals[3 * at : 3 * at + 3])
    reasons = {
        "precision": NEITHER if not tp + fn else NEVER_ANSWERED,
        "recall": NEITHER if not tp + fp else NEVER_THERE,
        "f1": NEITHER,
    }

    def figure(name: str) -> Figure:
        return resamples.figure(
            lambda sums: _parts(name, *(sums[..., 3 * at + place] for place in range(3))),
            n=n,
            reason=reasons[name],
        )

    return TypeScore(tp, fp, fn, *(figure(name) for name in _RATIOS))


def _micro(resamples: Resamples, name: str, n_labels: int, n: int) -> Figure:
    def ratio(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        each = sums.reshape(*sums.shape[:-1], n_labels, 3).sum(axis=-2)
        return _parts(name, each[..., 0], each[..., 1], each[..., 2])

    return resamples.figure(ratio, n=n, reason=NEITHER if resamples.n_items else NO_ITEMS)


def _macro(resamples: Resamples, name: str, n_labels: int, *, zero: bool) -> Figure:
    def means(sums: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        each = sums.reshape(*sums.shape[:-1], n_labels, 3)
        above, below = _parts(name, each[..., 0], each[..., 1], each[..., 2])
        defined = below > 0
        values = np.divide(above, below, out=np.zeros_like(above), where=defined)
        number = np.full(defined.shape[:-1], n_labels) if zero else defined.sum(axis=-1)
        return values.sum(axis=-1) / np.maximum(number, 1), number > 0

    value, defined = means(resamples.totals)
    each = resamples.totals.reshape(n_labels, 3)
    n = n_labels if zero else int((_parts(name, each[:, 0], each[:, 1], each[:, 2])[1] > 0).sum())
    if not defined or not resamples.n_items:
        return Figure(None, n, reason=NEITHER if resamples.n_items else NO_ITEMS)
    low, high = resamples.interval_of(float(value), means)
    return Figure(float(value), n, low, high)


def confusion_table(
    decided: Mapping[str, Decided], answered: Mapping[str, Collection[str]], *, types: Sequence[str]
) -> dict[str, dict[str, int]]:
    """Return for each type decided yes and missed how often each other type was answered instead."""
    found: dict[str, dict[str, int]] = {}
    for item, decisions in decided.items():
        said = sorted(set(answered.get(item, ())) - {NONE}) or [NONE]
        for code in types:
            if decisions.get(code) and code not in said:
                row = found.setdefault(code, {})
                for other in said:
                    row[other] = row.get(other, 0) + 1
    return found
