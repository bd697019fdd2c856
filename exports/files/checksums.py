"""The folder that a release is written to, with the SHA-256 of its files taken while they are written."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, cast

from core.file_digest import file_sha256

BUFFER = 1 << 20


class Sums:
    """Opens the files of a folder and knows their SHA-256, so that large ones are not read again.

    They are hashed in a thread beside the one that writes: hashing, a tenth of the work, needs no Python. Use
    it in a `with` block, which ends the thread.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._written: dict[str, _Summing] = {}
        self._known: dict[str, str] = {}
        self._hasher = ThreadPoolExecutor(1, "sha256")

    def __enter__(self) -> Sums:
        return self

    def __exit__(self, *error: object) -> None:
        self._hasher.shutdown()

    def open(self, name: str) -> IO[bytes]:
        """Open a new file for writing, with its folder made. It can only be written from start to end."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self._written[name] = raw = _Summing(path, self._hasher)
        return cast("IO[bytes]", io.BufferedWriter(raw, BUFFER))

    def written(self) -> dict[str, str]:
        """Return the SHA-256 of the files that were written through here, or whose sums were learned."""
        return self._known | {name: summing.hexdigest() for name, summing in self._written.items()}

    def learn(self, written: Mapping[str, str]) -> None:
        """Take over the sums of files of this folder that another process wrote."""
        self._known.update(written)

    def sha256(self, name: str) -> str:
        """Return the SHA-256 of a file: as it was taken when it was written, else read now in pieces."""
        if name in self._written:
            return self._written[name].hexdigest()
        return self._known.get(name) or file_sha256(self.directory / name)


class _Summing(io.FileIO):
    def __init__(self, path: Path, hasher: Executor) -> None:
        super().__init__(path, "xb")
        self._digest = hashlib.sha256()
        self._hasher = hasher
        self._hashing: Future[None] | None = None

    def write(self, data: Any) -> int:
        written = super().write(data)
        # The buffer is used again at once, so the other thread gets a copy; one at a time bounds the memory.
        piece = bytes(memoryview(data)[:written])
        self._hashed()
        self._hashing = self._hasher.submit(self._digest.update, piece)
        return written

    def seekable(self) -> bool:
        return False

    def hexdigest(self) -> str:
        self._hashed()
        return self._digest.hexdigest()

    def _hashed(self) -> None:
        if self._hashing is not None:
            self._hashing.result()
