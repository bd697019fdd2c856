"""Judgements in long form, one row a judgement, for people who model disagreement. Pseudonyms only.

The columns are those of the judgement importer, and some that it leaves alone. The CSV file is safe to open
in a spreadsheet: a cell that would run as a formula gets an apostrophe in front. Parquet is exact.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotation.importing.safe_cells import made_safe
from exports.deciding import Judgement
from exports.records import ItemRecord, QuestionRow, Selection

if TYPE_CHECKING:
    import pyarrow

ROW_GROUP = 20_000
_FLAGS = {True: "true", False: "false"}
_TEXT, _WHOLE, _FLAG = "string", "int64", "bool"
_COMMON = (
    ("round", _TEXT),
    ("guideline_version", _WHOLE),
    ("annotator", _TEXT),
)
_TAIL = (
    ("cannot_judge", _FLAG),
    ("unsure", _FLAG),
    ("active_seconds", _WHOLE),
    ("decided_at", _TEXT),
    ("after_reopening", _FLAG),
    ("counted", _FLAG),
)
_TYPES = (
    ("item", _TEXT),
    ("type", _TEXT),
    *_COMMON,
    ("applicable", _FLAG),
    ("start", _WHOLE),
    ("end", _WHOLE),
    ("quote", _TEXT),
    ("comment", _TEXT),
    *_TAIL,
)
_QUESTIONS = (
    ("item", _TEXT),
    ("question", _TEXT),
    ("question_position", _WHOLE),
    *_COMMON,
    ("label", _TEXT),
    ("reason", _TEXT),
    ("edited_question", _TEXT),
    ("comment", _TEXT),
    *_TAIL,
)


def columns(selection: Selection) -> tuple[tuple[str, str], ...]:
    """Return name and kind of each column; comments and quotes only where the release carries them."""
    known = _TYPES if selection.typology else _QUESTIONS
    choices = selection.parameters
    left_out = {"comment": not choices.comments, "quote": not choices.texts}
    return tuple((name, kind) for name, kind in known if not left_out.get(name))


def rows(record: ItemRecord, selection: Selection) -> Iterator[dict[str, Any]]:
    """Yield the judgements of an item: by unit, round and annotator."""
    rounds = selection.round_of
    questions = {question.pk: question for question in record.questions}
    for judgement, counted in zip(record.judgements, record.counted, strict=True):
        yield {
            "item": record.item.external_id,
            **_unit(judgement, questions.get(judgement.unit)),
            "round": rounds[judgement.round].name,
            "guideline_version": rounds[judgement.round].codebook_version,
            "annotator": selection.members[judgement.annotator],
            "comment": judgement.comment or None,
            "cannot_judge": judgement.cannot_judge,
            "unsure": judgement.unsure,
            "active_seconds": judgement.active_seconds,
            "decided_at": judgement.decided_at.isoformat(timespec="microseconds"),
            "after_reopening": judgement.after_reopening,
            "counted": counted,
        }


def _unit(judgement: Judgement, question: QuestionRow | None) -> dict[str, Any]:
    if question is None:
        return {
            "type": judgement.unit,
            "applicable": judgement.answer,
            "start": judgement.start,
            "end": judgement.end,
            "quote": judgement.quote,
        }
    return {
        "question": None if question.external_id is None else str(question.external_id),
        "question_position": question.position,
        "label": judgement.answer,
        "reason": judgement.reason or None,
        "edited_question": judgement.edited_question or None,
    }


def csv_cell(value: Any) -> Any:
    """Return a cell that no spreadsheet runs: nothing is empty, flags are words, formulas are marked."""
    if isinstance(value, str):
        return made_safe(value)
    return _FLAGS.get(value, value) if isinstance(value, bool) else value


class CsvFile:
    """The judgements as CSV: UTF-8, comma, double quotes, line feeds."""

    def __init__(self, path: Path, selection: Selection) -> None:
        self._names = [name for name, _ in columns(selection)]
        self._stream = path.open("w", encoding="utf-8", newline="")
        self._writer = csv.writer(self._stream, lineterminator="\n")
        self._writer.writerow(self._names)

    def add(self, rows: Sequence[dict[str, Any]]) -> None:
        """Write rows."""
        self._writer.writerows([csv_cell(row[name]) for name in self._names] for row in rows)

    def close(self) -> None:
        """Finish the file."""
        self._stream.close()


class ParquetFile:
    """The judgements as Parquet with typed columns, a row group at a time in memory."""

    def __init__(self, path: Path, selection: Selection) -> None:
        # Imported here because only a release needs it, and it takes a while.
        import pyarrow.parquet

        self._arrow = pyarrow
        self._schema = pyarrow.schema(
            [
                (name, getattr(pyarrow, "bool_" if kind == _FLAG else kind)())
                for name, kind in columns(selection)
            ]
        )
        self._writer = pyarrow.parquet.ParquetWriter(path, self._schema, compression="zstd")
        self._waiting: list[dict[str, Any]] = []

    def add(self, rows: Sequence[dict[str, Any]]) -> None:
        """Write rows."""
        self._waiting += rows
        while len(self._waiting) >= ROW_GROUP:
            self._write(self._waiting[:ROW_GROUP])
            del self._waiting[:ROW_GROUP]

    def close(self) -> None:
        """Finish the file."""
        if self._waiting:
            self._write(self._waiting)
        self._writer.close()

    def _write(self, rows: list[dict[str, Any]]) -> None:
        table: pyarrow.Table = self._arrow.Table.from_pylist(rows, schema=self._schema)
        self._writer.write_table(table)
