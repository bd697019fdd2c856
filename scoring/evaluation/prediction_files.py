"""The FOCUS authors' own files of a model's answers: CSV, a row an argument, found by its text."""

from __future__ import annotations

import csv
import io
from collections import defaultdict, deque
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import PurePath
from typing import Any

from annotation.importing.formats.focus_files import (
    ASKED_QUESTIONS,
    PREDICTED,
    PUBLISHED_NAMES,
    plain_type_name,
)
from scoring.evaluation.faults import Findings
from scoring.evaluation.json_file import is_too_large
from scoring.evaluation.references import Benchmark
from scoring.figures.types import NONE
from scoring.reading.focus_answers import NO_SPAN, NO_WORDS, AnswerRefused, TypeNames

SLOTS = (("Predicted_Type1", "Span_PredictedType1"), ("Predicted_Type2", "Span_PredictedType2"))
_TEXT = "Argument"
_READ = {*PREDICTED, *ASKED_QUESTIONS, *(f"{name}_Corrected" for name in ASKED_QUESTIONS)}
_BEGINNINGS = ("SQ-testset-", "dev_prediction_")


def is_prediction_file(data: bytes) -> bool:
    """Return whether a file begins with the header of such a file."""
    head = data[:2000].decode("utf-8-sig", errors="replace").splitlines()[:1]
    columns = next(csv.reader(head), []) if head else []
    return {_TEXT, *(name for slot in SLOTS for name in slot)} <= {name.strip() for name in columns}


def texts_of(data: bytes) -> set[str]:
    """Return the arguments of a prediction file, without white space at their edges."""
    return {(row.get(_TEXT) or "").strip() for row in _rows(data, Findings(""))}


def system_name(file: str) -> str:
    """Return what a system is called by the name of its file, as the authors name them.

    >>> system_name("SQ-testset-GPT4-1shot.csv")
    'GPT4-1shot'
    """
    stem = PurePath(file).stem
    return next((stem[len(begin) :] for begin in _BEGINNINGS if stem.startswith(begin)), stem)


def predictions_of(data: bytes, benchmark: Benchmark, findings: Findings) -> dict[str, Mapping[str, Any]]:
    """Return the answers by item in the shape of a submission; equal texts in the order of the rows.

    As forgiving as the authors: of a type twice the first stands, None beside a type and words without a type
    are dropped; each of them is counted and said, and so are types without words and columns of further
    figures, which are not read.
    """
    rows = _rows(data, findings)
    if unread := [name for name in rows[0] if name and name not in _READ] if rows else []:
        findings.note(f"not read: {', '.join(unread)}")
    waiting: dict[str, deque[str]] = defaultdict(deque)
    for item, argument in benchmark.arguments.items():
        waiting[argument.text.strip()].append(item)
    found: dict[str, Mapping[str, Any]] = {}
    dropped = {"a type twice": 0, "None beside a type": 0, "words without a type": 0}
    for number, row in enumerate(rows, start=1):
        items = waiting.get((row[_TEXT] or "").strip())
        if not items:
            findings.fault(
                "no item that is left has this text: is it for another split?", place=f"row {number}"
            )
            continue
        item = items.popleft()
        try:
            found[item] = _entry(row, benchmark.names, dropped)
        except AnswerRefused as refused:
            findings.fault(str(refused), item, f"row {number}")
    for what, times in dropped.items():
        if times:
            findings.note(f"dropped once: {what}" if times == 1 else f"dropped {times} times: {what}")
    if without := sum(
        code != NONE and words == NO_SPAN
        for entry in found.values()
        for code, words in zip(entry["fsq_types"], entry["spans"], strict=True)
    ):
        findings.note("1 type has no words" if without == 1 else f"{without} types have no words")
    return found


def _rows(data: bytes, findings: Findings) -> list[dict[str, str | None]]:
    """Return the rows by the columns of the header, none where the file cannot be read: a fault."""
    if is_too_large(data, findings):
        return []
    try:
        header, *rows = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
    except UnicodeDecodeError as error:
        findings.fault("is not UTF-8: save it as UTF-8", place=f"byte {error.start + 1}")
        return []
    except csv.Error as error:
        findings.fault(f"is no CSV: {error}")
        return []
    columns = [name.strip() for name in header]
    return [dict(zip_longest(columns, row[: len(columns)])) for row in rows if row]


def _entry(row: Mapping[str, str | None], names: TypeNames, dropped: dict[str, int]) -> dict[str, Any]:
    answers: dict[str, str] = {}
    for type_column, span_column in SLOTS:
        name, words = ((row[column] or "").strip() for column in (type_column, span_column))
        has_words = words.casefold() not in NO_WORDS
        if name.casefold() in NO_WORDS:
            dropped["words without a type"] += has_words
            continue
        code = _code(name, names)
        if code in answers:
            dropped["a type twice"] += 1
            continue
        answers[code] = words if has_words else NO_SPAN
    if len(answers) > 1 and answers.pop(NONE, None) is not None:
        dropped["None beside a type"] += 1
    return {"fsq_types": list(answers), "spans": list(answers.values())}


def _code(name: str, names: TypeNames) -> str:
    code = PUBLISHED_NAMES.get(plain_type_name(name))
    return code if code in names.codes else names.code(name)
