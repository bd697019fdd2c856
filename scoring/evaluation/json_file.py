"""Reading a JSON object of items by their ids, whoever wrote it."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotation.importing.files.rows import json_problem, printable
from scoring.evaluation.faults import Findings

MOST_BYTES = 20_000_000
MOST_ITEMS = 200_000


class _Twice(ValueError):
    """A name stands twice in one object."""


def items_of(data: bytes, findings: Findings, *, limited: bool = True) -> dict[str, Mapping[str, Any]]:
    """Return the objects of a file by their ids; what is wrong goes to the findings.

    `limited`: refuse more than anybody submits.
    """
    if limited and is_too_large(data, findings):
        return {}
    try:
        loaded = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_without_repeats)
    except UnicodeDecodeError as error:
        findings.fault("is not UTF-8: save it as UTF-8", place=f"byte {error.start + 1}")
        return {}
    except json.JSONDecodeError as error:
        findings.fault(f"is no JSON: {error.msg}", place=f"line {error.lineno}, column {error.colno}")
        return {}
    except _Twice as error:
        findings.fault("stands twice in one object: keep one of the two", item=str(error))
        return {}
    except (RecursionError, ValueError):
        findings.fault("is no JSON that can be read: a value is nested too deeply, or a number too long")
        return {}
    if not isinstance(loaded, dict):
        findings.fault("expected a JSON object with the items by their ids, not a list or a single value")
        return {}
    if limited and len(loaded) > MOST_ITEMS:
        findings.fault(f"has {len(loaded):,} items; at most {MOST_ITEMS:,} are read")
        return {}
    found: dict[str, Mapping[str, Any]] = {}
    # Only an escape can bring what no text may hold.
    may_be_unfit = rb"\u" in data
    for item, entry in loaded.items():
        if may_be_unfit and (problem := json_problem(item, "the id") or json_problem(entry, "")):
            place, _, message = problem.partition(": ")
            findings.fault(message, printable(item), place.lstrip("."))
        elif isinstance(entry, dict):
            found[item] = entry
        else:
            findings.fault(f"is {shown(entry)}; expected an object", item=item)
    return found


def items_one_by_one(
    chunks: Iterable[bytes], *, limited: bool = False
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give the objects of a file one after the other, so that a large file is never held whole.

    Raises ValueError where anything is wrong: `items_of` says what.
    """
    pieces, more, n = _decoded(chunks), True, 0
    decoder = json.JSONDecoder(object_pairs_hook=_without_repeats)
    text, at = "", 0

    def longer() -> None:
        nonlocal text, at, more
        # As much again: an item that is longer than a piece is not read once for each.
        wanted, added = max(len(text) - at, 1), [text[at:]]
        while wanted > 0 and more:
            piece = next(pieces, None)
            more = piece is not None
            added.append(piece or "")
            wanted -= len(piece or "")
        text, at = "".join(added), 0

    def entry(start: int) -> tuple[Any, Any, int]:
        """Return name, value and the place of the comma or brace behind them; -1 where text is missing."""
        try:
            name, place = decoder.raw_decode(text, _blank(text, start))
            place = _blank(text, place)
            if text[place : place + 1] != ":":
                raise json.JSONDecodeError("Expecting ':' delimiter", text, place)
            value, place = decoder.raw_decode(text, _blank(text, place + 1))
            place = _blank(text, place)
            if text[place : place + 1] not in (",", "}"):
                raise json.JSONDecodeError("Expecting ',' delimiter", text, place)
        except json.JSONDecodeError:
            if more:
                return None, None, -1
            raise
        return name, value, place

    longer()
    at = _blank(text, 0)
    if text[at : at + 1] != "{":
        raise ValueError("no object")
    ended = text[(place := _blank(text, at + 1)) : place + 1] == "}"
    at = place if ended else at + 1
    while not ended:
        name, value, place = entry(at)
        if place < 0:
            longer()
            continue
        if not isinstance(name, str) or not isinstance(value, dict):
            raise ValueError("no object by its id")
        # Only an escape can bring what no text may hold.
        if "\\u" in text[at:place] and (json_problem(name, "") or json_problem(value, "")):
            raise ValueError("what no text may hold")
        n += 1
        if limited and n > MOST_ITEMS:
            raise ValueError("too many items")
        yield name, value
        ended, at = text[place] == "}", place + (text[place] == ",")
    while more:
        longer()
    if text[at:].strip(_BLANK) != "}":
        raise ValueError("something behind the object")


_BLANK = " \t\n\r"
_BLANKS = re.compile(r"[ \t\n\r]*")


def _blank(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    assert found is not None
    return found.end()


def _decoded(chunks: Iterable[bytes]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    for chunk in chunks:
        yield decoder.decode(chunk)
    yield decoder.decode(b"", final=True)


def is_too_large(data: bytes, findings: Findings) -> bool:
    """Return whether a file is larger than anybody submits, which is a fault."""
    if len(data) <= MOST_BYTES:
        return False
    findings.fault(f"has {len(data):,} bytes; at most {MOST_BYTES:,} are read: submit fewer items")
    return True


def shown(value: Any) -> str:
    """Return the beginning of a value as JSON, for a message."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made:
            raise _Twice(name)
        made[name] = value
    return made
