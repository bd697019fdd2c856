"""What takes long to find, found once: under a name that says all it depends on, or by a worker.

What is kept lies in the cache; where that loses it, it is found again.

See docs/decisions/running.md.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Generic, TypeVar

from django.core.cache import cache

from core.jobs import LEASE, beating

Found = TypeVar("Found")

KEPT_SECONDS = 24 * 60 * 60
KEPT_BY_WORKER = 90 * 24 * 60 * 60
ASKED_AGAIN = LEASE // timedelta(seconds=1)
"""Seconds until what no worker is at may be asked for again."""


def cached(name: str, find: Callable[[], Found]) -> Found:
    """Return what `find` returned the last time under this name; the name says all that it depends on."""
    found: Found | None = cache.get(name)
    if found is None:
        found = find()
        cache.set(name, found, KEPT_SECONDS)
    return found


@dataclass(frozen=True, slots=True)
class Asked:
    """A note that a worker was asked for something. It holds while one works, and lapses when that dies."""

    name: str

    def first(self) -> bool:
        """Say whether nobody has asked yet, and note that somebody has now."""
        return cache.add(self.name, True, ASKED_AGAIN)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Keep the note during the block, which does what was asked for; then it may be asked for again."""
        began = time.monotonic()
        self._renew()
        try:
            with beating(self._renew, lambda: began, self.name):
                yield
        finally:
            cache.delete(self.name)

    def _renew(self) -> bool:
        cache.set(self.name, True, ASKED_AGAIN)
        return True


@dataclass(frozen=True, slots=True)
class BackgroundCount(Generic[Found]):
    """What a worker counts for the pages of a project: the last count, and whether it still holds.

    `sign` tells what the count depends on as it is now; take it before reading, so that a change in between
    makes the count outdated.
    """

    name: str
    sign: str

    def last(self) -> tuple[Found | None, bool]:
        """Return the last count, None where there is none, and whether nothing has changed since."""
        kept = cache.get(self.name)
        return (kept[1], kept[0] == self.sign) if kept else (None, False)

    def request_once(self) -> bool:
        """Say whether nobody waits for a count yet, and note that somebody does now."""
        return self._asked.first()

    def count(self, find: Callable[[], Found]) -> Found:
        """Count and keep it, unless that was done since this was asked for."""
        found, holds = self.last()
        if found is None or not holds:
            with self._asked.at_work():
                found = find()
                cache.set(self.name, (self.sign, found), KEPT_BY_WORKER)
        return found

    @property
    def _asked(self) -> Asked:
        return Asked(f"{self.name}:asked")
