"""Spans in the CSV that pygamma-agreement reads, all texts one after the other on one line. Pure.

`Continuum.from_csv` wants annotator, annotation, segment_start, segment_end and no header. Which stretch is
which text, and who answered there, stands beside it, so that each text can be a continuum of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.csv_safety import made_safe
from exports.formats.longform import csv_line
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

    def add(self, record: ItemRecord) -> tuple[str, str]:
        """Lay down one text; return the lines of its spans and its own line.

        A text that nobody answered a type with spans of has no stretch, and both are empty.
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
            csv_line([made_safe(names[row.annotator]), row.unit, start + row.start, start + row.end])
            for row in answered
            if row.start is not None and row.end is not None
        ]
        people = " ".join(_in_order({names[row.annotator] for row in answered}))
        return "".join(spans), csv_line([made_safe(record.item.external_id), start, stop, people])


def _in_order(names: set[str]) -> Sequence[str]:
    return sorted(names, key=lambda name: (len(name), name))
