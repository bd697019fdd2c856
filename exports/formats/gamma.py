"""Spans in the CSV that pygamma-agreement reads, all texts one after the other on one line. Pure.

`Continuum.from_csv` wants annotator, annotation, segment_start, segment_end and no header. Which stretch is
which text, and who answered there, stands beside it, so that each text can be a continuum of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from agreement.report.judgements import natural_key
from exports.formats.votes import cell, name_cell
from exports.selection.records import ItemRecord
from exports.selection.selection import Selection

TEXTS_HEADER = ("item", "start", "end", "annotators")
GAP = 1
"""Code points between two texts, so that no span of one touches a span of the next."""


@dataclass(slots=True)
class Line:
    """Texts laid one after the other; `end` is where the next one may start."""

    selection: Selection
    end: int = field(default=0)

    def add(self, record: ItemRecord, item: str) -> tuple[str, str]:
        """Lay down one text; return the lines of its spans and its own line.

        A text that nobody answered a type with spans of has no stretch, and both are empty. `item` is its id
        as a cell.
        """
        kinds = self.selection.span_types
        answered = [
            row
            for row, counted in zip(record.judgements, record.counted, strict=True)
            if counted and row.answer is not None and row.unit in kinds
        ]
        if not answered:
            return "", ""
        start, names = self.end, self.selection.members
        stop = start + len(record.item.text)
        self.end = stop + GAP
        spans = [
            f"{person},{name_cell(str(row.unit))},{start + row.start},{start + row.end}\n"
            for row in answered
            if row.start is not None and row.end is not None and (person := name_cell(names[row.annotator]))
        ]
        people = _named(frozenset([names[row.annotator] for row in answered]))
        return "".join(spans), f"{item},{start},{stop},{people}\n"


@lru_cache(maxsize=4096)
def _named(annotators: frozenset[str]) -> str:
    return cell(" ".join(sorted(annotators, key=natural_key)))
