"""The process that a file is read in: `python -m annotation.importing.subprocess_main`, started by `apart`.

It is told on its standard input what to read, and answers with pickled tuples on its standard output. It
knows no database and no settings but those that words in the reader's language take.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from pathlib import Path
from typing import IO, Any

MEMORY_GONE = 77
"""The exit code that says that a file takes more memory than it may have."""

COLUMNS, FORMAT, ROWS, REFUSED, END = "columns", "format", "rows", "refused", "end"
BATCH = 1_000


def main() -> None:
    """Read what standard input asks for."""
    asked = json.load(sys.stdin)
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What a library prints must not get between the rows.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _limit(asked["memory"], asked["seconds"])
    try:
        _read(asked, out)
    except MemoryError:
        os._exit(MEMORY_GONE)


def _limit(memory: int, seconds: int) -> None:
    """Set the limits that the operating system keeps. Where it knows none, `apart` has its own of time."""
    try:
        import resource
    except ImportError:
        return
    for limit, value in (
        (resource.RLIMIT_CORE, (0, 0)),
        (resource.RLIMIT_CPU, (seconds, seconds + 1)),
        (resource.RLIMIT_AS, (memory, memory)),
    ):
        try:
            resource.setrlimit(limit, value)
        except (ValueError, OSError):  # macOS refuses a limit of the address space
            continue


def _read(asked: dict[str, Any], out: IO[bytes]) -> None:
    _set_up(asked["language"], asked["locale_paths"])
    from django.utils import translation

    from annotation.importing.files.bounds import batches, bounded
    from annotation.importing.files.rows import FileError
    from annotation.importing.reading import Reading, open_rows

    def say(*told: Any) -> None:
        pickle.dump(told, out, pickle.HIGHEST_PROTOCOL)
        out.flush()

    reading = Reading(asked["content"], Path(asked["path"]), asked["name"], asked["format"], asked["options"])
    with translation.override(asked["language"]):
        try:
            if asked["wants_columns"]:
                say(COLUMNS, _columns(reading.path, reading.name))
            opened = open_rows(reading)
            say(FORMAT, opened.format)
            for batch in batches(bounded(opened.rows, reading.name), BATCH):
                say(ROWS, batch)
            say(END)
        except FileError as error:
            say(REFUSED, error.file, error.place, error.message)


def _columns(path: Path, name: str) -> tuple[str, ...]:
    from annotation.importing.files.rows import FileError
    from annotation.importing.files.tabular import columns_of

    try:
        return columns_of(path, name)
    except FileError:
        return ()


def _set_up(language: str, locale_paths: list[str]) -> None:
    # openpyxl loads numpy where it finds it, which nothing here needs.
    sys.modules["numpy"] = None  # type: ignore[assignment]
    from django.apps import apps
    from django.conf import settings

    settings.configure(USE_I18N=True, LANGUAGE_CODE=language, LOCALE_PATHS=locale_paths, INSTALLED_APPS=[])
    # What django.setup does besides, loading addresses and logging, takes as long as to read 2,000 rows.
    apps.populate(())


if __name__ == "__main__":
    main()
