"""A release as one ZIP: stored entries in the order of their names with one fixed date, so the same bytes."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile, ZipInfo

DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest that a ZIP can say."""

_UNIX = 3
_READABLE_FILE = 0o100644 << 16


def archive_write(path: Path, directory: Path, names: Iterable[str], folder: str) -> None:
    """Write the named files of a directory into a ZIP, below one folder."""
    with ZipFile(path, "x", ZIP_STORED) as archive:
        for name in sorted(names):
            entry = ZipInfo(f"{folder}/{name}", DATE)
            # What is left to the platform would make other bytes elsewhere.
            entry.create_system = _UNIX
            entry.external_attr = _READABLE_FILE
            entry.file_size = (directory / name).stat().st_size
            with (directory / name).open("rb") as source, archive.open(entry, "w") as target:
                shutil.copyfileobj(source, target, 1 << 20)
