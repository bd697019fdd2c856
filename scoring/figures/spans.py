"""How near a system's spans are to people's: per type decided yes, the best match with a reference.

Three means stand beside each other: over all types decided yes that have a reference (0 where the system
does not name the type or gives no span), over those that it named, and whatever the type (the best of all
its spans). With more references no value is lower.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring.figures.figure import NO_REFERENCES, NOTHING_NAMED, Figure, FloatArray, Resamples

GOLD, ALL, ALL_ON_GOLD = "gold", "all", "all_on_types_with_gold"
REFERENCE_SETS = (GOLD, ALL, ALL_ON_GOLD)
NAMED, WHATEVER = "when_the_type_is_named", "whatever_the_type"


class Place(NamedTuple):
    """Words, and where they stand in their text: [start, end) in code points, None where they do not."""

    words: str
    span: tuple[int, int] | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class References:
    """The spans of one type that was decided yes in one item."""

    gold: tuple[Place, ...] = ()
    disagreement: tuple[Place, ...] = ()

    def of(self, reference_set: str) -> tuple[Place, ...]:
        """Return those of a set; none where the set leaves the type out."""
        if reference_set == GOLD:
            return self.gold
        if reference_set == ALL_ON_GOLD and not self.gold:
            return ()
        return (*self.gold, *self.disagreement)


Similarity = Callable[[Place, Place], float]
Similarities = Callable[[Place, Place], Mapping[str, float]]
Answers = Sequence[tuple[str, Place | None]]
"""The types that a system names in an item, each with its span, None where it gives none."""

Means = dict[str, dict[str, Figure]]
"""{mean: {measure: figure}}"""


def span_figures(
    decided_yes: Mapping[str, Mapping[str, References]],
    answered: Mapping[str, Answers],
    similarity: Similarity,
    *,
    replicates: int = 1000,
    seed: int | Sequence[int] = 1,
    types: Sequence[str] | None = None,
) -> dict[str, dict[str, Figure]]:
    """Return {reference set: {mean: figure}} of one measure.

    decided_yes : of each item the types decided yes with their spans
    answered : of each item what the system says
    types : the types that count, None for all

    Intervals resample items with all their types.

    >>> words = lambda a, b: float(a.words == b.words)
    >>> yes = {"a": {"LE": References((Place("taxes"),)), "WE": References((), (Place("jobs"),))}}
    >>> found = span_figures(yes, {"a": [("WE", Place("jobs"))]}, words, replicates=0)
    >>> [(found[name]["mean"].value, found[name]["mean"].n) for name in ("gold", "all")]
    [(0.0, 1), (0.5, 2)]
    """
    whole = span_tables(
        decided_yes,
        answered,
        lambda a, b: {"": similarity(a, b)},
        [""],
        {"": types},
        replicates=replicates,
        seed=seed,
    )[""]
    return {name: {mean: found[""] for mean, found in means.items()} for name, means in whole.items()}


def span_tables(
    decided_yes: Mapping[str, Mapping[str, References]],
    answered: Mapping[str, Answers],
    similarities: Similarities,
    measures: Sequence[str],
    groups: Mapping[str, Sequence[str] | None],
    *,
    replicates: int = 1000,
    seed: int | Sequence[int] = 1,
) -> dict[str, dict[str, Means]]:
    """Return {group: {reference set: {mean: {measure: figure}}}}: of one type, of several, of all (None).

    A group's figures are of its own units: sums over them, not means of the types' means.
    """
    width = 2 + 3 * len(measures)
    units = {reference_set: _Units(width) for reference_set in REFERENCE_SETS}
    for at, (item, decided) in enumerate(decided_yes.items()):
        # Each pair of an item is compared once, for all reference sets and measures.
        once = _remembering(similarities)
        for reference_set, kept in units.items():
            for code, row in _rows(decided, answered.get(item, ()), once, measures, reference_set):
                kept.add(at, code, row)
    found: dict[str, dict[str, Means]] = {name: {} for name in groups}
    for reference_set, kept in units.items():
        for name, types in groups.items():
            sums = kept.sums(len(decided_yes), types)
            found[name][reference_set] = _means(sums, measures, replicates, seed)
    return found


class _Units:
    """What each type decided yes adds to the sums of its item, row after row."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._items = array("q")
        self._codes: list[str] = []
        self._rows = array("d")

    def add(self, item: int, code: str, row: Sequence[float]) -> None:
        self._items.append(item)
        self._codes.append(code)
        self._rows.extend(row)

    def sums(self, n_items: int, types: Sequence[str] | None) -> FloatArray:
        """Return the sums of each item over its units of these types, (items, width)."""
        sums: FloatArray = np.zeros((n_items, self.width))
        items = np.array(self._items, dtype=np.int64)
        rows = np.array(self._rows, dtype=np.float64).reshape(-1, self.width)
        if types is not None:
            wanted = set(types)
            kept = np.array([code in wanted for code in self._codes], dtype=np.bool_)
            items, rows = items[kept], rows[kept]
        np.add.at(sums, items, rows)
        return sums


def _remembering(similarities: Similarities) -> Similarities:
    known: dict[tuple[Place, Place], Mapping[str, float]] = {}

    def of(answer: Place, reference: Place) -> Mapping[str, float]:
        found = known.get((answer, reference))
        if found is None:
            found = known[answer, reference] = similarities(answer, reference)
        return found

    return of


def _rows(
    decided: Mapping[str, References],
    said: Answers,
    similarities: Similarities,
    measures: Sequence[str],
    reference_set: str,
) -> Iterator[tuple[str, list[float]]]:
    """Give of each type of an item that was decided yes and has references what it adds to the sums.

    A row is 1, whether the system named the type, and by measure the best of its spans for the type, the same
    where named, and the best of all its spans.
    """
    for code, references in decided.items():
        chosen = references.of(reference_set)
        if not chosen:
            continue
        own = [span for kind, span in said if kind == code]
        best = _best([span for span in own if span], chosen, similarities, measures)
        anyhow = _best([span for _, span in said if span], chosen, similarities, measures)
        yield code, [1.0, float(bool(own)), *best, *(best if own else [0.0] * len(best)), *anyhow]


def _means(sums: FloatArray, measures: Sequence[str], replicates: int, seed: int | Sequence[int]) -> Means:
    resamples = Resamples(sums, replicates=replicates, seed=seed)
    n, n_named = (int(total) for total in resamples.totals[:2])
    why_unnamed = NOTHING_NAMED if n else NO_REFERENCES
    kinds = (("mean", 0, n, NO_REFERENCES), (NAMED, 1, n_named, why_unnamed), (WHATEVER, 0, n, NO_REFERENCES))
    means: Means = {}
    for place, (mean, below, number, reason) in enumerate(kinds):
        for at, measure in enumerate(measures):
            column = 2 + place * len(measures) + at
            means.setdefault(mean, {})[measure] = resamples.figure(
                lambda s, column=column, below=below: (s[..., column], s[..., below]),  # type: ignore[misc]
                n=number,
                reason=reason,
            )
    return means


def _best(
    spans: Sequence[Place], references: Sequence[Place], similarities: Similarities, measures: Sequence[str]
) -> list[float]:
    found = [similarities(span, reference) for span in spans for reference in references]
    return [max((one[measure] for one in found), default=0.0) for measure in measures]
