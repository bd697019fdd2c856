"""Judgements in long form, one row a judgement, for people who model disagreement. Pseudonyms only.

The columns are those of the judgement importer, and some that it leaves alone. The CSV file is safe to open
in a spreadsheet: a cell that would run as a formula gets an apostrophe in front. Parquet is exact.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

from core.csv_safety import made_safe
from exports.selection.records import ItemRecord
from exports.selection.rows import QuestionRow
from exports.selection.selection import Selection

Row = tuple[Any, ...]

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
    ("incomplete", _FLAG),
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
    """Return name and kind of each column; what people wrote or quote only where the release carries it."""
    choices = selection.parameters
    left_out = {
        "comment": not choices.comments,
        "quote": not choices.texts,
        "edited_question": not choices.texts,
    }
    return tuple((name, kind) for name, kind in known(selection) if not left_out.get(name))


def known(selection: Selection) -> tuple[tuple[str, str], ...]:
    """Return name and kind of every column that a release of this protocol can have."""
    return _TYPES if selection.typology else _QUESTIONS


def raw_columns(*, typology: bool) -> tuple[tuple[str, str], ...]:
    """Return the columns without a release, where nothing says which judgement of an annotator counts."""
    return tuple(column for column in (_TYPES if typology else _QUESTIONS) if column[0] != "counted")


def suggestion_columns(*, typology: bool) -> tuple[tuple[str, str], ...]:
    """Return the columns about suggestions, where there were some: what was suggested, seen and taken."""
    span = (("suggested_start", _WHOLE), ("suggested_end", _WHOLE)) if typology else ()
    answer = ("suggested_applicable", _FLAG) if typology else ("suggested_label", _TEXT)
    return (("suggestion_visible", _FLAG), ("suggestion_taken", _FLAG), answer, *span)


def rows(record: ItemRecord, selection: Selection) -> Iterator[Row]:
    """Yield the judgements of an item by unit, round and annotator: a value for each of `known`, in order."""
    item, rounds, members = record.item.external_id, selection.round_of, selection.members
    questions: dict[str | int, QuestionRow] = {question.pk: question for question in record.questions}
    for judgement, counted in zip(record.judgements, record.counted, strict=True):
        round = rounds[judgement.round]
        made = round.name, round.codebook_version, members[judgement.annotator]
        tail = (
            judgement.comment or None,
            judgement.cannot_judge,
            judgement.unsure,
            judgement.incomplete,
            judgement.active_seconds,
            judgement.decided_at and judgement.decided_at.isoformat(timespec="microseconds"),
            judgement.after_reopening,
            counted,
        )
        if selection.typology:
            span = judgement.start, judgement.end, judgement.quote
            yield item, judgement.unit, *made, judgement.answer, *span, *tail
            continue
        question = questions[judgement.unit]
        yield (
            item,
            None if question.external_id is None else str(question.external_id),
            question.position,
            *made,
            judgement.answer,
            judgement.reason or None,
            judgement.edited_question or None,
            *tail,
        )


def csv_cells(kind: str, values: Sequence[Any]) -> Sequence[Any]:
    """Return a column that no spreadsheet runs: flags are words, formulas are marked, None stays empty."""
    if kind == _FLAG:
        return [_FLAGS.get(value) for value in values]
    if kind == _TEXT:
        return [value and made_safe(value) for value in values]
    return values


def csv_line(cells: Sequence[Any]) -> str:
    """Return a line of CSV that ends in a line feed, with every cell that has a carriage return in quotes.

    Python's writer puts in quotes only the characters that it ends lines with: a carriage return alone would
    end the row for every reader.

    >>> csv_line(["one\\rtwo", 3])
    '"one\\rtwo",3\\n'
    """
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue().removesuffix("\r\n") + "\n"


def csv_block(kinds: Iterable[str], values: Sequence[Sequence[Any]]) -> str:
    """Return the lines of CSV of a block of rows, given column by column."""
    cells = [csv_cells(kind, column) for kind, column in zip(kinds, values, strict=True)]
    block = io.StringIO(newline="")
    csv.writer(block, lineterminator="\n").writerows(zip(*cells, strict=True))
    text = block.getvalue()
    return "".join(map(csv_line, zip(*cells, strict=True))) if "\r" in text else text


class JudgementFiles:
    """The judgements as CSV and as Parquet, written column by column, a row group at a time in memory.

    CSV: UTF-8, comma, double quotes, line feeds. Both streams are binary and are closed here.
    """

    def __init__(self, csv_stream: IO[bytes], parquet_stream: IO[bytes], selection: Selection) -> None:
        # Imported here because only a release needs it, and it takes a while.
        import pyarrow.parquet

        shown = dict(columns(selection))
        self._places = [place for place, (name, _) in enumerate(known(selection)) if name in shown]
        self._columns = shown
        self._arrow = pyarrow
        self._schema = pyarrow.schema(
            [(name, getattr(pyarrow, "bool_" if kind == _FLAG else kind)()) for name, kind in shown.items()]
        )
        self._parquet_stream = parquet_stream
        self._parquet = pyarrow.parquet.ParquetWriter(parquet_stream, self._schema, compression="zstd")
        self._csv_stream = io.TextIOWrapper(csv_stream, encoding="utf-8", newline="")
        self._csv_stream.write(csv_line(list(shown)))
        self._waiting: list[Row] = []

    def add(self, rows: Iterable[Row]) -> None:
        """Write rows."""
        self._waiting += rows
        while len(self._waiting) >= ROW_GROUP:
            self._write(self._waiting[:ROW_GROUP])
            del self._waiting[:ROW_GROUP]

    def close(self) -> None:
        """Finish the files."""
        if self._waiting:
            self._write(self._waiting)
        self._parquet.close()
        self._parquet_stream.close()
        self._csv_stream.close()

    def _write(self, rows: list[Row]) -> None:
        every = list(zip(*rows, strict=True))
        values = [every[place] for place in self._places]
        arrays = [
            self._arrow.array(column, type=field.type)
            for column, field in zip(values, self._schema, strict=True)
        ]
        self._parquet.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))
        self._csv_stream.write(csv_block(self._columns.values(), values))
