"""What the spans of a round say: gold and disagreement spans, similarities of pairs, alphas over texts.

Texts stream by, one in memory at a time for all types that have a span in it. What stays is a row of sums
for each item and type: a bootstrap over items is a matrix product, and an item is drawn with all its types.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement import gold_findings
from agreement.consensus import ConsensusSpan, consensus_spans
from agreement.gold_findings import AGAINST, against_sums, without_target
from agreement.intervals import PERCENTILE, generator, percentile_interval, resampled_weights
from agreement.judgements import Columns, RoundJudgements
from agreement.results import NO_PAIRS, NO_VARIATION, NOT_COMPUTED, SINGLE_ITEM, Estimate, undefined
from agreement.similarity import MEASURES
from agreement.span_agreement import ALPHA_TOKEN, ALPHA_U, FIGURES, JudgedText, span_table
from agreement.tokens import positions
from agreement.unitizing import NO_SPANS

ALPHAS = (ALPHA_TOKEN, ALPHA_U)
COLUMNS = (*FIGURES, *gold_findings.COLUMNS)
SPAN_STREAM = 7

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
    """What was found for one type, or for several pooled.

    rows: {item: (2 * figures,)} numerators, then denominators of `COLUMNS`; reasons: for each
    figure how often which reason left it undefined.
    """

    rows: dict[int, Floats] = field(default_factory=dict)
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    n_units: int = 0
    n_gold: int = 0
    n_disagreement: int = 0
    by_characters: int = 0

    @classmethod
    def pooled(cls, parts: Iterable[Findings]) -> Findings:
        """Return the findings of several types together; the parts stay as they are."""
        whole = cls()
        for part in parts:
            whole._add(part)
        return whole

    def _add(self, other: Findings) -> None:
        for item, row in other.rows.items():
            self.rows[item] = self.rows[item] + row if item in self.rows else row
        for name, reasons in other.reasons.items():
            self.reasons.setdefault(name, Counter()).update(reasons)
        self.n_units += other.n_units
        self.n_gold += other.n_gold
        self.n_disagreement += other.n_disagreement
        self.by_characters += other.by_characters

    def reason(self, figure: str) -> str:
        """Say why a figure without any denominator is undefined."""
        reasons = self.reasons.get(figure, Counter())
        if figure not in ALPHAS:
            missing = NO_PAIRS if figure in MEASURES else without_target(figure)
            return min(reasons, key=lambda reason: (-reasons[reason], reason)) if reasons else missing
        return next((reason for reason in (NO_VARIATION, NO_SPANS, NO_PAIRS) if reason in reasons), NO_SPANS)


def marked_units(judgements: RoundJudgements) -> Iterator[MarkedUnit]:
    """Yield the units with a span, item by item, so that each text is read once."""
    columns = [judgements.of_kind(index) for index in range(len(judgements.kinds))]
    with_span = [np.unique(part.unit[part.start >= 0]) for part in columns]
    kinds = np.repeat(np.arange(len(columns)), [len(units) for units in with_span])
    items = np.concatenate([*with_span, np.empty(0, dtype=np.int64)])
    for place in np.lexsort((kinds, items)).tolist():
        yield _marked_unit(int(kinds[place]), int(items[place]), columns[kinds[place]])


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
    texts: Texts,
    *,
    threshold: float,
    found: Callable[[MarkedUnit, str, tuple[ConsensusSpan, ...]], None],
) -> list[Findings]:
    """Return the findings of each type; `found` receives each unit with its text and consensus spans."""
    kinds = [Findings() for _ in judgements.kinds]
    units = list(marked_units(judgements))
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


def span_figures(
    findings: dict[str, Findings], *, n_items: int, parameters: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return the span figures of each section as plain data, with intervals over items.

    One draw of resamples serves all sections: an item is drawn with all its types.
    """
    items = sorted({item for found in findings.values() for item in found.rows})
    place = {item: row for row, item in enumerate(items)}
    matrices = {}
    for key, found in findings.items():
        matrices[key] = np.zeros((len(items), 2 * len(COLUMNS)))
        for item, row in found.rows.items():
            matrices[key][place[item]] = row
    resampled = resampled_sums(matrices, len(items), n_items, parameters)
    return {key: _section(findings[key], matrices[key], resampled.get(key)) for key in findings}


def resampled_sums(
    matrices: dict[str, Floats], n_marked: int, n_items: int, parameters: dict[str, Any]
) -> dict[str, Floats]:
    """Return each (marked items, columns) matrix summed over each resample, (replicates, columns).

    Every call with the same numbers of items draws the same resamples.
    """
    if not n_marked or not parameters["replicates"]:
        return {}
    # Items without a span add nothing: they are drawn as one kind.
    multiplicity = np.ones(n_marked + 1, dtype=np.int64)
    multiplicity[-1] = n_items - n_marked
    rng = generator(parameters["seed"], SPAN_STREAM)
    # Sections without any span are zero in every resample, and are most where few types are judged.
    marked = {key: matrix for key, matrix in matrices.items() if matrix.any()}
    parts: dict[str, list[Floats]] = {key: [] for key in marked}
    for weights in resampled_weights(multiplicity, parameters["replicates"], rng):
        for key, matrix in marked.items():
            parts[key].append(weights[:, :-1] @ matrix)
    nothing = np.zeros((parameters["replicates"], 2 * len(COLUMNS)))
    return {key: np.concatenate(parts[key]) if key in parts else nothing for key in matrices}


def _section(found: Findings, matrix: Floats, resampled: Floats | None) -> dict[str, Any]:
    figures = {}
    for column, name in enumerate(COLUMNS):
        denominators = matrix[:, len(COLUMNS) + column]
        if denominators.any():
            columns = [column, len(COLUMNS) + column]
            estimate = ratio_estimate(
                matrix[:, columns],
                None if resampled is None else resampled[:, columns],
                disagreement=name in ALPHAS,
            )
        else:
            estimate = undefined(found.reason(name))
        figures[name] = estimate.to_json()
        if name in MEASURES:
            figures[name]["n_pairs"] = int(denominators.sum())
        elif name not in ALPHAS:
            figures[name]["n_spans"] = int(denominators.sum())
    return {
        "n_units": found.n_units,
        "n_gold": found.n_gold,
        "n_disagreement": found.n_disagreement,
        "counted_by_characters": found.by_characters,
        "similarity": {name: figures[name] for name in MEASURES},
        "against": {
            target: {measure: figures[f"{measure}_against_{target}"] for measure in MEASURES}
            for target in AGAINST
        },
        **{name: figures[name] for name in ALPHAS},
    }


def ratio_estimate(sums: Floats, resampled: Floats | None, *, disagreement: bool = False) -> Estimate:
    """Return a sum over a sum with its percentile interval over items; 1 minus that for a `disagreement`.

    sums: (items, 2) numerators and denominators, of which one at least is above 0; resampled: (replicates, 2)
    the same summed over each resample, None where no interval is asked for.
    """

    def ratio(of: Floats) -> Floats:
        quotient = of[..., 0] / of[..., 1]
        return 1 - quotient if disagreement else quotient

    value = float(ratio(sums.sum(axis=0)))
    if resampled is None:
        return Estimate(value, interval_reason=NOT_COMPUTED)
    if np.count_nonzero(sums[:, 1]) < 2:
        return Estimate(value, interval_reason=SINGLE_ITEM)
    defined = resampled[:, 1] > 0
    values = np.zeros(len(resampled))
    values[defined] = ratio(resampled[defined])
    interval = percentile_interval(values, defined)
    return Estimate(
        value,
        low=interval.low,
        high=interval.high,
        interval_reason=interval.reason,
        interval_method=PERCENTILE if interval.low is not None else None,
        undefined_share=interval.undefined_share,
    )
