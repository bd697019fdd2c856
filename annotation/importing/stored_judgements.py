"""What is stored already about the items that a batch of imported judgements is about."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import QuerySet

from annotation.access import visible_items, visible_questions
from annotation.judging.recording import Row, Unit
from annotation.models import Assignment, Item, QuestionAnnotation, Round, TypeAnnotation
from core.lookalikes import Names


@dataclass
class Stored:
    """What is there for the items of one batch of rows."""

    items: dict[str, Item]
    drawn: set[int]
    questions: dict[tuple[int, str], list[int]]
    positions: dict[tuple[int, int], tuple[int, str]]
    assignments: dict[tuple[int, int], Assignment]
    rows: dict[tuple[int, int, Unit], Row]
    ids_like: Callable[[str], str | None]


def read_stored(round: Round, wanted: set[str], ids_like: Callable[[str], str | None]) -> Stored:
    """Return what is there for the items of these ids."""
    items = {item.external_id: item for item in visible_items(round.project).filter(external_id__in=wanted)}
    by_pk = {item.pk: item for item in items.values()}
    drawn = set(round.round_items.filter(item__in=by_pk).values_list("item", flat=True))
    questions: dict[tuple[int, str], list[int]] = defaultdict(list)
    positions: dict[tuple[int, int], tuple[int, str]] = {}
    asked = round.round_questions.filter(question__item__in=by_pk).values_list(
        "question__item", "question__external_id", "question", "question__position"
    )
    could_be_asked = (
        visible_questions(round.project)
        .filter(item__in=set(by_pk) - drawn)
        .values_list("item", "external_id", "id", "position")
    )
    for item, external_id, question, position in [*asked, *could_be_asked]:
        questions[(item, str(external_id))].append(question)
        positions[(item, position)] = (question, str(external_id))
    assignments = {
        (assignment.item_id, assignment.member_id): assignment
        for assignment in round.assignments.filter(item__in=by_pk)
    }
    of = {assignment.pk: key for key, assignment in assignments.items()}
    rows: dict[tuple[int, int, Unit], Row] = {}
    for about_type in TypeAnnotation.objects.filter(assignment__in=of):
        rows[(*of[about_type.assignment_id], Unit(about_type.type_code))] = about_type
    for about_question in QuestionAnnotation.objects.filter(assignment__in=of):
        unit = Unit(question_id=about_question.question_id)
        rows[(*of[about_question.assignment_id], unit)] = about_question
    return Stored(items, drawn, questions, positions, assignments, rows, ids_like)


class IdsLike:
    """Finds the id that another one looks like; the ids are read when the first is asked for."""

    def __init__(self, items: QuerySet[Item]) -> None:
        self.items = items
        self.names: Names | None = None

    def __call__(self, name: str) -> str | None:
        if self.names is None:
            self.names = Names()
            for external_id in self.items.values_list("external_id", flat=True).iterator(1_000):
                self.names.add(external_id)
        return self.names.unseen(name) or self.names.but_for_case(name)
