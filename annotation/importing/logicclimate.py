"""The published LogicClimate CSV: a passage of an article and one logical fallacy in it.

A passage with several fallacies stands on several rows, not always together. It becomes one item, so its
rows must all be read before it can be given: the distinct texts of the file are held in memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePath

from django.utils.translation import gettext

from annotation.importing.rows import ItemRow, ItemRows, Notice, Refusal, item_problem
from annotation.importing.tabular import Cells, read_csv
from annotation.protocols.texts import is_blank

COLUMNS = ("original_url", "source_article", "logical_fallacies")
INDEX = "column 1"  # the index column has no name


@dataclass(slots=True)
class _Passage:
    row: Cells
    fallacies: dict[str, None] = field(default_factory=dict)  # a set in order of appearance
    urls: dict[str, None] = field(default_factory=dict)


def read(path: Path, *, name: str, origin: str | None = None) -> ItemRows:
    """Yield one item a distinct text, at the place of its first row, with the fallacies as a list.

    Questions do not occur, so `origin` has nothing to name. Raises FileError.
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
            passages[text] = _Passage(row)
            found.append(passages[text])
        passages[text].fallacies[row.values["logical_fallacies"]] = None
        passages[text].urls[row.values["original_url"]] = None
    for entry in found:
        yield _item(entry, stem) if isinstance(entry, _Passage) else entry


def _item(passage: _Passage, stem: str) -> ItemRow | Refusal:
    cells = passage.row.values
    item = ItemRow(
        external_id=f"{stem}-{cells[INDEX]}",
        text=cells["source_article"],
        source="LogicClimate",
        metadata={"logical_fallacies": list(passage.fallacies), "original_urls": list(passage.urls)},
        place=passage.row.place,
    )
    problem = gettext("the index is blank") if is_blank(cells[INDEX]) else item_problem(item)
    return Refusal(passage.row.place, problem, cells) if problem else item
