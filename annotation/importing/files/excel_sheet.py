"""The rows of one sheet of a workbook, as they are written in it: nothing is filled in between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, NamedTuple

from django.utils.translation import gettext

from annotation.importing.files.bounds import CELLS
from annotation.importing.files.excel_workbook import Damaged, TooManyCells, parser_for

_CHUNK = 1 << 16
LAST_COLUMN = 16_384
LAST_ROW = 1_048_576
_REFERENCE = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})", re.ASCII)
_TRUE = ("1", "true")


class RawCell(NamedTuple):
    """A cell as the sheet has it: the kind of its value, its style, the value's own letters."""

    column: int
    kind: str  # n, s, str, inlineStr, b, e, d
    style: int
    value: str | None
    is_formula: bool


@dataclass(slots=True)
class RawRow:
    """A row with the cells that stand in it."""

    number: int
    hidden: bool
    cells: list[RawCell] = field(default_factory=list)


class Merged(NamedTuple):
    """A block of merged cells, of which only the first holds a value."""

    name: str
    top: int
    bottom: int
    left: int
    right: int


class SheetReader:
    """Reads one sheet from its stream. `hidden_columns` is known once the first row was given."""

    def __init__(self) -> None:
        self.hidden_columns: list[tuple[int, int]] = []
        self._done: list[RawRow] = []
        self._row: RawRow | None = None
        self._last_row = self._last_column = self._n_cells = 0
        self._in_data = False
        self._cell: tuple[int, str, int] | None = None
        self._formula = self._spoken = self._reading = False
        self._value: list[str] = []
        self._has_value = False
        self._columns: dict[str, int] = {}

    def rows(self, stream: IO[bytes]) -> Iterator[RawRow]:
        """Yield the rows in the order in which they stand. Raises Damaged and ExpatError."""
        parser = parser_for(self._start, self._end, self._text)
        with stream:
            while chunk := stream.read(_CHUNK):
                parser.Parse(chunk, False)
                yield from self._done
                self._done.clear()
            parser.Parse(b"", True)
        yield from self._done

    def is_hidden(self, column: int) -> bool:
        """Whether a column is hidden, or so narrow that nothing of it is seen."""
        return any(first <= column <= last for first, last in self.hidden_columns)

    def _start(self, tag: str, given: Mapping[str, str]) -> None:
        if tag == "c":
            if self._row is not None:
                self._start_cell(given)
        elif tag == "v" or tag == "t":
            if self._cell is not None and not self._spoken:
                self._reading = self._has_value = True
        elif tag == "row":
            if self._in_data:
                self._start_row(given)
        elif tag == "f":
            self._formula = True
        elif tag == "rPh":
            self._spoken = True
        elif tag == "col":
            if not self._in_data and (given.get("hidden") in _TRUE or _is_zero(given.get("width"))):
                self.hidden_columns.append((int(given.get("min", 0)), int(given.get("max", 0))))
        elif tag == "sheetData":
            self._in_data = True

    def _start_row(self, given: Mapping[str, str]) -> None:
        self._last_row = int(float(given["r"])) if "r" in given else self._last_row + 1
        if not 0 < self._last_row <= LAST_ROW:
            raise Damaged(gettext("it has a row %(row)s") % {"row": self._last_row})
        hidden = given.get("hidden") in _TRUE or _is_zero(given.get("ht"))
        self._row = RawRow(self._last_row, hidden)
        self._last_column = 0

    def _start_cell(self, given: Mapping[str, str]) -> None:
        self._n_cells += 1
        if self._n_cells > CELLS:
            raise TooManyCells
        reference = given.get("r")
        self._last_column = self._last_column + 1 if reference is None else self._column(reference)
        self._cell = (self._last_column, given.get("t", "n"), int(given.get("s", 0)))
        self._formula = self._has_value = False

    def _column(self, reference: str) -> int:
        letters = reference.rstrip("0123456789")
        column = self._columns.get(letters)
        if column is None:
            column = self._columns[letters] = column_number(letters)
        return column

    def _end(self, tag: str) -> None:
        if tag == "v" or tag == "t":
            self._reading = False
        elif tag == "c":
            if self._row is not None and self._cell is not None:
                value = "".join(self._value) if self._has_value else None
                if value is not None or self._formula:
                    self._row.cells.append(RawCell(*self._cell, value, self._formula))
            self._cell = None
            self._value.clear()
        elif tag == "row":
            if self._row is not None:
                self._done.append(self._row)
            self._row = None
        elif tag == "rPh":
            self._spoken = False
        elif tag == "sheetData":
            self._in_data = False

    def _text(self, characters: str) -> None:
        if self._reading:
            self._value.append(characters)


def column_number(letters: str) -> int:
    """Return the number of a column by its letters. Raises Damaged.

    >>> column_number("A"), column_number("AB"), column_number("XFD")
    (1, 28, 16384)
    """
    number = 0
    for letter in letters.replace("$", "").upper():
        if not "A" <= letter <= "Z":
            raise Damaged(gettext("it has a cell %(cell)s") % {"cell": repr(letters[:20])})
        number = number * 26 + ord(letter) - 64
    if not 0 < number <= LAST_COLUMN:
        raise Damaged(gettext("it has a column %(column)s") % {"column": repr(letters[:20])})
    return number


def column_letters(number: int) -> str:
    """Return the letters of a column by its number.

    >>> column_letters(1), column_letters(28), column_letters(16384)
    ('A', 'AB', 'XFD')
    """
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def merged_cells(stream: IO[bytes]) -> list[Merged]:
    """Return the merged cells of a sheet, which are listed behind its rows, by the row where they begin."""
    found: list[Merged] = []
    for name in _merged_names(stream):
        corners = [_REFERENCE.fullmatch(corner) for corner in name.split(":")]
        if len(corners) == 2 and corners[0] and corners[1]:
            (left, top), (right, bottom) = ((column_number(c[1]), int(c[2])) for c in corners if c)
            found.append(Merged(name, top, bottom, left, right))
    return sorted(found, key=lambda block: block.top)


def _merged_names(stream: IO[bytes]) -> Iterator[str]:
    # Looking for the words is far quicker than parsing all rows a second time before the first is given.
    pattern = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?ref=[\"']([A-Za-z0-9:$]{1,40})[\"']")
    left = b""
    with stream:
        while chunk := stream.read(_CHUNK):
            block = left + chunk
            end = 0
            for match in pattern.finditer(block):
                yield match[1].decode()
                end = match.end()
            left = block[max(end, len(block) - 200) :]


def _is_zero(size: str | None) -> bool:
    return size is not None and size.strip("0.") == "" and size != ""
