"""Answers against a field of the items: types by fallacy, labels by source (FOCUS's Table 11).

Whose answers are counted is said, not assumed: `each` counts every judgement, `any` the units on which at
least one annotator gave the answer, `consensus` the units for which more than half did.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.figures import consensus_of
from agreement.judgements import YES, RoundJudgements

WHOSE = ("each", "any", "consensus")


def cross_tables(judgements: RoundJudgements) -> list[dict[str, Any]]:
    """Return a table for each item field with two values or more, rows in the order of the codebook.

    Counts are lists parallel to `values`; an item with several values (a list of fallacies) counts for each.
    """
    rows = _rows(judgements)
    return [
        _table(name, judgements, rows)
        for name, per_item in sorted(judgements.items.fields.items())
        if len({value for values in per_item for value in values}) > 1
    ]


def cross_items(judgements: RoundJudgements) -> dict[str, dict[str, NDArray[np.int64]]]:
    """Return for each field and each of WHOSE how many items each cell speaks of: (rows, values)."""
    found: dict[str, dict[str, NDArray[np.int64]]] = {}
    rows = _rows(judgements)
    for name, per_item in judgements.items.fields.items():
        _, belongs = _belongs(per_item)
        given, decided = (np.zeros((len(rows), len(per_item)), dtype=np.int64) for _ in range(2))
        for row, (_, answers, majority, items) in enumerate(rows):
            given[row, items[answers.any(axis=1)]] = 1
            decided[row, items[majority > 0]] = 1
        behind = given @ belongs
        found[name] = {"each": behind, "any": behind, "consensus": decided @ belongs}
    return found


def _belongs(per_item: list[tuple[str, ...]]) -> tuple[list[str], NDArray[np.int64]]:
    """Return the values of a field, and which items have which: (items, values)."""
    values = sorted({value for entry in per_item for value in entry})
    place = {value: column for column, value in enumerate(values)}
    belongs = np.zeros((len(per_item), len(values)), dtype=np.int64)
    for item, entry in enumerate(per_item):
        for value in entry:
            belongs[item, place[value]] = 1
    return values, belongs


def _table(name: str, judgements: RoundJudgements, rows: list[tuple[str, Any, Any, Any]]) -> dict[str, Any]:
    values, belongs = _belongs(judgements.items.fields[name])
    return {
        "field": name,
        "values": values,
        "n_items": belongs.sum(axis=0).tolist(),
        "rows": [
            {
                "code": code,
                "each": (given.sum(axis=1) @ belongs[items]).tolist(),
                "any": (given.any(axis=1) @ belongs[items]).tolist(),
                "consensus": (decided @ belongs[items]).tolist(),
            }
            for code, given, decided, items in rows
        ],
    }


def _rows(judgements: RoundJudgements) -> list[tuple[str, Any, Any, Any]]:
    """Return (code, given (units, raters), decided (units,), item of each unit) for each row of a table."""
    if judgements.question_ids.size or not judgements.kinds[0].code:
        ratings = judgements.label_ratings()
        majority = consensus_of(ratings, len(judgements.categories)).label
        return [
            (code, ratings == label, (majority == label).astype(np.int64), judgements.unit_item)
            for label, code in enumerate(judgements.categories)
        ]
    items = np.arange(len(judgements.items))
    rows = []
    for index, kind in enumerate(judgements.kinds):
        ratings = judgements.ratings(index)
        majority = consensus_of(ratings, 2).label
        rows.append((kind.code, ratings == YES, (majority == YES).astype(np.int64), items))
    return rows
