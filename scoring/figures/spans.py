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
from numpy.typing import NDArray

from scoring.figures.figure import NO_REFERENCES, NOTHING_NAMED, Figure, Resamples

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
Similarities = Callable[[Place, Place], Sequence[float]]
"""The measures of an answer and a reference, in the order of the measures."""
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
        lambda item: answered.get(item, ()),
        lambda a, b: [similarity(a, b)],
        [""],
        {"": types},
        replicates=replicates,
        seed=seed,
    )[""]
    return {name: {mean: found[""] for mean, found in means.items()} for name, means in whole.items()}


def span_tables(
    decided_yes: Mapping[str, Mapping[str, References]],
    answered: Callable[[str], Answers],
    similarities: Similarities,
    measures: Sequence[str],
    groups: Mapping[str, Sequence[str] | None],
    *,
    replicates: int = 1000,
    seed: int | Sequence[int] = 1,
) -> dict[str, dict[str, Means]]:
    """Return {group: {reference set: {mean: {measure: figure}}}}: of one type, of several, of all (None).

    `answered` gives what the system says of an item, so that it need not be held for all of them. A group's
    figures are of its own units: sums over them, not means of the types' means.
    """
    order = {item: at for at, item in enumerate(sorted(decided_yes))}
    units: dict[str, _Units] = {}
    for item, decided in decided_yes.items():
        for code, gold, both in _rows(decided, answered(item), similarities, len(measures)):
            if code not in units:
                units[code] = _Units(2 + 2 * len(measures))
            units[code].add(order[item], gold, both)
    found: dict[str, dict[str, Means]] = {name: {} for name in groups}
    sums: dict[str, Resamples] = {}
    for reference_set in REFERENCE_SETS:
        for code, kept in units.items():
            if reference_set == GOLD or kept.differs(reference_set):
                sums.pop(code, None)  # before the next is made: one of them in memory
                sums[code] = kept.resampled(reference_set, len(order), replicates, seed)
        for name, types in groups.items():
            chosen = [one for code, one in sums.items() if types is None or code in types]
            whole = (
                Resamples.together(chosen)
                if chosen
                else Resamples(np.zeros((len(order), 2 + 2 * len(measures))), replicates=0, seed=seed)
            )
            found[name][reference_set] = _means(whole, measures)
    return found


class _Units:
    """What the items in which one type was decided yes add to the sums, with gold and with all references."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._items = array("q")
        self._rows = array("d")
        self._of: dict[str, array[int]] = {GOLD: array("q"), ALL: array("q")}

    def add(self, item: int, gold: Sequence[float] | None, both: Sequence[float]) -> None:
        """Add an item; `gold` and `both` are one object where there is no disagreement."""
        at = len(self._items)
        if gold is not None:
            self._of[GOLD].append(at)
        if gold is not None and gold is not both:
            self._keep(item, gold)
            at += 1
        self._of[ALL].append(at)
        self._keep(item, both)

    def _keep(self, item: int, row: Sequence[float]) -> None:
        self._items.append(item)
        self._rows.extend(row)

    def resampled(
        self, reference_set: str, n_items: int, replicates: int, seed: int | Sequence[int]
    ) -> Resamples:
        """Return the sums over the items that have references of a set."""
        items = np.array(self._items, dtype=np.int64)
        rows = np.frombuffer(self._rows, dtype=np.float64).reshape(-1, self.width)
        at = self._places(reference_set)
        if len(at) < len(rows):
            rows, items = rows[at], items[at]
        return Resamples(rows, replicates=replicates, seed=seed, items=items, n_items=n_items)

    def differs(self, reference_set: str) -> bool:
        """Return whether a set has other rows than the one before it in REFERENCE_SETS."""
        before = REFERENCE_SETS[REFERENCE_SETS.index(reference_set) - 1]
        return not np.array_equal(self._places(reference_set), self._places(before))

    def _places(self, reference_set: str) -> NDArray[np.int64]:
        """Return which rows are those of a set."""
        gold, every = (np.array(self._of[name], dtype=np.int64) for name in (GOLD, ALL))
        if reference_set == GOLD:
            return gold
        if reference_set == ALL:
            return every
        items = np.array(self._items, dtype=np.int64)
        return every[np.isin(items[every], items[gold])]


def _rows(
    decided: Mapping[str, References], said: Answers, similarities: Similarities, n_measures: int
) -> Iterator[tuple[str, list[float] | None, list[float]]]:
    """Give of each type of an item that was decided yes and has references what it adds to the sums.

    A row is 1, whether the system named the type, and by measure the best of its spans for the type (0 where
    it did not name it) and the best of all its spans: first with gold, None where there is none, then with
    all references.
    """
    spans = [(kind, span) for kind, span in said if span]
    named = {kind for kind, _ in said}
    nothing = [0.0] * n_measures

    def row(code: str, compared: Sequence[tuple[str, Sequence[float]]]) -> list[float]:
        own = [values for kind, values in compared if kind == code]
        best, anyhow = _best(own) or nothing, _best([values for _, values in compared]) or nothing
        return [1.0, float(code in named), *best, *anyhow]

    for code, references in decided.items():
        gold, others = references.gold, references.disagreement
        if not gold and not others:
            continue
        with_gold = [(kind, similarities(span, one)) for kind, span in spans for one in gold]
        first = row(code, with_gold) if gold else None
        if not others and first is not None:
            yield code, first, first
            continue
        more = [(kind, similarities(span, one)) for kind, span in spans for one in others]
        yield code, first, row(code, [*with_gold, *more])


def _best(found: Sequence[Sequence[float]]) -> Sequence[float]:
    """Return the highest value of each measure."""
    return found[0] if len(found) == 1 else [max(values) for values in zip(*found, strict=True)]


def _means(resamples: Resamples, measures: Sequence[str]) -> Means:
    n, n_named = (int(total) for total in resamples.totals[:2])
    why_unnamed = NOTHING_NAMED if n else NO_REFERENCES
    # What the system did not name adds nothing to the sum of the first, which is that of the second too.
    kinds = (
        ("mean", 0, 0, n, NO_REFERENCES),
        (NAMED, 0, 1, n_named, why_unnamed),
        (WHATEVER, 1, 0, n, NO_REFERENCES),
    )
    means: Means = {}
    for mean, above, below, number, reason in kinds:
        for at, measure in enumerate(measures):
            column = 2 + above * len(measures) + at
            means.setdefault(mean, {})[measure] = resamples.figure(
                lambda s, column=column, below=below: (s[..., column], s[..., below]),  # type: ignore[misc]
                n=number,
                reason=reason,
            )
    return means
