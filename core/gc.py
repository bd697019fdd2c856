"""The garbage collector during long work that makes many objects and few cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_USUAL = gc.get_threshold()
_RARE = 50_000
"""New objects before a collection: a record of an item is some fifty, and is gone by then without one."""


@contextmanager
def gc_relaxed() -> Iterator[None]:
    """Look for cycles seldom in this block: looking as often as usual is 6% of the time of a large release.

    The setting is that of the process. Where blocks of two threads overlap, the first to end sets it back.
    """
    gc.set_threshold(_RARE, *_USUAL[1:])
    try:
        yield
    finally:
        gc.set_threshold(*_USUAL)
