"""Records of the first sheet of an Excel workbook, one at a time."""

from __future__ import annotations

import datetime
import re
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from xml.etree.ElementTree import ParseError

from django.utils.translation import gettext
from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from annotation.importing.rows import FileError, Notice

if TYPE_CHECKING:
    from openpyxl import Workbook

_UNREADABLE = (InvalidFileException, zipfile.BadZipFile, ParseError, KeyError, ValueError, TypeError, OSError)

_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


def records(path: Path, name: str) -> Iterator[tuple[str, list[Any]] | Notice]:
    """Yield every row that has a cell with content, as its place and cells; first of all the header.

    Cells beyond the header count only where they have content. Formulas give the value that the
    workbook was saved with. Raises FileError where the workbook cannot be read.
    """
    # A path would be refused for its name; the format is told by the content alone.
    with path.open("rb") as file:
        _refuse_other_archives(file, name)
        with _errors_of_openpyxl(name):
            book = load_workbook(file, read_only=True, data_only=True)
        yield from _rows_of(book, name)


def _rows_of(book: Workbook, name: str) -> Iterator[tuple[str, list[Any]] | Notice]:
    try:
        with _errors_of_openpyxl(name):
            sheet, *others = book.worksheets
            sheet.reset_dimensions()  # some programs write a size that cuts the sheet off
            rows = sheet.iter_rows(values_only=True)
        width = 0
        number = 0
        while True:
            with _errors_of_openpyxl(name):
                row = next(rows, None)
            if row is None:
                break
            number += 1
            cells = [_plain(value) for value in row]
            while cells and (cells[-1] == "" and len(cells) > width):
                cells.pop()
            if not any(cell != "" for cell in cells):
                continue
            width = width or len(cells)
            cells += [""] * (width - len(cells))
            yield (
                gettext("sheet %(title)s, row %(number)s") % {"title": repr(sheet.title), "number": number},
                cells,
            )
        for other in others:
            yield Notice(
                gettext("sheet %(title)s") % {"title": repr(other.title)},
                gettext("only the first sheet of a workbook is read"),
            )
    finally:
        book.close()


def _refuse_other_archives(file: BinaryIO, name: str) -> None:
    with _errors_of_openpyxl(name), zipfile.ZipFile(file) as archive:
        is_workbook = "[Content_Types].xml" in archive.namelist()
    if not is_workbook:
        told = gettext("is an archive and no Excel workbook: unpack it, or save the table in it as .xlsx")
        raise FileError(name, "", told)


@contextmanager
def _errors_of_openpyxl(name: str) -> Iterator[None]:
    """Turn what openpyxl raises on a broken workbook into FileError, and keep its remarks on styles quiet."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except _UNREADABLE as error:
        raise FileError(
            name, "", gettext("cannot be read as an Excel workbook: %(error)s") % {"error": error}
        ) from None


def _plain(value: Any) -> Any:
    """Return a cell as JSON has it. Excel writes characters such as a carriage return as _x000D_.

    >>> _plain("two_x000D_\\nlines"), _plain(17.0), _plain(None)
    ('two\\r\\nlines', 17, '')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), value)
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int | float) else str(value)
