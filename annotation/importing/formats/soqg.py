"""The published SoQG CSV: a thought, a Socratic question about it, and the question's type."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePath

from django.utils.translation import gettext

from annotation.importing.files.rows import ItemRow, ItemRows, Refusal, item_problem
from annotation.importing.files.tabular import Cells, read_csv
from core.texts import is_blank

COLUMNS = ("thought", "question", "label")
INDEX = "column 1"  # the index column has no name


def read(path: Path, *, name: str, origin: str | None = None) -> ItemRows:
    """Yield one item a row, its id made of the file's stem and the index, which restarts in each file.

    A file of refused rows has the ids beside, since its stem is another. Questions are metadata, so
    `origin` has nothing to name. Raises FileError.
    """
    table = read_csv(path, name, (INDEX, *COLUMNS))
    stem = PurePath(name).stem
    for row in table.rows:
        if not isinstance(row, Cells):
            yield row
            continue
        cells = row.values
        item = ItemRow(
            external_id=cells.get("id") or f"{stem}-{cells[INDEX]}",
            text=cells["thought"],
            source="SoQG",
            metadata={"question": cells["question"], "question_type": cells["label"]},
            place=row.place,
        )
        item = replace(item, given=({"id": item.external_id, **cells},))
        nameless = is_blank(cells[INDEX]) and not cells.get("id")
        problem = gettext("the index is blank") if nameless else item_problem(item)
        problem = row.changed(INDEX, "thought", "question") or problem
        if problem:
            yield Refusal(row.place, problem, cells if nameless else item.given[0])
            continue
        yield item
