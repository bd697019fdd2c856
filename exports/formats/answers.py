"""What the forms of other tools share: the counted answers of each annotator, and what stands beside them."""

from __future__ import annotations

from exports.selection.decisions import Judgement
from exports.selection.records import ItemRecord
from exports.selection.rows import QuestionRow
from exports.selection.selection import Selection


def by_annotator(record: ItemRecord) -> dict[int, list[Judgement]]:
    """Return the counted answers of each annotator; "cannot judge" is no answer."""
    found: dict[int, list[Judgement]] = {}
    for judgement, counted in zip(record.judgements, record.counted, strict=True):
        if counted and judgement.answer is not None:
            found.setdefault(judgement.annotator, []).append(judgement)
    return dict(sorted(found.items()))


def type_name(code: str, selection: Selection) -> str:
    """Return the name of a type, or its code where the newest codebook dropped it."""
    kind = selection.codebook.type(code)
    return kind.name if kind else code


def question_of(record: ItemRecord, key: int) -> QuestionRow:
    """Return a question of the item by its key."""
    return next(question for question in record.questions if question.pk == key)


def details(judgement: Judgement, selection: Selection) -> list[tuple[str, str]]:
    """Return what stands beside an answer, as far as there is any; comments only where they are chosen."""
    comment = judgement.comment if selection.parameters.comments else ""
    found = [
        ("reason", judgement.reason),
        ("comment", comment),
        ("edited_question", judgement.edited_question),
    ]
    return [(what, text) for what, text in found if text]
