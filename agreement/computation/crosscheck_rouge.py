"""The means of ROUGE-1 and ROUGE-L of a report by the rouge-score package, pair by pair of the spans."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from agreement.computation.crosscheck_labels import NOT_CHECKED, TOLERANCE, Check, compared
from agreement.display.wording import reason_text
from agreement.report.judgements import RoundJudgements
from agreement.report.sections import Section
from agreement.report.span_figures import Texts, marked_units
from agreement.spans.similarity import rouge_by_package

ROUGE = ("rouge1", "rougeL")
LIBRARY = "rouge-score"

PAIRS_LIMIT = 20_000
"""The package compares in plain Python, about a millisecond a pair of spans."""

_TOO_MANY = f"more than {PAIRS_LIMIT:,} pairs of spans are too many for rouge-score"


def rouge_checks(
    judgements: RoundJudgements,
    sections: list[Section],
    stored: Mapping[str, Mapping[str, Any]],
    *,
    texts: Texts,
    tolerance: float = TOLERANCE,
) -> dict[str, list[Check]]:
    """Return, for each section with spans, the check of both means; stored are the sections of the report."""
    with_spans = {section.key: section for section in sections if stored[section.key]["spans"]}
    if not with_spans:
        return {}
    figures = {key: stored[key]["spans"]["similarity"] for key in with_spans}
    n_pairs = sum(
        figures[key]["exact"]["n_pairs"] for key, section in with_spans.items() if section.kind == "type"
    )
    sums = _sums(judgements, texts) if n_pairs <= PAIRS_LIMIT else None
    checks: dict[str, list[Check]] = {}
    for key, section in with_spans.items():
        for at, name in enumerate(ROUGE):
            of_section = None if sums is None else sums[list(section.types), :, at]
            checks.setdefault(key, []).append(_check(name, figures[key][name], of_section, tolerance))
    return checks


def _sums(judgements: RoundJudgements, texts: Texts) -> np.ndarray:
    """Return sums and numbers of the defined pairs of each type: (types, 2, measures)."""
    sums = np.zeros((len(judgements.types), 2, len(ROUGE)))
    units = [unit for unit in marked_units(judgements, range(len(judgements.types))) if len(unit.spans) > 1]
    items = np.unique(np.array([unit.item for unit in units], dtype=np.int64))
    stream = texts(judgements.items.ids[items].tolist())
    position, text = -1, ""
    for unit in units:
        if unit.item != position:
            position, (_, text) = unit.item, next(stream)
        for (_, *a), (_, *b) in combinations(unit.spans, 2):
            for at, found in enumerate(rouge_by_package(text[slice(*a)], text[slice(*b)])):
                if found.value is not None:
                    sums[unit.kind, :, at] += found.value, 1
    return sums


def _check(name: str, figure: Mapping[str, Any], sums: np.ndarray | None, tolerance: float) -> Check:
    if figure["value"] is None:
        return Check(name, NOT_CHECKED, why=f"undefined: {reason_text(figure['reason'], spans=True)}")
    if sums is None:
        return Check(name, NOT_CHECKED, ours=figure["value"], why=_TOO_MANY)
    total, number = sums.sum(axis=0)
    theirs = float(total / number) if number else float("nan")
    return compared(name, LIBRARY, figure["value"], theirs, tolerance)
