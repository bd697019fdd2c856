"""The stored files of a release: the very bytes that were built, or a refusal that says so."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable
from typing import Any

from django.core.cache import cache
from django.core.files.storage import default_storage
from django.utils.translation import gettext

from annotation.errors import Refused

logger = logging.getLogger(__name__)

CHECKED_AGAIN = 7 * 24 * 3600
"""Seconds until a file whose time and size have not changed is read through again."""


def files_remember(files: Iterable[dict[str, Any]]) -> None:
    """Remember of files that were just stored that they are those that were built.

    Their SHA-256 was taken while they were written, so whoever downloads first need not wait for it.
    """
    for file in files:
        cache.set(_key(file["storage"]), file["sha256"], CHECKED_AGAIN)


def file_intact_or_refuse(file: dict[str, Any]) -> None:
    """Refuse a file of a release that the storage has lost, or has with other bytes than were built.

    A file is read through once its time of change or its size differs from when it was stored or read last,
    and after a week in any case.
    """
    name = file["storage"]
    try:
        size = default_storage.size(name)
        key = _key(name)
        if size == file["size"] and cache.get(key) == file["sha256"]:
            return
        if size == file["size"] and _sha256(name) == file["sha256"]:
            cache.set(key, file["sha256"], CHECKED_AGAIN)
            return
    except OSError as error:
        logger.error("the file %s of a release cannot be read (%s)", name, type(error).__name__)
    else:
        logger.error("the file %s of a release is not the one that was built", name)
    raise Refused(
        "damaged",
        gettext(
            "The file “%(name)s” cannot be read in the storage or is not the one that was built any more, "
            "so it is not sent. Whoever runs this installation can put it back from a backup: its SHA-256 is "
            "%(sha256)s."
        )
        % {"name": file["name"], "sha256": file["sha256"]},
    )


def _key(name: str) -> str:
    """Return the cache's key of a file as it is in the storage now: another one once it has changed."""
    seen = f"{name} {default_storage.get_modified_time(name).timestamp()}"
    return f"release-file-{hashlib.sha256(seen.encode()).hexdigest()}"


def _sha256(name: str) -> str:
    with default_storage.open(name, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
