"""Reading a file in a process of its own, with a limit of memory and of time: whatever is in the file, the
process that serves people stays as it is, and the file is refused in a sentence.
"""

from __future__ import annotations

import json
import logging
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext

from annotation.importing.files.bounds import FILE_BYTES, MEGABYTE, unpacked_size
from annotation.importing.files.rows import FileError
from annotation.importing.reading import Opened, Reading
from annotation.importing.subprocess_main import COLUMNS, FORMAT, MEMORY_GONE, REFUSED, ROWS

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Leave:
    """What reading one file may take: seconds of computing, memory, and what its archive may unpack to."""

    seconds: int
    memory: int
    unpacked: int


WORKER = Leave(seconds=60, memory=512 * MEGABYTE, unpacked=FILE_BYTES)
"""A hundred thousand rows of any format take a small part of it."""

AT_ONCE = Leave(seconds=5, memory=256 * MEGABYTE, unpacked=8 * MEGABYTE)
"""While somebody waits for the page."""

_WAITED_FOR = 6
"""How much longer than it may compute a reader is waited for: other work may have the processor."""

_CHILD = (sys.executable, "-m", "annotation.importing.subprocess_main")
_KEPT_OF_ENVIRONMENT = (
    *("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SYSTEMROOT"),
    *("PYTHONPATH", "PYTHONHOME", "PYTHONHASHSEED", "LD_LIBRARY_PATH"),
)


class TakesTooLong(FileError):
    """A file that was not read within its time."""


@contextmanager
def read_apart(
    reading: Reading,
    *,
    leave: Leave = WORKER,
    columns: Callable[[tuple[str, ...]], None] | None = None,
) -> Iterator[Opened]:
    """Read in another process, which ends with the block. `columns` hears those of a table, if asked.

    Raises FileError for what the reader refuses, and where the process comes to an end before the file:
    TakesTooLong for its time. The rows raise both on the way, too.
    """
    asked = {
        "content": reading.content,
        "path": str(reading.path.absolute()),
        "name": reading.name,
        "format": reading.format,
        "options": dict(reading.options),
        "language": translation.get_language() or settings.LANGUAGE_CODE,
        "locale_paths": [str(path) for path in settings.LOCALE_PATHS],
        "wants_columns": columns is not None,
        "seconds": leave.seconds,
        "memory": leave.memory,
    }
    if leave.unpacked < FILE_BYTES and unpacked_size(reading.path) > leave.unpacked:
        raise TakesTooLong(reading.name, "", _too_long(leave))
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            _CHILD,
            cwd=settings.BASE_DIR,
            env={key: os.environ[key] for key in _KEPT_OF_ENVIRONMENT if key in os.environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
        )
        child = _Child(process, reading.name, leave, complaints)
        try:
            child.ask(asked)
            what, *told = child.answer()
            if what == COLUMNS:
                if columns is not None:
                    columns(*told)
                what, *told = child.answer()
            assert what == FORMAT, what
            yield Opened(told[0], child.rows())
        finally:
            child.end()


class _Child:
    """The process and what it says."""

    def __init__(
        self, process: subprocess.Popen[bytes], name: str, leave: Leave, complaints: IO[bytes]
    ) -> None:
        self.process = process
        self.name = name
        self.leave = leave
        self.complaints = complaints
        self.was_too_slow = False

    def ask(self, asked: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        try:
            with self.process.stdin as stream:
                stream.write(json.dumps(asked).encode())
        except BrokenPipeError:
            raise self._ended() from None

    def answer(self) -> tuple[Any, ...]:
        """Return what the process says next. Raises FileError where that is a refusal, or nothing."""
        assert self.process.stdout is not None
        waiting = threading.Timer(self.leave.seconds * _WAITED_FOR, self._give_up)
        waiting.daemon = True
        waiting.start()
        try:
            told: tuple[Any, ...] = pickle.load(self.process.stdout)
        except (EOFError, pickle.UnpicklingError):
            raise self._ended() from None
        finally:
            waiting.cancel()
        if told[0] == REFUSED:
            raise FileError(*told[1:])
        return told

    def rows(self) -> Iterator[Any]:
        while (told := self.answer())[0] == ROWS:
            yield from told[1]

    def end(self) -> None:
        """End the process where it has not ended by itself."""
        assert self.process.stdout is not None
        self.process.kill()
        self.process.stdout.close()
        self.process.wait()

    def _give_up(self) -> None:
        self.was_too_slow = True
        self.process.kill()

    def _ended(self) -> FileError:
        """Say in a sentence why the process came to its end."""
        code = self.process.wait()
        if self.was_too_slow or code == -getattr(signal, "SIGXCPU", 0):
            return TakesTooLong(self.name, "", _too_long(self.leave))
        if code in (MEMORY_GONE, -signal.SIGKILL):
            told = gettext(
                "takes more than %(n)s MB of memory to read: split it into several files, or save its table "
                "as CSV UTF-8"
            )
            return FileError(self.name, "", told % {"n": self.leave.memory // MEGABYTE})
        self.complaints.seek(0)
        words = self.complaints.read()[-4000:].decode(errors="replace")
        logger.error("a reader ended with %s on %s: %s", code, self.name, words)
        told = gettext("cannot be read: save its table as CSV UTF-8 and choose that file")
        return FileError(self.name, "", told)


def _too_long(leave: Leave) -> str:
    return gettext(
        "takes longer than %(n)s seconds to read: split it into several files, or save its table as CSV UTF-8"
    ) % {"n": leave.seconds}
