"""The columns of a table of ratings: whose they are, and what a named one says of a row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.lookalikes import Names


class RatingFileError(ValueError):
    """The file is not a table of ratings; the message names the file, the row and the column."""


def name_in(where: str, row: list[str], column: int, met: Names, what: str, header: str | None) -> str:
    """Return the stratum or cluster that a row names; refuse none, and one that looks like another."""
    name = row[column]
    if not name.strip():
        raise RatingFileError(f"{where}, column {column + 1} ({header!r}): the {what} is empty.")
    if other := met.unseen(name):
        raise RatingFileError(
            f"{where}, column {column + 1} ({header!r}): the {what} {name!r} looks exactly like {other!r}: "
            "write it the same way, or so that the two can be told apart."
        )
    met.add(name)
    return name


def named_column(path: Path, number: int, header: list[str], wanted: str) -> int:
    found = [at for at, name in enumerate(header) if name == wanted]
    if not found or found == [0]:
        raise RatingFileError(
            f"{path}: row {number}: there is no column {wanted!r} after the first; the columns are "
            f"{', '.join(map(repr, header))}."
        )
    if len(found) > 1:
        raise RatingFileError(f"{path}: row {number}, column {found[1] + 1}: {wanted!r} stands twice.")
    return found[0]


def annotators_of(path: Path, number: int, header: list[str], kept: Sequence[int]) -> tuple[str, ...]:
    """Return the names of the columns kept after the first, each of them one annotator's."""
    names = tuple(header[at] for at in kept[1:])
    if not names:
        hint = next((kind for mark, kind in ((";", "semicolons"), ("\t", "tabs")) if mark in header[0]), None)
        hint = f" (are the cells separated by {hint} instead of commas?)" if hint else ""
        raise RatingFileError(f"{path}: row {number}: there is no annotator column after the first{hint}.")
    met = Names()
    for place, name in enumerate(names):
        where = f"{path}: row {number}, column {kept[place + 1] + 1}"
        if not name:
            raise RatingFileError(f"{where}: the annotator has no name.")
        if name in names[:place]:
            raise RatingFileError(
                f"{where}: the annotator {name!r} already has column {kept[names.index(name) + 1] + 1}."
            )
        if other := met.unseen(name):
            raise RatingFileError(
                f"{where}: the annotator {name!r} looks exactly like {other!r} in column "
                f"{kept[names.index(other) + 1] + 1}: name them so that the two can be told apart."
            )
        met.add(name)
    return names
