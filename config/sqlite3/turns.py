"""Turns within a process: who came first goes first.

See docs/decisions/running.md.
"""

from collections import deque
from threading import Lock


class Turns:
    """A lock that threads of one process have in the order in which they asked for it."""

    def __init__(self) -> None:
        self._mutex = Lock()
        self.waiting: deque[Lock] = deque()
        self.taken = False

    def enter(self, seconds: float) -> bool:
        """Wait for one's turn; return False where it does not come within these seconds."""
        with self._mutex:
            if not self.taken:
                self.taken = True
                return True
            turn = Lock()
            turn.acquire()
            self.waiting.append(turn)
        if turn.acquire(timeout=seconds):
            return True
        with self._mutex:
            if turn not in self.waiting:
                return True  # it came at the last moment
            self.waiting.remove(turn)
            return False

    def leave(self) -> None:
        """Let the next one in."""
        with self._mutex:
            if self.waiting:
                self.waiting.popleft().release()
            else:
                self.taken = False
