"""What one attempt at building a release writes: beside the storage, then into it; all of it or nothing.

Both folders carry the attempt's token, so that whoever takes over from a dead worker finds what it left.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.cache import cache
from django.core.files import File
from django.core.files.storage import default_storage
from django.utils.translation import gettext

from core.errors import Refused
from core.file_digest import file_sha256
from exports.documentation.contents import Built, StoredFile
from exports.documentation.manifest import SUMS
from exports.files.zip_archive import Entry, archive_parts
from exports.models import Release

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


if TYPE_CHECKING:
    AnyFile = File[Any]
else:
    AnyFile = File


class _Movable(AnyFile):
    """A file that a storage on this disk may move to its place; any other storage reads it."""

    def temporary_file_path(self) -> str:
        return str(self.name)


def store_files(
    release_id: int, token: str, folder: Path, built: Built, *, stored: Callable[[], None]
) -> list[StoredFile]:
    """Put the files of an attempt into the storage; `stored` is called after each and may raise to stop.

    The ZIP has no place there: its row says which files it has, in order, and the CRC-32 of each.
    """
    rows: list[StoredFile] = []
    for file in built.files:
        name = ""
        if not file.archive:
            with (folder / file.name).open("rb") as stream:
                name = default_storage.save(f"{_folder(release_id, token)}/{file.name}", _Movable(stream))
            stored()
        row: StoredFile = {
            "name": file.name,
            "sha256": file.sha256,
            "size": file.size,
            "internal": file.internal,
            "archive": file.archive,
            "storage": name,
        }
        if file.archive:
            row["entries"] = [[entry.name, entry.crc32] for entry in file.entries]
        rows.append(row)
    return rows


def forget_attempt(release_id: int, token: str) -> None:
    """Delete what a worker that was killed left in the storage and, if it ran on this host, beside it.

    Else whole copies of withheld labels would stay among the temporary files.
    """
    forget_files(release_id, token)
    for folder in Path(tempfile.gettempdir()).glob(f"{_scratch(token)}*"):
        shutil.rmtree(folder, ignore_errors=True)


def forget_files(release_id: int, token: str) -> None:
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


PIECE = 1 << 16


def directory_or_refuse(directory: Path) -> None:
    """Refuse, before anything is built, a place that no release can be written to."""
    if directory.exists() and not directory.is_dir():
        raise Refused("taken", f"{directory} is a file: name a folder.")
    if directory.is_dir() and any(directory.iterdir()) and not (directory / SUMS).exists():
        raise _other_files(directory)


def write_release(release: Release, directory: Path, *, internal: bool = False) -> list[str]:
    """Write a release into a folder that is new, empty, or has exactly these files; return their names.

    Files are copied beside the folder and checked, then the folder appears at once. The references of
    withheld splits come along only with `internal`. The ZIP stays in the storage.
    """
    if release.state != Release.State.DONE:
        raise Refused(
            "not_ready", f"Release {release.version} is not built: {release.error or release.state}."
        )
    refuse_taken_down(release)
    files: list[StoredFile] = [
        file for file in release.files if not file["archive"] and (internal or not file["internal"])
    ]
    names = [file["name"] for file in files]
    directory_or_refuse(directory)
    if directory.is_dir() and any(directory.iterdir()):
        if _same(files, directory):
            return names
        raise _other_files(directory)
    temporary = directory.parent / f".{directory.name}.{uuid.uuid4().hex[:8]}"
    try:
        temporary.mkdir(parents=True)
        for file in files:
            _copy(file, temporary / file["name"])
        # Replaces an empty folder in the same step, or fails where somebody put something in meanwhile.
        os.rename(temporary, directory)
    except OSError as error:
        raise Refused(
            "not_written", f"{directory} could not be written: {error.strerror or error}."
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return names


def refuse_taken_down(release: Release) -> None:
    """Raise Refused where the files of a release are gone for good."""
    if release.taken_down_at:
        raise Refused(
            "taken_down",
            gettext(
                "The files of release %(version)s are gone: a text in it was erased for good on %(day)s. "
                "Build a new version, which leaves the text out."
            )
            % {"version": release.version, "day": f"{release.taken_down_at:%Y-%m-%d}"},
        )


def _other_files(directory: Path) -> Refused:
    words = f"{directory} has other files in it: name a new folder, so that no release is half of another."
    return Refused("taken", words)


def _copy(file: StoredFile, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with default_storage.open(file["storage"], "rb") as source, path.open("xb") as target:
        while chunk := source.read(PIECE):
            digest.update(chunk)
            target.write(chunk)
    if digest.hexdigest() != file["sha256"]:
        raise Refused(
            "damaged",
            f"{file['name']} in the storage is not the file that was released (its SHA-256 differs): "
            "restore it from a backup.",
        )


def _same(files: list[StoredFile], directory: Path) -> bool:
    present = {path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file()}
    return present == {file["name"] for file in files} and all(
        file_sha256(directory / file["name"]) == file["sha256"] for file in files
    )


CHECKED_AGAIN = 7 * 24 * 3600
"""Seconds until a file whose time and size have not changed is read through again."""

Files = Sequence[Mapping[str, Any]]
"""The rows of all files of a release."""


def mark_files_verified(files: Files) -> None:
    """Remember of files that were just stored that they are those that were built.

    Their SHA-256 was taken while they were written, so whoever downloads first need not wait for it.
    """
    for file in files:
        cache.set(_key(_parts(files, file)), file["sha256"], CHECKED_AGAIN)


def verify_file(files: Files, file: StoredFile) -> None:
    """Refuse a file of a release that the storage has lost, or has with other bytes than were built.

    A file is read through once its time of change or its size differs from when it was stored or read last,
    and after a week in any case; the ZIP with all that is in it.
    """
    try:
        parts = _parts(files, file)
        sizes = [len(part) if isinstance(part, bytes) else default_storage.size(part[0]) for part in parts]
        key = _key(parts)
        if sum(sizes) == file["size"] and cache.get(key) == file["sha256"]:
            return
        if sum(sizes) == file["size"] and _sha256(files, file) == file["sha256"]:
            cache.set(key, file["sha256"], CHECKED_AGAIN)
            return
    except OSError as error:
        logger.error("the file %s of a release cannot be read (%s)", _place(file), type(error).__name__)
    else:
        logger.error("the file %s of a release is not the one that was built", _place(file))
    raise Refused(
        "damaged",
        gettext(
            "The file “%(name)s” cannot be read in the storage or is not the one that was built any more, "
            "so it is not sent. Whoever runs this installation can put it back from a backup: its SHA-256 is "
            "%(sha256)s."
        )
        % {"name": file["name"], "sha256": file["sha256"]},
    )


def file_pieces(files: Files, file: Mapping[str, Any], start: int, end: int) -> Iterator[bytes]:
    """Yield the bytes `start` to `end` of a file, half open; the ZIP is put together on the way."""
    begin = 0
    for part in _parts(files, file):
        size = len(part) if isinstance(part, bytes) else part[1]
        first, last = max(0, start - begin), min(size, end - begin)
        begin += size
        if first >= last:
            continue
        if isinstance(part, bytes):
            yield part[first:last]
            continue
        with default_storage.open(part[0], "rb") as stream:
            stream.seek(first)
            left = last - first
            while left and (piece := stream.read(min(PIECE, left))):
                left -= len(piece)
                yield piece


def _parts(files: Files, file: Mapping[str, Any]) -> list[bytes | tuple[str, int]]:
    """Return what a file is made of, in order: bytes, and files of the storage with their sizes.

    Releases from before have their ZIP in the storage.
    """
    if "entries" not in file:
        return [(file["storage"], file["size"])]
    rows = {row["name"]: row for row in files}
    entries = [Entry(name, rows[name]["size"], crc32) for name, crc32 in file["entries"]]
    return [
        part if isinstance(part, bytes) else (rows[part.name]["storage"], part.size)
        for part in archive_parts(file["name"].removesuffix(".zip"), entries)
    ]


def _place(file: Mapping[str, Any]) -> str:
    return str(file["storage"] or file["name"])


def _key(parts: Iterable[bytes | tuple[str, int]]) -> str:
    """Return the cache's key of a file as it is in the storage now: another one once it has changed."""
    seen = " ".join(
        f"{part[0]} {default_storage.get_modified_time(part[0]).timestamp()}"
        for part in parts
        if not isinstance(part, bytes)
    )
    return f"release-file-{hashlib.sha256(seen.encode()).hexdigest()}"


def _sha256(files: Files, file: Mapping[str, Any]) -> str:
    digest = hashlib.sha256()
    for piece in file_pieces(files, file, 0, file["size"]):
        digest.update(piece)
    return digest.hexdigest()
