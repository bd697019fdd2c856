"""Reading a table of ratings from a CSV file: the item's id, then one column an annotator.

An empty cell is a missing rating; every other text is a label as it stands, so "nan", "NA", "Yes" and "yes"
are four labels and a space is part of a label. Nothing is guessed: a file that is not what it should be is
refused with its row and column, rows counted as a spreadsheet shows them (the header is row 1).
"""

from __future__ import annotations

import codecs
import csv
import io
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agreement.files.columns import RatingFileError, annotators_of, name_in, named_column
from agreement.statistics.patterns import IntArray
from core.lookalikes import Names, heard_as

_MISSING = -1

MISSING_MARKS = frozenset(
    {
        "", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "-nan", "nat", "none", "null", "#null!", "nil",
        "missing", "undefined", "unknown", "not available", "no answer",
        "-", "--", "\u2013", "\u2014", "?", "??", ".", "..", "...", "*", "-9", "-99", "-999",
    }
)  # fmt: skip
"""What R, pandas, SPSS, Excel and people write for a missing rating, as `heard_as` gives it."""


@dataclass(frozen=True, slots=True)
class RatingsFile:
    """A rating table as read.

    items : ids of the rows in the order of the file; annotators and categories : names in code order
    ratings : (rows, annotators) codes of the categories, -1 where missing
    strata : the stratum of each row, where a column names it
    clusters : what each row's item is resampled with, such as its source, where a column names it
    """

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    ratings: IntArray
    strata: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()

    @property
    def row_clusters(self) -> IntArray | None:
        """The cluster of each row by number; None where each item is its own."""
        return _numbered(self.clusters) if self.clusters else None

    @property
    def item_clusters(self) -> IntArray | None:
        """The cluster of each item, in the order of `by_stratum`."""
        return (
            _numbered(dict(zip(self.items, self.clusters, strict=True)).values()) if self.clusters else None
        )

    def by_stratum(self) -> tuple[tuple[str, ...], IntArray]:
        """Return the strata in the order of the file, and the ratings (items, strata, annotators)."""
        names = tuple(dict.fromkeys(self.strata))
        items = {item: at for at, item in enumerate(dict.fromkeys(self.items))}
        places = {name: at for at, name in enumerate(names)}
        ratings = np.full((len(items), len(names), len(self.annotators)), _MISSING, dtype=np.int64)
        ratings[[items[item] for item in self.items], [places[name] for name in self.strata]] = self.ratings
        return names, ratings


def _numbered(names: Iterable[str]) -> IntArray:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)


def parse_categories(text: str) -> tuple[str, ...]:
    """Read declared categories from "a,b,c", quoted as in CSV where a label has a comma.

    Raises ValueError for an empty or repeated category.
    """
    try:
        rows = list(csv.reader([text], strict=True))
    except csv.Error as error:
        raise ValueError(f"The categories are not a comma-separated list: {error}.") from error
    categories = tuple(rows[0]) if rows else ()
    if not categories or "" in categories:
        raise ValueError("The categories are a comma-separated list of labels, none of them empty.")
    repeated = sorted({category for category in categories if categories.count(category) > 1})
    if repeated:
        raise ValueError(f"The category {repeated[0]!r} is declared twice.")
    return categories


def read_ratings(
    path: Path,
    *,
    categories: Sequence[str] | None = None,
    missing: Sequence[str] = (),
    strata: str | None = None,
    cluster: str | None = None,
) -> RatingsFile:
    """Read a rating table; without declared categories they are the labels found, sorted.

    Cells that are one of `missing`, and empty ones, are missing ratings. `strata` names the column that says
    which table a row belongs to, such as the type it is about: an item may then have a row in each stratum.
    `cluster` names the column that says which items belong together, such as those of one source; an item is
    in one cluster only.

    UTF-8 with or without a byte order mark, UTF-16 with one. Rows in which every cell is empty are skipped.
    Raises RatingFileError for anything that is not a rating table.
    """
    try:
        with path.open("rb") as file:
            encoding = _encoding(file.read(4))
            file.seek(0)
            text = io.TextIOWrapper(file, encoding=encoding, newline="")
            return _read_rows(path, _numbered_rows(path, text), categories, {"", *missing}, strata, cluster)
    except UnicodeDecodeError:
        raise RatingFileError(_undecodable(path, encoding)) from None
    except OSError as error:
        raise RatingFileError(f"{path}: cannot be read ({error.strerror or error}).") from error


def _encoding(start: bytes) -> str:
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return "utf-8-sig"


def _numbered_rows(path: Path, text: io.TextIOBase) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(text, strict=True)
    number = 0
    while True:
        number += 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise RatingFileError(f"{path}: row {number}: not valid CSV ({error}).") from error
        yield number, row


def _read_rows(
    path: Path,
    rows: Iterator[tuple[int, list[str]]],
    categories: Sequence[str] | None,
    missing: set[str],
    strata: str | None,
    cluster: str | None,
) -> RatingsFile:
    header = next(((number, row) for number, row in rows if any(row)), None)
    if header is None:
        raise RatingFileError(f"{path}: the file is empty; row 1 should name the columns.")
    column, cluster_column = (
        None if name is None else named_column(path, *header, name) for name in (strata, cluster)
    )
    if column is not None and column == cluster_column:
        raise RatingFileError(
            f"{path}: row {header[0]}, column {column + 1}: {strata!r} cannot be both the stratum and the "
            "cluster."
        )
    width = len(header[1])
    kept = [at for at in range(width) if at not in (column, cluster_column)]
    names = annotators_of(path, header[0], header[1], kept)
    codes = {label: code for code, label in enumerate(categories)} if categories is not None else {}
    first_row: dict[tuple[str, str], int] = {}
    row_of: dict[str, int] = {}
    ids, strata_names, cluster_names = Names(), Names(), Names()
    cluster_of: dict[str, str] = {}
    cells = array("q")
    for number, row in rows:
        if not any(row):
            continue
        if len(row) != width:
            raise RatingFileError(
                f"{path}: row {number}: {len(row)} cells where the header has {width} columns."
            )
        where_row = f"{path}: row {number}"
        stratum = "" if column is None else name_in(where_row, row, column, strata_names, "stratum", strata)
        of_cluster = (
            ""
            if cluster_column is None
            else name_in(where_row, row, cluster_column, cluster_names, "cluster", cluster)
        )
        row = [row[at] for at in kept]
        item = row[0]
        if not item:
            raise RatingFileError(f"{path}: row {number}, column 1: the item's id is empty.")
        if (item, stratum) in first_row:
            where = f" in the stratum {stratum!r}" if column is not None else ""
            raise RatingFileError(
                f"{path}: row {number}, column 1: the item {item!r} is already in row "
                f"{first_row[item, stratum]}{where}."
            )
        if other := ids.unseen(item):
            raise RatingFileError(
                f"{path}: row {number}, column 1: the item {item!r} looks exactly like {other!r} in row "
                f"{row_of[other]}: write it the same way, or so that the two can be told apart."
            )
        if cluster_column is not None and cluster_of.setdefault(item, of_cluster) != of_cluster:
            raise RatingFileError(
                f"{where_row}, column {cluster_column + 1} ({cluster!r}): the item {item!r} is in the "
                f"cluster {of_cluster!r} here and in {cluster_of[item]!r} in row {row_of[item]}; an item is "
                "in one."
            )
        ids.add(item)
        row_of.setdefault(item, number)
        first_row[item, stratum] = number
        for place, label in enumerate(row[1:]):
            if label in missing:
                cells.append(_MISSING)
            elif label in codes:
                cells.append(codes[label])
            elif categories is None:
                cells.append(codes.setdefault(label, len(codes)))
            else:
                shown = kept[place + 1] + 1
                raise RatingFileError(
                    f"{path}: row {number}, column {shown} ({names[place]!r}): the label {label!r} is "
                    f"not one of the declared categories {', '.join(map(repr, categories))}. Where it "
                    "means a missing rating, leave the cell empty or name it with --missing."
                )
    ratings: IntArray = np.array(cells, dtype=np.int64).reshape(len(first_row), len(names))
    labels = tuple(codes)
    if categories is None:
        labels, ratings = _sorted_categories(labels, ratings)
    items = tuple(item for item, _ in first_row)
    of = tuple(stratum for _, stratum in first_row) if column is not None else ()
    clusters = tuple(cluster_of[item] for item in items) if cluster_column is not None else ()
    return RatingsFile(items, names, labels, ratings, of, clusters)


def _sorted_categories(labels: tuple[str, ...], ratings: IntArray) -> tuple[tuple[str, ...], IntArray]:
    order = sorted(range(len(labels)), key=labels.__getitem__)
    # The last entry keeps -1, by which missing cells index it.
    new_code = np.full(len(labels) + 1, _MISSING, dtype=np.int64)
    new_code[order] = np.arange(len(labels))
    return tuple(labels[code] for code in order), new_code[ratings]


def _undecodable(path: Path, encoding: str) -> str:
    """Say where the first byte stands that is not text of the encoding."""
    data = path.read_bytes()
    name = "UTF-16" if encoding == "utf-16" else "UTF-8"
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        # The codec drops a byte order mark from the bytes it reports on for UTF-8 only.
        start = error.start + (len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0)
        before = data[:start].decode(encoding, errors="ignore")
        rows = list(csv.reader(io.StringIO(before + "x", newline="")))
        byte = data[start : start + 1].hex().upper()
        return (
            f"{path}: row {len(rows)}, column {len(rows[-1])}: the byte 0x{byte} is not {name}; "
            f"save the file as UTF-8."
        )
    return f"{path}: the file is not {name}."


def missing_marks(table: RatingsFile) -> dict[str, int]:
    """Return the labels by which other programs mean a missing rating, each with its number of cells."""
    found = {code: label for code, label in enumerate(table.categories) if heard_as(label) in MISSING_MARKS}
    counts = {label: int((table.ratings == code).sum()) for code, label in found.items()}
    return {label: count for label, count in counts.items() if count}
