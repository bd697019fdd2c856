"""The digest of a file, made without holding the file in memory."""

import hashlib
from pathlib import Path


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
