"""Records of a delimited text file, one at a time, with newlines inside quoted cells kept exactly."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from django.utils.translation import gettext

from annotation.importing.files.encodings import open_text
from annotation.importing.files.rows import FileError
from core.lookalikes import heard_as

CELL_LIMIT = 10_000_000
"""Characters in one cell. A longer one is most likely a quotation mark that nobody closed."""

_SEPARATOR = re.compile(r"""["']?sep=([^"'\w\s\\]|\t)["']?[,;\t]*[\r\n]*""", re.IGNORECASE)
"""The line by which a CSV file tells Excel its separator."""

# Python's own limit of 131,072 is less than a long text; it can only be set for the whole process.
csv.field_size_limit(CELL_LIMIT)


def delimiter(path: Path, name: str, known: Iterable[str]) -> str:
    """Return the separator (comma, semicolon, tab) by which the header has the most known columns.

    A first line sep=; names it, as it does to Excel.
    """
    with open_text(path, name) as stream:
        if declared := _declared_separator(stream):
            return declared
        header = stream.tell()
        known = frozenset(map(column_key, known))

        def known_columns(separator: str) -> int:
            stream.seek(header)
            try:
                cells = next(csv.reader(stream, delimiter=separator), [])
            except csv.Error:
                return 0
            return len(known.intersection(map(column_key, cells)))

        return max(",;\t", key=known_columns)


def column_key(column: str) -> str:
    """Return what the names of one column have in common: case and white space do not matter.

    >>> column_key(" Question\u00a0ID") == column_key("question_id")
    True
    """
    return heard_as(column).replace(" ", "_")


def _declared_separator(stream: TextIO) -> str | None:
    """Return what a first line sep=; declares and go behind it, or None and stay before the first line."""
    start = stream.tell()
    match = _SEPARATOR.fullmatch(stream.readline(20))
    if match is None:
        stream.seek(start)
    return match[1] if match else None


def records(path: Path, name: str, separator: str) -> Iterator[tuple[str, list[str]]]:
    """Yield every row that has a cell with text, as its place and cells. The header is row 1.

    Raises FileError, with the row, where the file stops being CSV.
    """
    with open_text(path, name) as stream:
        declared = _declared_separator(stream)
        reader = csv.reader(stream, delimiter=declared or separator, strict=True)
        by_row, by_line = gettext("row %(number)s"), gettext("row %(number)s (line %(line)s)")
        for number in itertools.count(1):
            line = reader.line_num + (1 if declared is None else 2)
            place = (by_row if line == number else by_line) % {"number": number, "line": line}
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise FileError(name, place, gettext("no valid CSV: %(error)s") % {"error": error}) from None
            if any(cells):
                yield place, cells
