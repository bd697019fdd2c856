"""Records of a delimited text file, one at a time, with newlines inside quoted cells kept exactly."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.utils.translation import gettext

from annotation.importing.encodings import open_text
from annotation.importing.rows import FileError
from annotation.protocols.texts import BLANK_CHARACTERS

CELL_LIMIT = 10_000_000
"""Characters in one cell. A longer one is most likely a quotation mark that nobody closed."""

# Python's own limit of 131,072 is less than a long text; it can only be set for the whole process.
csv.field_size_limit(CELL_LIMIT)


def delimiter(path: Path, name: str, known: Iterable[str]) -> str:
    """Return the separator (comma, semicolon, tab) by which the header has the most known columns."""
    with open_text(path, name) as stream:
        first_line = stream.readline(CELL_LIMIT)
    known = frozenset(known)

    def known_columns(separator: str) -> int:
        cells = next(csv.reader([first_line], delimiter=separator), [])
        return len(known.intersection(cell.strip(BLANK_CHARACTERS) for cell in cells))

    return max(",;\t", key=known_columns)


def records(path: Path, name: str, separator: str) -> Iterator[tuple[str, list[str]]]:
    """Yield every row that has a cell with text, as its place and cells. The header is row 1.

    Raises FileError, with the row, where the file stops being CSV.
    """
    with open_text(path, name) as stream:
        reader = csv.reader(stream, delimiter=separator, strict=True)
        for number in itertools.count(1):
            line = reader.line_num + 1
            place = (
                gettext("row %(number)s") % {"number": number}
                if line == number
                else gettext("row %(number)s (line %(line)s)") % {"number": number, "line": line}
            )
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise FileError(name, place, gettext("no valid CSV: %(error)s") % {"error": error}) from None
            if any(cells):
                yield place, cells
