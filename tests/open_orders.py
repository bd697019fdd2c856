"""Rows whose order a query leaves open come last made first: tests that count on another order fail always.

PostgreSQL gives such rows in any order, most often as they were made, and now and then not.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from django.db.models.expressions import Col, OrderBy
from django.db.models.sql.compiler import SQLCompiler


@contextmanager
def last_made_first() -> Iterator[None]:
    """Order by key, descending, what orderings leave open; but not in groups, unions and inner queries."""
    ordered, combined = SQLCompiler.get_order_by, SQLCompiler.get_combinator_sql
    unions: list[None] = []  # the parts of a union may have no order of their own

    def get_order_by(compiler: SQLCompiler) -> list[Any]:
        found: list[Any] = ordered(compiler)
        query = compiler.query
        totals = any(one.contains_aggregate for one in query.annotation_select.values())
        grouped = totals or query.group_by is not None or query.distinct or query.combinator
        if unions or grouped or query.subquery:
            return found
        if query.alias_refcount.get(query.base_table, 0) == 0:  # what deletes or updates
            return found
        by_key = OrderBy(Col(query.base_table, query.get_meta().pk), descending=True)
        sql, params = compiler.compile(by_key)
        return [*found, (by_key, (sql, params, False))]

    def get_combinator_sql(compiler: SQLCompiler, *args: Any) -> Any:
        unions.append(None)
        try:
            return combined(compiler, *args)
        finally:
            unions.pop()

    with mock.patch.multiple(SQLCompiler, get_order_by=get_order_by, get_combinator_sql=get_combinator_sql):
        yield
