"""A finished release as a folder: the whole of it or nothing."""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage

from annotation.errors import Refused
from exports.manifest import SUMS
from exports.models import Release
from exports.sums import file_sha256

CHUNK = 1 << 20


def directory_or_refuse(directory: Path) -> None:
    """Refuse, before anything is built, a place that no release can be written to."""
    if directory.exists() and not directory.is_dir():
        raise Refused("taken", f"{directory} is a file: name a folder.")
    if directory.is_dir() and any(directory.iterdir()) and not (directory / SUMS).exists():
        raise _other_files(directory)


def release_write(release: Release, directory: Path, *, internal: bool = False) -> list[str]:
    """Write a release into a folder that is new, empty, or has exactly these files; return their names.

    Files are copied beside the folder and checked, then the folder appears at once. The references of
    withheld splits come along only with `internal`. The ZIP stays in the storage.
    """
    if release.state != Release.State.DONE:
        raise Refused(
            "not_ready", f"Release {release.version} is not built: {release.error or release.state}."
        )
    files = [file for file in release.files if not file["archive"] and (internal or not file["internal"])]
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


def _other_files(directory: Path) -> Refused:
    words = f"{directory} has other files in it: name a new folder, so that no release is half of another."
    return Refused("taken", words)


def _copy(file: dict[str, Any], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with default_storage.open(file["storage"], "rb") as source, path.open("xb") as target:
        while chunk := source.read(CHUNK):
            digest.update(chunk)
            target.write(chunk)
    if digest.hexdigest() != file["sha256"]:
        raise Refused(
            "damaged",
            f"{file['name']} in the storage is not the file that was released (its SHA-256 differs): "
            "restore it from a backup.",
        )


def _same(files: list[dict[str, Any]], directory: Path) -> bool:
    present = {path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file()}
    return present == {file["name"] for file in files} and all(
        file_sha256(directory / file["name"]) == file["sha256"] for file in files
    )
