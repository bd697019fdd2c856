"""JSON as the published benchmarks write it, and JSON Lines: the same bytes for the same values."""

from __future__ import annotations

import json
from typing import IO, Any

INDENT = 4


def published(value: Any, *, level: int = 0) -> str:
    """Return JSON in the style of the published CQs-Gen files: indented by four, ASCII with escapes."""
    text = json.dumps(value, indent=INDENT)
    # A line break inside a JSON text is always escaped, so every one found here is layout.
    return text.replace("\n", "\n" + " " * (INDENT * level)) if level else text


def canonical(value: Any) -> str:
    """Return JSON on one line with sorted keys, for digests."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def line(value: Any) -> str:
    """Return JSON on one line, keys in the order given."""
    return json.dumps(value, ensure_ascii=False)


class ObjectWriter:
    """Writes one JSON object entry by entry, so that it never stands in memory as a whole.

    The bytes are those of `json.dumps(whole, indent=4)`: without a final line break, as published.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._entries = 0

    def add(self, key: str, value: Any) -> None:
        """Write the next entry."""
        before = ",\n" if self._entries else "{\n"
        self._stream.write(f"{before}{' ' * INDENT}{json.dumps(key)}: {published(value, level=1)}")
        self._entries += 1

    def close(self) -> None:
        """Write the end of the object."""
        self._stream.write("\n}" if self._entries else "{}")
