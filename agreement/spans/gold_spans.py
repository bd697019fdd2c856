"""How near each annotator's span comes to the consensus: to gold alone, or to what others chose alone too."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from math import fsum
from typing import Any, Final, Literal

from agreement.spans.consensus import ConsensusSpan
from agreement.spans.similarity import MEASURES, Similarity, Span, pair_similarities
from agreement.statistics.estimates import NO_PAIRS

SpanTarget = Literal["gold", "gold_and_disagreement"]

GOLD: Final = "gold"
GOLD_AND_DISAGREEMENT: Final = "gold_and_disagreement"
AGAINST: tuple[SpanTarget, ...] = (GOLD, GOLD_AND_DISAGREEMENT)

NO_GOLD = "no_gold"
"""The reason of a figure against gold where no two annotators share a span."""

_WITHOUT_TARGET = {GOLD: NO_GOLD, GOLD_AND_DISAGREEMENT: NO_PAIRS}


def against_columns(measures: Iterable[str]) -> tuple[str, ...]:
    """Return what the figures of these measures against gold, or gold and disagreement, are called."""
    return tuple(column for target in AGAINST for _, column in _against(target, tuple(measures)))


@lru_cache
def _against(target: str, measures: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((measure, f"{measure}_against_{target}") for measure in measures)


COLUMNS = against_columns(MEASURES)
"""The figures, in the order of the sums that `against_sums` returns."""

Compare = Callable[[Span, Span], Mapping[str, Similarity]]


def against_sums(
    text: str,
    spans: Iterable[tuple[Any, int, int]],
    consensus: Sequence[ConsensusSpan],
    *,
    measures: Sequence[str] = MEASURES,
    compare: Compare | None = None,
) -> tuple[tuple[float, ...], tuple[float, ...], dict[str, Counter[str]]]:
    """Return what one text adds to each of `against_columns`: sums, numbers of spans, and reasons.

    spans are (annotator, start, end). Each is compared with every gold span of the text, and for
    `gold_and_disagreement` also with the disagreement spans of the other annotators; for each measure the
    best match counts. The reasons count, by column, the spans for which the measure is undefined. `compare`
    gives the similarities of two spans by these measures; without it they are those of `pair_similarities`.
    """
    nothing = (0.0,) * (len(AGAINST) * len(measures))
    reasons: dict[str, Counter[str]] = {}
    gold = [(span.start, span.end) for span in consensus if span.kind == "gold"]
    alone = [(span.annotators[0], (span.start, span.end)) for span in consensus if span.kind != "gold"]
    if not gold and len(alone) < 2:
        return nothing, nothing, reasons  # most texts: a span alone has nothing to be compared with
    similar = compare or (lambda span, target: pair_similarities(text, span, target))
    values: dict[str, list[float]] = defaultdict(list)
    for annotator, start, end in spans:
        others = [span for who, span in alone if who != annotator]
        for target, against in ((GOLD, gold), (GOLD_AND_DISAGREEMENT, gold + others)):
            if not against:
                continue
            found = _best((start, end), against, measures, similar)
            for measure, name in _against(target, tuple(measures)):
                best, reason = found[measure]
                if best is not None:
                    values[name].append(best)
                elif reason:
                    reasons.setdefault(name, Counter())[reason] += 1
    if not values:
        return nothing, nothing, reasons
    columns = against_columns(measures)
    return (
        tuple(fsum(values[name]) for name in columns),
        tuple(float(len(values[name])) for name in columns),
        reasons,
    )


def _best(
    span: Span, targets: Sequence[Span], measures: Sequence[str], similar: Compare
) -> dict[str, tuple[float | None, str | None]]:
    """Return, for each measure, the highest similarity to a target, or the reason why none is defined."""
    found: dict[str, tuple[float | None, str | None]] = dict.fromkeys(measures, (None, None))
    for target in targets:
        for measure, similarity in similar(span, target).items():
            best, _ = found[measure]
            if similarity.value is None:
                found[measure] = best, similarity.reason
            elif best is None or similarity.value > best:
                found[measure] = similarity.value, None
    return found


def without_target(column: str) -> str:
    """Return the reason of a figure for which no span had anything to be compared with."""
    return _WITHOUT_TARGET[column.partition("_against_")[2]]
