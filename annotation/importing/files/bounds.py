"""How much may come out of a file that is read, however small it is as it lies there."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from django.utils.translation import gettext

from annotation.importing.files.rows import FileError, JudgementRow, Refusal

MEGABYTE = 2**20
FILE_BYTES = 200 * MEGABYTE
"""Of a file that is sent by browser, and of everything that an archive unpacks to."""

ROWS = 1_000_000
COLUMNS = 2_000
CELLS = 10_000_000

BATCH_CHARACTERS = 4_000_000
"""Rows are passed on together until there are this many characters in them."""

Row = TypeVar("Row")


def unpacked_bytes(archive: zipfile.ZipFile) -> int:
    """Return what an archive says it unpacks to. Reading a part never gives more than is said of it here."""
    return sum(entry.file_size for entry in archive.infolist())


def unpacked_size(path: Path) -> int:
    """Return the size of a file, of an archive what it unpacks to."""
    try:
        with zipfile.ZipFile(path) as archive:
            return unpacked_bytes(archive)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return path.stat().st_size


def refuse_many_columns(name: str, place: str, n: int) -> None:
    """Refuse a table that is wider than anybody means it to be. Raises FileError."""
    if n > COLUMNS:
        raise FileError(
            name,
            place,
            gettext("has %(n)s columns, and at most %(most)s are read: delete those that are not needed")
            % {"n": f"{n:,}", "most": f"{COLUMNS:,}"},
        )


def bounded(rows: Iterable[Row], name: str) -> Iterator[Row]:
    """Pass rows on; raises FileError where there are more of them than one import takes."""
    for n, row in enumerate(rows):
        if n >= ROWS:
            raise FileError(
                name,
                getattr(row, "place", ""),
                gettext("has more than %(most)s rows: split it into several files") % {"most": f"{ROWS:,}"},
            )
        yield row


def batches(rows: Iterable[Row], most: int) -> Iterator[list[Row]]:
    """Give rows together: as many as `most`, fewer where they are long."""
    batch: list[Row] = []
    characters = 0
    for row in rows:
        batch.append(row)
        characters += _characters(row)
        if len(batch) >= most or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _characters(row: Any) -> int:
    """Count the characters of what is long in a row, roughly."""
    if isinstance(row, Refusal):
        return sum(len(str(value)) for value in row.row.values())
    if isinstance(row, JudgementRow):
        return len(row.quote or "") + len(row.comment) + len(row.edited_question)
    text = getattr(row, "text", None)
    if text is None:
        return len(getattr(row, "message", ""))
    metadata: Mapping[str, Any] = row.metadata
    n = len(text)
    if metadata:
        n += sum(len(value) if isinstance(value, str) else 20 for value in metadata.values())
    if row.questions:
        n += sum(len(question.text) for question in row.questions)
    return n
