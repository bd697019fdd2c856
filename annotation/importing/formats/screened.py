"""Items of another project that passed a screening: JSON Lines by `annotation.importing.screening`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext

from annotation.importing.files.encodings import open_text
from annotation.importing.files.rows import FileError, ItemRow, ItemRows

if TYPE_CHECKING:
    from annotation.models import Item

FORMAT = "screened"
FIELDS = ("external_id", "text", "source", "topic", "split", "licence", "metadata")


def write(path: Path, items: Iterable[Item]) -> None:
    """Write items, one JSON object a line, with everything that another project needs of them."""
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for item in items:
            line = {field: getattr(item, field) for field in FIELDS}
            stream.write(json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n")


def read(path: Path, *, name: str, origin: str | None = None) -> ItemRows:
    """Yield the items of a file that `write` made. Raises FileError for any other."""
    with open_text(path, name) as stream:
        for number, line in enumerate(stream, 1):
            try:
                given = json.loads(line)
                item = {field: given[field] for field in FIELDS}
                yield ItemRow(
                    place=gettext("line %(number)s") % {"number": number}, **item, given=(_table_row(item),)
                )
            except (ValueError, KeyError, TypeError):
                raise FileError(
                    name,
                    gettext("line %(number)s") % {"number": number},
                    gettext("is not what a screening has written"),
                ) from None


def _table_row(item: dict[str, Any]) -> dict[str, Any]:
    columns = {field: item[field] for field in FIELDS if field not in ("external_id", "metadata")}
    return {**item["metadata"], "id": item["external_id"], **columns}
