"""Pieces of SQL that the CHECK constraints of several models share."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, Func, Q, TextField, Value
from django.db.models.lookups import Exact
from django.db.models.sql.compiler import SQLCompiler

from core.texts import BLANK_CHARACTERS


class Trimmed(Func):
    """A text without the blank characters at its two ends.

    SQLite's and PostgreSQL's plain TRIM take away spaces only, so the characters are listed.
    """

    arity = 2
    function = "TRIM"
    output_field = TextField()

    def as_postgresql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **extra: Any
    ) -> tuple[str, Any]:
        return self.as_sql(compiler, connection, function="BTRIM", **extra)


def not_blank(field: str) -> Q:
    """Return the condition that a text column holds more than blank characters."""
    return ~Q(Exact(Trimmed(F(field), Value(BLANK_CHARACTERS)), Value("")))
