"""Open a text file in the encoding it declares: UTF-8, with or without mark, or UTF-16 by its mark.

Nothing is guessed. The whole file is decoded once before the first row is given, so that a wrong byte
refuses the file before anything of it is stored.
"""

from __future__ import annotations

import codecs
import csv
import io
from pathlib import Path
from typing import Any, TextIO

from django.utils.translation import gettext

from annotation.importing.files.rows import FileError
from annotation.importing.files.strict_json import JSONProblem, loads

_CHUNK = 1 << 20
_MARKS = (
    # UTF-32's little-endian mark begins with UTF-16's, so it comes first.
    (codecs.BOM_UTF32_LE, None),
    (codecs.BOM_UTF32_BE, None),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MARK = "\ufeff"


def open_text(path: Path, name: str) -> TextIO:
    """Open a file for reading behind its mark, with its newlines untouched.

    Raises FileError, with row and column, where the file is not in the encoding it declares.
    """
    encoding = _checked_encoding(path, name)
    stream = path.open(encoding=encoding, newline="")
    if stream.read(1) != _MARK:
        stream.seek(0)
    return stream


def json_document(path: Path, name: str) -> Any:
    """Return what a file of one JSON document holds, parsed as a whole. Raises FileError."""
    with open_text(path, name) as stream:
        text = stream.read()
    try:
        return loads(text)
    except JSONProblem as problem:
        raise FileError(name, "", gettext("is no valid JSON: %(problem)s") % {"problem": problem}) from None


def first_bytes(path: Path, name: str, count: int = 4) -> bytes:
    """Return the first bytes of a file. Raises FileError where it cannot be read or is empty."""
    try:
        with path.open("rb") as stream:
            start = stream.read(count)
    except OSError as error:
        raise FileError(
            name, "", gettext("cannot be read: %(strerror)s") % {"strerror": error.strerror}
        ) from None
    if not start:
        raise FileError(name, "", gettext("is empty"))
    return start


def _checked_encoding(path: Path, name: str) -> str:
    start = first_bytes(path, name)
    encoding = "utf-8"
    for mark, marked in _MARKS:
        if start.startswith(mark):
            if marked is None:
                raise FileError(
                    name,
                    gettext("row 1, column %(n)s") % {"n": 1},
                    gettext("UTF-32 is not read; save the file as UTF-8"),
                )
            encoding = marked
            break
    else:
        if 0 in start:
            place = gettext("row 1, column %(n)s") % {"n": start.index(0) + 1}
            raise FileError(name, place, gettext("NUL byte; UTF-16 is read only with its byte order mark"))
    decoder = codecs.getincrementaldecoder(encoding)()
    position = 0  # of the first byte that the decoder has not turned into characters yet
    with path.open("rb") as stream:
        while True:
            chunk = stream.read(_CHUNK)
            pending = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                _refuse(path, name, encoding, position - pending + error.start)
            if not chunk:
                return encoding
            position += len(chunk)


def _refuse(path: Path, name: str, encoding: str, position: int) -> None:
    """Raise FileError for the byte at a position, found by decoding what stands before it."""
    with path.open("rb") as stream:
        before = stream.read(position).decode(encoding).removeprefix(_MARK)
        byte = stream.read(1)[0]
    lines = io.StringIO(before + ".", newline="").readlines()  # the full stop stands for the wrong byte
    row, line, column = _row(lines), len(lines), len(lines[-1])
    place = (
        gettext("row %(row)s, column %(column)s") % {"row": row, "column": column}
        if row == line
        else gettext("row %(row)s (line %(line)s), column %(column)s")
        % {"row": row, "line": line, "column": column}
    )
    known = "UTF-8" if encoding == "utf-8" else "UTF-16"
    raise FileError(
        name,
        place,
        gettext("byte 0x%(byte)s is not %(known)s; save the file as UTF-8")
        % {"byte": f"{byte:02X}", "known": known},
    )


def _row(lines: list[str]) -> int:
    """Count the rows of a CSV file, whose quoted cells may hold newlines; of JSON, the lines."""
    if lines[0].lstrip()[:1] in ("{", "["):
        return len(lines)
    delimiter = max(",;\t", key=lines[0].count)
    return sum(1 for _ in csv.reader(lines, delimiter=delimiter))
