"""The folder that a release is written to, with the SHA-256 of its files taken while they are written."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import IO, Any, cast

BUFFER = 1 << 20


class Sums:
    """Opens the files of a folder and knows their SHA-256, so that large ones are not read again."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._written: dict[str, _Summing] = {}

    def open(self, name: str) -> IO[bytes]:
        """Open a new file for writing, with its folder made. It can only be written from start to end."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self._written[name] = raw = _Summing(path, "xb")
        return cast("IO[bytes]", io.BufferedWriter(raw, BUFFER))

    def sha256(self, name: str) -> str:
        """Return the SHA-256 of a file: as it was written through here, else read now in pieces."""
        if name in self._written:
            return self._written[name].digest.hexdigest()
        return file_sha256(self.directory / name)


class _Summing(io.FileIO):
    def __init__(self, path: Path, mode: str) -> None:
        super().__init__(path, mode)
        self.digest = hashlib.sha256()

    def write(self, data: Any) -> int:
        written = super().write(data)
        self.digest.update(memoryview(data)[:written])
        return written

    def seekable(self) -> bool:
        return False


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
