"""A round's agreement as everybody may see it, where something of the round is kept back. Pure.

Nothing here knows withheld items: they are not among the judgements. What is left is told only as far as it
speaks of enough items, and so that what is not told cannot be worked out from what is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from agreement.crosstable import WHOSE, cross_items
from agreement.judgements import RoundJudgements
from agreement.sections import REASONS, Section, sections_of
from agreement.unsaid import item_of_rows, items_of, section_unsaid, unsaid
from annotation.codebooks.definition import FOCUS
from exports.small_cells import hidden_cells, hidden_parts

Figures = dict[str, Any]

CARRIED = ("topic", "source")
"""Fields of the items that every release has anyway."""


def enough(judgements: RoundJudgements, least: int) -> RoundJudgements | None:
    """Return the judgements of the types that enough items were judged for; None where nothing is left."""
    wanted: list[str] = []
    for section in sections_of(judgements) if len(judgements.columns) else []:
        if section.kind in ("type", "labels"):
            judged, compared = items_of(judgements, section)
            if judged >= least and (compared == 0 or compared >= least):
                wanted.append(section.code)
    if not wanted:
        return None
    if judgements.protocol != FOCUS or len(wanted) == len(judgements.kinds):
        return judgements
    return judgements.of_kinds(wanted)


def figures_told(
    figures: Figures, judgements: RoundJudgements, least: int, *, fields: Sequence[str]
) -> Figures:
    """Return a report of these judgements with nothing in it that speaks of fewer than `least` items.

    `fields` are those of the items that may be told at all.
    """
    told = {
        **figures,
        "annotators": _annotators(figures["annotators"], judgements, least),
        "cross": _cross(figures["cross"], judgements, least, fields),
        "sections": [],
    }
    of_section = {section.key: section for section in sections_of(judgements)}
    unsaid_spans = _unsaid_spans(judgements, of_section, least)
    for section in figures["sections"]:
        mine = of_section[section["key"]]
        if section["key"] == REASONS and 0 < items_of(judgements, mine)[1] < least:
            section = section_unsaid(section)
        if section["spans"] and section["key"] in unsaid_spans:
            section = {**section, "spans": unsaid(section["spans"])}
        told["sections"].append({**section, "pairs": _pairs(section["pairs"], mine, judgements, least)})
    return told


def _annotators(people: list[Figures], judgements: RoundJudgements, least: int) -> list[Figures]:
    """Blank those with few items, and of the others the types of which they judged few."""
    columns, n_items = judgements.columns, max(len(judgements.items), 1)
    answered = columns.value >= 0
    item = judgements.unit_item[columns.unit]
    kind = columns.unit // n_items if judgements.protocol == FOCUS else np.zeros_like(columns.unit)
    judged = np.zeros((len(people), len(judgements.kinds)), dtype=np.int64)
    whole = np.zeros(len(people), dtype=np.int64)
    for at in range(len(people)):
        mine = answered & (columns.rater == at)
        whole[at] = len(np.unique(item[mine]))
        for code in range(len(judgements.kinds)):
            judged[at, code] = len(np.unique(item[mine & (kind == code)]))
    few = hidden_parts(whole, least)
    cells = hidden_cells(judged, least, also=np.repeat(few[:, None], judged.shape[1], axis=1))
    codes = [unit.code for unit in judgements.kinds]
    found = []
    for at, person in enumerate(people):
        if few[at]:
            found.append({**unsaid(person), "pseudonym": person["pseudonym"]})
            continue
        types = {
            code: unsaid(entry) if code in codes and cells[at, codes.index(code)] else entry
            for code, entry in person["types"].items()
        }
        twice = person.get("with_self")
        told = {**person, "types": types}
        if twice and twice["n"] and _items_twice(judgements, at) < least:
            told["with_self"] = unsaid(twice)
        if 0 < _items_shared(judgements, at) < least:
            told["with_rest"] = unsaid(person["with_rest"])
        found.append(told)
    return found


def _items_twice(judgements: RoundJudgements, rater: int) -> int:
    repeats = judgements.repeats
    return len(np.unique(judgements.unit_item[repeats.unit[repeats.rater == rater]]))


def _items_shared(judgements: RoundJudgements, rater: int) -> int:
    """Return on how many items somebody else answered a unit of an annotator too."""
    columns = judgements.columns
    answered = columns.value >= 0
    votes = np.bincount(columns.unit[answered], minlength=len(judgements.unit_item))
    mine = columns.unit[answered & (columns.rater == rater)]
    return len(np.unique(judgements.unit_item[mine[votes[mine] > 1]]))


def _pairs(pairs: list[Figures], section: Section, judgements: RoundJudgements, least: int) -> list[Figures]:
    """Leave out the pairs with few items in common, and so many others that their mean gives none away."""
    items, given = item_of_rows(judgements, section), section.ratings >= 0
    common = [len(np.unique(items[given[:, pair["first"]] & given[:, pair["second"]]])) for pair in pairs]
    hidden = hidden_parts(common, least)
    return [pair for pair, few in zip(pairs, hidden, strict=True) if not few]


def _unsaid_spans(judgements: RoundJudgements, sections: dict[str, Section], least: int) -> set[str]:
    """Return the sections whose spans speak of few items, and those that give away the spans of one."""
    if judgements.protocol != FOCUS:
        return set()
    marked = [_items_with_two_spans(judgements, index) for index in range(len(judgements.kinds))]
    few = {index for index, items in enumerate(marked) if 0 < len(items) < least}
    found = set()
    for key, section in sections.items():
        inside = few & set(section.kinds)
        together = set().union(*(marked[index] for index in inside))
        if inside and (section.kind == "type" or len(inside) < 2 or len(together) < least):
            found.add(key)
    return found


def _items_with_two_spans(judgements: RoundJudgements, index: int) -> set[int]:
    columns = judgements.of_kind(index)
    units, numbers = np.unique(columns.unit[columns.start >= 0], return_counts=True)
    return set(units[numbers > 1].tolist())


def _cross(
    tables: list[Figures], judgements: RoundJudgements, least: int, fields: Sequence[str]
) -> list[Figures]:
    behind = cross_items(judgements)
    found = []
    for table in tables:
        if table["field"] not in fields:
            continue
        few = hidden_parts(table["n_items"], least)
        whole = np.repeat(few[None, :], len(table["rows"]), axis=0)
        items = behind[table["field"]]
        cells = {whose: hidden_cells(items[whose], least, also=whole) for whose in WHOSE}
        kept = np.flatnonzero(~few)
        # One column alone is what the sections say.
        if len(kept) < 2 or all(hidden[:, kept].all() for hidden in cells.values()):
            continue
        found.append(
            {
                "field": table["field"],
                "values": [table["values"][at] for at in kept],
                "values_left_out": int(few.sum()),
                "n_items": [table["n_items"][at] for at in kept],
                # What one annotator answered, or how many units were, would tell what the other cells keep.
                "annotators": [],
                "rows": [
                    {
                        "code": row["code"],
                        "n_answered": None,
                        "by": [],
                        **{
                            whose: [None if cells[whose][place, at] else row[whose][at] for at in kept]
                            for whose in WHOSE
                        },
                    }
                    for place, row in enumerate(table["rows"])
                ],
            }
        )
    return found
