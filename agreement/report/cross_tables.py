"""Answers against a field of the items: types by fallacy, labels by source (FOCUS's Table 11).

Whose answers are counted is said, not assumed: `each` counts every judgement, `any` the units on which at
least one annotator gave the answer, `consensus` the units for which more than half did, and `by` those of
each annotator. Where nobody answered anything, as where nobody was asked, there is no count: None, not 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agreement.report.figures import CrossRow, CrossTable
from agreement.report.judgements import YES, IntArray, RoundJudgements
from agreement.report.label_figures import MANY_RATERS, consensus_of

WHOSE = ("each", "any", "consensus")


@dataclass(frozen=True, slots=True)
class _Row:
    """An answer: who gave it and who answered at all, (units, annotators); for which units it is decided; and
    the item of each unit."""

    code: str
    given: NDArray[np.bool_]
    answered: NDArray[np.bool_]
    decided: IntArray
    items: IntArray


def cross_tables(judgements: RoundJudgements) -> list[CrossTable]:
    """Return a table for each item field with two values or more, rows in the order of the codebook.

    Counts are lists parallel to `values`; an item with several values (a list of fallacies) counts for each.
    `by` has such a list for each of `annotators`, who are left out of a crowd.
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
        for at, row in enumerate(rows):
            given[at, row.items[row.given.any(axis=1)]] = 1
            decided[at, row.items[row.decided > 0]] = 1
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


def _table(name: str, judgements: RoundJudgements, rows: list[_Row]) -> CrossTable:
    values, belongs = _belongs(judgements.items.fields[name])
    return {
        "field": name,
        "values": values,
        "n_items": belongs.sum(axis=0).tolist(),
        "annotators": _named(judgements),
        "rows": [_counts(row, belongs[row.items], _named(judgements)) for row in rows],
    }


def _named(judgements: RoundJudgements) -> list[str]:
    return [] if len(judgements.raters) > MANY_RATERS else list(judgements.raters)


def _counts(row: _Row, belongs: IntArray, annotators: list[str]) -> CrossRow:
    answered = row.answered.any(axis=1) @ belongs
    return {
        "code": row.code,
        "n_answered": answered.tolist(),
        "each": _where(answered, row.given.sum(axis=1) @ belongs),
        "any": _where(answered, row.given.any(axis=1) @ belongs),
        "consensus": _where(answered, row.decided @ belongs),
        "by": [
            _where(row.answered[:, column] @ belongs, row.given[:, column] @ belongs)
            for column in range(len(annotators))
        ],
    }


def _where(answered: IntArray, counts: IntArray) -> list[int | None]:
    """Return the counts, None where nothing was answered."""
    return [
        int(count) if number else None
        for number, count in zip(answered.tolist(), counts.tolist(), strict=True)
    ]


def _rows(judgements: RoundJudgements) -> list[_Row]:
    """Return the rows of every table, in the order of the codebook."""
    if judgements.question_ids.size or not judgements.types[0].code:
        ratings = judgements.label_ratings()
        majority = consensus_of(ratings, len(judgements.categories)).label
        return [
            _Row(
                code,
                ratings == label,
                ratings >= 0,
                (majority == label).astype(np.int64),
                judgements.unit_item,
            )
            for label, code in enumerate(judgements.categories)
        ]
    items = np.arange(len(judgements.items))
    rows = []
    for index, kind in enumerate(judgements.types):
        ratings = judgements.ratings(index)
        majority = consensus_of(ratings, 2).label
        rows.append(_Row(kind.code, ratings == YES, ratings >= 0, (majority == YES).astype(np.int64), items))
    return rows
