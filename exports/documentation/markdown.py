"""Pieces of Markdown: texts that cannot be taken for markup, and tables of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """Return the lines of a table with a blank line after it; none where there is no row."""
    body = [f"| {' | '.join(cell(value) for value in row)} |" for row in rows]
    return [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *body, ""] if body else []


def cell(value: Any) -> str:
    """Return a text that stays in its cell or line and cannot be taken for markup of another kind."""
    return " ".join(str(value).split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
