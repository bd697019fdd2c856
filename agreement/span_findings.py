"""What the spans of a round say: gold and disagreement spans, similarities of pairs, alphas over texts.

Texts stream by, one in memory at a time for all types that have a span in it. What stays is a row of sums
for each item and type, which `span_sums` resamples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agreement import gold_findings
from agreement.consensus import ConsensusSpan, consensus_spans
from agreement.gold_findings import against_sums
from agreement.judgements import Columns, RoundJudgements
from agreement.span_agreement import FIGURES, JudgedText, span_table
from agreement.tokens import positions

COLUMNS = (*FIGURES, *gold_findings.COLUMNS)

Floats = NDArray[np.float64]
Texts = Callable[[Iterable[int]], Iterator[tuple[int, str]]]


@dataclass(frozen=True, slots=True)
class MarkedUnit:
    """One type of one item with at least one span.

    marks: for each annotator who judged it (index) the span of a yes, None for a no.
    """

    kind: int
    item: int
    marks: dict[int, tuple[int, int] | None]

    @property
    def spans(self) -> list[tuple[int, int, int]]:
        return [(rater, *span) for rater, span in self.marks.items() if span is not None]


@dataclass(slots=True)
class Findings:
    """What was found for one type.

    rows: {item: (2 * columns,)} numerators, then denominators of `columns`; reasons: for each column how
    often which reason left it undefined.
    """

    columns: tuple[str, ...] = COLUMNS
    rows: dict[int, Floats] = field(default_factory=dict)
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    n_units: int = 0
    n_gold: int = 0
    n_disagreement: int = 0
    by_characters: int = 0

    def widen(
        self, columns: tuple[str, ...], rows: Mapping[int, Floats], reasons: Mapping[str, Counter[str]]
    ) -> None:
        """Take in further columns: for every item here a row of their numerators, then denominators."""
        own, more = len(self.columns), len(columns)
        for item, row in self.rows.items():
            other = rows[item]
            self.rows[item] = np.concatenate([row[:own], other[:more], row[own:], other[more:]])
        self.columns += columns
        self.reasons |= reasons


def marked_units(judgements: RoundJudgements, types: Sequence[int]) -> Iterator[MarkedUnit]:
    """Yield the units of these types with a span, item by item, so that each text is read once."""
    columns = {index: judgements.of_kind(index) for index in types}
    with_span = [np.unique(part.unit[part.start >= 0]) for part in columns.values()]
    kinds = np.repeat(np.array(list(columns), dtype=np.int64), [len(units) for units in with_span])
    items = np.concatenate([*with_span, np.empty(0, dtype=np.int64)])
    for place in np.lexsort((kinds, items)).tolist():
        kind = int(kinds[place])
        yield _marked_unit(kind, int(items[place]), columns[kind])


def _marked_unit(kind: int, item: int, part: Columns) -> MarkedUnit:
    low, high = np.searchsorted(part.unit, [item, item + 1])
    rows = zip(
        part.rater[low:high].tolist(),
        part.value[low:high].tolist(),
        part.start[low:high].tolist(),
        part.end[low:high].tolist(),
        strict=True,
    )
    marks = {rater: (start, end) if start >= 0 else None for rater, value, start, end in rows if value >= 0}
    return MarkedUnit(kind, item, marks)


def findings_read(
    judgements: RoundJudgements,
    types: Sequence[int],
    texts: Texts,
    *,
    threshold: float,
    found: Callable[[MarkedUnit, str, tuple[ConsensusSpan, ...]], None],
) -> dict[int, Findings]:
    """Return the findings of these types, by index; `found` receives each unit with text and consensus spans.

    What is found for a type does not depend on which others are read with it.
    """
    kinds = {index: Findings() for index in types}
    units = list(marked_units(judgements, types))
    items = np.unique(np.array([unit.item for unit in units], dtype=np.int64))
    stream = texts(judgements.items.ids[items].tolist())
    position, text = -1, ""
    for unit in units:
        if unit.item != position:
            position, (_, text) = unit.item, next(stream)
        spans = consensus_spans(text, unit.spans, threshold)
        _add_unit(kinds[unit.kind], unit, text, spans)
        found(unit, text, spans)
    return kinds


def _add_unit(findings: Findings, unit: MarkedUnit, text: str, spans: tuple[ConsensusSpan, ...]) -> None:
    table = span_table([JudgedText(text, unit.marks)])
    sums, numbers, reasons = against_sums(text, unit.spans, spans)
    findings.rows[unit.item] = np.concatenate([table.numerators[0], sums, table.denominators[0], numbers])
    for figure, why_undefined in reasons.items():
        findings.reasons.setdefault(figure, Counter()).update(why_undefined)
    for figure, (number, why) in table.undefined.items():
        findings.reasons.setdefault(figure, Counter())[why] += number
    for figure, reason in table.alpha_reasons.items():
        if reason:
            findings.reasons.setdefault(figure, Counter())[reason] += 1
    findings.n_units += 1
    findings.n_gold += sum(span.kind == "gold" for span in spans)
    findings.n_disagreement += sum(span.kind == "disagreement" for span in spans)
    findings.by_characters += positions(text).unit == "character"
