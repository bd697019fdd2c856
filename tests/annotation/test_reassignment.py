"""Texts that somebody has not finished go to others; what was decided stays."""

import pytest

from annotation.models import Assignment, TypeAnnotation
from annotation.projects.members import member_deactivate
from annotation.projects.projects import member_add
from annotation.rounds.lifecycle import round_close, round_pause, round_resume
from annotation.rounds.progress import progress_of_round
from annotation.rounds.reassignment import round_reassign, unfinished_texts
from core.errors import NotFound, Refused
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Three annotators of a two-criterion codebook; Ann finished one text and began another."""
    made = factories.study("context_sufficiency", annotators=3, items=4)
    factories.open_round(made, overlap=2)
    ann = made.annotators[0]
    types = [entry["code"] for entry in made.round.codebook.definition["types"]]
    own = [assignment.item for assignment in made.round.assignments.filter(member=ann)]
    made.types, made.own = types, own
    for code in types:
        factories.record(made.round, ann, own[0], code, factories.NO)
    factories.record(made.round, ann, own[1], types[0], factories.NO)
    return made


def test_finished_texts_stay_and_the_others_move_to_who_does_not_have_them(study):
    ann, bea, cai = study.annotators
    assert [one.item for one in unfinished_texts(study.round, ann)] == study.own[1:]
    result = round_reassign(round=study.round, target=ann, members=[bea, cai], member=study.lead)
    assert (result.moved, result.left_over) == (len(study.own) - 1, 0)
    for item in study.own[1:]:
        holders = Assignment.objects.filter(round=study.round, item=item, released_at__isnull=True)
        assert sorted(holders.values_list("member", flat=True)) == [bea.pk, cai.pk]


def test_nothing_judged_is_deleted(study):
    before = TypeAnnotation.objects.count()
    ann, bea, cai = study.annotators
    round_reassign(round=study.round, target=ann, members=[bea, cai], member=study.lead)
    assert TypeAnnotation.objects.count() == before == 3


def test_whoever_handed_a_text_on_can_no_longer_judge_it(study):
    ann, bea, cai = study.annotators
    round_reassign(round=study.round, target=ann, members=[bea, cai], member=study.lead)
    with pytest.raises(NotFound):
        factories.record(study.round, ann, study.own[1], study.types[1], factories.NO)


def test_texts_reassigned_by_mistake_are_given_back(study):
    ann = study.annotators[0]
    dana = member_add(project=study.project, user=factories.user("dana"))
    before = study.round.assignments.filter(member=ann).values_list("item", "position", "types")
    expected = sorted(before)
    round_reassign(round=study.round, target=ann, members=[dana], member=study.lead)
    factories.record(study.round, dana, study.own[1], study.types[1], factories.NO)
    result = round_reassign(round=study.round, target=dana, members=[ann], member=study.lead)
    assert (result.moved, result.left_over) == (len(study.own) - 1, 0)
    now = study.round.assignments.filter(member=ann, released_at__isnull=True)
    assert sorted(now.values_list("item", "position", "types")) == expected
    assert not study.round.assignments.filter(member=dana, released_at__isnull=True).exists()
    assert [one.item for one in unfinished_texts(study.round, ann)] == study.own[1:]
    assert TypeAnnotation.objects.filter(assignment__member=dana).count() == 1


def test_whoever_handed_a_text_on_gets_it_back_only_where_nobody_else_takes_it(study):
    ann, bea, cai = study.annotators
    dana = member_add(project=study.project, user=factories.user("dana"))
    round_reassign(round=study.round, target=ann, members=[dana], member=study.lead)
    round_reassign(round=study.round, target=dana, members=[ann, bea, cai], member=study.lead)
    assert [one.item for one in ann.assignments.filter(released_at=None)] == study.own[:1]


def test_progress_counts_the_texts_people_have_now(study):
    ann, bea, cai = study.annotators
    round_reassign(round=study.round, target=ann, members=[bea, cai], member=study.lead)
    texts = {row.member.pseudonym: row.texts for row in progress_of_round(study.round)}
    assert texts["A2"] == 1
    assert sum(texts.values()) == 8


def test_texts_that_everybody_has_stay(study):
    made = factories.study("context_sufficiency", annotators=2, items=3)
    factories.open_round(made)
    ann, bea = made.annotators
    result = round_reassign(round=made.round, target=ann, members=[bea], member=made.lead)
    assert (result.moved, result.left_over) == (0, 3)
    assert made.round.assignments.filter(member=ann, released_at__isnull=True).count() == 3


def test_questions_make_a_text_unfinished_too():
    made = factories.study("cqs_gen", annotators=2, items=2, questions=2)
    factories.open_round(made)
    ann = made.annotators[0]
    for question in made.items[0].questions.all():
        factories.record(made.round, ann, made.items[0], question, {"label": "USE"})
    factories.record(made.round, ann, made.items[1], made.items[1].questions.first(), {"label": "USE"})
    assert [one.item for one in unfinished_texts(made.round, ann)] == [made.items[1]]
    newcomer = member_add(project=made.project, user=factories.user("dana"))
    round_reassign(round=made.round, target=ann, members=[newcomer], member=made.lead)
    assert progress_of_round(made.round, member=newcomer)[0].total == 2


def test_only_active_annotators_of_an_open_round_take_texts(study):
    ann, bea, cai = study.annotators
    member_deactivate(target=cai, member=study.lead)
    with pytest.raises(Refused, match="at least one other active annotator"):
        round_reassign(round=study.round, target=ann, members=[cai, ann], member=study.lead)
    round_close(study.round, by=study.lead)
    with pytest.raises(Refused, match="only an open round changes"):
        round_reassign(round=study.round, target=ann, members=[bea], member=study.lead)


def test_a_paused_round_records_nothing_until_it_goes_on(study):
    ann = study.annotators[0]
    round_pause(study.round, by=study.lead)
    with pytest.raises(Refused, match="is paused") as refused:
        factories.record(study.round, ann, study.own[1], study.types[1], factories.NO)
    assert refused.value.code == "round_paused"
    round_resume(study.round, by=study.lead)
    factories.record(study.round, ann, study.own[1], study.types[1], factories.NO)
    round_pause(study.round, by=study.lead)
    assert round_close(study.round, by=study.lead).paused_at is None
