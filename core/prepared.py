"""Queries that Django compiles once and PostgreSQL plans once: for the few that run with every decision.

Building a query and its SQL anew costs several times what the database takes to answer it, and planning it
anew costs PostgreSQL several times what finding the rows does. A prepared one is written with the ORM as any
other; its SQL is kept, and later calls put other values into it.

See docs/decisions/storage.md.
"""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import Field, Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql import InsertQuery

Row = TypeVar("Row", bound=Model)

STAND_IN = 2_147_400_000
"""Stands for the first value while a query is compiled: an integer that every column can be compared with."""


@contextmanager
def prepared_cursor(connection: BaseDatabaseWrapper) -> Iterator[CursorWrapper]:
    """Give a cursor whose statements PostgreSQL plans once a connection; fetch before the next is given.

    Django's own puts values into the statement, which is another one each time. SQLite keeps statements by
    itself; behind a pooler nothing is kept (`pooler=transaction` in the database's address).
    """
    if connection.vendor != "postgresql":
        with connection.cursor() as cursor:
            yield cursor
        return
    connection.ensure_connection()
    raw: Any = connection.connection
    if connection.queries_logged:
        with _binding_cursor(connection, raw) as cursor:
            yield cursor
        return
    # Making one takes half as long again as what it does.
    kept: CursorWrapper | None = getattr(raw, "elenchus_cursor", None)
    if kept is None:
        kept = raw.elenchus_cursor = _binding_cursor(connection, raw)
    yield kept


def _binding_cursor(connection: BaseDatabaseWrapper, raw: Any) -> CursorWrapper:
    from django.db.backends.postgresql.base import ServerBindingCursor

    usual, raw.cursor_factory = raw.cursor_factory, ServerBindingCursor
    try:
        return connection.cursor()
    finally:
        raw.cursor_factory = usual


class Prepared(Generic[Row]):
    """A query of models by values that change from call to call, and nothing else.

    `make` builds the query of its arguments, which it may only compare columns with; it must not branch on
    them, since it is called once. Annotations become attributes, as the ORM does it.

    A query that locks rows alone can lock those of a joined table, `shares`, before them and with others
    who do; the ORM knows one lock a query. Both rows are read as they are once they are locked.
    """

    def __init__(self, make: Callable[..., QuerySet[Row]], *, shares: str = "") -> None:
        self.make = make
        self.shares = shares
        self._names = tuple(inspect.signature(make).parameters)
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, **values: int | str) -> list[Row]:
        """Return the rows that the query finds with these values."""
        if any(isinstance(value, int) and abs(value) >= 2**63 for value in values.values()):
            return []  # no column holds it; SQLite cannot even be asked
        connection = connections[DEFAULT_DB_ALIAS]
        compiled = self._compiled.get(connection.vendor)
        if compiled is None:
            stand_ins = {name: STAND_IN + place for place, name in enumerate(self._names)}
            compiled = _Compiled(self.make(**stand_ins), stand_ins, connection, self.shares)
            self._compiled[connection.vendor] = compiled
        return compiled.rows(values, connection)

    def one(self, **values: int | str) -> Row | None:
        """Return the only row that a unique lookup finds, or None."""
        found = self.rows(**values)
        return found[0] if found else None


class _Compiled:
    """The SQL of a query, the places of its values, and how its columns become models."""

    def __init__(
        self, query: QuerySet[Any], stand_ins: dict[str, int], connection: BaseDatabaseWrapper, shares: str
    ) -> None:
        compiler = query.query.get_compiler(connection=connection)
        self.sql, parameters = compiler.as_sql()
        if shares and connection.features.has_select_for_update_of:
            found, lock, locked = self.sql.rpartition(" FOR UPDATE OF ")
            self.sql = f"{found} FOR SHARE OF {connection.ops.quote_name(shares)}{lock}{locked}"
        by_stand_in = {str(number): name for name, number in stand_ins.items()}
        self.parameters = [(by_stand_in.get(str(value)), value) for value in parameters]
        missing = set(stand_ins) - {name for name, _ in self.parameters}
        assert not missing, f"a prepared query compares nothing with {missing}"
        info, select = compiler.klass_info, compiler.select
        self.model: type[Model] = info["model"]
        first, end = info["select_fields"][0], info["select_fields"][-1] + 1
        self.columns = slice(first, end)
        self.names = [column[0].target.attname for column in select[first:end]]
        self.related = get_related_populators(info, select, query.db)  # type: ignore[call-arg]  # of a later Django
        self.annotations = list(compiler.annotation_col_map.items())
        self.converters = list(compiler.get_converters([column[0] for column in select]).items())

    def rows(self, values: dict[str, int | str], connection: BaseDatabaseWrapper) -> list[Any]:
        parameters = [values[name] if name else value for name, value in self.parameters]
        with prepared_cursor(connection) as cursor:
            cursor.execute(self.sql, parameters)
            return [self._model(list(row), connection) for row in cursor.fetchall()]

    def _model(self, row: list[Any], connection: BaseDatabaseWrapper) -> Any:
        for place, (converters, expression) in self.converters:
            for convert in converters:
                row[place] = convert(row[place], expression, connection)
        made: Any = self.model.from_db(connection.alias, self.names, row[self.columns])
        for related in self.related:
            related.populate(row, made)
        for name, place in self.annotations:
            setattr(made, name, row[place])
        return made


class PreparedInsert:
    """Inserting one row of a model, as `save(force_insert=True)` of a row without a key does.

    The row learns its key; no signals are sent.
    """

    def __init__(self, model: type[Model]) -> None:
        self.fields: list[Field[Any, Any]] = [
            field for field in model._meta.concrete_fields if not field.primary_key
        ]
        self.model = model
        self._sql: dict[str, str] = {}

    def insert(self, row: Model) -> None:
        """Insert a row that the database does not have yet."""
        connection = connections[DEFAULT_DB_ALIAS]
        sql = self._sql.get(connection.vendor)
        if sql is None:
            query = InsertQuery(self.model)
            query.insert_values(self.fields, [row], raw=False)
            compiler = query.get_compiler(connection=connection)
            compiler.returning_fields = self.model._meta.db_returning_fields
            [(sql, _)] = compiler.as_sql()
            self._sql[connection.vendor] = sql
        values = [
            field.get_db_prep_save(field.pre_save(row, add=True), connection=connection)
            for field in self.fields
        ]
        with prepared_cursor(connection) as cursor:
            cursor.execute(sql, values)
            [row.pk] = cursor.fetchone()
