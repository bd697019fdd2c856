"""The bytes that scoring reads: files of releases, and those that systems submitted, kept as they came."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Iterator

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils.translation import gettext

from core.errors import Refused
from core.stored_files import forget_stored
from exports.models import Release
from exports.releases.storage import refuse_taken_down, verify_file
from scoring.evaluation.sources import ReleaseFiles, pieces_of
from scoring.models import SubmissionFile


def release_files(release: Release) -> ReleaseFiles:
    """Return the files of a release that is built. Reading one raises Refused where it is not whole."""
    refuse_taken_down(release)
    files = {file["name"]: file for file in release.files}

    def read(name: str) -> bytes:
        verify_file(release.files, files[name])
        with default_storage.open(files[name]["storage"], "rb") as stream:
            return bytes(stream.read())

    def stream(name: str) -> Iterator[bytes]:
        verify_file(release.files, files[name])
        return pieces_of(default_storage.open(files[name]["storage"], "rb"))

    return ReleaseFiles(f"{release.project.slug} {release.version}", files, read, stream)


def store_submitted(contents: Iterable[bytes]) -> list[str]:
    """Put files into the storage and return their places; all of them or none."""
    folder, places = f"submissions/{uuid.uuid4().hex}", []
    try:
        for run, data in enumerate(contents, start=1):
            places.append(default_storage.save(f"{folder}/{run}", ContentFile(data)))
    except BaseException:
        forget_stored(places)
        raise
    return places


def read_submitted(file: SubmissionFile) -> bytes:
    """Return a submitted file. Raises Refused where the storage lost or changed it."""
    try:
        with default_storage.open(file.storage, "rb") as stream:
            data = bytes(stream.read())
    except OSError:
        data = b""
    if hashlib.sha256(data).hexdigest() != file.sha256:
        raise Refused(
            "damaged",
            gettext(
                "The file “%(name)s” cannot be read in the storage or is not the one that was submitted any "
                "more. Whoever runs this installation can put it back from a backup: its SHA-256 is "
                "%(sha256)s."
            )
            % {"name": file.name, "sha256": file.sha256},
        )
    return data
