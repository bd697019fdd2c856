"""Which format a file of items has, told by its content, and the reader of each."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from annotation.importing.files import delimited
from annotation.importing.files.encodings import open_text
from annotation.importing.files.rows import FileError, ItemRows
from annotation.importing.files.tabular import EXCEL, JSON, kind_of_file
from annotation.importing.formats import cqs_gen, logicclimate, screened, soqg
from annotation.importing.formats import item_table as table
from core.texts import BLANK_CHARACTERS

FORMATS: dict[str, Callable[..., ItemRows]] = {
    "cqs_gen": cqs_gen.read,
    "soqg": soqg.read,
    "logicclimate": logicclimate.read,
    "table": table.read,
    screened.FORMAT: screened.read,
}
"""The readers, each called as read(path, name=..., origin=...): `name` is the file's own, of which ids and
origins are made, where the path may be a temporary one. They raise FileError while rows are read."""

PUBLISHED_TABLES = ("soqg", "logicclimate")
"""The formats whose refused rows keep the columns that they came with; of all others they are a table's."""

_HEADERS = {"table": table.NEEDED, "soqg": soqg.COLUMNS, "logicclimate": logicclimate.COLUMNS}


def recognise(path: Path, name: str) -> str:
    """Return the key in FORMATS of a file's format. Raises FileError where the content is of none."""
    kind = kind_of_file(path, name)
    if kind == EXCEL:
        return "table"
    if kind == JSON:
        return "table" if _is_json_line_of_table(path, name) else "cqs_gen"
    separator = delimited.delimiter(path, name, table.KNOWN)
    _, header = next(delimited.records(path, name, separator), ("", []))
    columns = [cell.strip(BLANK_CHARACTERS) for cell in header]
    keys = set(map(delimited.column_key, columns))
    for key, needed in _HEADERS.items():
        if set(map(delimited.column_key, needed)) <= keys:
            return key
    expected = "; ".join(f"{', '.join(needed)} ({key})" for key, needed in _HEADERS.items())
    found = ", ".join(repr(column) for column in columns)[:500] or "nothing"
    missing = gettext("the columns of no known format: expected %(expected)s, or a JSON object (cqs_gen)") % {
        "expected": expected
    }
    raise FileError(
        name,
        gettext("row %(number)s") % {"number": 1},
        gettext("%(missing)s; found %(found)s") % {"missing": missing, "found": found},
    )


LINES_TRIED = 100


def _is_json_line_of_table(path: Path, name: str) -> bool:
    """Whether the first line that can be read is a whole JSON object, and not one of interventions.

    A broken first line among others that can be read is then refused with its place.
    """
    with open_text(path, name) as stream:
        value = next(filter(None, map(_object, islice(filter(str.strip, stream), LINES_TRIED))), None)
    return value is not None and not all(
        isinstance(entry, dict) and "intervention" in entry for entry in value.values()
    )


def _object(line: str) -> dict[str, Any] | None:
    """Return what a line of JSON holds, also with the words for numbers that JSON does not have."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
