"""What items are resampled together: the value of one of their fields, such as a source or a thread."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from annotation.models import Item, Round
from core.errors import Refused

BATCH = 5_000


class ClusterRefused(Refused):
    """A field of the items does not say for each which cluster it is in; the message names the item."""

    def __init__(self, message: str) -> None:
        super().__init__("invalid", message, errors={"cluster": message})


def read_clusters(
    round: Round, ids: Sequence[int], external_ids: Sequence[str], field: str
) -> tuple[str, ...]:
    """Return the value that each of these items of a round has in a field: topic, source, or of the metadata.

    Raises ClusterRefused where no item has the field, where one has no value, or where one has several.
    """
    rows = Item.objects.filter(round_items__round=round).values_list(
        "id", "external_id", "topic", "source", "metadata"
    )
    values: dict[int, tuple[str, ...]] = {}
    for item_id, _, topic, source, metadata in rows.iterator(chunk_size=BATCH):
        value = {**metadata, "topic": topic, "source": source}.get(field)
        values[item_id] = field_values(value)
    found_of = [values.get(item_id, ()) for item_id in ids]
    named = list(zip(external_ids, found_of, strict=True))
    if not any(found for _, found in named):
        raise ClusterRefused(f"No item of the round has a value in the field {field!r}.")
    for name, found in named:
        if not found or not found[0].strip():
            raise ClusterRefused(
                f"The item {name!r} has no value in the field {field!r}: give it one, or resample by texts."
            )
        if len(found) > 1:
            raise ClusterRefused(
                f"The item {name!r} has several values in the field {field!r} ({', '.join(found)}): an item "
                "is in one cluster."
            )
    return tuple(found[0] for _, found in named)


def field_values(value: Any) -> tuple[str, ...]:
    """Return the distinct texts of a field: one for a plain value, several for a list, none for a blank."""
    if isinstance(value, list):
        return tuple(sorted({text for entry in value for text in field_values(entry)}))
    if value is None or value == "" or isinstance(value, dict):
        return ()
    return (value if isinstance(value, str) else json.dumps(value),)
