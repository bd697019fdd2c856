"""The triggers of this app: how they are installed, and the one way round them.

They keep the rules that CHECK, UNIQUE and foreign keys cannot say, the limits of texts, counts of progress
and the index of words.

See docs/decisions/storage.md.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connections

from annotation.database.counters import COUNTERS, recount
from annotation.database.immutability import KEEPING
from annotation.database.integrity import FITTING
from annotation.database.triggers import (
    AnyTrigger,
    install,
    limit_triggers,
    run_statements,
)
from annotation.database.trigram_index import (
    KEPT,
    TABLE,
    drop_words_index,
    fill_words_index,
    make_words_index,
)
from annotation.limits import LIMITS

TRIGGERS: tuple[AnyTrigger, ...] = (
    *KEEPING,
    *FITTING,
    *limit_triggers("annotation", LIMITS),
    *COUNTERS,
    *KEPT,
)


def make_words_index_again(*, using: str, **_signal: Any) -> None:
    """Make the index that some of the triggers keep, after `migrate` and before they are installed."""
    if TABLE in connections[using].introspection.table_names():
        make_words_index(using)


def drop_words_index_before(*, using: str, plan: Sequence[Any] | None = None, **_signal: Any) -> None:
    """Make way for a migration of this app's tables, once the triggers are lifted."""
    if plan:
        drop_words_index(using)


@contextmanager
def lifted_triggers(triggers: Sequence[AnyTrigger] = TRIGGERS, using: str = "default") -> Iterator[None]:
    """Take the triggers away for the block: for restoring a backup or clearing a test database only."""
    vendor = connections[using].vendor
    run_statements(using, [sql for trigger in triggers for sql in trigger.drop_statements(vendor)])
    try:
        yield
    finally:
        install(triggers, using)
        recount(using)
        fill_words_index(using)
