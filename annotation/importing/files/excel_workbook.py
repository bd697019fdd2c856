"""The parts of an Excel workbook: its sheets, shared strings and number formats.

Read with the XML parser of the standard library and not with openpyxl, which fills the gaps of a sheet with
cells, loses how a number was written and which rows are hidden, and stumbles over parts that hold no cells.
Names of elements count without their namespace, so that a Strict Open XML workbook is read like any other.
"""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO, Any
from xml.parsers import expat

from django.utils.translation import gettext

from annotation.importing.files.bounds import CELLS

_CHUNK = 1 << 16
_DOCUMENT = "/officeDocument"
WORKSHEET = "worksheet"


class Damaged(ValueError):
    """A workbook that does not hold together, with what is wrong with it."""


class TooManyCells(Exception):
    """A workbook with more cells, or texts for them, than are read."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet as the workbook lists it; `kind` is worksheet, chartsheet or what else there is."""

    title: str
    kind: str
    part: str
    hidden: bool


class Workbook:
    """An open workbook. Parts are read when they are asked for."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._parts = {_folded(entry.filename): entry for entry in archive.infolist()}
        self._main = next(
            (part for kind, part in self._relations("").values() if kind.endswith(_DOCUMENT)),
            "xl/workbook.xml",
        )
        self.since_1904 = False
        self.sheets = self._sheets()

    def open(self, part: str) -> IO[bytes]:
        """Open a part for reading. Raises Damaged where there is none."""
        entry = self._parts.get(_folded(part))
        if entry is None:
            raise Damaged(gettext("its part %(part)s is missing") % {"part": repr(part[:100])})
        return self._archive.open(entry)

    def strings(self) -> list[str]:
        """Return the shared strings, without what is there for pronouncing them."""
        part = self._part_of_kind("/sharedStrings")
        return [] if part is None else _strings(self.open(part))

    def formats(self, known: Mapping[int, str]) -> list[str]:
        """Return the number format of each style of cells; `known` are those that every Excel has."""
        part = self._part_of_kind("/styles")
        return [] if part is None else _formats(self.open(part), known)

    def _part_of_kind(self, ending: str) -> str | None:
        found = self._relations(self._main).values()
        return next(
            (part for kind, part in found if kind.endswith(ending) and _folded(part) in self._parts), None
        )

    def _relations(self, part: str) -> dict[str, tuple[str, str]]:
        """Return kind and target of each relation of a part by its id."""
        folder, _, file = part.rpartition("/")
        place = posixpath.join(folder, "_rels", f"{file}.rels")
        if _folded(place) not in self._parts:
            return {}
        found: dict[str, tuple[str, str]] = {}

        def start(tag: str, given: Mapping[str, str]) -> None:
            if tag == "Relationship" and given.get("TargetMode") != "External":
                target = given.get("Target", "")
                whole = target if target.startswith("/") else posixpath.join("/", folder, target)
                found[given.get("Id", "")] = (given.get("Type", ""), posixpath.normpath(whole).lstrip("/"))

        parse(self.open(place), start)
        return found

    def _sheets(self) -> list[Sheet]:
        relations = self._relations(self._main)
        sheets: list[Sheet] = []

        def start(tag: str, given: Mapping[str, str]) -> None:
            if tag == "workbookPr":
                self.since_1904 = given.get("date1904") in ("1", "true")
            elif tag == "sheet":
                relation = next((value for key, value in given.items() if key.endswith(":id")), "")
                kind, part = relations.get(relation, ("", ""))
                state = given.get("state", "visible")
                sheets.append(Sheet(given.get("name", ""), kind.rpartition("/")[2], part, state != "visible"))

        parse(self.open(self._main), start)
        return sheets


def parse(
    stream: IO[bytes],
    start: Callable[[str, Mapping[str, str]], None],
    end: Callable[[str], None] | None = None,
    text: Callable[[str], None] | None = None,
) -> None:
    """Run through a part, calling back for elements by their names without prefix. Raises ExpatError."""
    with stream:
        parser = parser_for(start, end, text)
        while chunk := stream.read(_CHUNK):
            parser.Parse(chunk, False)
        parser.Parse(b"", True)


def parser_for(
    start: Callable[[str, Mapping[str, str]], None],
    end: Callable[[str], None] | None,
    text: Callable[[str], None] | None,
) -> Any:
    """Return a parser that calls back for elements by their names without prefix."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    names: dict[str, str] = {}

    def local(tag: str) -> str:
        found = names.get(tag)
        if found is None:
            found = names[tag] = tag.rpartition(":")[2]
        return found

    def started(tag: str, given: Mapping[str, str]) -> None:
        start(local(tag), given)

    def ended(tag: str) -> None:
        assert end is not None
        end(local(tag))

    def refuse_document_type(*_: object) -> None:
        # No Office writes one; entities could grow without end.
        raise Damaged(gettext("it has a document type declaration"))

    parser.StartElementHandler = started
    parser.StartDoctypeDeclHandler = refuse_document_type
    if end is not None:
        parser.EndElementHandler = ended
    if text is not None:
        parser.CharacterDataHandler = text
    return parser


def _folded(part: str) -> str:
    return part.replace("\\", "/").lstrip("/").lower()


def _strings(stream: IO[bytes]) -> list[str]:
    strings: list[str] = []
    parts: list[str] = []
    reading = spoken = False

    def start(tag: str, _: Mapping[str, str]) -> None:
        nonlocal reading, spoken
        if tag == "t":
            reading = not spoken
        elif tag == "rPh":
            spoken = True

    def end(tag: str) -> None:
        nonlocal reading, spoken
        if tag == "t":
            reading = False
        elif tag == "rPh":
            spoken = False
        elif tag == "si":
            strings.append("".join(parts))
            parts.clear()
            if len(strings) > CELLS:
                raise TooManyCells

    def text(characters: str) -> None:
        if reading:
            parts.append(characters)

    parse(stream, start, end, text)
    return strings


def _formats(stream: IO[bytes], known: Mapping[int, str]) -> list[str]:
    formats = {str(number): code for number, code in known.items()}
    numbers: list[str] = []
    of_cells = False

    def start(tag: str, given: Mapping[str, str]) -> None:
        nonlocal of_cells
        if tag == "numFmt":
            formats[given.get("numFmtId", "")] = given.get("formatCode", "General")
        elif tag == "cellXfs":
            of_cells = True
        elif tag == "xf" and of_cells:
            numbers.append(given.get("numFmtId", "0"))

    def end(tag: str) -> None:
        nonlocal of_cells
        if tag == "cellXfs":
            of_cells = False

    parse(stream, start, end)
    return [formats.get(number, "General") for number in numbers]
