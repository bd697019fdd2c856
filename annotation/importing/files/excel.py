"""Records of the first sheet of an Excel workbook, one at a time: what a person sees of it."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.parsers.expat import ExpatError

from django.utils.translation import gettext

from annotation.importing.files.bounds import (
    CELLS,
    COLUMNS,
    FILE_BYTES,
    MEGABYTE,
    refuse_many_columns,
    unpacked_bytes,
)
from annotation.importing.files.excel_sheet import Merged, RawRow, SheetReader, column_letters, merged_cells
from annotation.importing.files.excel_workbook import WORKSHEET, Damaged, Sheet, TooManyCells, Workbook
from annotation.importing.files.foreign import refuse_other_archives
from annotation.importing.files.lost_cells import Lost
from annotation.importing.files.rows import FileError, Notice

if TYPE_CHECKING:
    from annotation.importing.files.excel_cells import CellValues

_OUT_OF_MEMORY = 1  # of expat
_RANGES_SHOWN = 5


def records(path: Path, name: str) -> Iterator[tuple[str, list[Any]] | Notice]:
    """Yield every row that has a cell with content, as its place and cells; first of all the header.

    Hidden rows, columns and sheets are left out, with a notice. Cells beyond the header count only where
    they have content. Formulas give the value that the workbook was saved with; a cell that has lost its
    written form is a Lost. Raises FileError where the workbook cannot be read.
    """
    with _errors_of_workbooks(name), path.open("rb") as file, zipfile.ZipFile(file) as archive:
        if unpacked_bytes(archive) > FILE_BYTES:
            raise _too_much(name)
        refuse_other_archives(archive, name)
        book = Workbook(archive)
        sheet = _first_sheet(book, name)
        yield from _SheetRows(book, sheet, name).records()
        for other in book.sheets:
            if other.kind == WORKSHEET and other is not sheet:
                told = (
                    gettext("is hidden in Excel and is not read")
                    if other.hidden
                    else gettext("only the first sheet of a workbook is read")
                )
                yield Notice(_sheet_words(other), told)


def _first_sheet(book: Workbook, name: str) -> Sheet:
    sheets = [sheet for sheet in book.sheets if sheet.kind == WORKSHEET]
    if not sheets:
        raise FileError(name, "", gettext("has no sheet with cells: put the table on a worksheet"))
    sheet = next((sheet for sheet in sheets if not sheet.hidden), None)
    if sheet is None:
        raise FileError(name, "", gettext("has hidden sheets only: show the one with the table in Excel"))
    return sheet


class _SheetRows:
    """Makes records of the rows of one sheet."""

    def __init__(self, book: Workbook, sheet: Sheet, name: str) -> None:
        # openpyxl, behind it, takes longer to load than a small CSV file to read.
        from annotation.importing.files.excel_cells import KNOWN_FORMATS, CellValues

        self.book = book
        self.sheet = sheet
        self.name = name
        self.values: CellValues = CellValues(
            book.strings(), book.formats(KNOWN_FORMATS), since_1904=book.since_1904
        )
        self.reader = SheetReader()
        self.merged = merged_cells(book.open(sheet.part))
        self.places: dict[int, int | None] = {}
        self.hidden_rows: list[int] = []
        self.width = 0

    def records(self) -> Iterator[tuple[str, list[Any]] | Notice]:
        characters = 0
        active: list[Merged] = []
        waiting = iter(self.merged)
        upcoming = next(waiting, None)
        for row in self.reader.rows(self.book.open(self.sheet.part)):
            if row.hidden:
                self.hidden_rows += [row.number] if row.cells else []
                continue
            cells, beyond = self._cells(row)
            if not cells and not beyond:
                continue
            characters += sum(len(value) for value in cells.values() if isinstance(value, str))
            if characters > FILE_BYTES:
                raise _too_much(self.name)
            if not self.width:
                yield from self._header(row, cells, beyond)
                continue
            if self.merged:
                active = [block for block in active if block.bottom >= row.number]
                while upcoming is not None and upcoming.top <= row.number:
                    active.append(upcoming)
                    upcoming = next(waiting, None)
                if len(active) > COLUMNS:
                    raise Damaged(gettext("its merged cells lie over each other"))
                self._fill_merged(cells, row.number, active)
            values = [cells.get(place, "") for place in range(max(self.width, 1 + max(cells, default=0)))]
            place = self._place(row)
            if beyond:
                place = gettext("%(row)s (cell %(cell)s)") % {"row": place, "cell": beyond[0][0]}
            yield place, [*values, *(value for _, value in beyond)]
        if not self.width:
            told = gettext("has no cells with content: move the table to the first sheet")
            raise FileError(self.name, _sheet_words(self.sheet), self._with_hidden(told))
        yield from self._hidden_notice()

    def _header(
        self, row: RawRow, cells: dict[int, Any], beyond: list[tuple[str, Any]]
    ) -> Iterator[tuple[str, list[Any]] | Notice]:
        if beyond:
            refuse_many_columns(self.name, self._place(row), max(COLUMNS + 1, len(cells) + len(beyond)))
        self.width = 1 + max(cells)
        hidden = {
            column_letters(cell.column): self.values.value(cell, row.number)
            for cell in row.cells
            if self._place_of(cell.column) is None
        }
        names = [f"{_shown(value)} ({letters})" for letters, value in hidden.items() if value != ""]
        if names:
            yield Notice(
                _sheet_words(self.sheet),
                gettext(
                    "columns that are hidden in Excel are left out: %(names)s; show them to have them read"
                )
                % {"names": ", ".join(names[:20])},
            )
        yield from self._hidden_notice()
        self.hidden_rows.clear()
        yield self._place(row), [_shown(cells.get(place, "")) for place in range(self.width)]

    def _cells(self, row: RawRow) -> tuple[dict[int, Any], list[tuple[str, Any]]]:
        """Return the cells with content by their place among the visible columns, and those far beyond."""
        cells: dict[int, Any] = {}
        beyond: list[tuple[str, Any]] = []
        for cell in row.cells:
            place = self._place_of(cell.column)
            if place is None:
                continue
            value = self.values.value(cell, row.number)
            if value == "":
                continue
            if place < COLUMNS:
                cells[place] = value
            else:
                beyond.append((f"{column_letters(cell.column)}{row.number}", _shown(value)))
        return cells, beyond

    def _place_of(self, column: int) -> int | None:
        if column not in self.places:
            hidden = self.reader.hidden_columns
            before = sum(max(0, min(last, column - 1) - first + 1) for first, last in hidden)
            self.places[column] = None if self.reader.is_hidden(column) else column - 1 - before
        return self.places[column]

    def _fill_merged(self, cells: dict[int, Any], row: int, active: list[Merged]) -> None:
        """Say of the empty cells of merged ones that they are no empty ones."""
        for block in active:
            for column in range(block.left, min(block.right, COLUMNS) + 1):
                place = self._place_of(column)
                if place is None or place >= self.width or place in cells:
                    continue
                if (row, column) != (block.top, block.left):
                    address = f"{column_letters(column)}{row}"
                    why = gettext(
                        "cell %(cell)s belongs to the merged cells %(block)s: unmerge them and fill in "
                        "each row"
                    ) % {"cell": address, "block": block.name}
                    cells[place] = Lost("", "", gettext("merged cells, left empty"), why, address)

    def _place(self, row: RawRow) -> str:
        return gettext("sheet %(title)s, row %(number)s") % {
            "title": repr(self.sheet.title),
            "number": row.number,
        }

    def _hidden_notice(self) -> Iterator[Notice]:
        if self.hidden_rows:
            yield Notice(
                _sheet_words(self.sheet),
                gettext("rows that are hidden or filtered out in Excel are left out: %(rows)s")
                % {"rows": _ranges(self.hidden_rows)},
            )

    def _with_hidden(self, told: str) -> str:
        return "; ".join([told, *(notice.message for notice in self._hidden_notice())])


@contextmanager
def _errors_of_workbooks(name: str) -> Iterator[None]:
    """Turn whatever a broken workbook raises into FileError: what that can be, nobody can list."""
    try:
        yield
    except (FileError, MemoryError):
        raise
    except TooManyCells:
        told = gettext("has more than %(most)s cells: split it into several files") % {"most": f"{CELLS:,}"}
        raise FileError(name, "", told) from None
    except zipfile.BadZipFile:
        told = gettext(
            "cannot be read as an Excel workbook: its archive is damaged, most likely cut off on its way. "
            "Send or save it once more"
        )
        raise FileError(name, "", told) from None
    except Exception as error:
        if isinstance(error, ExpatError) and error.code == _OUT_OF_MEMORY:
            raise MemoryError from None
        told = gettext(
            "cannot be read as an Excel workbook: %(error)s. Open it in Excel and save it again as .xlsx, "
            "or save its table as CSV UTF-8"
        ) % {"error": error if isinstance(error, Damaged) else gettext("it is damaged")}
        raise FileError(name, "", told) from None


def _too_much(name: str) -> FileError:
    told = gettext("holds more than %(n)s MB once it is unpacked: split it into several files") % {
        "n": FILE_BYTES // MEGABYTE
    }
    return FileError(name, "", told)


def _sheet_words(sheet: Sheet) -> str:
    return gettext("sheet %(title)s") % {"title": repr(sheet.title)}


def _shown(value: Any) -> Any:
    return value.shown if isinstance(value, Lost) else value


def _ranges(numbers: list[int]) -> str:
    """Return numbers as ranges, the first few of them.

    >>> _ranges([3, 4, 5, 9])
    '3–5, 9 (4 in all)'
    """
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    shown = [str(first) if first == last else f"{first}–{last}" for first, last in ranges[:_RANGES_SHOWN]]
    more = ["…"] if len(ranges) > _RANGES_SHOWN else []
    return gettext("%(ranges)s (%(n)s in all)") % {"ranges": ", ".join([*shown, *more]), "n": len(numbers)}
