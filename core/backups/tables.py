"""The rows of a table as lines of JSON, the same on SQLite and PostgreSQL, read and loaded as a stream.

A line is a list of the values in the order of the columns. Times are UTC, bytes base64, the keys of an object
in order: the same rows give the same bytes, so that one digest says whether two databases hold the same.

See docs/decisions/running.md.
"""

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from graphlib import CycleError, TopologicalSorter
from itertools import islice
from typing import Any

from django.apps import apps
from django.db import connections, models
from django.db.backends.base.base import BaseDatabaseWrapper

BATCH = 2_000

KINDS = {
    "AutoField": "int",
    "BigAutoField": "int",
    "SmallAutoField": "int",
    "IntegerField": "int",
    "BigIntegerField": "int",
    "SmallIntegerField": "int",
    "PositiveIntegerField": "int",
    "PositiveBigIntegerField": "int",
    "PositiveSmallIntegerField": "int",
    "CharField": "text",
    "TextField": "text",
    "SlugField": "text",
    "FileField": "text",
    "BooleanField": "bool",
    "FloatField": "float",
    "JSONField": "json",
    "DateTimeField": "time",
    "DateField": "date",
    "BinaryField": "bytes",
}

LEFT_OUT = ("django_session", "account_emailconfirmation", "socialaccount_socialtoken")
"""What lets somebody in for a while: it does not travel. Everybody logs in again after a restore."""

MADE_BY_MIGRATE = ("auth_permission", "django_content_type")
"""Tables that are never empty: `migrate` fills them. Loading replaces their rows."""


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table as an archive has it; `key` is the column by which its rows are in order."""

    name: str
    app: str
    key: str
    columns: tuple[Column, ...]


def tables_kept() -> list[Table]:
    """Return the tables of all models but those left out, each after those that it refers to."""
    found = {
        model._meta.db_table: model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy and model._meta.db_table not in LEFT_OUT
    }
    return [_table(found[name]) for name in _in_order(found)]


def _table(model: type[models.Model]) -> Table:
    meta = model._meta
    columns = tuple(Column(str(field.column), _kind(field)) for field in meta.local_concrete_fields)
    return Table(meta.db_table, meta.app_label, str(meta.pk.column), columns)


def _kind(field: Any) -> str:
    while field.remote_field:
        field = field.target_field
    return KINDS[field.get_internal_type()]


def _in_order(found: dict[str, type[models.Model]]) -> list[str]:
    order: TopologicalSorter[str] = TopologicalSorter()
    for name in sorted(found):
        order.add(name)
        for field in found[name]._meta.local_concrete_fields:
            other = field.related_model._meta.db_table if isinstance(field.related_model, type) else name
            if other != name and other in found:
                order.add(name, other)
    try:
        return list(order.static_order())
    except CycleError:  # foreign keys are checked when the transaction ends: the order only saves memory
        return sorted(found)


def table_lines(table: Table, using: str) -> Iterator[bytes]:
    """Yield the rows as lines, some thousand at once, each ending in a line break."""
    connection = connections[using]
    quote = connection.ops.quote_name
    columns = ", ".join(quote(column.name) for column in table.columns)
    # A key of text would be in the order of the database's language else.
    by_bytes = ' COLLATE "C"' if connection.vendor == "postgresql" else ""
    is_text = any(column.name == table.key and column.kind == "text" for column in table.columns)
    order = f"{quote(table.key)}{by_bytes if is_text else ''}"
    written = [
        (place, _WRITTEN[column.kind])
        for place, column in enumerate(table.columns)
        if column.kind in _WRITTEN
    ]
    encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
    with connection.chunked_cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM {quote(table.name)} ORDER BY {order}")
        while rows := cursor.fetchmany(BATCH):
            lines = []
            for row in rows:
                values = list(row)
                for place, write in written:
                    if values[place] is not None:
                        values[place] = write(values[place])
                lines.append(encode(values))
            lines.append("")
            yield "\n".join(lines).encode()


def load_table(table: Table, lines: Iterable[bytes], using: str) -> int:
    """Insert rows from lines; return how many. Rules of the database are lifted by the caller."""
    connection = connections[using]
    rows = _rows(table, lines, postgresql=connection.vendor == "postgresql")
    quote = connection.ops.quote_name
    columns = ", ".join(quote(column.name) for column in table.columns)
    loaded = 0
    if connection.vendor == "postgresql":
        with (
            connection.cursor() as cursor,
            cursor.copy(f"COPY {quote(table.name)} ({columns}) FROM STDIN") as copy,
        ):
            for row in rows:
                copy.write_row(row)
                loaded += 1
        return loaded
    marks = ", ".join("?" * len(table.columns))
    connection.ensure_connection()
    while batch := list(islice(rows, BATCH)):
        connection.connection.executemany(
            f"INSERT INTO {quote(table.name)} ({columns}) VALUES ({marks})", batch
        )
        loaded += len(batch)
    return loaded


def _rows(table: Table, lines: Iterable[bytes], *, postgresql: bool) -> Iterator[list[Any]]:
    how: dict[str, Callable[[Any], Any]] = {"json": json.dumps, "bytes": base64.b64decode}
    if postgresql:
        how["time"] = "{}+00".format
    read = [(place, how[column.kind]) for place, column in enumerate(table.columns) if column.kind in how]
    decode = json.JSONDecoder().decode
    for line in lines:
        values = decode(line.decode())
        for place, value_of in read:
            if values[place] is not None:
                values[place] = value_of(values[place])
        yield values


def is_empty(table: str, using: str) -> bool:
    """Return whether a table has no row."""
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM {connection.ops.quote_name(table)} LIMIT 1")
        return cursor.fetchone() is None


def table_clear(table: str, using: str) -> None:
    """Delete what `migrate` put into a table."""
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")


def set_sequences(tables: Sequence[Table], using: str) -> None:
    """Have PostgreSQL number new rows after those that were loaded; SQLite does so by itself."""
    connection: BaseDatabaseWrapper = connections[using]
    if connection.vendor != "postgresql":
        return
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [quote(table.name), table.key])
            (sequence,) = cursor.fetchone()
            if sequence:
                key, name = quote(table.key), quote(table.name)
                cursor.execute(
                    f"SELECT setval(%s, COALESCE(MAX({key}), 1), MAX({key}) IS NOT NULL) FROM {name}",
                    [sequence],
                )


def _time(value: datetime) -> str:
    """Return a time as Django writes it on SQLite: in UTC, without a zone.

    >>> _time(datetime(2026, 11, 29, 1, 2, 3, tzinfo=UTC))
    '2026-11-29 01:02:03'
    """
    return (value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)).isoformat(" ")


def _number(text: str) -> float | int:
    """Return a number of a JSON column; PostgreSQL stores 1e+16 as a whole number and -0.0 as 0.0.

    >>> _number("1e+16"), _number("0.5"), _number("-0.0")
    (10000000000000000, 0.5, 0.0)
    """
    value = float(text)
    if abs(value) >= 1e16 and value.is_integer():
        return int(Decimal(text))
    return value + 0.0


def _bytes(value: bytes | memoryview) -> str:
    return base64.b64encode(bytes(value)).decode()


def _date(value: date) -> str:
    return value.isoformat()


_WRITTEN: dict[str, Callable[[Any], Any]] = {
    "bool": bool,
    "json": json.JSONDecoder(parse_float=_number).decode,
    "time": _time,
    "date": _date,
    "bytes": _bytes,
}
