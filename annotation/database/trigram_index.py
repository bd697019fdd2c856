"""The index of three-letter pieces by which items are found: FTS5 on SQLite, pg_trgm on PostgreSQL.

It is made after every `migrate` where it is missing, and on SQLite is away while tables are rebuilt: no
migration has to know of it. There it is a virtual table without a copy of the texts, which triggers keep. On
PostgreSQL whoever owns the database can create the extension; where that is refused search reads every text.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import DatabaseError, connections, transaction

logger = logging.getLogger(__name__)

TABLE = "annotation_item"
WORDS = "annotation_itemwords"

_SQLITE = (
    f"CREATE VIRTUAL TABLE {WORDS} USING fts5("
    f"external_id, text, content='{TABLE}', content_rowid='id', tokenize='trigram', detail=none)"
)
_POSTGRESQL = (
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    # What icontains compares: see django.db.backends.postgresql.operations.lookup_cast.
    f"CREATE INDEX IF NOT EXISTS item_words ON {TABLE} "
    "USING gin (upper(external_id::text) gin_trgm_ops, upper(text) gin_trgm_ops)",
)


@dataclass(frozen=True, slots=True)
class WordsKept:
    """A kind of write to an item that changes the index on SQLite; PostgreSQL keeps its own."""

    event: str
    taken_out: bool
    put_in: bool

    table = TABLE

    @property
    def name(self) -> str:
        return f"item_words_{self.event.split()[0].lower()}"

    def statements(self, vendor: str) -> list[str]:
        """Return the SQL that installs the trigger."""
        if vendor != "sqlite":
            return []
        out = (
            f"INSERT INTO {WORDS} ({WORDS}, rowid, external_id, text) "
            "VALUES ('delete', OLD.id, OLD.external_id, OLD.text); "
        )
        new = f"INSERT INTO {WORDS} (rowid, external_id, text) VALUES (NEW.id, NEW.external_id, NEW.text); "
        return [
            *self.drop_statements(vendor),
            f"CREATE TRIGGER {self.name} AFTER {self.event} ON {TABLE} FOR EACH ROW "
            f"BEGIN {out if self.taken_out else ''}{new if self.put_in else ''}END",
        ]

    def drop_statements(self, vendor: str) -> list[str]:
        """Return the SQL that takes the trigger away."""
        return [f"DROP TRIGGER IF EXISTS {self.name}"] if vendor == "sqlite" else []


KEPT: Sequence[WordsKept] = (
    WordsKept("INSERT", taken_out=False, put_in=True),
    WordsKept("DELETE", taken_out=True, put_in=False),
    WordsKept("UPDATE OF external_id, text", taken_out=True, put_in=True),
)


def make_words_index(using: str) -> None:
    """Make the index where it is missing, of all items that are there."""
    connection = connections[using]
    if connection.vendor == "postgresql":
        try:
            with transaction.atomic(using=using), connection.cursor() as cursor:
                for sql in _POSTGRESQL:
                    cursor.execute(sql)
        except DatabaseError as error:
            logger.warning("search in texts stays slow: no extension pg_trgm in the database (%s)", error)
        return
    if WORDS in connection.introspection.table_names():
        return
    with transaction.atomic(using=using), connection.cursor() as cursor:
        cursor.execute(_SQLITE)
    fill_words_index(using)


def fill_words_index(using: str) -> None:
    """Read all items anew, after rows were written without the triggers."""
    if connections[using].vendor == "sqlite":
        with connections[using].cursor() as cursor:
            cursor.execute(f"INSERT INTO {WORDS} ({WORDS}) VALUES ('rebuild')")


def drop_words_index(using: str) -> None:
    """Take away what a rebuild of the table of items on SQLite would stumble over."""
    if connections[using].vendor == "sqlite":
        with connections[using].cursor() as cursor:
            cursor.execute(f"DROP TABLE IF EXISTS {WORDS}")
