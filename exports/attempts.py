"""What one attempt at building a release writes: beside the storage, then into it; all of it or nothing.

Both folders carry the attempt's token, so that whoever takes over from a dead worker finds what it left.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.files import File
from django.core.files.storage import default_storage

from exports.building import Built

logger = logging.getLogger(__name__)


def _folder(release_id: int, token: str) -> str:
    return f"releases/{release_id}-{token}"


def _scratch(token: str) -> str:
    return f"elenchus-release-{token}-"


@contextmanager
def scratch_folder(token: str) -> Iterator[Path]:
    """Return a folder among the temporary files for what an attempt writes, gone when the block is left."""
    with tempfile.TemporaryDirectory(prefix=_scratch(token)) as folder:
        yield Path(folder)


class _Movable(File):
    """A file that a storage on this disk may move to its place; any other storage reads it."""

    def temporary_file_path(self) -> str:
        return str(self.name)


def files_store(
    release_id: int, token: str, folder: Path, built: Built, *, stored: Callable[[], None]
) -> list[Mapping[str, Any]]:
    """Put the files of an attempt into the storage; `stored` is called after each and may raise to stop."""
    rows: list[Mapping[str, Any]] = []
    for file in built.files:
        with (folder / file.name).open("rb") as stream:
            name = default_storage.save(f"{_folder(release_id, token)}/{file.name}", _Movable(stream))
        stored()
        rows.append(
            {
                "name": file.name,
                "sha256": file.sha256,
                "size": file.size,
                "internal": file.internal,
                "archive": file.archive,
                "storage": name,
            }
        )
    return rows


def attempt_forget(release_id: int, token: str) -> None:
    """Delete what a worker that was killed left in the storage and, if it ran on this host, beside it.

    Else whole copies of withheld labels would stay among the temporary files.
    """
    files_forget(release_id, token)
    for folder in Path(tempfile.gettempdir()).glob(f"{_scratch(token)}*"):
        shutil.rmtree(folder, ignore_errors=True)


def files_forget(release_id: int, token: str) -> None:
    """Delete what a failed attempt has stored."""

    def forget(folder: str) -> None:
        folders, files = default_storage.listdir(folder)
        for name in folders:
            forget(f"{folder}/{name}")
        for name in files:
            default_storage.delete(f"{folder}/{name}")
        default_storage.delete(folder)

    try:
        forget(_folder(release_id, token))
    except FileNotFoundError:
        pass  # it had stored nothing yet
    except OSError as error:
        logger.warning(
            "what a failed attempt at release %s stored stays (%s)", release_id, type(error).__name__
        )
