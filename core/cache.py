"""What takes long to find, found once: under a name that says all it depends on, or by a worker.

What is kept lies in the cache; where that loses it, it is found again.

See docs/decisions/running.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.core.cache import cache

Found = TypeVar("Found")

KEPT_SECONDS = 24 * 60 * 60
KEPT_BY_WORKER = 90 * 24 * 60 * 60
ASKED_AGAIN = 600
"""Seconds until what a worker has not brought may be asked for again."""


def cached(name: str, find: Callable[[], Found]) -> Found:
    """Return what `find` returned the last time under this name; the name says all that it depends on."""
    found: Found | None = cache.get(name)
    if found is None:
        found = find()
        cache.set(name, found, KEPT_SECONDS)
    return found


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
        return cache.add(f"{self.name}:asked", True, ASKED_AGAIN)

    def keep(self, found: Found) -> None:
        """Keep what was counted; from now on it may be asked for again."""
        cache.set(self.name, (self.sign, found), KEPT_BY_WORKER)
        cache.delete(f"{self.name}:asked")
