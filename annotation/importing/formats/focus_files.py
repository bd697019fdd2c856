"""The files that the FOCUS authors publish, each told by its header line and never by its name.

master: arguments with category and topic, or alone. sheet: the spans of each annotator for the two types of a
category, a row an argument of it. prediction: arguments with a model's answers, and questions beside.
logic: what one annotator marked in passages of LogicClimate, whose header has four lines.
"""

from __future__ import annotations

import csv
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from django.utils.translation import gettext

from annotation.importing.files.bounds import FILE_BYTES, unpacked_bytes
from annotation.importing.files.delimited import CELL_LIMIT
from annotation.importing.files.encodings import open_text
from annotation.importing.files.foreign import refuse_foreign
from annotation.importing.files.rows import FileError

MASTER, SHEET, PREDICTION, QUESTIONS, LOGIC = "master", "sheet", "prediction", "questions", "logic"


class Category(NamedTuple):
    """A category of FOCUS: its word in prediction files, and the types of its two columns."""

    name: str
    first: str
    second: str


CATEGORIES = (
    Category("alternate_viewpoints_perspectives", "OSP", "TC"),
    Category("assumptions", "IE", "BS"),
    Category("clarity", "VAT", "OG"),
    Category("implication_consequences", "QCE", "CF"),
    Category("reasons_evidence", "LE", "WE"),
)
ASKED = {category.name: [category.first, category.second] for category in CATEGORIES}
"""The types that an argument is asked, by its category."""

OF_SHEET = dict(
    zip(("alternative", "assumption", "clarity", "implication", "reason"), CATEGORIES, strict=True)
) | {"impli": CATEGORIES[3]}
"""The category of a sheet by the word in its columns."""

PUBLISHED_NAMES = {
    "others stakeholder perspective": "OSP",
    "vague or ambiguous terms for general public": "VAT",
    "vague or ambiguity": "VAT",
    "overgeneralizing statement": "OG",
    "implicit assumption": "IE",
    "lack of evidence": "LE",
    "questionable cause-effect": "QCE",
    "quality of evidence provided": "WE",
}
"""What the authors' files call the types besides, case and a final question mark aside."""

PREDICTED = (
    *("Argument", "category", "FSQType1", "FSQType2", "Span_FSQType1", "Span_FSQType2"),
    *("Predicted_Type1", "Predicted_Type2", "Span_PredictedType1", "Span_PredictedType2"),
)
ASKED_QUESTIONS = ("FSQQuestion1", "FSQQuestion2")
_CORRECTED = "_Corrected"
_COLUMN = re.compile(r"([^\W_]+)_([^\W_]+)_([FG])")
_ANNOTATOR = re.compile(r"(?<![A-Za-z0-9])A[0-9]+(?![A-Za-z0-9])")
_HEADER_LINES = 4
_TYPES_OF_LOGIC = 8


@dataclass(frozen=True, slots=True)
class FocusFile:
    """A published file: its rows below the header, as cells by column; an empty cell is ""."""

    name: str
    kind: str
    columns: tuple[str, ...]
    rows: tuple[dict[str, str], ...]
    category: Category | None = None  # of a sheet
    annotators: tuple[str, ...] = ()  # of a sheet, and the one of a logic file
    codes: tuple[tuple[str, str], ...] = ()  # of a logic file: column and code of its type

    @property
    def brings_items(self) -> bool:
        return self.kind != SHEET

    @property
    def text_column(self) -> str:
        return next(name for name in ("Argument", "argument", "source_article") if name in self.columns)

    def texts(self) -> list[str]:
        return [row[self.text_column] for row in self.rows]


def plain_type_name(name: str) -> str:
    """Return a type's name without case, a question mark at its end, brackets or a second line.

    >>> plain_type_name("Questionable Cause-Effect Relationship? (Consequence farfetched?, etc)")
    'questionable cause-effect relationship'
    """
    return name.strip().partition("\n")[0].partition("(")[0].strip().rstrip("?").strip().casefold()


def read_focus_file(path: Path, name: str, names: dict[str, str]) -> FocusFile:
    """Read a file of the FOCUS authors. `names` are the codes by the plain names of the codebook's types.

    Raises FileError where it is none of theirs, or breaks its own shape.
    """
    refuse_foreign(path, name)
    rows = _records(path, name)
    header = [cell.strip() for cell in rows[0]] if rows else []
    named = [cell for cell in header if cell]
    twice = next((cell for place, cell in enumerate(named) if cell in named[:place]), None)
    if twice is not None:
        raise FileError(name, _row(1), gettext("has the column “%(column)s” twice") % {"column": twice})
    if header[:2] == ["", ""] and len(_logic_codes(header, names)) >= _TYPES_OF_LOGIC:
        return _logic(name, header, rows, names)
    body = rows[1:]
    if set(PREDICTED) <= set(named):
        kind = QUESTIONS if set(ASKED_QUESTIONS) <= set(named) else PREDICTION
        return FocusFile(name, kind, tuple(named), _cells(name, header, body))
    if named in (["argument"], ["source_article"]) or set(named) == {"Argument", "Categories", "Topic"}:
        return FocusFile(name, MASTER, tuple(named), _cells(name, header, body))
    if named and all(_COLUMN.fullmatch(cell) for cell in named):
        return _sheet(name, header, body)
    raise FileError(
        name,
        _row(1),
        gettext(
            "is none of the FOCUS authors' files: expected Argument, Categories, Topic; or argument; or "
            "columns like A1_reason_F; or %(predicted)s; or two empty cells and names of types; found "
            "%(found)s"
        )
        % {
            "predicted": ", ".join(PREDICTED[:4]) + " …",
            "found": ", ".join(map(repr, named))[:300] or "nothing",
        },
    )


def unpack(path: Path, name: str, folder: Path) -> list[tuple[str, str]]:
    """Write the files of an archive into a folder; return their names and paths. Raises FileError."""
    found = []
    try:
        with zipfile.ZipFile(path) as archive:
            if unpacked_bytes(archive) > FILE_BYTES:
                raise FileError(name, "", gettext("unpacks to too much"))
            for number, entry in enumerate(archive.infolist()):
                at = folder / str(number)
                at.write_bytes(archive.read(entry))
                found.append((entry.filename, str(at)))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as problem:
        raise FileError(
            name, "", gettext("is no archive that can be read: %(problem)s") % {"problem": problem}
        ) from None
    return found


def questions_of(row: dict[str, str], category: Category) -> list[dict[str, str]]:
    """Return the questions of a row that has any: type, the words made by a template, corrected ones."""
    return [
        {"type": code, "question": row[column], "corrected": row.get(column + _CORRECTED, "")}
        for column, code in zip(ASKED_QUESTIONS, (category.first, category.second), strict=True)
        if row[column].strip()
    ]


def _records(path: Path, name: str) -> list[list[str]]:
    """Return all records, empty ones too, but for those at the end: a row's number is what ties it."""
    csv.field_size_limit(CELL_LIMIT)
    with open_text(path, name) as stream:
        reader = csv.reader(stream, strict=True)
        rows: list[list[str]] = []
        while True:
            try:
                rows.append(next(reader))
            except StopIteration:
                break
            except csv.Error as error:
                told = gettext("no valid CSV: %(error)s") % {"error": error}
                raise FileError(name, _row(len(rows) + 1), told) from None
    while rows and not rows[-1]:
        rows.pop()
    return rows


def _cells(name: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[dict[str, str], ...]:
    found = []
    for number, row in enumerate(rows, start=1):
        if any(cell.strip() for cell in row[len(header) :]):
            raise FileError(name, below_header(number), gettext("has more cells than the header"))
        cells = [*row[: len(header)], *[""] * (len(header) - len(row))]
        found.append({column: cell for column, cell in zip(header, cells, strict=True) if column})
    return tuple(found)


def _sheet(name: str, header: list[str], rows: Sequence[Sequence[str]]) -> FocusFile:
    parts = [found.groups() for cell in header if (found := _COLUMN.fullmatch(cell))]
    words = list(dict.fromkeys(word for _, word, _ in parts))
    if len(words) > 1 or words[0] not in OF_SHEET:
        raise FileError(
            name,
            _row(1),
            gettext("has columns of %(words)s; expected those of one of %(known)s")
            % {"words": ", ".join(words), "known": ", ".join(OF_SHEET)},
        )
    first, second = ({who for who, _, part in parts if part == letter} for letter in "FG")
    if first != second:
        alone = sorted(first ^ second)
        told = gettext("%(who)s has one of the two columns F and G; every annotator needs both")
        raise FileError(name, _row(1), told % {"who": ", ".join(alone)})
    if len(first) < 2:
        raise FileError(name, _row(1), gettext("has one annotator; a sheet has two or more"))
    return FocusFile(
        name,
        SHEET,
        tuple(filter(None, header)),
        _cells(name, header, rows),
        OF_SHEET[words[0]],
        tuple(sorted(first)),
    )


def _logic(name: str, header: list[str], rows: Sequence[Sequence[str]], names: dict[str, str]) -> FocusFile:
    lines = [*rows[1:_HEADER_LINES]]
    if len(lines) < _HEADER_LINES - 1 or not lines[-1] or lines[-1][0].strip() != "source_article":
        raise FileError(
            name, _row(_HEADER_LINES), gettext("must begin with source_article, below the names of the types")
        )
    columns = ["source_article", "logical_fallacies", *header[2:]]
    found = _ANNOTATOR.findall(Path(name).stem.replace("_", " "))
    if len(found) != 1:
        told = gettext("does not say whose it is: put the annotator, such as A1, into the file's name")
        raise FileError(name, "", told)
    codes = _logic_codes(header, names)
    return FocusFile(
        name,
        LOGIC,
        tuple(filter(None, columns)),
        _cells(name, columns, rows[_HEADER_LINES:]),
        annotators=tuple(found),
        codes=tuple(codes.items()),
    )


def _logic_codes(header: Sequence[str], names: dict[str, str]) -> dict[str, str]:
    known = names | {name: code for name, code in PUBLISHED_NAMES.items() if code in names.values()}
    return {cell: code for cell in header if (code := known.get(plain_type_name(cell)))}


def below_header(number: int) -> str:
    """Return the place of a row, counted from the first below the header, as the authors count."""
    return gettext("row %(number)s below the header") % {"number": number}


def _row(number: int) -> str:
    return gettext("row %(number)s") % {"number": number}
