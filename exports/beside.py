"""A second process that writes the files of a large release, beside the one that reads and decides.

Writing takes as long as reading, and Python runs one thread at a time. The other process is a fresh one: it
gets the items through a pipe and never asks the database, so it needs none of this one's connections, and
it ends with this one, whatever ends that. It sends back what it tallied, or why it could not go on.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import IO, Any, cast

from django.conf import settings
from django.utils.translation import gettext

from annotation.errors import Refused
from exports.item_files import Batch, Plan
from exports.reconciling import Tally
from exports.sums import Sums


class FilesBeside:
    """Has another process write items, as `ItemFiles` does. The `with` block ends that process.

    Raises Refused, from any of its methods, where that process cannot go on.
    """

    def __init__(self, plan: Plan, sums: Sums) -> None:
        self._plan, self._sums = plan, sums

    def __enter__(self) -> FilesBeside:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "exports.beside_main"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=settings.BASE_DIR,
        )
        self._messages = cast("IO[bytes]", self._process.stdin)
        self._answers = cast("IO[bytes]", self._process.stdout)
        self._send((self._plan, self._sums.directory))
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.communicate()

    def add(self, batch: Batch) -> None:
        """Send items to be written; waits while the other process is busy."""
        self._send(batch)

    def finish(self) -> Tally:
        """Wait until the files are closed, and return what they hold."""
        self._send(None)
        return self._answer()

    def _send(self, message: Any) -> None:
        try:
            pickle.dump(message, self._messages, pickle.HIGHEST_PROTOCOL)
            self._messages.flush()
        except BrokenPipeError:
            self._answer()

    def _answer(self) -> Tally:
        try:
            failure, tally, written = pickle.load(self._answers)
        except (EOFError, pickle.UnpicklingError):
            failure = gettext(
                "The process that writes the files was stopped (killed, or out of memory). Ask again; if it "
                "fails again, tell whoever runs this installation."
            )
        if failure:
            raise Refused("not_written", failure)
        self._sums.learn(written)
        return tally
