"""What two releases are compared by: the lines of their public files, read no further than they differ."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, NamedTuple

from django.core.files.storage import default_storage

from exports.files.outputs import Places
from exports.models import Release
from exports.releases.publication import public_files

_LABELS = b', "labels": '
_SPAN = b'"start": '


class Unit(NamedTuple):
    """A type or a question of an item: its label, and as `detail` its gold spans or its wording."""

    key: str
    name: str
    label: str
    what: str  # of WORDS: what the detail is
    detail: str


class LinesFile(NamedTuple):
    """A file of JSON Lines, by its place in the storage; of a `withheld` split it has no labels."""

    split: str
    storage: str
    sha256: str
    withheld: bool


def files_that_differ(before: Release, after: Release) -> tuple[list[LinesFile], ...]:
    """Return the JSON Lines of both releases but for those that are the same file in both.

    Those of withheld splits are always there: their items are counted as not compared.
    """
    old, new = lines_files(before), lines_files(after)
    both = _with_labels(old) & _with_labels(new)
    return tuple([file for file in files if (file.split, file.sha256) not in both] for files in (old, new))


def _with_labels(files: list[LinesFile]) -> set[tuple[str, str]]:
    return {(file.split, file.sha256) for file in files if not file.withheld}


def read_lines(files: list[LinesFile]) -> dict[bytes, str]:
    """Return the split of each line with labels, by a hash of the line."""
    found: dict[bytes, str] = {}
    for file in files:
        if not file.withheld:
            with default_storage.open(file.storage, "rb") as stream:
                found.update(dict.fromkeys(map(_line_hash, stream), file.split))
    return found


def _line_hash(line: bytes) -> bytes:
    return hashlib.blake2b(line, digest_size=16).digest()


def read_items(
    files: list[LinesFile], same: set[bytes], quotes: bool
) -> Iterator[tuple[str, str, tuple[Unit, ...] | None]]:
    """Yield id, split and units of the items of a release, but for those whose lines are the same in both.

    The units are None where the labels are withheld. Where one of the two releases has no texts, spans are
    told without `quotes`.
    """
    units_read = _UnitsRead(quotes)
    for file in files:
        with default_storage.open(file.storage, "rb") as stream:
            for text in stream:
                if not file.withheld and _line_hash(text) in same:
                    continue
                item, units = units_read.line(text)
                yield item, file.split, None if file.withheld else units


class _UnitsRead:
    """Reads lines, of which most hold labels without a span: one of few such lists, so each is read once."""

    def __init__(self, quotes: bool) -> None:
        self._quotes = quotes
        self._alike: dict[Unit, Unit] = {}  # most units of a data set are alike: each is kept once
        self._without_spans: dict[bytes, tuple[Unit, ...]] = {}

    def line(self, text: bytes) -> tuple[str, tuple[Unit, ...]]:
        """Return id and units of an item; none where its labels are withheld."""
        # The labels come last, and inside of a text a quotation mark is never bare.
        head, mark, labels = text.rpartition(_LABELS)
        if not mark or _SPAN in labels:
            entry = json.loads(text)
            return _id_of(entry), self._units(entry)
        entry = json.loads(head + b"}")
        if labels not in self._without_spans:
            self._without_spans[labels] = self._units(json.loads(b'{"labels": ' + labels))
        return _id_of(entry), self._without_spans[labels]

    def _units(self, entry: dict[str, Any]) -> tuple[Unit, ...]:
        return tuple(self._alike.setdefault(unit, unit) for unit in units_of(entry, self._quotes))


def _id_of(entry: dict[str, Any]) -> str:
    found: str = entry["argument_id"] if "argument_id" in entry else entry["intervention_id"]
    return found


def lines_files(release: Release) -> list[LinesFile]:
    """Return the public JSON Lines of a release."""
    withheld = {f"data/{Places.file_part(split)}.jsonl" for split in release.parameters["withheld"]}
    return [
        LinesFile(PurePath(file["name"]).stem, file["storage"], file["sha256"], file["name"] in withheld)
        for file in public_files(release)
        if file["name"].startswith("data/") and file["name"].endswith(".jsonl")
    ]


def units_of(entry: dict[str, Any], quotes: bool) -> Iterator[Unit]:
    """Yield the types or questions of an item's object, spans with or without their `quotes`."""
    if "labels" in entry:
        for label in entry["labels"]:
            answer = {True: "yes", False: "no", None: "undecided"}[label["applicable"]]
            spans = "; ".join(_span(span, quotes) for span in label["gold_spans"])
            yield Unit(label["code"], label["fsq_type"], answer, "spans", spans)
        return
    times: Counter[str] = Counter()
    for question in entry.get("cqs", ()):
        # The published files repeat an id within an item: its first is compared with its first, and so on.
        name = "" if question["id"] is None else str(question["id"])
        times[name] += 1
        yield Unit(f"{name}#{times[name]}", name, question["label"], "question", question["cq"])


def _span(span: dict[str, Any], quotes: bool) -> str:
    place = f"{span['start']}–{span['end']}"
    return f"{place} “{span['text']}”" if quotes else place
