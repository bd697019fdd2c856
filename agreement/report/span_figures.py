"""What the spans of a round say: gold and disagreement spans, similarities of pairs, alphas over texts.

Texts stream by, one in memory at a time for all types that have a span in it. What stays is a row of sums
for each item and type, which `span_sums` resamples.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from agreement.report.judgements import Columns, RoundJudgements
from agreement.spans import gold_spans, item_means
from agreement.spans.agreement import FIGURES, TEXT_ALPHAS, JudgedText, text_sums
from agreement.spans.consensus import ConsensusSpan, consensus_spans
from agreement.spans.gold_spans import against_sums
from agreement.spans.tokens import positions
from agreement.spans.u_alpha import unmarked_rows
from agreement.spans.unitizing import alpha
from agreement.statistics.patterns import FloatArray

COLUMNS = (*FIGURES, *gold_spans.COLUMNS, *item_means.COLUMNS)

Floats = tuple[float, ...]
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

    items: those with a span, in the order they were read; sums: for each of them 2 * columns numbers, the
    numerators, then the denominators of `columns`; reasons: for each column how often which reason left it
    undefined; continuum: (items of the round, 10) what each text that two judged adds to the alphas of all
    texts as one, also those that nobody marked, None where the type has no spans.
    """

    columns: tuple[str, ...] = COLUMNS
    items: list[int] = field(default_factory=list)
    sums: array[float] = field(default_factory=lambda: array("d"))
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    n_units: int = 0
    n_gold: int = 0
    n_disagreement: int = 0
    by_characters: int = 0
    judges: NDArray[np.int64] | None = None
    continuum: FloatArray | None = None

    @property
    def rows(self) -> FloatArray:
        """The sums as a table, (items, 2 * columns)."""
        return np.frombuffer(self.sums, dtype=np.float64).reshape(len(self.items), 2 * len(self.columns))

    def widen(
        self, columns: tuple[str, ...], rows: Mapping[int, Floats], reasons: Mapping[str, Counter[str]]
    ) -> None:
        """Take in further columns: for every item here a row of their numerators, then denominators."""
        own, more = len(self.columns), len(columns)
        other = np.array([rows[item] for item in self.items], dtype=np.float64).reshape(-1, 2 * more)
        parts = self.rows[:, :own], other[:, :more], self.rows[:, own:], other[:, more:]
        self.sums = array("d", np.hstack(parts).tobytes())
        self.columns += columns
        self.reasons |= reasons


def by_clusters(found: Findings, clusters: NDArray[np.int64]) -> Findings:
    """Return the findings with clusters (items of the round,) in place of items: their sums added.

    A cluster has as many judges as the text of it that has most.
    """
    of_items = clusters[found.items] if found.items else np.empty(0, dtype=np.int64)
    places, place = np.unique(of_items, return_inverse=True)
    rows = np.zeros((len(places), 2 * len(found.columns)))
    np.add.at(rows, place.ravel(), found.rows)
    n = int(clusters.max(initial=-1)) + 1
    continuum, judges = None, None
    if found.continuum is not None:
        continuum = np.zeros((n, found.continuum.shape[1]))
        np.add.at(continuum, clusters, found.continuum)
    if found.judges is not None:
        judges = np.zeros(n, dtype=np.int64)
        np.maximum.at(judges, clusters, found.judges)
    return replace(
        found, items=places.tolist(), sums=array("d", rows.tobytes()), continuum=continuum, judges=judges
    )


def marked_units(judgements: RoundJudgements, types: Sequence[int]) -> Iterator[MarkedUnit]:
    """Yield the units of these types with a span, item by item, so that each text is read once."""
    columns = {index: judgements.of_type(index) for index in types}
    with_span = [np.unique(part.unit[part.start >= 0]) for part in columns.values()]
    kinds = np.repeat(np.array(list(columns), dtype=np.int64), [len(units) for units in with_span])
    items = np.concatenate([*with_span, np.empty(0, dtype=np.int64)])
    bounds = [
        np.searchsorted(part.unit, [units, units + 1])
        for part, units in zip(columns.values(), with_span, strict=True)
    ]
    low, high = np.concatenate([*bounds, np.empty((2, 0), dtype=np.int64)], axis=1)
    for place in np.lexsort((kinds, items)).tolist():
        kind = int(kinds[place])
        yield MarkedUnit(kind, int(items[place]), _marks(columns[kind], slice(low[place], high[place])))


def _marks(part: Columns, rows: slice) -> dict[int, tuple[int, int] | None]:
    judged = zip(
        part.rater[rows].tolist(),
        part.value[rows].tolist(),
        part.start[rows].tolist(),
        part.end[rows].tolist(),
        strict=True,
    )
    return {rater: (start, end) if start >= 0 else None for rater, value, start, end in judged if value >= 0}


def read_findings(
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
    of_types = [judgements.of_type(index) for index in types]
    n_items = len(judgements.items)
    needed = np.zeros(n_items, dtype=np.bool_)
    for index, part in zip(types, of_types, strict=True):
        needed[part.unit[part.start >= 0]] = True
        if judgements.types[index].span:
            judges: NDArray[np.int64] = np.bincount(part.unit[part.value >= 0], minlength=n_items).astype(
                np.int64
            )
            kinds[index].judges, needed[judges > 1] = judges, True
    lengths = np.zeros((n_items, 2), dtype=np.int64)
    wanted = np.flatnonzero(needed)
    units = marked_units(judgements, types)
    unit = next(units, None)
    rows: dict[int, list[tuple[int, FloatArray]]] = {index: [] for index in types}
    for item, (_, text) in zip(wanted.tolist(), texts(judgements.items.ids[wanted].tolist()), strict=True):
        lengths[item] = len(text), positions(text).count
        while unit is not None and unit.item == item:
            spans = consensus_spans(text, unit.spans, threshold)
            rows[unit.kind].append((item, _add_unit(kinds[unit.kind], unit, text, spans)))
            found(unit, text, spans)
            unit = next(units, None)
    for index, findings in kinds.items():
        if findings.judges is not None:
            findings.continuum = unmarked_rows(findings.judges, lengths)
            for item, row in rows[index]:
                findings.continuum[item] = row
    return kinds


def _add_unit(
    findings: Findings, unit: MarkedUnit, text: str, spans: tuple[ConsensusSpan, ...]
) -> FloatArray:
    own = text_sums(JudgedText(text, unit.marks))
    sums, numbers, reasons = against_sums(text, unit.spans, spans)
    findings.items.append(unit.item)
    means, texts = item_means.item_sums(text, unit.marks.values())
    findings.sums.extend((*own.numerators, *sums, *means, *own.denominators, *numbers, *texts))
    for figure, why_undefined in reasons.items():
        findings.reasons.setdefault(figure, Counter()).update(why_undefined)
    for figure, (number, why) in own.undefined.items():
        findings.reasons.setdefault(figure, Counter())[why] += number
    for figure, part in zip(TEXT_ALPHAS, own.disagreements, strict=True):
        if reason := alpha([part]).reason:
            findings.reasons.setdefault(figure, Counter())[reason] += 1
    findings.n_units += 1
    findings.n_gold += sum(span.kind == "gold" for span in spans)
    findings.n_disagreement += sum(span.kind == "disagreement" for span in spans)
    findings.by_characters += positions(text).unit == "character"
    return own.continuum
