"""A release as one ZIP: stored entries in a fixed order with one fixed date, so the same bytes."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar
from zipfile import ZIP_STORED, ZipFile, ZipInfo

DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest that a ZIP can say."""

PIECE = 1 << 20

Result = TypeVar("Result")

_UNIX = 3
_READABLE_FILE = 0o100644 << 16


class Archive:
    """Writes files of a directory into a ZIP, below one folder, and takes its SHA-256.

    A thread does it, beside whoever still computes: copying and hashing need no Python. Use it in a `with`
    block, which ends the thread.
    """

    def __init__(self, path: Path, directory: Path, folder: str) -> None:
        self.path, self._directory, self._folder = path, directory, folder
        self._stream = path.open("xb")
        self._zip = ZipFile(self._stream, "w", ZIP_STORED)
        self._sha256, self._hashed = hashlib.sha256(), 0
        self._thread = ThreadPoolExecutor(1, "archive")
        self._writing: list[Future[None]] = []

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *error: object) -> None:
        self._thread.shutdown(cancel_futures=True)
        # After `close` there is nothing left to write, and without it the ZIP is of no use.
        with suppress(OSError):
            self._zip.close()
        with suppress(OSError):
            self._stream.close()

    def before(self, work: Callable[[], Result]) -> Future[Result]:
        """Do something else in the thread before whatever is added from now on."""
        return self._thread.submit(work)

    def add(self, names: Callable[[], Iterable[str]]) -> None:
        """Add the finished files that `names` returns, in the order of their names.

        It is called in the thread, after everything that was asked for before.
        """
        self._writing.append(self._thread.submit(self._write_all, names))

    def close(self) -> str:
        """Wait for all entries, finish the ZIP and return its SHA-256. Raises OSError of any of them."""
        for writing in self._writing:
            writing.result()
        self._zip.close()
        self._hash()
        return self._sha256.hexdigest()

    def _write_all(self, names: Callable[[], Iterable[str]]) -> None:
        for name in sorted(names()):
            self._write(name)

    def _write(self, name: str) -> None:
        path = self._directory / name
        entry = ZipInfo(f"{self._folder}/{name}", DATE)
        # What is left to the platform would make other bytes elsewhere.
        entry.create_system = _UNIX
        entry.external_attr = _READABLE_FILE
        entry.file_size = path.stat().st_size
        with path.open("rb") as source, self._zip.open(entry, "w") as target:
            shutil.copyfileobj(source, target, PIECE)
        self._hash()

    def _hash(self) -> None:
        """Take in what was written: the header of an entry is right only once its end is."""
        self._stream.flush()
        with self.path.open("rb") as written:
            written.seek(self._hashed)
            while piece := written.read(PIECE):
                self._sha256.update(piece)
            self._hashed = written.tell()
