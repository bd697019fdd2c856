"""A second process that writes the files of a large release, beside the one that reads and decides.

Writing takes as long as reading, and Python runs one thread at a time. The other process is a fresh one: it
gets the items through a pipe and never asks the database, so it needs none of this one's connections, and
it ends with this one, whatever ends that. It sends back what it tallied, or why it could not go on.

See docs/decisions/releases.md.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from contextlib import suppress
from queue import Queue
from threading import Thread
from typing import IO, Any, cast

from django.conf import settings
from django.utils.translation import gettext

from core.errors import Refused
from exports.files.checksums import Sums
from exports.files.item_files import Batch, Plan, Tallies

PIECE = 1 << 18
AHEAD = 128
"""Pieces that wait at most: 32 MB, so that reading need not wait for writing and its memory has an end."""

_END = b""


class SubprocessWriter:
    """Has another process write items, as `ItemFiles` does. The `with` block ends that process.

    Raises Refused, from any of its methods, where that process cannot go on.
    """

    def __init__(self, plan: Plan, sums: Sums) -> None:
        self._plan, self._sums = plan, sums
        self._pieces: Queue[bytes] = Queue(AHEAD)
        self._is_gone = False

    def __enter__(self) -> SubprocessWriter:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "exports.files.subprocess_main"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=settings.BASE_DIR,
        )
        self._answers = cast("IO[bytes]", self._process.stdout)
        self._sender = Thread(target=self._pass_on, name="release-items")
        self._sender.start()
        self._send((self._plan, self._sums.directory))
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._pieces.put(_END)
        self._sender.join()
        self._process.wait()
        self._answers.close()

    def add(self, batch: Batch) -> None:
        """Send items to be written; waits only where the other process is far behind."""
        self._send(batch)

    def finish(self) -> Tallies:
        """Wait until the files are closed, and return what they hold."""
        self._send(None)
        self._pieces.put(_END)
        return self._answer()

    def _send(self, message: Any) -> None:
        if self._is_gone:
            self._answer()
        pickled = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        for start in range(0, len(pickled), PIECE):
            self._pieces.put(pickled[start : start + PIECE])

    def _pass_on(self) -> None:
        """Write the pieces into the pipe, in a thread of its own."""
        pipe = cast("IO[bytes]", self._process.stdin)
        try:
            while piece := self._pieces.get():
                pipe.write(piece)
            pipe.flush()
        except BrokenPipeError:
            # Its answer says why. Until the end is put nobody may wait for a full queue.
            self._is_gone = True
            while self._pieces.get():
                pass
        with suppress(BrokenPipeError):
            pipe.close()

    def _answer(self) -> Tallies:
        try:
            failure, tallies, written = pickle.load(self._answers)
        except (EOFError, pickle.UnpicklingError):
            failure = gettext(
                "The process that writes the files was stopped (killed, or out of memory). Ask again; if it "
                "fails again, tell whoever runs this installation."
            )
        if failure:
            raise Refused("not_written", failure)
        self._sums.learn(written)
        found: Tallies = tallies
        return found
