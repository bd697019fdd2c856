"""The stored files of a release: the very bytes that were built, or a refusal that says so."""

from __future__ import annotations

import hashlib
import logging
from typing import Any

from django.core.cache import cache
from django.core.files.storage import default_storage
from django.utils.translation import gettext

from annotation.errors import Refused

logger = logging.getLogger(__name__)

CHECKED_AGAIN = 7 * 24 * 3600
"""Seconds until a file whose time and size have not changed is read through again."""


def file_intact_or_refuse(file: dict[str, Any]) -> None:
    """Refuse a file of a release that the storage has lost, or has with other bytes than were built.

    A file is read through when it is asked for first, and again once its time of change or its size differs.
    """
    name = file["storage"]
    try:
        size = default_storage.size(name)
        seen = f"{name} {default_storage.get_modified_time(name).timestamp()}"
        key = f"release-file-{hashlib.sha256(seen.encode()).hexdigest()}"
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


def _sha256(name: str) -> str:
    with default_storage.open(name, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
