"""The progress of a round is what counting its judgements gives, whatever happened to them."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import IntegrityError, connections

from annotation.database.install import lifted_triggers
from annotation.items.withdrawal import item_restore, item_withdraw
from annotation.judging.recording import Unit, judgement_record
from annotation.models import Assignment, QuestionAnnotation, RoundProgress, RoundQuestion, TypeAnnotation
from annotation.projects.members import member_edit
from annotation.projects.projects import member_add
from annotation.rounds.lifecycle import round_close, round_create, round_draw, round_reopen
from annotation.rounds.progress import progress_of_round
from annotation.rounds.reassignment import round_reassign
from annotation.rounds.reassignment_by_type import round_reassign_types
from tests import factories
from tests.factories import NO, assignment_of, open_round, record, study, yes

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

COUNTS = ("questions", "decided", "active_seconds", "judged_at")


def counted() -> dict[int, tuple]:
    """Return what the database keeps of each assignment."""
    return {pk: tuple(rest) for pk, *rest in Assignment.objects.values_list("pk", *COUNTS)}


def recounted() -> dict[int, tuple]:
    """Count the same from the judgements and the questions asked, one by one."""
    found = {}
    for assignment in Assignment.objects.all():
        rows = [*assignment.type_annotations.all(), *assignment.question_annotations.all()]
        asked = RoundQuestion.objects.filter(round=assignment.round_id, question__item=assignment.item_id)
        found[assignment.pk] = (
            asked.count(),
            sum(_is_decided(row) for row in rows),
            sum(row.active_seconds for row in rows),
            max((row.decided_at for row in rows), default=None),
        )
    return found


def counted_of_rounds() -> dict[tuple[int, int], tuple]:
    """Return what the database keeps of each annotator in a round."""
    columns = ("texts", "questions", "decided", "active_seconds", "judgements", "revisions", "late")
    rows = RoundProgress.objects.values_list("round", "member", *columns)
    return {(round, member): tuple(rest) for round, member, *rest in rows}


def recounted_of_rounds() -> dict[tuple[int, int], tuple]:
    """Count the same from the assignments and their judgements, one by one."""
    found: dict[tuple[int, int], list[int]] = {}
    for one in Assignment.objects.all():
        sums = found.setdefault((one.round_id, one.member_id), [0] * 7)
        if one.released_at is None and one.types is None:
            for place, n in enumerate((1, one.questions, one.decided, one.active_seconds)):
                sums[place] += n
        for row in [*one.type_annotations.all(), *one.question_annotations.all()]:
            for place, n in enumerate((1, row.revision, row.after_reopening), start=4):
                sums[place] += n
    return {key: tuple(sums) for key, sums in found.items()}


def all_counts_are_true() -> bool:
    return counted() == recounted() and counted_of_rounds() == recounted_of_rounds()


def _is_decided(row) -> bool:
    answer = row.label if isinstance(row, QuestionAnnotation) else row.applicable
    return answer is not None or row.cannot_judge


def rows_of(round) -> dict[str, tuple]:
    return {
        row.member.pseudonym: (row.texts, row.decided, row.total, row.active_seconds)
        for row in progress_of_round(round)
    }


def judged(assignment: Assignment, code: str, seconds: int) -> TypeAnnotation:
    return TypeAnnotation.objects.create(
        assignment=assignment,
        type_code=code,
        span_required=False,
        text_length=assignment.item.text_length,
        applicable=True,
        active_seconds=seconds,
    )


@pytest.fixture
def types():
    made = study("context_sufficiency", annotators=2, items=3)
    open_round(made)
    return made


@pytest.fixture
def questions():
    made = study("cqs_gen", annotators=2, items=2, questions=3)
    open_round(made)
    return made


def test_progress_of_types_follows_decisions_changes_and_undoing(types):
    (ann, bea), (first, second, _) = types.annotators, types.items
    record(types.round, ann, first, "CTX", {"applicable": True}, active_seconds=5)
    record(types.round, ann, first, "TOP", NO, active_seconds=7)
    record(types.round, ann, second, "CTX", {"cannot_judge": True, "comment": "cut off"}, active_seconds=1)
    record(types.round, bea, first, "CTX", NO)
    assert rows_of(types.round) == {"A2": (3, 3, 6, 13), "A3": (3, 1, 6, 0)}
    record(types.round, ann, first, "CTX", NO, active_seconds=2)
    record(types.round, ann, first, "TOP", None, active_seconds=4)
    assert rows_of(types.round) == {"A2": (3, 2, 6, 19), "A3": (3, 1, 6, 0)}
    last = TypeAnnotation.objects.filter(assignment__member=ann).latest("decided_at").decided_at
    assert progress_of_round(types.round, member=ann)[0].last_at == last
    assert all_counts_are_true()


def test_progress_of_questions_counts_those_the_round_asks(questions):
    ann, _ = questions.annotators
    asked = list(questions.items[0].questions.order_by("position"))
    record(questions.round, ann, questions.items[0], asked[0], {"label": "USE"}, active_seconds=8)
    record(questions.round, ann, questions.items[0], asked[1], {"label": "IN", "reason": "NC"})
    record(questions.round, ann, questions.items[0], asked[1], None)
    assert rows_of(questions.round) == {"A2": (2, 1, 6, 8), "A3": (2, 0, 6, 0)}
    assert all_counts_are_true()


def test_withdrawn_items_and_texts_reassigned_are_left_out_of_progress(types):
    ann, _ = types.annotators
    for item in types.items:
        record(types.round, ann, item, "CTX", NO, active_seconds=1)
    record(types.round, ann, types.items[2], "TOP", NO, active_seconds=1)
    item_withdraw(item=types.items[0], member=types.lead, why="take-down request")
    assert rows_of(types.round) == {"A2": (2, 3, 4, 3), "A3": (2, 0, 4, 0)}
    cai = member_add(project=types.project, user=factories.user("cai"))
    round_reassign(round=types.round, target=ann, members=[cai], member=types.lead)
    assert rows_of(types.round) == {"A2": (1, 2, 2, 2), "A3": (2, 0, 4, 0), "A4": (1, 0, 2, 0)}
    item_restore(item=types.items[0], member=types.lead)
    assert rows_of(types.round)["A3"] == (3, 0, 6, 0)
    assert all_counts_are_true()


def test_a_question_that_leaves_a_draft_is_no_longer_counted(questions):
    draft = round_create(project=questions.project, overlap=1)
    round_draw(draft)
    item = questions.items[0]
    Assignment.objects.create(round=draft, item=item, member=questions.annotators[0], position=1)
    assert Assignment.objects.get(round=draft).questions == 3
    draft.round_questions.filter(question=item.questions.first()).delete()
    assert Assignment.objects.get(round=draft).questions == 2
    assert all_counts_are_true()


def test_counts_go_with_deleted_judgements(types):
    draft = round_create(project=types.project, overlap=1)
    round_draw(draft)
    staged = Assignment.objects.create(
        round=draft, item=types.items[0], member=types.annotators[0], position=1
    )
    rows = [judged(staged, code, seconds) for code, seconds in (("CTX", 3), ("TOP", 4))]
    assert counted()[staged.pk] == (0, 2, 7, rows[1].decided_at)
    rows[1].delete()
    assert counted()[staged.pk] == (0, 1, 3, rows[0].decided_at)
    rows[0].delete()
    assert counted()[staged.pk] == (0, 0, 0, None)
    assert counted_of_rounds() == recounted_of_rounds()
    staged.delete()
    assert not RoundProgress.objects.filter(round=draft).exists()


def test_what_is_reassigned_by_type_is_counted_by_its_types(types):
    ann = types.annotators[0]
    record(types.round, ann, types.items[0], "CTX", NO, active_seconds=5)
    cai = member_add(project=types.project, user=factories.user("cai"))
    round_reassign_types(round=types.round, target=ann, types=["CTX"], members=[cai], member=types.lead)
    assert rows_of(types.round) == {"A2": (3, 1, 4, 5), "A3": (3, 0, 6, 0), "A4": (2, 0, 2, 0)}
    item_withdraw(item=types.items[1], member=types.lead, why="take-down request")
    assert rows_of(types.round) == {"A2": (2, 1, 3, 5), "A3": (2, 0, 4, 0), "A4": (1, 0, 1, 0)}
    assert all_counts_are_true()


def test_judgements_after_a_reopening_are_counted_apart(types):
    round_close(types.round)
    round_reopen(types.round, why="one was forgotten", by=types.lead)
    record(types.round, types.annotators[0], types.items[0], "CTX", NO)
    assert counted_of_rounds()[types.round.pk, types.annotators[0].pk] == (3, 0, 1, 0, 1, 1, 1)
    assert all_counts_are_true()


def test_a_judgement_cannot_move_to_another_assignment(types):
    record(types.round, types.annotators[0], types.items[0], "CTX", NO)
    elsewhere = assignment_of(types.round, types.annotators[1], types.items[0])
    with pytest.raises(IntegrityError, match="stays with its assignment"):
        TypeAnnotation.objects.update(assignment=elsewhere)


def test_what_was_written_past_the_triggers_is_counted_afterwards(types):
    assignment = assignment_of(types.round, types.annotators[0], types.items[0])
    with lifted_triggers():
        judged(assignment, "CTX", 6)
        assert Assignment.objects.get(pk=assignment.pk).decided == 0
    assert Assignment.objects.get(pk=assignment.pk).decided == 1
    assert all_counts_are_true()


def test_an_annotator_who_became_a_lead_keeps_progress_that_is_counted(types):
    ann = types.annotators[0]
    member_edit(target=ann, member=types.lead, is_lead=True, is_annotator=False, background="")
    ann.refresh_from_db()
    record(types.round, ann, types.items[0], "CTX", NO, active_seconds=3)
    assert rows_of(types.round)["A2"] == (3, 1, 6, 3)


def test_judgements_at_once_are_all_counted():
    made = study(items=2, annotators=2)
    open_round(made)
    types = [entry["code"] for entry in made.round.codebook.definition["types"]][:6]
    barrier = Barrier(2 * len(types))

    def save(member, code):
        def run():
            try:
                barrier.wait(timeout=30)
                judgement_record(
                    member=member,
                    round_number=made.round.number,
                    assignment_id=assignment_of(made.round, member, made.items[0]).pk,
                    unit=Unit(code),
                    answer=NO if code != "LE" else yes(made.items[0], "library"),
                    base_revision=0,
                    client_event_id=f"{member.pk}-{code}",
                    active_seconds=2,
                )
            finally:
                connections.close_all()

        return run

    with ThreadPoolExecutor(2 * len(types)) as pool:
        for done in [pool.submit(save(member, code)) for member in made.annotators for code in types]:
            done.result(timeout=60)
    assert [(row.decided, row.active_seconds) for row in progress_of_round(made.round)] == [(6, 12), (6, 12)]
    assert all_counts_are_true()
