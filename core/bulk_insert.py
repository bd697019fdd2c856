"""Many new rows of one model at once, without what Django's `bulk_create` costs for each value.

See docs/decisions/importing.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any

from django.db import connections, models, router, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

_VALUES = 30_000
"""At most in one statement of SQLite, whose own limit is 32,766."""


def bulk_insert(objects: Sequence[models.Model]) -> None:
    """Insert new objects of one model, each with all its values, and give them their keys.

    Constraints and triggers of the database hold as for any insert; no signal is sent.
    Raises IntegrityError where a row breaks a constraint: then none is stored.
    """
    if not objects:
        return
    model = type(objects[0])
    using = router.db_for_write(model)
    connection = connections[using]
    pk = model._meta.pk
    fields = [field for field in model._meta.concrete_fields if field is not pk]
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)
    columns = ", ".join(quote(str(field.column)) for field in (pk, *fields))
    with transaction.atomic(using=using), connection.cursor() as cursor:
        keys = _keys(cursor, connection.vendor, model, len(objects))
        readers = [_reader(field, connection) for field in fields]
        rows = ((key, *(read(one) for read in readers)) for key, one in zip(keys, objects, strict=True))
        if connection.vendor == "postgresql":
            with connection.wrap_database_errors, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            # One statement for many rows: a trigger that keeps an index pays once for each statement.
            place = f"({', '.join(['%s'] * (len(fields) + 1))})"
            while piece := list(islice(rows, _VALUES // (len(fields) + 1))):
                cursor.execute(
                    f"INSERT INTO {table} ({columns}) VALUES {', '.join([place] * len(piece))}",
                    [value for row in piece for value in row],
                )
    for key, one in zip(keys, objects, strict=True):
        one.pk = key
        one._state.adding, one._state.db = False, using


def _reader(field: models.Field[Any, Any], connection: BaseDatabaseWrapper) -> Callable[[models.Model], Any]:
    """Return what gives a field's value of an object as the database takes it."""
    if isinstance(field, models.CharField | models.TextField | models.IntegerField | models.ForeignKey):
        return attrgetter(field.attname)  # as it is
    return lambda one: field.get_db_prep_save(field.pre_save(one, add=True), connection)


def _keys(cursor: Any, vendor: str, model: type[models.Model], n: int) -> Sequence[int]:
    """Take the next keys of a table: of its sequence, and on SQLite while nobody else can write."""
    if vendor == "postgresql":
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, %s)) FROM generate_series(1, %s)",
            [f'"{model._meta.db_table}"', model._meta.pk.column, n],
        )
        return [key for (key,) in cursor.fetchall()]
    cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [model._meta.db_table])
    found = cursor.fetchone()
    first = (found[0] if found else 0) + 1
    return range(first, first + n)
