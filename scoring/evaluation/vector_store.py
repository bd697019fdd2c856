"""Vectors of sentences kept in one file, by the SHA-256 of encoder and text: a rescoring computes none.

See docs/decisions/scoring.md.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from scoring.figures.figure import FloatArray

_AT_ONCE = 500
_TYPE = np.dtype("<f8")


class VectorStore:
    """Reads and writes vectors of one encoder. A file that cannot be used costs time, never a score."""

    def __init__(self, path: Path, encoder: str) -> None:
        self.path = path
        self.encoder = encoder

    def get(self, texts: Sequence[str]) -> dict[str, FloatArray]:
        """Return the vectors that are kept, by text."""
        by_key = {self._key(text): text for text in texts}
        keys, found = list(by_key), {}
        try:
            with self._open() as database:
                for at in range(0, len(keys), _AT_ONCE):
                    some = keys[at : at + _AT_ONCE]
                    places = ", ".join("?" * len(some))
                    rows = database.execute(f"SELECT key, vector FROM vector WHERE key IN ({places})", some)
                    found.update({by_key[key]: np.frombuffer(vector, _TYPE) for key, vector in rows})
        except (sqlite3.Error, OSError):
            return {}
        return found

    def put(self, vectors: Mapping[str, FloatArray]) -> None:
        """Keep vectors; those that are there stay."""
        rows = [(self._key(text), vector.astype(_TYPE).tobytes()) for text, vector in vectors.items()]
        try:
            with self._open() as database, database:
                database.executemany("INSERT OR IGNORE INTO vector VALUES (?, ?)", rows)
        except (sqlite3.Error, OSError):
            return

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self.encoder}\0{text}".encode("utf-8", "surrogatepass")).digest()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self.path, timeout=10)) as database:
            database.execute("CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, vector BLOB NOT NULL)")
            yield database
