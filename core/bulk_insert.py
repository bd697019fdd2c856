"""Many new rows of one model at once, without what Django's `bulk_create` costs for each value.

See docs/decisions/importing.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, islice
from operator import attrgetter
from typing import Any

from django.db import connections, models, router, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

_AS_IT_IS = (models.BooleanField, models.CharField, models.TextField, models.IntegerField, models.ForeignKey)
"""Fields whose values the database takes as they are."""

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
    fields = [field for field in model._meta.concrete_fields if field is not model._meta.pk]
    readers = [_reader(field, connections[using]) for field in fields]
    keys = _insert(model, using, fields, [tuple(read(one) for read in readers) for one in objects])
    for key, one in zip(keys, objects, strict=True):
        one.pk = key
        one._state.adding, one._state.db = False, using


def bulk_insert_values(
    model: type[models.Model], names: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> Sequence[int]:
    """Insert new rows of a model by the values of its fields, without making objects; return their keys.

    `names` are all fields but the key, a foreign key by its `…_id`. Raises as `bulk_insert` does.
    """
    using = router.db_for_write(model)
    connection = connections[using]
    by_name = {field.attname: field for field in model._meta.concrete_fields}
    fields = [by_name[name] for name in names]
    prepared = [(place, field) for place, field in enumerate(fields) if not isinstance(field, _AS_IT_IS)]
    if not prepared:
        return _insert(model, using, fields, rows)
    ready = [list(row) for row in rows]
    for place, field in prepared:
        before, saved = None, field.get_db_prep_save(None, connection)
        for values in ready:
            # Mostly the one before again: the same moment, the same nothing.
            if values[place] is not before:
                before = values[place]
                saved = field.get_db_prep_save(before, connection)
            values[place] = saved
    return _insert(model, using, fields, ready)


def _insert(
    model: type[models.Model],
    using: str,
    fields: Sequence[models.Field[Any, Any]],
    given: Sequence[Sequence[Any]],
) -> Sequence[int]:
    connection = connections[using]
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)
    columns = ", ".join(quote(str(field.column)) for field in (model._meta.pk, *fields))
    with transaction.atomic(using=using), connection.cursor() as cursor:
        keys = _keys(cursor, connection.vendor, model, len(given))
        rows = ((key, *values) for key, values in zip(keys, given, strict=True))
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
                    list(chain.from_iterable(piece)),
                )
    return keys


def _reader(field: models.Field[Any, Any], connection: BaseDatabaseWrapper) -> Callable[[models.Model], Any]:
    """Return what gives a field's value of an object as the database takes it."""
    if isinstance(field, _AS_IT_IS):
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
