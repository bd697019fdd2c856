"""How near a system's spans are to people's: per type decided yes, the best match with a reference.

Three means stand beside each other: over all types decided yes that have a reference (0 where the system
does not name the type or gives no span), over those that it named, and whatever the type (the best of all
its spans). With more references no value is lower.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring.figures.figure import NO_REFERENCES, NOTHING_NAMED, Figure, Resamples

GOLD, ALL, ALL_ON_GOLD = "gold", "all", "all_on_types_with_gold"
REFERENCE_SETS = (GOLD, ALL, ALL_ON_GOLD)


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
Answers = Sequence[tuple[str, Place | None]]
"""The types that a system names in an item, each with its span, None where it gives none."""


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

    decided_yes : of each item the types decided yes with their spans; answered : of each item what the
    system says types : the types that count, None for all. Intervals resample items with all their types.

    >>> words = lambda a, b: float(a.words == b.words)
    >>> yes = {"a": {"LE": References(gold=(Place("taxes"),)), "WE":
    References(disagreement=(Place("jobs"),))}}
    >>> found = span_figures(yes, {"a": [("WE", Place("jobs"))]}, words, replicates=0)
    >>> [(found[name]["mean"].value, found[name]["mean"].n) for name in ("gold", "all")]
    [(0.0, 1), (0.5, 2)]
    """
    return {
        name: _means(decided_yes, answered, similarity, name, replicates, seed, types)
        for name in REFERENCE_SETS
    }


def _means(
    decided_yes: Mapping[str, Mapping[str, References]],
    answered: Mapping[str, Answers],
    similarity: Similarity,
    reference_set: str,
    replicates: int,
    seed: int | Sequence[int],
    types: Sequence[str] | None,
) -> dict[str, Figure]:
    rows = []
    for item, decided in decided_yes.items():
        said = answered.get(item, ())
        # Sum and number of: all types, those named; the sum of the best whatever the type.
        row = [0.0] * 5
        for code, references in decided.items():
            chosen = references.of(reference_set)
            if not chosen or (types is not None and code not in types):
                continue
            own = [span for kind, span in said if kind == code]
            best = _best([span for span in own if span], chosen, similarity)
            row[0] += best
            row[1] += 1
            if own:
                row[2] += best
                row[3] += 1
            row[4] += _best([span for _, span in said if span], chosen, similarity)
        rows.append(row)
    resamples = Resamples(np.array(rows).reshape(len(rows), 5), replicates=replicates, seed=seed)
    n, n_named = int(resamples.totals[1]), int(resamples.totals[3])
    return {
        "mean": resamples.figure(lambda s: (s[..., 0], s[..., 1]), n=n, reason=NO_REFERENCES),
        "when_the_type_is_named": resamples.figure(
            lambda s: (s[..., 2], s[..., 3]), n=n_named, reason=NOTHING_NAMED if n else NO_REFERENCES
        ),
        "whatever_the_type": resamples.figure(lambda s: (s[..., 4], s[..., 1]), n=n, reason=NO_REFERENCES),
    }


def _best(spans: Sequence[Place], references: Sequence[Place], similarity: Similarity) -> float:
    return max((similarity(span, reference) for span in spans for reference in references), default=0.0)
