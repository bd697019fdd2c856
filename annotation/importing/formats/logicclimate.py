"""The published LogicClimate CSV: a passage of an article and one logical fallacy in it.

A passage with several fallacies stands on several rows, not always together. It becomes one item, so its
rows must all be read before it can be given: the distinct texts of the file are held in memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePath

from django.utils.translation import gettext

from annotation.importing.files.rows import ItemRow, ItemRows, Notice, Refusal, item_problem
from annotation.importing.files.tabular import Cells, read_csv
from core.texts import is_blank

COLUMNS = ("original_url", "source_article", "logical_fallacies")
INDEX = "column 1"  # the index column has no name


@dataclass(slots=True)
class _Passage:
    rows: list[Cells]
    fallacies: dict[str, None] = field(default_factory=dict)  # a set in order of appearance
    urls: dict[str, None] = field(default_factory=dict)


def read(path: Path, *, name: str, origin: str | None = None) -> ItemRows:
    """Yield one item a distinct text, at the place of its first row, with the fallacies as a list.

    A file of refused rows has the ids beside, since its stem is another. Questions do not occur, so
    `origin` has nothing to name. Raises FileError.
    """
    table = read_csv(path, name, (INDEX, *COLUMNS))
    stem = PurePath(name).stem
    passages: dict[str, _Passage] = {}
    found: list[_Passage | Refusal | Notice] = []
    for row in table.rows:
        if not isinstance(row, Cells):
            found.append(row)
            continue
        text = row.values["source_article"]
        if is_blank(text):
            found.append(Refusal(row.place, gettext("source_article is blank"), row.values))
            continue
        if changed := row.changed(INDEX, "source_article"):
            found.append(Refusal(row.place, changed, row.values))
            continue
        if text not in passages:
            passages[text] = _Passage([])
            found.append(passages[text])
        passages[text].rows.append(row)
        passages[text].fallacies[row.values["logical_fallacies"]] = None
        passages[text].urls[row.values["original_url"]] = None
    for entry in found:
        yield _item(entry, stem) if isinstance(entry, _Passage) else entry


def _item(passage: _Passage, stem: str) -> ItemRow | Refusal:
    first = passage.rows[0]
    cells = first.values
    external_id = cells.get("id") or f"{stem}-{cells[INDEX]}"
    given = tuple({"id": external_id, **row.values} for row in passage.rows)
    item = ItemRow(
        external_id=external_id,
        text=cells["source_article"],
        source="LogicClimate",
        metadata={"logical_fallacies": list(passage.fallacies), "original_urls": list(passage.urls)},
        place=first.place,
        given=given,
    )
    nameless = is_blank(cells[INDEX]) and not cells.get("id")
    rows = tuple(row.values for row in passage.rows) if nameless else given
    problem = gettext("the index is blank") if nameless else item_problem(item)
    return Refusal(first.place, problem, rows[0], rows[1:]) if problem else item
