"""A round's agreement as everybody may see it, where something of the round is kept back. Pure.

Nothing here knows withheld items: they are not among the judgements. What is left is told only as far as it
speaks of enough items, and so that what is not told cannot be worked out from what is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agreement.report.cross_tables import WHOSE, cross_items
from agreement.report.figures import AnnotatorFigures, CrossTable, ReportFigures, SectionFigures
from agreement.report.judgements import RoundJudgements
from agreement.report.label_figures import MANY_RATERS
from agreement.report.sections import REASONS, Section, build_sections
from agreement.report.unsaid import few_sets, item_of_rows, items_of, section_unsaid, unsaid
from agreement.statistics.figures import PairFigures
from annotation.codebooks.definition import FOCUS
from exports.disclosure.small_cells import hidden_cells, hidden_parts

CARRIED = ("topic", "source")
"""Fields of the items that every release has anyway."""


def enough(judgements: RoundJudgements, least: int) -> RoundJudgements | None:
    """Return the judgements of the types that enough items were judged for; None where nothing is left."""
    wanted: list[str] = []
    for section in build_sections(judgements) if len(judgements.columns) else []:
        if section.kind in ("type", "labels"):
            judged, compared = items_of(judgements, section)
            if judged >= least and (compared == 0 or compared >= least):
                wanted.append(section.code)
    if not wanted:
        return None
    if judgements.protocol != FOCUS or len(wanted) == len(judgements.types):
        return judgements
    return judgements.of_types(wanted)


def figures_told(
    figures: ReportFigures, judgements: RoundJudgements, least: int, *, fields: Sequence[str]
) -> ReportFigures:
    """Return a report of these judgements with nothing in it that speaks of fewer than `least` items.

    `fields` are those of the items that may be told at all.
    """
    sections: list[SectionFigures] = []
    told: ReportFigures = {
        **figures,
        "annotators": _annotators(figures["annotators"], judgements, least),
        "cross": _cross(figures["cross"], judgements, least, fields),
        "sections": sections,
    }
    of_section = {section.key: section for section in build_sections(judgements)}
    unsaid_spans = _unsaid_spans(judgements, of_section, least)
    for section in figures["sections"]:
        mine = of_section[section["key"]]
        if section["key"] == REASONS and 0 < items_of(judgements, mine)[1] < least:
            section = section_unsaid(section)
        if "sets" in section and few_sets(section["sets"], least):
            section = {**section, "sets": unsaid(section["sets"])}
        if section["spans"] and section["key"] in unsaid_spans:
            section = {**section, "spans": unsaid(section["spans"])}
        sections.append({**section, "pairs": _pairs(section["pairs"], mine, judgements, least)})
    # Its halves speak of fewer items than the whole; the card says that there were suggestions.
    told.pop("suggestions", None)
    return told


def _annotators(
    people: list[AnnotatorFigures], judgements: RoundJudgements, least: int
) -> list[AnnotatorFigures]:
    """Blank those with few items, and of the others the types of which they judged few.

    Of a crowd nobody's types are told: most have few items of each.
    """
    columns, n_items, n_types = judgements.columns, max(len(judgements.items), 1), len(judgements.types)
    answered = columns.value >= 0
    unit, rater = columns.unit[answered], columns.rater[answered]
    kind = unit // n_items if judgements.protocol == FOCUS else np.zeros_like(unit)
    item = judgements.unit_item[unit]
    whole = _items_by(rater, item, len(people))
    shared = np.bincount(unit, minlength=len(judgements.unit_item))[unit] > 1
    with_others = _items_by(rater[shared], item[shared], len(people))
    repeats = judgements.repeats
    twice = _items_by(repeats.rater, judgements.unit_item[repeats.unit], len(people))
    few = hidden_parts(whole, least)
    cells = np.ones((len(people), n_types), dtype=np.bool_)
    if len(people) <= MANY_RATERS:
        judged = _items_by(rater * n_types + kind, item, len(people) * n_types).reshape(-1, n_types)
        cells = hidden_cells(judged, least, also=np.repeat(few[:, None], n_types, axis=1))
    place = {unit.code: at for at, unit in enumerate(judgements.types)}
    found: list[AnnotatorFigures] = []
    for at, person in enumerate(people):
        if few[at]:
            blank: AnnotatorFigures = unsaid(person)
            found.append({**blank, "pseudonym": person["pseudonym"]})
            continue
        types = person["types"].items()
        told: AnnotatorFigures = {
            **person,
            "types": {c: unsaid(own) if cells[at, place[c]] else own for c, own in types},
        }
        if "with_self" in person and 0 < twice[at] < least:
            told["with_self"] = unsaid(person["with_self"])
        if 0 < with_others[at] < least:
            told["with_rest"] = unsaid(person["with_rest"])
        found.append(told)
    return found


def _items_by(group: NDArray[np.int64], item: NDArray[np.int64], n_groups: int) -> NDArray[np.int64]:
    """Return how many different items each group has."""
    distinct = np.unique(np.stack([group, item], axis=1), axis=0)
    return np.bincount(distinct[:, 0], minlength=n_groups)


def _pairs(
    pairs: list[PairFigures], section: Section, judgements: RoundJudgements, least: int
) -> list[PairFigures]:
    """Leave out the pairs with few items in common, and so many others that their mean gives none away."""
    items, given = item_of_rows(judgements, section), section.ratings >= 0
    common = [len(np.unique(items[given[:, pair["first"]] & given[:, pair["second"]]])) for pair in pairs]
    hidden = hidden_parts(common, least)
    return [pair for pair, few in zip(pairs, hidden, strict=True) if not few]


def _unsaid_spans(judgements: RoundJudgements, sections: dict[str, Section], least: int) -> set[str]:
    """Return the sections whose spans speak of few items, and those that give away the spans of one."""
    if judgements.protocol != FOCUS:
        return set()
    marked = [_items_with_two_spans(judgements, index) for index in range(len(judgements.types))]
    few = {index for index, items in enumerate(marked) if 0 < len(items) < least}
    found = set()
    for key, section in sections.items():
        inside = few & set(section.types)
        together = set().union(*(marked[index] for index in inside))
        if inside and (section.kind == "type" or len(inside) < 2 or len(together) < least):
            found.add(key)
    return found


def _items_with_two_spans(judgements: RoundJudgements, index: int) -> set[int]:
    columns = judgements.of_type(index)
    units, numbers = np.unique(columns.unit[columns.start >= 0], return_counts=True)
    return set(units[numbers > 1].tolist())


def _cross(
    tables: list[CrossTable], judgements: RoundJudgements, least: int, fields: Sequence[str]
) -> list[CrossTable]:
    behind = cross_items(judgements)
    found: list[CrossTable] = []
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
                        "each": _kept(row["each"], cells["each"][place], kept),
                        "any": _kept(row["any"], cells["any"][place], kept),
                        "consensus": _kept(row["consensus"], cells["consensus"][place], kept),
                    }
                    for place, row in enumerate(table["rows"])
                ],
            }
        )
    return found


def _kept(
    counts: list[int | None], hidden: NDArray[np.bool_], columns: NDArray[np.int64]
) -> list[int | None]:
    """Return the counts of these columns, None where one would speak of few items."""
    return [None if hidden[at] else counts[at] for at in columns]
