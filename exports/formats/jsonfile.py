"""JSON as the published benchmarks write it, and JSON Lines: the same bytes for the same values."""

from __future__ import annotations

import json
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import IO, Any

INDENT = " " * 4

# Made once: json.dumps makes an encoder anew for every value that has other than the default settings.
_on_a_line = json.JSONEncoder(ensure_ascii=False).encode
_sorted = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


class Repeated(dict[str, Any]):
    """An object that many entries share and nobody changes; it remembers how it is laid out."""

    __slots__ = ("layouts",)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.layouts: dict[str, str] = {}


class RepeatedList(list[Any]):
    """A list that many entries share and nobody changes; it remembers how it is laid out."""

    __slots__ = ("layouts",)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.layouts: dict[str, str] = {}


_LINE = ""
"""The layout of what is repeated on one line; every other begins with a line break."""


def published(value: Any, *, level: int = 0) -> str:
    """Return JSON in the style of the published CQs-Gen files: indented by four, ASCII with escapes.

    The bytes are those of `json.dumps(value, indent=4)`, which leaves C for Python once it indents: here the
    layout is made in a third of the time, and a `Repeated` object is laid out once.
    """
    return _laid_out(value, "\n" + INDENT * level)


def canonical(value: Any) -> str:
    """Return JSON on one line with sorted keys, for digests."""
    return _sorted(value)


def line(value: Any) -> str:
    """Return JSON on one line, keys in the order given.

    The bytes are those of `json.dumps(value, ensure_ascii=False)`; a `Repeated` object is laid out once.
    """
    if isinstance(value, Repeated | RepeatedList):
        if _LINE not in value.layouts:
            value.layouts[_LINE] = _on_a_line(value)
        return value.layouts[_LINE]
    if isinstance(value, dict) and value:
        entries = [f"{encode_basestring(key)}: {_line_part(entry)}" for key, entry in value.items()]
        return "{" + ", ".join(entries) + "}"
    return _on_a_line(value)


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
        self._stream.write(f"{before}{INDENT}{encode_basestring_ascii(key)}: {published(value, level=1)}")
        self._entries += 1

    def close(self) -> None:
        """Write the end of the object."""
        self._stream.write("\n}" if self._entries else "{}")


def _line_part(value: Any) -> str:
    if type(value) is str:
        return encode_basestring(value)
    if type(value) is RepeatedList:
        return line(value)
    if value == []:
        return "[]"
    # Only where something is repeated is Python faster than the encoder in C.
    if type(value) is list and any(type(entry) is Repeated for entry in value):
        texts = [line(entry) if isinstance(entry, Repeated) else _on_a_line(entry) for entry in value]
        return "[" + ", ".join(texts) + "]"
    return _on_a_line(value)


def _laid_out(value: Any, edge: str) -> str:
    """Lay out a value; `edge` is a line break and the indent of the line that the value starts on."""
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if type(value) is int:
        return str(value)
    if isinstance(value, Repeated | RepeatedList):
        if edge not in value.layouts:
            plain = dict(value) if isinstance(value, Repeated) else list(value)
            value.layouts[edge] = _laid_out(plain, edge)
        return value.layouts[edge]
    inner = edge + INDENT
    if isinstance(value, dict) and value:
        # Texts, which most entries are, without a call of this function.
        entries = [
            f"{inner}{encode_basestring_ascii(key)}: "
            f"{encode_basestring_ascii(entry) if type(entry) is str else _laid_out(entry, inner)}"
            for key, entry in value.items()
        ]
        return "{" + ",".join(entries) + edge + "}"
    if isinstance(value, list) and value:
        return "[" + ",".join([inner + _laid_out(entry, inner) for entry in value]) + edge + "]"
    return "[]" if value == [] else json.dumps(value)
