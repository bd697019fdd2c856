"""Reading a file for an import: which reader it takes, told by its content, and the rows that it gives.

See docs/decisions/importing.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.codebooks.definition import Codebook
from annotation.importing.files.bounds import bounded
from annotation.importing.formats import judgement_formats
from annotation.importing.formats import judgement_table as judgements
from annotation.importing.formats.focus_sets import set_rows
from annotation.importing.formats.item_formats import FORMATS, recognise

ITEMS, JUDGEMENTS, KEY, FOCUS = "items", "judgements", "key", "focus"


@dataclass(frozen=True, slots=True)
class Reading:
    """A file, by the name that people know it by, and what it is read as.

    `format` is one of the content's formats, "" where the content tells it. `options` are what the reader
    of the format is told besides; they are JSON, so that another process can be told them.
    """

    content: str
    path: Path
    name: str
    format: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Opened:
    """A file whose format is known.

    Its rows, those of the content with refusals and notices, raise FileError for what refuses the file.
    """

    format: str
    rows: Iterator[Any]


Reader = Callable[[Reading], AbstractContextManager[Opened]]


@contextmanager
def read_here(reading: Reading) -> Iterator[Opened]:
    """Read in this process, as commands do. Raises FileError."""
    opened = open_rows(reading)
    yield Opened(opened.format, bounded(opened.rows, reading.name))


def open_rows(reading: Reading) -> Opened:
    """Open a file by the reader of its content. Raises FileError."""
    path, name, options = reading.path, reading.name, reading.options
    if reading.content == KEY:
        renamed = options.get("renamed")
        return Opened(KEY, judgements.read(path, name=name, annotator_needed=False, renamed=renamed))
    if reading.content == FOCUS:
        return Opened(FOCUS, set_rows(path, name, options))
    if reading.content == JUDGEMENTS:
        codebook = Codebook.from_json(options["codebook"])
        format = reading.format or None
        rows = judgement_formats.judgement_rows(
            path,
            name=name,
            codebook=codebook,
            format=format,
            renamed=options.get("renamed"),
            keep_votes=bool(options.get("keep_votes")),
        )
        return Opened(JUDGEMENTS, rows)
    renamed = options.get("renamed")
    found = "table" if renamed else reading.format or recognise(path, name)
    more = {"renamed": renamed} if renamed else {}
    return Opened(found, FORMATS[found](path, name=name, origin=options.get("origin") or None, **more))
