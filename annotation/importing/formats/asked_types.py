"""A file that says which types are asked of which items: CSV, JSON Lines or Excel."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from annotation.codebooks.definition import Codebook
from annotation.importing.files.rows import FileError, Notice, Refusal
from annotation.importing.files.tabular import Cells, RowProblem, read_table
from annotation.importing.formats.common import type_names

ITEM, TYPES = "item", "types"
_OTHER_NAMES = {"id": ITEM, "type": TYPES}
_BETWEEN = re.compile(r"[,;]")


def read(path: Path, *, name: str, codebook: Codebook) -> dict[str, tuple[str, ...]]:
    """Return the codes of the types asked of each item, by the item's id.

    A row has an `item` and its `types` by code, name or alias: several apart by commas or semicolons (codes
    also by spaces), or one a row. Raises FileError for the first row that breaks a rule.
    """
    table = read_table(path, name, (ITEM, TYPES, *_OTHER_NAMES))
    known = type_names(codebook)
    columns = {_OTHER_NAMES.get(column, column): column for column in table.columns or ()}
    if table.columns is not None and not {ITEM, TYPES} <= set(columns):
        table.require(name, (ITEM, TYPES))
    found: dict[str, dict[str, None]] = {}
    for row in table.rows:
        if isinstance(row, Notice):
            continue
        if isinstance(row, Refusal):
            raise FileError(name, row.place, row.reason)
        item, codes = _read_row(row, known, name)
        found.setdefault(item, {}).update(dict.fromkeys(codes))
    return {item: tuple(codes) for item, codes in found.items()}


def _read_row(row: Cells, known: dict[str, str], name: str) -> tuple[str, list[str]]:
    try:
        item = row.text(ITEM) or row.text("id")
        if not item:
            raise RowProblem(gettext("no item is named"))
        return item, _codes(_listed(row), known)
    except RowProblem as problem:
        raise FileError(name, row.place, str(problem)) from None


def _listed(row: Cells) -> list[str]:
    value: Any = row.values.get(TYPES) or row.values.get("type")
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return value
    text = row.text(TYPES) or row.text("type")
    return [part for part in _BETWEEN.split(text) if part.strip()]


def _codes(names: list[str], known: dict[str, str]) -> list[str]:
    codes = []
    for given in names:
        whole = known.get(given.strip().lower())
        parts = [whole] if whole else [known.get(part.lower()) for part in given.split()]
        if None in parts:
            raise RowProblem(gettext("“%(name)s” is no type of the codebook") % {"name": given.strip()})
        codes += [code for code in parts if code]
    if not codes:
        raise RowProblem(gettext("no type is named"))
    return codes
