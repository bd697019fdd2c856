"""What is said of a work that failed: what happened and what to do, in words that quote no judgement."""

from __future__ import annotations

import errno
import traceback
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext

from core.errors import Refused

_FULL = (errno.ENOSPC, errno.EDQUOT)


def failure_words(error: Exception) -> str:
    """Say what stood in the way of a work, to whoever asked for it."""
    if isinstance(error, Refused):
        return error.message
    if isinstance(error, OSError) and error.errno in _FULL:
        return gettext(
            "The disk of this installation is full. Ask again once whoever runs it has made room, in the "
            "folder of its data and in that of temporary files."
        )
    if isinstance(error, OSError) and error.strerror:
        return gettext(
            "A file could not be written or read (%(what)s). Tell whoever runs this installation, then ask "
            "again."
        ) % {"what": error.strerror}
    return gettext(
        "Something went wrong that nobody foresaw (%(place)s). Ask again; if it fails again, tell whoever "
        "runs this installation."
    ) % {"place": error_place(error)}


def error_place(error: Exception) -> str:
    """Say what kind of error it was and where in our code; its message could quote a judgement."""
    base = Path(settings.BASE_DIR)
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(base) and "site-packages" not in frame.filename
    ]
    if not frames:
        return type(error).__name__
    last = frames[-1]
    return (
        f"{type(error).__name__} in {Path(last.filename).relative_to(base)}, line {last.lineno} ({last.name})"
    )
