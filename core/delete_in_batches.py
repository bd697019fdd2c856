"""Deleting many rows so that other writers get their turn."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from django.db import transaction

BATCH = 1_000


def delete_in_batches(
    rows: Any, each: Callable[[], AbstractContextManager[None]] = transaction.atomic
) -> None:
    """Delete the rows of a query set a batch at a time; `each` is what a batch is deleted in."""
    while keys := list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH]):
        with each():
            rows.model.objects.filter(pk__in=keys)._raw_delete("default")
