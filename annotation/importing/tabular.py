"""Rows of named cells from CSV, JSON Lines or Excel, for the project's own formats.

What a file is, is told by its content and never by its name: a ZIP archive is Excel, a brace at the
beginning is JSON Lines, all else is CSV.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from annotation.importing import delimited, excel, jsontext
from annotation.importing.bounds import refuse_many_columns
from annotation.importing.encodings import first_bytes, open_text
from annotation.importing.foreign import is_archive, refuse_foreign
from annotation.importing.rows import REFUSED_COLUMNS, FileError, Notice, Refusal
from annotation.importing.safe_cells import taken_back
from annotation.importing.written import Lost, cut_columns, lost_text
from annotation.protocols.texts import BLANK_CHARACTERS, text_problem

EXCEL = "Excel"
JSON = "JSON"
CSV = "CSV"


_FOUND_SHOWN = 500


class RowProblem(ValueError):
    """Why one row is refused."""


@dataclass(frozen=True, slots=True)
class Cells:
    """One row by column name, with its place. CSV gives texts only, the others JSON's kinds.

    `lost` has the columns whose cells a spreadsheet has changed; `values` has what is left of them.
    """

    place: str
    values: Mapping[str, Any]
    lost: Mapping[str, Lost] | None = None

    def text(self, column: str) -> str:
        """Return a cell as text, "" where there is none.

        A whole number is a text too (ids often are one); other numbers have lost the form they were
        written in. Raises RowProblem.
        """
        value = self.kept(column)
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

    def kept(self, column: str) -> Any:
        """Return a cell as it was written. Raises RowProblem where a spreadsheet has changed it."""
        if self.lost and (problem := self.changed(column)):
            raise RowProblem(problem)
        return self.values.get(column)

    def changed(self, *columns: str) -> str | None:
        """Say which of some cells a spreadsheet has changed, or None where none was."""
        lost = self.lost or {}
        return next((f"{column}: {lost[column].why}" for column in columns if column in lost), None)

    def shown(self, column: str) -> str:
        """Return a cell as text, one that a spreadsheet has changed as it shows it. Raises RowProblem."""
        return self.lost[column].shown if self.lost and column in self.lost else self.text(column)


class ChangedCells:
    """Counts the cells that a spreadsheet has changed and that are kept all the same, for one note a kind."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], tuple[str, str, int]] = {}

    def add(self, row: Cells, refused: Collection[str]) -> None:
        """Count the changed cells of a row, those of columns aside that would have refused it."""
        for column, lost in (row.lost or {}).items():
            if lost.kind and column not in refused and column not in REFUSED_COLUMNS:
                self.add_cell(column, lost.kind, row.place, lost.cell)

    def add_cell(self, column: str, kind: str, place: str, cell: str = "") -> None:
        """Count one cell of a column."""
        first_place, first_cell, n = self._found.get((column, kind), (place, cell, 0))
        self._found[column, kind] = (first_place, first_cell, n + 1)

    def notices(self) -> Iterator[Notice]:
        """Yield a note for each column and kind, at the first place."""
        for (column, kind), (place, cell, n) in self._found.items():
            where = gettext("cell %(cell)s") % {"cell": cell} if cell else place
            told = gettext("%(column)s: %(kind)s; the first of %(n)s is %(where)s")
            yield Notice(place, told % {"column": column, "kind": kind, "n": n, "where": where})


@dataclass(frozen=True, slots=True)
class Table:
    """A file as rows. `columns` is None for JSON Lines, where each row names its own.

    `notes` says what of the file was left out before its first row, `place` where the header stands.
    """

    columns: tuple[str, ...] | None
    rows: Iterator[Cells | Refusal | Notice]
    place: str = ""
    notes: tuple[Notice, ...] = ()

    def require(self, name: str, needed: Sequence[str]) -> None:
        """Raise FileError naming every needed column that is missing, and those that were found."""
        missing = [column for column in needed if self.columns is not None and column not in self.columns]
        if missing:
            word = "column" if len(missing) == 1 else "columns"
            found = ", ".join(repr(column) for column in self.columns or ())[:_FOUND_SHOWN]
            told = gettext("no %(word)s %(missing)s; found %(found)s") % {
                "word": word,
                "missing": ", ".join(map(repr, missing)),
                "found": found,
            }
            place = self.place or gettext("row %(number)s") % {"number": 1}
            raise FileError(name, place, "; ".join([told, *(note.message for note in self.notes)]))


def read_table(
    path: Path, name: str, known: Iterable[str], renamed: Mapping[str, str] | None = None
) -> Table:
    """Open a table. `known` columns decide on the separator of a CSV file. Raises FileError.

    `renamed` gives columns of the file another name; a column that has that name already loses it.
    """
    kind = kind_of_file(path, name)
    if kind == EXCEL:
        return _renamed(_table(name, _sent_back(excel.records(path, name))), renamed)
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
        Cells(
            row.place,
            {name_of(column): value for column, value in row.values.items()},
            row.lost and {name_of(column): lost for column, lost in row.lost.items()},
        )
        if isinstance(row, Cells)
        else row
        for row in table.rows
    )
    columns = None if table.columns is None else tuple(name_of(column) for column in table.columns)
    return Table(columns, rows, table.place, table.notes)


def read_csv(path: Path, name: str, needed: Sequence[str]) -> Table:
    """Open a published comma-separated file, whose cells are taken as they are. Raises FileError."""
    table = _table(name, delimited.records(path, name, ","))
    table.require(name, needed)
    return table


def kind_of_file(path: Path, name: str) -> str:
    """Return EXCEL, JSON or CSV by how the content begins. Raises FileError."""
    if is_archive(first_bytes(path, name)):
        return EXCEL
    refuse_foreign(path, name)
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
    notes: list[Notice] = []
    for first in records:
        if isinstance(first, tuple):
            break
        notes.append(first)
    else:
        raise FileError(name, gettext("row %(number)s") % {"number": 1}, gettext("has no header"))
    place, header = first
    refuse_many_columns(name, place, len(header))
    columns = _columns(header, name, place)
    return Table(columns, itertools.chain(notes, _rows(columns, records)), place, tuple(notes))


def _sent_back(
    records: Iterator[tuple[str, list[Any]] | Notice],
) -> Iterator[tuple[str, list[Any]] | Notice]:
    """Undo in a workbook made of our file of refused rows what keeps spreadsheets from running its cells."""
    ours = None
    for record in records:
        if isinstance(record, Notice):
            yield record
            continue
        place, cells = record
        if ours is None:
            ours = set(REFUSED_COLUMNS) <= {str(cell) for cell in cells}
        yield (
            place,
            [taken_back(cell) if isinstance(cell, str) else cell for cell in cells] if ours else cells,
        )


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
            yield from _with_notes(_cells(place, columns, cells))
        else:
            cells = [cell.shown if isinstance(cell, Lost) else cell for cell in cells]
            reason = gettext("has %(n)s cells, the header %(n2)s") % {"n": len(cells), "n2": len(columns)}
            row = dict(zip(columns, cells, strict=False))
            yield Refusal(place, reason, row | {"further cells": cells[len(columns) :]})


def _cells(place: str, columns: tuple[str, ...], cells: list[Any]) -> Cells:
    lost: dict[str, Lost] = {}
    for number, cell in enumerate(cells):
        found = cell if isinstance(cell, Lost) else lost_text(cell) if isinstance(cell, str) else None
        if found is not None:
            lost[columns[number]] = found
    values = dict(zip(columns, cells, strict=True))
    return Cells(place, values | {column: cell.value for column, cell in lost.items()}, lost or None)


def _with_notes(row: Cells) -> Iterator[Cells | Notice]:
    yield from (Notice(row.place, told) for told in cut_columns(row.values))
    yield row


def json_rows(path: Path, name: str) -> Iterator[Cells | Refusal | Notice]:
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
                yield from _with_notes(Cells(place, value))
            else:
                yield Refusal(place, gettext("expected a JSON object"), {"line": line})
