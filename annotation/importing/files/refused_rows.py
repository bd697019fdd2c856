"""The file of refused rows: written for people, who mend it and import it again, so it comes back whole.

It is CSV with a byte order mark, without which Excel on Windows garbles it. Its columns are those of every
refused row, then the added ones. Cells that were no text are JSON and named as such; a row that does not
fit into columns (a broken line of JSON Lines, a name that no header keeps) stands in the last one as JSON.
"""

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from annotation.importing.files import strict_json as jsontext
from annotation.importing.files.rows import Refusal
from core.csv_safety import made_safe
from core.texts import BLANK_CHARACTERS, text_problem

PLACE, REASON, FURTHER = "refused at", "refused because", "further cells"
JSON_CELLS, LEFT_OUT, JSON_ROW = "cells in JSON", "cells left out", "row in JSON"
ADDED = (PLACE, REASON, FURTHER, JSON_CELLS, LEFT_OUT, JSON_ROW)
"""The added columns. A file that has columns of these names of its own gets them as "refused at (2)"."""

MOST_COLUMNS = 1_000
"""Columns that the file has at most; rows that need more stand in JSON."""


def added_in(columns: Iterable[str]) -> dict[str, str]:
    """Return the name that each added column has among a file's; none where it is no file of refused rows."""
    there = set(columns)
    number = _last_number(there)
    return {added: name for added, name in _named(number).items() if name in there} if number else {}


def _last_number(columns: set[str]) -> int:
    """Return the highest number of which both a place and a reason are among the columns, 0 for none."""
    numbers = {
        int(match[1] or 1)
        for column in columns
        if (match := re.fullmatch(rf"{REASON}(?: \(([2-9]|[1-9]\d{{1,5}})\))?", column))
    }
    return max((number for number in numbers if _named(number)[PLACE] in columns), default=0)


def row_restored(values: Mapping[str, Any], added: Mapping[str, str]) -> dict[str, Any]:
    """Return a row of a mended file as it stood in the file that it was refused from.

    Raises JSONProblem where its JSON is still broken and its cells are empty.
    """
    row = {column: value for column, value in values.items() if column not in added.values()}
    line = values.get(added.get(JSON_ROW, ""), "")
    if isinstance(line, str) and line.strip():
        try:
            found = jsontext.loads(line)
            if isinstance(found, dict):
                return found
        except jsontext.JSONProblem:
            if not any(row.values()):
                raise
    for column in _names(values.get(added.get(LEFT_OUT, ""), "")):
        if row.get(column) == "":
            del row[column]
    for column in _names(values.get(added.get(JSON_CELLS, ""), "")):
        if isinstance(cell := row.get(column), str):
            row[column] = _from_json(cell)
    return row


class RefusedRows:
    """Counts refused rows into a report and writes them to a file where one is given.

    The columns are known when all rows are, so that rows wait in a temporary file. `columns` are there in
    any case: those by which a reader knows the file.
    """

    def __init__(self, report: Any, path: Path | None, columns: Sequence[str] = ()) -> None:
        self.report = report
        self.path = path
        self._columns = dict.fromkeys(columns)
        self._waiting: IO[str] | None = None

    def add(self, refusal: Refusal) -> None:
        self.report.refuse(refusal)
        if self.path is None:
            return
        if self._waiting is None:
            self._waiting = TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - closed in `close`
        for row in (refusal.row, *refusal.beside):
            line = refusal.line or self._line_unless_it_fits(row)
            waiting = [refusal.place, refusal.reason, refusal.further, line, {} if line else row]
            self._waiting.write(json.dumps(waiting) + "\n")

    def close(self) -> None:
        """Write the file, where a row was refused."""
        if self._waiting is None or self.path is None:
            return
        with self._waiting as waiting, self.path.open("w", encoding="utf-8-sig", newline="") as stream:
            columns = list(self._columns)
            # Rows of JSON Lines that have one of the two each are no such file, but together have both.
            number = _last_number(set(columns)) + 1
            while set(_named(number).values()) & set(columns):
                number += 1
            waiting.seek(0)
            needed = set(ADDED[:3]).union(*(_needs(json.loads(line), columns) for line in waiting))
            added = [column for column in ADDED if column in needed]
            writer = csv.writer(stream)
            writer.writerow([*map(made_safe, columns), *(_named(number)[column] for column in added)])
            waiting.seek(0)
            for line in waiting:
                writer.writerow(_cells(json.loads(line), columns, added))
        self._waiting = None

    def _line_unless_it_fits(self, row: Mapping[str, Any]) -> str:
        """Return a row as JSON where columns cannot hold it; else take its columns in and return ""."""
        new = [column for column in row if column not in self._columns]
        if len(self._columns) + len(new) > MOST_COLUMNS or not all(map(_is_header, row)):
            return json.dumps(row, ensure_ascii=False)
        self._columns.update(dict.fromkeys(new))
        return ""


def _named(number: int) -> dict[str, str]:
    return {added: added if number == 1 else f"{added} ({number})" for added in ADDED}


def _is_header(column: str) -> bool:
    """Whether a name comes back from a header as it is."""
    return column == column.strip(BLANK_CHARACTERS) != "" and text_problem(column) is None


def _needs(waiting: list[Any], columns: Sequence[str]) -> set[str]:
    """Return which of the added columns a row needs beyond those that are always there."""
    _, _, _, line, row = waiting
    if line:
        return {JSON_ROW}
    needed = {JSON_CELLS} if any(not isinstance(value, str) for value in row.values()) else set()
    return needed if len(row) == len(columns) else needed | {LEFT_OUT}


def _cells(waiting: list[Any], columns: Sequence[str], added: Sequence[str]) -> list[str]:
    place, reason, further, line, row = waiting
    in_json = [column for column, value in row.items() if not isinstance(value, str)]
    left_out = [] if line else [column for column in columns if column not in row]
    beyond = {
        PLACE: place,
        REASON: reason,
        FURTHER: _to_json(further) if further else "",
        JSON_CELLS: _to_json(in_json) if in_json else "",
        LEFT_OUT: _to_json(left_out) if left_out else "",
        JSON_ROW: line,
    }
    given = [row.get(column, "") for column in columns]
    cells = [value if isinstance(value, str) else _to_json(value) for value in given]
    return [made_safe(cell) for cell in [*cells, *(beyond[column] for column in added)]]


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _from_json(cell: str) -> Any:
    """Return what a cell of JSON says; what a person typed instead is a text."""
    try:
        return jsontext.loads(cell)
    except jsontext.JSONProblem:
        return cell


def _names(cell: Any) -> list[str]:
    found = _from_json(cell) if isinstance(cell, str) else None
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []
