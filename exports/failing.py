"""What is said of a work that failed: what happened and what to do, in words that quote no judgement."""

from __future__ import annotations

import errno

from django.utils.translation import gettext

from agreement.claims import error_place
from annotation.errors import Refused

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
