"""What each unit was answered: shares of votes (soft labels) and the votes of each annotator, as CSV. Pure.

A unit is a type of a text or a question. Only votes count: the latest answer of each annotator, never
"cannot judge". A unit without a vote has no line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from annotation.codebooks.definition import PUBLISHED_LABELS
from core.csv_safety import made_safe
from exports.formats.longform import csv_line
from exports.selection.records import ItemRecord
from exports.selection.selection import Selection

_TYPE_ANSWERS = ("yes", "no")
_SPECIAL = frozenset(',"\r\n')

_TYPE_UNIT = (("item", "string", "The item's id."), ("type", "string", "The type's code."))
_QUESTION_UNIT = (
    ("item", "string", "The item's id."),
    ("question", "string", "The question's id; empty where it has none."),
    ("question_position", "int64", "The question's place in its item, from 1."),
)


def answers(selection: Selection) -> tuple[str, ...]:
    """Return what a unit can be answered, in the words of the benchmark."""
    return _TYPE_ANSWERS if selection.typology else tuple(PUBLISHED_LABELS.values())


def unit_columns(selection: Selection) -> tuple[tuple[str, str, str], ...]:
    """Return name, kind and meaning of the columns that say which unit a line is about."""
    return _TYPE_UNIT if selection.typology else _QUESTION_UNIT


def share_columns(selection: Selection) -> tuple[tuple[str, str, str], ...]:
    """Return name, kind and meaning of every column of the soft labels."""
    return (
        *unit_columns(selection),
        ("votes", "int64", "How many annotators voted on the unit."),
        *(
            (
                f"share_{answer}",
                "float64",
                f"The share of these votes that are {answer}; all shares sum to 1.",
            )
            for answer in answers(selection)
        ),
    )


def cell(text: str) -> str:
    """Return a text as one cell of CSV that no spreadsheet runs.

    >>> cell("A-17"), cell("=1"), cell("a,b")
    ('A-17', "'=1", '"a,b"')
    """
    text = made_safe(text)
    return text if _SPECIAL.isdisjoint(text) else csv_line([text])[:-1]


@lru_cache(maxsize=4096)
def name_cell(name: str) -> str:
    """Return what `cell` does, for names that come again and again."""
    return cell(name)


def unit_cells(record: ItemRecord, item: str) -> dict[str | int, str]:
    """Return the cells that name each unit of an item which somebody voted on; `item` is its id as a cell."""
    if record.types:
        return {
            code: f"{item},{name_cell(code)}"
            for code, decided in record.types.items()
            if decided.yes or decided.no
        }
    return {
        question.pk: f"{item},{_question_id(question.external_id)},{question.position}"
        for question in record.questions
        if record.answers[question.pk].votes
    }


def share_lines(record: ItemRecord, units: Mapping[str | int, str]) -> Iterator[str]:
    """Yield a line a unit: how many votes it has, and the share of each answer among them."""
    for unit, named in units.items():
        if isinstance(unit, str):
            decided = record.types[unit]
            yield f"{named},{_shares((decided.yes, decided.no))}\n"
        else:
            votes = dict(record.answers[unit].votes)
            yield f"{named},{_shares(tuple(votes.get(code, 0) for code in PUBLISHED_LABELS))}\n"


def matrix_lines(
    record: ItemRecord, units: Mapping[str | int, str], places: Mapping[int, int]
) -> Iterator[str]:
    """Yield a line a unit with a cell for each annotator: the vote, empty where there is none.

    `places` says which column is whose, by membership.
    """
    rows = {unit: [""] * len(places) for unit in units}
    for judgement, counted in zip(record.judgements, record.counted, strict=True):
        answer, row = judgement.answer, rows.get(judgement.unit)
        if not counted or answer is None or row is None:
            continue
        if isinstance(answer, str):
            row[places[judgement.annotator]] = PUBLISHED_LABELS[answer]
        else:
            row[places[judgement.annotator]] = "yes" if answer else "no"
    for unit, named in units.items():
        yield f"{named},{','.join(rows[unit])}\n"


def header(selection: Selection, annotators: Sequence[str]) -> str:
    """Return the first line of the matrix."""
    return csv_line([*(name for name, _, _ in unit_columns(selection)), *map(made_safe, annotators)])


@lru_cache(maxsize=4096)
def _shares(votes: tuple[int, ...]) -> str:
    whole = sum(votes)
    return ",".join([str(whole), *(repr(number / whole) for number in votes)])


def _question_id(external_id: object) -> str:
    return "" if external_id is None else cell(str(external_id))
