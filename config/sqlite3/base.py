"""Django's SQLite, with a queue before its one writer.

SQLite lets whoever asks at the right moment write next, and lets the others sleep longer and longer: with ten
people who save at once the unlucky wait ten times as long as the rest. Here transactions go in the order in
which they came within a process, and the first of each process in turn, by locks on two files beside the
database.

See docs/decisions/running.md.
"""

import fcntl
import os
import time
from contextlib import suppress
from threading import Lock
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

from config.sqlite3.turns import Turns

POLL_SECONDS, LATER_POLL_SECONDS, SOON_SECONDS = 0.0002, 0.002, 0.1
"""How often the first of a process looks whether another process has left, and how often after a while."""


class Queue:
    """A lock that goes round in the order in which it was asked for, and that other processes see.

    Whoever comes next holds the gate: a process that leaves finds it taken where another one waits, and the
    next turn is the other's. Both locks end with the process that holds them.
    """

    def __init__(self, path: str, owner: int) -> None:
        self.here = Turns()
        self._gate, self._writing = (self._open(name, owner) for name in (f"{path}-next", path))

    def enter(self, seconds: float) -> bool:
        """Wait for one's turn; return False where it does not come within these seconds."""
        deadline = time.monotonic() + seconds
        if not self.here.enter(seconds):
            return False
        entered = _lock(self._gate, deadline)
        if entered:
            entered = _lock(self._writing, deadline)
            fcntl.flock(self._gate, fcntl.LOCK_UN)
        if not entered:
            self.here.leave()
        return entered

    def leave(self) -> None:
        """Let the next one in."""
        fcntl.flock(self._writing, fcntl.LOCK_UN)
        self.here.leave()

    def _open(self, path: str, owner: int) -> int:
        file = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if os.geteuid() == 0:
            # Whom the database belongs to waits here too, also where root came first.
            with suppress(OSError):
                os.fchown(file, owner, -1)
        return file


def _lock(file: int, deadline: float) -> bool:
    """Lock a file, however often it takes to ask; return False where it is another's until the deadline."""
    soon = time.monotonic() + SOON_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            now = time.monotonic()
            if now >= deadline:
                return False
            time.sleep(POLL_SECONDS if now < soon else LATER_POLL_SECONDS)
        else:
            return True


_queues: dict[tuple[int, str], Queue] = {}
_queues_lock = Lock()


def queue_of(name: str) -> Queue:
    """Return this process's queue before a database file. Raises OSError where there can be none."""
    with _queues_lock:
        # After a fork the lock on the file would be shared with the parent.
        key = (os.getpid(), name)
        if key not in _queues:
            _queues[key] = Queue(f"{name}-queue", os.stat(name).st_uid)
        return _queues[key]


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection whose transactions wait for their turn."""

    # The stubs leave out the methods that a backend overrides.

    _turn: Queue | None = None

    def _start_transaction_under_autocommit(self) -> None:
        name, options = str(self.settings_dict["NAME"]), self.settings_dict["OPTIONS"]
        if self._turn is None and os.path.isabs(name) and options.get("transaction_mode") == "IMMEDIATE":
            # A folder that is full or may not be written is no matter of the queue: SQLite says so itself.
            queue = None
            with suppress(OSError):
                queue = queue_of(name)
            if queue is not None and not queue.enter(options.get("timeout", 5)):
                raise OperationalError("database is locked")
            self._turn = queue
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._leave_queue()
            raise

    def _commit(self) -> Any:
        done = super()._commit()  # type: ignore[misc]
        self._leave_queue()
        return done

    def _rollback(self) -> Any:
        try:
            return super()._rollback()  # type: ignore[misc]
        finally:
            self._leave_queue()

    def _close(self) -> Any:
        try:
            return super()._close()  # type: ignore[misc]
        finally:
            self._leave_queue()

    def _leave_queue(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.leave()
