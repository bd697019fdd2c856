"""Long answers that readers take slowly: how many a web process sends at once.

A thread of the web server sends an answer piece by piece, as slowly as its reader takes it, and does nothing
else meanwhile: as many slow lines, or downloads that somebody has paused, as there are threads, and nobody
can save any more.

See docs/decisions/running.md.
"""

from collections.abc import Callable, Iterable, Iterator
from threading import BoundedSemaphore

SMALL = 4 * 2**20
"""Bytes that are read at once, and sent without holding a thread."""


class Download(Iterator[bytes]):
    """The pieces of an answer, which tell once that they have ended: read to the end, closed or dropped."""

    def __init__(self, pieces: Iterable[bytes], ended: Callable[[], None]) -> None:
        self._pieces = iter(pieces)
        self._ended: list[Callable[[], None]] = [ended]

    def __next__(self) -> bytes:
        try:
            return next(self._pieces)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Tell that nothing more is sent."""
        if self._ended:
            self._ended.pop()()

    __del__ = close


class Downloads:
    """The downloads of a process; without a limit until the web server sets one."""

    def __init__(self) -> None:
        self._free: BoundedSemaphore | None = None

    def limit(self, most: int) -> None:
        """Have at most so many at once, and one in any case."""
        self._free = BoundedSemaphore(max(1, most))

    def begin(self, pieces: Iterable[bytes]) -> Download | None:
        """Return the pieces to send; None where as many are being sent as may be."""
        free = self._free
        if free is None:
            return Download(pieces, lambda: None)
        return Download(pieces, free.release) if free.acquire(blocking=False) else None


downloads = Downloads()
