"""What takes long to find and cannot change as long as its name is the same, found once."""

from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache

Found = TypeVar("Found")

KEPT_SECONDS = 24 * 60 * 60


def remembered(name: str, find: Callable[[], Found]) -> Found:
    """Return what `find` returned the last time under this name; the name says all that it depends on."""
    found: Found | None = cache.get(name)
    if found is None:
        found = find()
        cache.set(name, found, KEPT_SECONDS)
    return found
