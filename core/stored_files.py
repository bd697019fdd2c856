"""Files of the storage: answers kept as JSON, whole or not there, and files that are not wanted any more."""

import json
import logging
from collections.abc import Iterable
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

logger = logging.getLogger(__name__)


def read_stored_json(place: str) -> Any | None:
    """Return what a file of the storage says; None where there is none, or half of one."""
    if not default_storage.exists(place):
        return None
    try:
        with default_storage.open(place, "rb") as stream:
            return json.load(stream)
    except ValueError:
        return None  # somebody is writing it just now, or was killed while writing


def store_json(place: str, value: Any) -> None:
    """Keep a value under a name that says all it depends on; half a file from before is replaced."""
    default_storage.delete(place)
    default_storage.save(place, ContentFile(json.dumps(value, ensure_ascii=False).encode()))


def forget_stored(names: Iterable[str]) -> None:
    """Delete files of the storage. One that cannot be deleted is named in the log, and the others go."""
    for name in names:
        try:
            default_storage.delete(name)
        except OSError as error:
            logger.warning("the file %s stays in the storage: %s", name, type(error).__name__)
