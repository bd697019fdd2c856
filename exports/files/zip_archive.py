"""A release as one ZIP: stored entries in a fixed order with one fixed date, so the same bytes.

The ZIP is nowhere on a disk. Its entries are the files of the release as they are; what stands between them
follows from their names, sizes and CRC-32, so its size and its SHA-256 are known before anybody asks for it.
"""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypeVar
from zipfile import ZIP64_LIMIT, ZIP_STORED, ZipFile, ZipInfo

DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest that a ZIP can say."""

PIECE = 1 << 20

Result = TypeVar("Result")

_UNIX = 3
_READABLE_FILE = 0o100644 << 16


class Entry(NamedTuple):
    """A file in the ZIP, by its name below the folder of the ZIP, with its size and its CRC-32."""

    name: str
    size: int
    crc32: int


class Archive:
    """Takes the SHA-256 of the ZIP of files of a directory, below one folder.

    A thread does it, beside whoever still computes: reading and hashing need no Python. Use it in a `with`
    block, which ends the thread.
    """

    def __init__(self, directory: Path, folder: str) -> None:
        self._directory, self._layout = directory, _Layout(folder)
        self._sha256 = hashlib.sha256()
        self._thread = ThreadPoolExecutor(1, "archive")
        self._reading: list[Future[None]] = []
        self.entries: list[Entry] = []
        self.size = 0

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *error: object) -> None:
        self._thread.shutdown(cancel_futures=True)

    def before(self, work: Callable[[], Result]) -> Future[Result]:
        """Do something else in the thread before whatever is added from now on."""
        return self._thread.submit(work)

    def add(self, names: Callable[[], Iterable[str]]) -> None:
        """Add the finished files that `names` returns, in the order of their names.

        It is called in the thread, after everything that was asked for before.
        """
        self._reading.append(self._thread.submit(self._take_all, names))

    def close(self) -> str:
        """Wait for all entries and return the SHA-256 of the ZIP. Raises OSError of any of them."""
        for reading in self._reading:
            reading.result()
        end = self._layout.end()
        self._sha256.update(end)
        self.size = self._layout.size + len(end)
        return self._sha256.hexdigest()

    def _take_all(self, names: Callable[[], Iterable[str]]) -> None:
        for name in sorted(names()):
            self._take(name)

    def _take(self, name: str) -> None:
        # Twice, the second time from memory: what goes before an entry names the CRC-32 of all of it.
        crc32 = size = 0
        for piece in _pieces(self._directory / name):
            crc32, size = zlib.crc32(piece, crc32), size + len(piece)
        entry = Entry(name, size, crc32)
        self._sha256.update(self._layout.head(entry))
        for piece in _pieces(self._directory / name):
            self._sha256.update(piece)
        self.entries.append(entry)


def archive_parts(folder: str, entries: Iterable[Entry]) -> Iterator[bytes | Entry]:
    """Yield the parts of the ZIP from its first byte to its last: an entry stands for its file's bytes."""
    layout = _Layout(folder)
    for entry in entries:
        yield layout.head(entry)
        yield entry
    yield layout.end()


class _Layout:
    """What stands between the entries of a ZIP, made by the standard library from what is known of them."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._heads: list[ZipInfo] = []
        self.size = 0

    def head(self, entry: Entry) -> bytes:
        """Return what stands before the next entry."""
        info = ZipInfo(f"{self._folder}/{entry.name}", DATE)
        # What is left to the platform would make other bytes elsewhere.
        info.create_system = _UNIX
        info.external_attr = _READABLE_FILE
        info.compress_type = ZIP_STORED
        info.file_size = info.compress_size = entry.size
        info.CRC = entry.crc32
        info.header_offset = self.size
        head = info.FileHeader(zip64=entry.size * 1.05 > ZIP64_LIMIT)
        self._heads.append(info)
        self.size += len(head) + entry.size
        return head

    def end(self) -> bytes:
        """Return what stands after the last entry."""
        end = _From(self.size)
        with ZipFile(end, "w") as directory:
            directory.filelist.extend(self._heads)
            directory.comment = b""  # so that there is something to be written
        return end.getvalue()


class _From(io.BytesIO):
    """The part of a file from an offset on."""

    def __init__(self, offset: int) -> None:
        super().__init__()
        self._offset = offset

    def tell(self) -> int:
        return super().tell() + self._offset

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        return super().seek(place - self._offset if whence == io.SEEK_SET else place, whence) + self._offset


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while piece := stream.read(PIECE):
            yield piece
