"""How near each annotator's span comes to the consensus: to gold alone, or to what others chose alone too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.consensus import ConsensusSpan
from agreement.results import NO_PAIRS
from agreement.similarity import MEASURES, Span, pair_similarities

GOLD, GOLD_AND_DISAGREEMENT = "gold", "gold_and_disagreement"
AGAINST = (GOLD, GOLD_AND_DISAGREEMENT)

NO_GOLD = "no_gold"
"""The reason of a figure against gold where no two annotators share a span."""

COLUMNS = tuple(f"{measure}_against_{target}" for target in AGAINST for measure in MEASURES)
"""The figures, in the order of the sums that `against_sums` returns."""

_WITHOUT_TARGET = {GOLD: NO_GOLD, GOLD_AND_DISAGREEMENT: NO_PAIRS}


def against_sums(
    text: str, spans: Iterable[tuple[Any, int, int]], consensus: Sequence[ConsensusSpan]
) -> tuple[NDArray[np.float64], NDArray[np.float64], dict[str, Counter[str]]]:
    """Return what one text adds to each of `COLUMNS`: sums of similarities, numbers of spans, and reasons.

    spans are (annotator, start, end). Each is compared with every gold span of the text, and for
    `gold_and_disagreement` also with the disagreement spans of the other annotators; for each measure the
    best match counts. The reasons count, by column, the spans for which the measure is undefined.
    """
    marked = list(spans)
    values: dict[str, list[float]] = {name: [] for name in COLUMNS}
    reasons: dict[str, Counter[str]] = {}
    gold = [(span.start, span.end) for span in consensus if span.kind == "gold"]
    alone = [(span.annotators[0], (span.start, span.end)) for span in consensus if span.kind != "gold"]
    for annotator, start, end in marked:
        others = [span for who, span in alone if who != annotator]
        for target, against in ((GOLD, gold), (GOLD_AND_DISAGREEMENT, gold + others)):
            for measure, (best, reason) in _best(text, (start, end), against).items():
                name = f"{measure}_against_{target}"
                if best is not None:
                    values[name].append(best)
                elif reason:
                    reasons.setdefault(name, Counter())[reason] += 1
    return (
        np.array([fsum(values[name]) for name in COLUMNS]),
        np.array([float(len(values[name])) for name in COLUMNS]),
        reasons,
    )


def _best(text: str, span: Span, targets: Sequence[Span]) -> dict[str, tuple[float | None, str | None]]:
    """Return, for each measure, the highest similarity to a target, or the reason why none is defined."""
    found: dict[str, tuple[float | None, str | None]] = dict.fromkeys(MEASURES, (None, None))
    for target in targets:
        for measure, similarity in pair_similarities(text, span, target).items():
            best, _ = found[measure]
            if similarity.value is None:
                found[measure] = best, similarity.reason
            elif best is None or similarity.value > best:
                found[measure] = similarity.value, None
    return found


def without_target(column: str) -> str:
    """Return the reason of a figure for which no span had anything to be compared with."""
    return _WITHOUT_TARGET[column.partition("_against_")[2]]
