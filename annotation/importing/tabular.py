"""Rows of named cells from CSV, JSON Lines or Excel, for the project's own formats.

What a file is, is told by its content and never by its name: a ZIP archive is Excel, a brace at the
beginning is JSON Lines, all else is CSV.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from annotation.importing import delimited, excel, jsontext
from annotation.importing.encodings import first_bytes, open_text
from annotation.importing.rows import FileError, Notice, Refusal
from annotation.importing.safe_cells import taken_back
from annotation.protocols.texts import BLANK_CHARACTERS, text_problem

EXCEL = "Excel"
JSON = "JSON"
CSV = "CSV"
EXCEL_START = b"PK\x03\x04"
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"


class RowProblem(ValueError):
    """Why one row is refused."""


@dataclass(frozen=True, slots=True)
class Cells:
    """One row by column name, with its place. CSV gives texts only, the others JSON's kinds."""

    place: str
    values: Mapping[str, Any]

    def text(self, column: str) -> str:
        """Return a cell as text, "" where there is none.

        A whole number is a text too (ids often are one); other numbers have lost the form they were
        written in. Raises RowProblem.
        """
        value = self.values.get(column)
        if value is None:
            return ""
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str):
            raise RowProblem(
                gettext("%(column)s: expected a text, found %(value)s")
                % {"column": column, "value": repr(value)}
            )
        return value


@dataclass(frozen=True, slots=True)
class Table:
    """A file as rows. `columns` is None for JSON Lines, where each row names its own."""

    columns: tuple[str, ...] | None
    rows: Iterator[Cells | Refusal | Notice]

    def require(self, name: str, needed: Sequence[str]) -> None:
        """Raise FileError naming every needed column that is missing, and those that were found."""
        missing = [column for column in needed if self.columns is not None and column not in self.columns]
        if missing:
            word = "column" if len(missing) == 1 else "columns"
            found = ", ".join(repr(column) for column in self.columns or ())
            raise FileError(
                name,
                gettext("row %(number)s") % {"number": 1},
                gettext("no %(word)s %(missing)s; found %(found)s")
                % {"word": word, "missing": ", ".join(map(repr, missing)), "found": found},
            )


def read_table(
    path: Path, name: str, known: Iterable[str], renamed: Mapping[str, str] | None = None
) -> Table:
    """Open a table. `known` columns decide on the separator of a CSV file. Raises FileError.

    `renamed` gives columns of the file another name; a column that has that name already loses it.
    """
    kind = kind_of_file(path, name)
    if kind == EXCEL:
        return _renamed(_table(name, excel.records(path, name)), renamed)
    if kind == JSON:
        return _renamed(Table(None, json_rows(path, name)), renamed)
    delimiter = delimited.delimiter(path, name, renamed or known)
    records = delimited.records(path, name, delimiter)
    table = _table(name, ((place, [taken_back(cell) for cell in cells]) for place, cells in records))
    return _renamed(table, renamed)


def columns_of(path: Path, name: str) -> tuple[str, ...]:
    """Return the column names of a table, with whatever separator gives most. Raises FileError."""
    kind = kind_of_file(path, name)
    if kind == EXCEL:
        return _table(name, excel.records(path, name)).columns or ()
    if kind == JSON:
        first = next((row for row in json_rows(path, name) if isinstance(row, Cells)), None)
        return tuple(first.values) if first else ()
    found = (_table(name, delimited.records(path, name, separator)).columns or () for separator in ",;\t")
    return max(found, key=len)


def _renamed(table: Table, renamed: Mapping[str, str] | None) -> Table:
    if not renamed:
        return table
    taken = set(renamed.values())

    def name_of(column: str) -> str:
        return renamed.get(column) or (f"{column} (as in the file)" if column in taken else column)

    rows = (
        Cells(row.place, {name_of(column): value for column, value in row.values.items()})
        if isinstance(row, Cells)
        else row
        for row in table.rows
    )
    columns = None if table.columns is None else tuple(name_of(column) for column in table.columns)
    return Table(columns, rows)


def read_csv(path: Path, name: str, needed: Sequence[str]) -> Table:
    """Open a published comma-separated file, whose cells are taken as they are. Raises FileError."""
    table = _table(name, delimited.records(path, name, ","))
    table.require(name, needed)
    return table


def kind_of_file(path: Path, name: str) -> str:
    """Return EXCEL, JSON or CSV by how the content begins. Raises FileError."""
    start = first_bytes(path, name)
    if start == _OLD_EXCEL:
        raise FileError(name, "", gettext("is a workbook of an old Excel; save it as .xlsx"))
    if start == EXCEL_START:
        return EXCEL
    with open_text(path, name) as stream:
        character = stream.read(1000).lstrip()[:1]
    if character == "[":
        raise FileError(
            name,
            gettext("row %(number)s") % {"number": 1},
            gettext("is a JSON list; expected JSON Lines, one object a line"),
        )
    return JSON if character == "{" else CSV


def _table(name: str, records: Iterator[tuple[str, list[Any]] | Notice]) -> Table:
    first = next(records, None)
    if not isinstance(first, tuple):
        raise FileError(name, gettext("row %(number)s") % {"number": 1}, gettext("has no header"))
    place, header = first
    columns = _columns(header, name, place)
    return Table(columns, _rows(columns, records))


def _columns(header: Sequence[Any], name: str, place: str) -> tuple[str, ...]:
    """Name the columns: without white space around, and a nameless one by its number."""
    columns = []
    for number, cell in enumerate(header, 1):
        column = str(cell).strip(BLANK_CHARACTERS)
        if problem := text_problem(column):
            raise FileError(
                name,
                place,
                gettext("name of column %(number)s: %(problem)s") % {"number": number, "problem": problem},
            )
        columns.append(column or f"column {number}")
    repeated = [column for column, count in Counter(columns).items() if count > 1]
    if repeated:
        raise FileError(
            name,
            place,
            gettext("column %(repeated)s stands more than once")
            % {"repeated": ", ".join(map(repr, repeated))},
        )
    return tuple(columns)


def _rows(
    columns: tuple[str, ...], records: Iterable[tuple[str, list[Any]] | Notice]
) -> Iterator[Cells | Refusal | Notice]:
    for record in records:
        if isinstance(record, Notice):
            yield record
            continue
        place, cells = record
        if len(cells) == len(columns):
            yield Cells(place, dict(zip(columns, cells, strict=True)))
        else:
            reason = gettext("has %(n)s cells, the header %(n2)s") % {"n": len(cells), "n2": len(columns)}
            row = dict(zip(columns, cells, strict=False))
            yield Refusal(place, reason, row | {"further cells": cells[len(columns) :]})


def json_rows(path: Path, name: str) -> Iterator[Cells | Refusal]:
    """Yield the objects of a JSON Lines file, refusals for lines that are none. Raises FileError."""
    with open_text(path, name) as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            place = gettext("line %(number)s") % {"number": number}
            try:
                value = jsontext.loads(line.rstrip("\r\n"))
            except jsontext.JSONProblem as problem:
                yield Refusal(
                    place, gettext("no valid JSON: %(problem)s") % {"problem": problem}, {"line": line}
                )
                continue
            if isinstance(value, dict):
                yield Cells(place, value)
            else:
                yield Refusal(place, gettext("expected a JSON object"), {"line": line})
