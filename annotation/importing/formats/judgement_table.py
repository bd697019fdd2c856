"""Finished judgements in long form, made elsewhere: CSV, JSON Lines or Excel, one row a judgement."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext

from annotation.importing.files.rows import (
    FileError,
    JudgementRow,
    JudgementRows,
    Notice,
    Refusal,
    json_problem,
)
from annotation.importing.files.tabular import Cells, RowProblem, Table, read_table
from annotation.importing.formats.common import LABELS
from core.lookalikes import heard_as
from core.texts import is_blank

NEEDED = ("item", "annotator")
COLUMNS = (
    *NEEDED,
    "type",
    "question",
    "question_position",
    "applicable",
    "label",
    "start",
    "end",
    "quote",
    "occurrence",
    "reason",
    "comment",
    "edited_question",
    "cannot_judge",
    "unsure",
    "incomplete",
    "active_seconds",
    "decided_at",
)
KEY_COLUMNS = tuple(column for column in COLUMNS if column != "annotator")
"""Those of a training round's key, which is nobody's judgement."""
_TYPE_FIELDS = ("applicable", "start", "end", "quote", "comment", "cannot_judge", "unsure")
_QUESTION_FIELDS = ("label", "reason", "comment", "edited_question", "cannot_judge", "unsure")
# pandas writes 1.0 for 1 in a column that has an empty cell
_TRUE = ("yes", "true", "1", "1.0")
_FALSE = ("no", "false", "0", "0.0")
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,15})?", re.ASCII)
_WITH_TIME = re.compile(r"\d[T ]\d", re.ASCII)
MOST_SECONDS = 366 * 24 * 60 * 60
_WHOLE = re.compile(r"([+-]?\d{1,18})(?:\.0)?", re.ASCII)


def read(
    path: Path, *, name: str, annotator_needed: bool = True, renamed: Mapping[str, str] | None = None
) -> JudgementRows:
    """Yield the judgements of a file. Columns that are not known are noticed and left out.

    The key of a training round has no annotator: there `annotator_needed` is False. `renamed` says which
    column of the file stands for which known one. Raises FileError.
    """
    table = read_table(path, name, COLUMNS, renamed)
    _require_columns(table, name, NEEDED if annotator_needed else ("item",))
    for column in table.columns or ():
        if column not in COLUMNS:
            yield Notice(
                gettext("row %(number)s") % {"number": 1},
                gettext("column %(column)s is not known and is left out") % {"column": repr(column)},
            )
    for row in table.rows:
        if not isinstance(row, Cells):
            yield row
            continue
        try:
            yield _judgement(row, annotator_needed)
        except RowProblem as problem:
            yield Refusal(row.place, str(problem), row.values)


def columns_of(protocol: str, *, key: bool = False) -> tuple[str, ...]:
    """Return the columns that a file of judgements, or a training round's key, has in any case."""
    unit = ("type", "applicable") if protocol == "focus" else ("question", "label")
    return (*(NEEDED[:1] if key else NEEDED), *unit)


def answer_fields(row: JudgementRow) -> dict[str, Any]:
    """Return a row's answer by the names that the protocols check."""
    fields = _QUESTION_FIELDS if row.type_code is None else _TYPE_FIELDS
    return {field: getattr(row, field) for field in fields}


def _require_columns(table: Table, name: str, needed: Sequence[str]) -> None:
    table.require(name, needed)
    if table.columns is None:
        return
    for unit, answer in (("type", "applicable"), ("question", "label"), ("question_position", "label")):
        if unit in table.columns:
            table.require(name, (answer,))
    if not {"type", "question", "question_position"} & set(table.columns):
        found = ", ".join(repr(column) for column in table.columns)
        raise FileError(
            name,
            gettext("row %(number)s") % {"number": 1},
            gettext("no column 'type' or 'question'; found %(found)s") % {"found": found},
        )


def _judgement(row: Cells, annotator_needed: bool) -> JudgementRow:
    values = row.values
    if problem := json_problem({column: values.get(column) for column in COLUMNS}, "row"):
        raise RowProblem(problem)
    for column, lost in (row.lost or {}).items():
        if column in COLUMNS and lost.value == "":
            row.kept(column)
    cannot_judge = _yes_no(row, "cannot_judge") or False
    type_code, question = row.text("type"), _question_id(row)
    position = _whole_number(row, "question_position")
    if (type_code != "") == (question is not None or position is not None):
        raise RowProblem(gettext("expected a type or a question, and not both"))
    unit, answer, other = (
        ("type", "applicable", "label") if type_code else ("question", "label", "applicable")
    )
    if values.get(other) not in (None, ""):
        raise RowProblem(
            gettext("%(other)s does not go with a %(unit)s; expected %(answer)s")
            % {"other": other, "unit": unit, "answer": answer}
        )
    applicable = _yes_no(row, "applicable")
    label = _label(row)
    if applicable is None and label is None and not cannot_judge:
        raise RowProblem(gettext("%(answer)s is blank") % {"answer": answer})
    return JudgementRow(
        item=_filled(row, "item"),
        type_code=type_code or None,
        question=question,
        annotator=_filled(row, "annotator") if annotator_needed else row.text("annotator"),
        applicable=applicable,
        label=label,
        start=_whole_number(row, "start"),
        end=_whole_number(row, "end"),
        quote=row.text("quote") or None,
        reason=row.text("reason"),
        comment=row.text("comment"),
        edited_question=row.text("edited_question"),
        cannot_judge=cannot_judge,
        unsure=_yes_no(row, "unsure") or False,
        place=row.place,
        question_position=position,
        active_seconds=_seconds(row),
        decided_at=moment(values.get("decided_at"), "decided_at"),
        incomplete=_yes_no(row, "incomplete") or False,
        given=values,
        occurrence=_whole_number(row, "occurrence"),
    )


def moment(value: Any, name: str) -> datetime | None:
    """Return a moment as a file writes it, None for none; without a zone it is the server's.

    Raises RowProblem for anything but a date with a time as ISO 8601 has it.
    """
    if value is None or value == "":
        return None
    try:
        found = datetime.fromisoformat(str(value).strip())
        if not _WITH_TIME.search(str(value)):
            raise ValueError
        return (timezone.make_aware(found) if timezone.is_naive(found) else found).astimezone(UTC)
    except (ValueError, OverflowError):
        raise RowProblem(
            gettext("%(name)s is %(value)s, expected a date with a time, as in 2024-05-31T14:05:00Z")
            % {"name": name, "value": repr(value)}
        ) from None


def _seconds(row: Cells) -> int | None:
    value = row.values.get("active_seconds")
    if value is None or value == "":
        return None
    match = None if isinstance(value, bool) else _NUMBER.fullmatch(str(value).strip())
    seconds = round(float(match[0])) if match else MOST_SECONDS + 1
    if seconds > MOST_SECONDS:
        raise RowProblem(
            gettext("active_seconds is %(value)s, expected a number of seconds of at most %(most)s")
            % {"value": repr(value), "most": MOST_SECONDS}
        )
    return seconds


def _filled(row: Cells, column: str) -> str:
    value = row.text(column)
    if is_blank(value):
        raise RowProblem(gettext("%(column)s is blank") % {"column": column})
    return value


def _question_id(row: Cells) -> str | int | None:
    value = row.kept("question")
    return value if isinstance(value, int) and not isinstance(value, bool) else row.text("question") or None


def _yes_no(row: Cells, column: str) -> bool | None:
    value = row.values.get(column)
    if value is None or value == "":
        return None
    word = heard_as(str(value))
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise RowProblem(
        gettext("%(column)s is %(value)s, expected yes or no (or true, false, 1, 0)")
        % {"column": column, "value": repr(value)}
    )


def _label(row: Cells) -> str | None:
    value = row.text("label")
    if value and heard_as(value) not in LABELS:
        raise RowProblem(
            gettext("label is %(value)s, expected USE, UN, IN or Useful, Unhelpful, Invalid")
            % {"value": repr(value)}
        )
    return LABELS.get(heard_as(value))


def _whole_number(row: Cells, column: str) -> int | None:
    value = row.values.get(column)
    if value is None or value == "":
        return None
    match = None if isinstance(value, bool) else _WHOLE.fullmatch(str(value))
    if match is None:
        raise RowProblem(
            gettext("%(column)s is %(value)s, expected a whole number")
            % {"column": column, "value": repr(value)}
        )
    return int(match[1])
