"""Reader of span judgements in JSON Lines: one line an item and annotator.

{"item": "A-17", "text": "...", "annotator": "A1", "start": 10, "end": 31}

Offsets are code points of the text, half open; both null mean that the annotator judged the text and marked
nothing. The file is UTF-8, with or without a byte order mark. Other keys are ignored, and so are blank
lines.
"""

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agreement.spans.agreement import JudgedText

KEYS = ("item", "text", "annotator", "start", "end")
MOST_PROBLEMS_SHOWN = 20

Identifier = str | int


class SpansFileError(Exception):
    """The file cannot be used; `problems` has a sentence per refused line, each with the file and line."""

    def __init__(self, problems: list[str]):
        self.problems = problems
        shown = problems[:MOST_PROBLEMS_SHOWN]
        if len(problems) > len(shown):
            shown.append(f"and {len(problems) - len(shown)} more")
        super().__init__("\n".join(shown))


class _LineError(Exception):
    """What is wrong with one line."""


def read_spans(path: Path) -> dict[Identifier, JudgedText]:
    """Return the judged texts of a file by item, in the order of their first line.

    Raises SpansFileError with every refused line: unreadable JSON, a missing key, an identifier that is
    neither text nor a whole number, offsets that are half null, not whole numbers or outside the text, a
    lone surrogate, a second line for the same item and annotator, or another text for the same item. Raises
    OSError for an unreadable file.
    """
    texts: dict[Identifier, str] = {}
    marks: dict[Identifier, dict[str, tuple[int, int] | None]] = {}
    # Identifiers compare by how they read, so that 7 and "7" are one item, under the form met first.
    known: dict[str, Identifier] = {}
    problems = []
    for number, line in _lines(path.read_bytes()):
        try:
            record = _parse(line)
            item = known.setdefault(str(record["item"]), record["item"])
            if texts.setdefault(item, record["text"]) != record["text"]:
                raise _LineError(f"item {item!r} has another text on an earlier line")
            annotator = str(record["annotator"])
            if annotator in marks.setdefault(item, {}):
                raise _LineError(f"a second line for item {item!r} and annotator {record['annotator']!r}")
            marks[item][annotator] = _span(record["start"], record["end"], len(record["text"]))
        except _LineError as error:
            problems.append(f"{path}:{number}: {error}")
    if problems:
        raise SpansFileError(problems)
    return {item: JudgedText(text, marks[item]) for item, text in texts.items()}


def _lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Return the lines that are not blank, with their numbers; only a line feed ends a line in JSON Lines."""
    for number, line in enumerate(content.removeprefix(codecs.BOM_UTF8).split(b"\n"), start=1):
        if line.strip():
            yield number, line


def _parse(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line.decode("utf-8"), object_pairs_hook=_object_without_repeats)
    except UnicodeDecodeError as error:
        raise _LineError(f"is not UTF-8 (byte {error.start + 1} of the line)") from None
    except RecursionError:
        raise _LineError("is nested too deeply") from None
    except ValueError as error:
        raise _LineError(f"is not JSON: {error}") from None
    if not isinstance(record, dict):
        raise _LineError("is not a JSON object")
    missing = [key for key in KEYS if key not in record]
    if missing:
        raise _LineError(f"has no {', '.join(map(repr, missing))}")
    for key in ("item", "annotator"):
        _check_identifier(key, record[key])
    if not isinstance(record["text"], str):
        raise _LineError("'text' is not a string")
    _check_surrogates("text", record["text"])
    return record


def _object_without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise _LineError("has the same key twice")
    return record


def _check_identifier(key: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise _LineError(f"{key!r} is neither a non-empty string nor a whole number")
    _check_surrogates(key, str(value))


def _check_surrogates(key: str, value: str) -> None:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _LineError(f"{key!r} has a lone surrogate at character {error.start}") from None


def _span(start: object, end: object, length: int) -> tuple[int, int] | None:
    if start is None and end is None:
        return None
    if start is None or end is None:
        raise _LineError("'start' and 'end' must both be null or both be whole numbers")
    first, last = _offset("start", start), _offset("end", end)
    if not 0 <= first < last <= length:
        raise _LineError(
            f"span {first} to {last} is not a stretch, start before end, of a text of {length} code points"
        )
    return first, last


def _offset(key: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _LineError(f"{key!r} is not a whole number")
    return value
