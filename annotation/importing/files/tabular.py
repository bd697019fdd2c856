"""Rows of named cells from CSV, JSON Lines or Excel, for the project's own formats.

What a file is, is told by its content and never by its name: a ZIP archive is Excel, a brace at the
beginning is JSON Lines, all else is CSV.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from annotation.importing.files import delimited, excel
from annotation.importing.files import strict_json as jsontext
from annotation.importing.files.bounds import refuse_many_columns
from annotation.importing.files.encodings import first_bytes, open_text
from annotation.importing.files.foreign import is_archive, refuse_foreign
from annotation.importing.files.lost_cells import Lost, cut_columns, lost_text
from annotation.importing.files.refused_rows import JSON_ROW, added_in, row_restored
from annotation.importing.files.rows import FileError, Notice, Refusal
from core.csv_safety import taken_back
from core.errors import Refused
from core.texts import BLANK_CHARACTERS, is_blank, text_problem

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
            if lost.kind and column not in refused:
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
        table = _restored(_table(name, excel.records(path, name)), taken_back)
    elif kind == JSON:
        table = Table(None, json_rows(path, name))
    else:
        delimiter = delimited.delimiter(path, name, renamed or known)
        records = delimited.records(path, name, delimiter)
        cells_back = ((place, [taken_back(cell) for cell in cells]) for place, cells in records)
        table = _restored(_table(name, cells_back))
    if renamed and table.columns is not None:
        table.require(name, list(renamed))
    return _known(_renamed(table, renamed), known)


def columns_from_words(words: Iterable[str], known: Sequence[str]) -> dict[str, str]:
    """Return which column of a file stands for which known one, of words such as "text=Argument".

    White space around a name does not matter. Raises Refused.
    """
    columns: dict[str, str] = {}
    for entry in words:
        ours, _, theirs = (part.strip() for part in entry.partition("="))
        if not theirs or ours not in known:
            raise Refused(
                "invalid",
                gettext("%(entry)s: expected OURS=THEIRS, as in %(example)s=Nr. OURS can be %(known)s.")
                % {"entry": entry, "example": known[0], "known": ", ".join(known)},
            )
        if theirs in columns or ours in columns.values():
            raise Refused(
                "invalid",
                gettext("%(entry)s: each column can stand for one thing only.") % {"entry": entry},
            )
        columns[theirs] = ours
    return columns


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


def _known(table: Table, known: Iterable[str]) -> Table:
    """Call columns by their known names, whose case and white space do not matter."""
    by_key = {delimited.column_key(name): name for name in known}

    def named(columns: Iterable[str]) -> dict[str, str]:
        """Return the columns to rename; of two that look alike none is meant."""
        found: dict[str, str] = {}
        there = list(columns)
        for column in there:
            name = by_key.get(delimited.column_key(column))
            if name is not None and name not in there:
                found[column] = name
        return {column: name for column, name in found.items() if list(found.values()).count(name) == 1}

    def row_named(row: Cells | Refusal | Notice) -> Cells | Refusal | Notice:
        if isinstance(row, Notice):
            return row
        values = row.values if isinstance(row, Cells) else row.row
        names = of_table if table.columns is not None else named(values)
        if not names:
            return row
        renamed = {names.get(column, column): value for column, value in values.items()}
        if isinstance(row, Refusal):
            return replace(row, row=renamed)
        lost = row.lost and {names.get(column, column): cell for column, cell in row.lost.items()}
        return Cells(row.place, renamed, lost)

    of_table = named(table.columns or ())
    columns = None if table.columns is None else tuple(of_table.get(name, name) for name in table.columns)
    return Table(columns, (row_named(row) for row in table.rows), table.place, table.notes)


def _restored(table: Table, cell_back: Callable[[str], str] | None = None) -> Table:
    """Take the added columns of a file of refused rows away, and give its rows as they were.

    `cell_back` undoes in a workbook what the file of refused rows, opened as CSV, had done to its cells.
    """
    added = added_in(table.columns or ())
    if not added:
        return table

    def column_back(column: str) -> str:
        return cell_back(column) if cell_back else column

    def row_back(row: Cells | Refusal | Notice) -> Cells | Refusal | Notice:
        if isinstance(row, Notice):
            return row
        values = row.values if isinstance(row, Cells) else row.row
        if cell_back:
            values = {
                cell_back(column): cell_back(value) if isinstance(value, str) else value
                for column, value in values.items()
            }
        if isinstance(row, Refusal):
            own = {column: value for column, value in values.items() if column not in added.values()}
            return replace(row, row=own)
        try:
            restored = row_restored(values, added)
        except jsontext.JSONProblem as problem:
            return _broken_line(row.place, problem, str(values[added[JSON_ROW]]))
        lost = {column_back(column): cell for column, cell in (row.lost or {}).items()}
        lost = {column: cell for column, cell in lost.items() if column in restored}
        return Cells(row.place, restored, lost or None)

    columns = [column for column in table.columns or () if column not in added.values()]
    rows = (row_back(row) for row in table.rows)
    return Table(tuple(map(column_back, columns)), rows, table.place, table.notes)


def _broken_line(place: str, problem: jsontext.JSONProblem, line: str) -> Refusal:
    reason = gettext("no valid JSON: %(problem)s") % {"problem": problem}
    return Refusal(place, reason, {}, line=line.rstrip("\r\n"))


def read_csv(path: Path, name: str, needed: Sequence[str]) -> Table:
    """Open a published comma-separated file, whose cells are taken as they are. Raises FileError."""
    table = _known(_restored(_table(name, delimited.records(path, name, ",")), taken_back), needed)
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
    n_named = max((n for n, cell in enumerate(header, 1) if not is_blank(str(cell))), default=0)
    rows = itertools.chain(notes, _rows(columns, n_named, records))
    return Table(columns[:n_named], rows, place, tuple(notes))


def _columns(header: Sequence[Any], name: str, place: str) -> tuple[str, ...]:
    """Name the columns: without white space around, and a nameless one by its number."""
    given = [str(cell).strip(BLANK_CHARACTERS) for cell in header]
    for number, column in enumerate(given, 1):
        if problem := text_problem(column):
            raise FileError(
                name,
                place,
                gettext("name of column %(number)s: %(problem)s") % {"number": number, "problem": problem},
            )
    repeated = [column for column, count in Counter(given).items() if column and count > 1]
    if repeated:
        raise FileError(
            name,
            place,
            gettext("column %(repeated)s stands more than once")
            % {"repeated": ", ".join(map(repr, repeated))},
        )
    return tuple(column or _free_name(f"column {number}", given) for number, column in enumerate(given, 1))


def _free_name(name: str, taken: Sequence[str]) -> str:
    return name if name not in taken else _free_name(f"{name} (no name)", taken)


def _rows(
    columns: tuple[str, ...], n_named: int, records: Iterable[tuple[str, list[Any]] | Notice]
) -> Iterator[Cells | Refusal | Notice]:
    """Yield the rows. Behind the last `n_named` columns, empty cells are what a spreadsheet left behind."""
    for record in records:
        if isinstance(record, Notice):
            yield record
            continue
        place, cells = record
        row = dict(zip(columns, cells, strict=False))
        if len(cells) != len(columns):
            row = {column: _shown(cell) for column, cell in row.items()}
            reason = gettext("has %(n)s cells, the header %(n2)s") % {"n": len(cells), "n2": len(columns)}
            row |= dict.fromkeys(columns[len(cells) : n_named], "")
        for column in columns[n_named:]:
            if row.get(column) == "":
                del row[column]
        if len(cells) == len(columns):
            yield from _with_notes(_cells(place, row))
        else:
            yield Refusal(place, reason, row, further=tuple(map(_shown, cells[len(columns) :])))


def _shown(cell: Any) -> Any:
    return cell.shown if isinstance(cell, Lost) else cell


def _cells(place: str, row: dict[str, Any]) -> Cells:
    lost: dict[str, Lost] = {}
    for column, cell in row.items():
        found = cell if isinstance(cell, Lost) else lost_text(cell) if isinstance(cell, str) else None
        if found is not None:
            lost[column] = found
    if not lost:
        return Cells(place, row)
    return Cells(place, row | {column: cell.value for column, cell in lost.items()}, lost or None)


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
                yield _broken_line(place, problem, line)
                continue
            if isinstance(value, dict):
                yield from _with_notes(Cells(place, value))
            else:
                yield Refusal(place, gettext("expected a JSON object"), {}, line=line.rstrip("\r\n"))
