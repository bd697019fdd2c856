"""The project's own table of items and questions: CSV, JSON Lines or Excel.

One row a question, with the text of its item repeated and equal, or one row an item alone. Rows of one
item that stand together become one ItemRow; rows further apart become several, which name the same item.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from django.utils.translation import gettext

from annotation.codebooks.definition import PUBLISHED_LABELS
from annotation.importing.files.lost_cells import ends_in_zeros
from annotation.importing.files.rows import (
    ItemRow,
    ItemRows,
    Notice,
    QuestionRow,
    Refusal,
    difference,
    item_problem,
    question_problem,
)
from annotation.importing.files.tabular import Cells, ChangedCells, RowProblem, read_table
from core.texts import is_blank

NEEDED = ("id", "text")
ITEM_COLUMNS = ("id", "text", "source", "topic", "split", "licence")
QUESTION_COLUMNS = ("question_id", "question", "origin", "published_label")
KNOWN = ITEM_COLUMNS + QUESTION_COLUMNS
_LABELS = {word.lower(): name for code, name in PUBLISHED_LABELS.items() for word in (code, name)}
_AS_WRITTEN = (*NEEDED, "question_id", "question")
"""Columns whose cells are taken only as they were written: others are noted where they were changed."""


def read(
    path: Path, *, name: str, origin: str | None = None, renamed: Mapping[str, str] | None = None
) -> ItemRows:
    """Yield the items of a table with their questions, refusals behind the item they stand with.

    `origin` stands for questions whose row names none; `renamed` says which column of the file stands
    for which known one. Raises FileError.
    """
    table = read_table(path, name, KNOWN, renamed)
    table.require(name, NEEDED)
    item: ItemRow | None = None
    further: list[ItemRow] = []
    refused: list[Refusal | Notice] = []
    changed = ChangedCells()
    for row in table.rows:
        if item is None:
            yield from refused
            refused.clear()
        if not isinstance(row, Cells):
            refused.append(row)
            continue
        try:
            found = _item(row, origin or "")
            changed.add(row, _AS_WRITTEN)
            if ends_in_zeros(found.external_id):
                changed.add_cell(
                    "id", gettext("long numbers that end in zeros, as Excel leaves them"), row.place
                )
            if item is not None and found.external_id == item.external_id:
                _refuse_difference(item, found)
                further.append(found)
                if not found.questions:
                    refused.append(Notice(row.place, repeated(found.external_id, item.place)))
                continue
        except RowProblem as problem:
            refused.append(Refusal(row.place, str(problem), row.values))
            continue
        yield from _together(item, further, refused)
        item, further, refused = found, [], []
    yield from _together(item, further, refused)
    yield from changed.notices()


def repeated(external_id: str, place: str) -> str:
    """Say that a row names an item again and brings nothing new."""
    return gettext("“%(id)s” stands at %(place)s already, with the same text; it is stored once") % {
        "id": external_id,
        "place": place,
    }


def _together(
    item: ItemRow | None, further: list[ItemRow], refused: list[Refusal | Notice]
) -> Iterator[ItemRow | Refusal | Notice]:
    if item is not None and not further:
        yield item
    elif item is not None:
        rows = [item, *further]
        questions = tuple(question for row in rows for question in row.questions)
        yield replace(item, questions=questions, given=tuple(given for row in rows for given in row.given))
    yield from refused


def _item(row: Cells, origin: str) -> ItemRow:
    values = row.values
    for column in NEEDED:
        if column not in values:
            raise RowProblem(
                gettext("no %(column)s; found %(values)s")
                % {"column": repr(column), "values": ", ".join(map(repr, values))}
            )
    item = ItemRow(
        external_id=row.text("id"),
        text=row.text("text"),
        source=row.shown("source"),
        topic=row.shown("topic"),
        split=row.shown("split"),
        licence=row.shown("licence"),
        metadata={column: value for column, value in values.items() if column not in KNOWN},
        questions=_questions(row, origin),
        place=row.place,
        given=(values,),
    )
    if problem := item_problem(item):
        raise RowProblem(problem)
    return item


def _questions(row: Cells, origin: str) -> tuple[QuestionRow, ...]:
    text = row.text("question")
    question_id = row.kept("question_id")
    if isinstance(question_id, bool | float | list | dict):
        raise RowProblem(gettext("question_id: expected a text or a whole number"))
    if is_blank(text):
        for column in ("question_id", "origin", "published_label"):
            if row.values.get(column) not in (None, ""):
                raise RowProblem(gettext("has %(column)s but no question") % {"column": column})
        return ()
    question = QuestionRow(
        external_id=None if question_id == "" else question_id,
        text=text,
        origin=row.shown("origin") or origin,
        label=_label(row),
        place=row.place,
        given=row.values,
    )
    if problem := question_problem(question):
        raise RowProblem(problem)
    return (question,)


def _label(row: Cells) -> str | None:
    value = row.text("published_label").strip()
    if value and value.lower() not in _LABELS:
        raise RowProblem(
            gettext("published_label is %(value)s, expected %(labels)s")
            % {"value": repr(value), "labels": ", ".join(PUBLISHED_LABELS.values())}
        )
    return _LABELS.get(value.lower())


def _refuse_difference(item: ItemRow, further: ItemRow) -> None:
    """Raise RowProblem unless a further row agrees on all that is the item's."""
    if item.text != further.text:
        where = difference(item.text, further.text)
        raise RowProblem(
            gettext("the text differs from that of the same id at %(place)s, %(where)s")
            % {"place": item.place, "where": where}
        )
    for column in ("source", "topic", "split", "licence"):
        there, here = getattr(item, column), getattr(further, column)
        if there != here:
            raise RowProblem(
                gettext("%(column)s is %(here)s, at %(place)s of the same id %(there)s")
                % {"column": column, "here": repr(here), "place": item.place, "there": repr(there)}
            )
    for column in {**item.metadata, **further.metadata}:
        there, here = item.metadata.get(column), further.metadata.get(column)
        if there != here:
            raise RowProblem(
                gettext(
                    "%(column)s is %(here)s, at %(place)s of the same id %(there)s; columns beyond the "
                    "known ones belong to the item, not to a question"
                )
                % {"column": column, "here": repr(here), "place": item.place, "there": repr(there)}
            )
