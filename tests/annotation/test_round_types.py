"""A round may ask some types only, and an annotator of it some of those: everywhere only these are asked."""

import pytest
from django.utils import timezone

from annotation.judging.workspace import workspace_overview, workspace_units
from annotation.models import Assignment, KeyAnswer, Round, TypeAnnotation
from annotation.projects.projects import codebook_publish, member_add
from annotation.rounds.lifecycle import round_close, round_create, round_draw
from annotation.rounds.opening import round_open
from annotation.rounds.progress import progress_of_round
from annotation.rounds.reassignment import round_reassign, unfinished_texts
from annotation.rounds.reassignment_by_type import round_reassign_types, undecided_types
from annotation.rounds.training import missing_key, training_results
from core.errors import NotFound, Refused
from tests import factories
from tests.annotation.database import refused

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def study():
    """A round of all ten types, two texts, two annotators a text."""
    made = factories.study("focus", annotators=3, items=2)
    made.types = [entry["code"] for entry in made.project.codebooks.get().definition["types"]]
    factories.open_round(made, overlap=2, seed=3)
    return made


def of_two_types(made, **options) -> Round:
    options = {"types": made.types[1::-1], "overlap": 2, "member": made.lead, **options}
    made.round = round_create(project=made.project, **options)
    round_draw(made.round, member=made.lead)
    return made.round


def asked_of(round: Round, member, item) -> str | None:
    return factories.assignment_of(round, member, item).types


def test_a_round_asks_what_it_was_created_with_in_the_codebooks_order(study):
    first, second = study.types[:2]
    assert of_two_types(study).type_codes == (first, second)
    assert round_create(project=study.project).type_codes == tuple(study.types)
    assert round_create(project=study.project, types=study.types).types is None


def test_types_that_the_codebook_lacks_and_no_types_at_all_are_refused(study):
    for types, said in ((["ZZ"], "has no type ZZ"), ([], "Choose at least one type")):
        with pytest.raises(Refused, match=said) as refusal:
            round_create(project=study.project, types=types)
        assert list(refusal.value.errors) == ["types"]
    questions = factories.study("cqs_gen", items=1)
    with pytest.raises(Refused, match="has no type LE"):
        round_create(project=questions.project, types=["LE"])


@pytest.mark.parametrize("types", ["", "ZZ", "LE ZZ", "LE LE", " LE", "LE ", "le", "L"])
def test_the_database_refuses_types_that_are_not_the_codebooks(study, types):
    draft = round_create(project=study.project)
    write = Round.objects.filter(pk=draft.pk)
    assert "the types of a round are types of its codebook" in refused(lambda: write.update(types=types))


def test_the_database_keeps_the_types_of_an_opened_round(study):
    write = Round.objects.filter(pk=study.round.pk)
    assert "keeps its codebook and types" in refused(lambda: write.update(types=study.types[0]))


def test_the_database_refuses_an_assignment_of_types_that_its_round_does_not_ask(study):
    round_open(of_two_types(study), members=study.annotators[:2])
    write = Assignment.objects.filter(round=study.round)
    assert write.update(types=study.types[1]) == 4
    said = refused(lambda: write.update(types=f"{study.types[1]} {study.types[2]}"))
    assert "an assignment asks types of its round" in said


def test_the_database_leaves_a_judged_type_with_whom_judged_it(study):
    member, item = study.round.assignments.values_list("member", "item")[0]
    own = study.round.assignments.get(member=member, item=item)
    factories.record(study.round, own.member, own.item, study.types[0], factories.NO)
    write = Assignment.objects.filter(pk=own.pk)
    assert "stays with whom judged it" in refused(lambda: write.update(types=study.types[1]))
    assert write.update(types=study.types[0]) == 1


def test_the_database_refuses_a_judgement_of_a_type_that_is_not_asked(study):
    own = study.round.assignments.select_related("item").first()
    Assignment.objects.filter(pk=own.pk).update(types=study.types[0])
    row = {
        "assignment": own,
        "span_required": True,
        "text_length": own.item.text_length,
        "applicable": False,
        "decided_at": timezone.now(),
    }
    said = refused(lambda: TypeAnnotation.objects.create(type_code=study.types[1], **row))
    assert "the type is one that the assignment asks" in said
    TypeAnnotation.objects.create(type_code=study.types[0], **row)


def test_the_workspace_asks_only_the_types_of_the_round_and_counts_them(study):
    ann = study.annotators[0]
    round_open(of_two_types(study), members=study.annotators[:2])
    overview = workspace_overview(ann, study.round)
    assert [entry["code"] for entry in overview["spec"]["types"]] == study.types[:2]
    assert (overview["units_total"], overview["assignments_total"]) == (4, 2)
    pages = workspace_units(ann, study.round)["results"]
    assert [page["asked"] for page in pages] == [tuple(study.types[:2])] * 2
    with pytest.raises(NotFound, match="not asked this type"):
        factories.record(study.round, ann, study.items[0], study.types[2], factories.NO)


def test_a_round_can_be_about_the_items_and_questions_of_another_one():
    made = factories.study("cqs_gen", annotators=2, items=3, questions=2)
    earlier = round_create(project=made.project)
    round_draw(earlier, external_ids=["I-3", "I-1"])
    factories.add_items(made.project, 1, 2)
    later = made.items[0].questions.first()
    made.items[0].questions.create(brought_by=later.brought_by, position=9, text="New?", origin="x")
    follow = round_create(project=made.project, items_of=earlier)
    assert list(follow.round_items.values_list("item__external_id", flat=True)) == ["I-3", "I-1"]
    assert follow.round_questions.count() == earlier.round_questions.count() == 4
    assert follow.draw["items_of"] == 1


def test_a_withdrawn_item_is_not_drawn_again(study):
    study.project.items.filter(pk=study.items[0].pk).update(
        withdrawn_at=timezone.now(), withdrawn_reason="asked for"
    )
    follow = round_create(project=study.project, items_of=study.round, types=study.types[:1])
    assert list(follow.round_items.values_list("item", flat=True)) == [study.items[1].pk]


def test_the_key_of_a_training_round_answers_only_what_it_asks(study):
    training = of_two_types(study, purpose="training")
    assert missing_key(training)[0] == 4
    key = {"round": training, "item": study.items[0], "applicable": False}
    said = refused(lambda: KeyAnswer.objects.create(type_code=study.types[2], **key))
    assert "a key answers what a draft training round asks" in said
    for item in study.items:
        for code in study.types[:2]:
            KeyAnswer.objects.create(**{**key, "item": item}, type_code=code)
    round_open(training, members=study.annotators[:2])
    assert [result.total for result in training_results(training)] == [4, 4]
    round_reassign_types(
        round=training,
        target=study.annotators[0],
        types=study.types[:1],
        members=study.annotators[2:],
        member=study.lead,
    )
    totals = {result.member.pk: result.total for result in training_results(training)}
    assert totals == dict(zip((one.pk for one in study.annotators), (2, 4, 2), strict=True))


@pytest.fixture
def shared(study):
    """Ann and Bea have both texts whole; Ann decided the first type of the first and undid the second."""
    round_close(study.round)
    factories.open_round(study, overlap=2)
    ann, bea, _cai = study.annotators
    Assignment.objects.filter(round=study.round).delete()
    for position, item in enumerate(study.items, start=1):
        for member in (ann, bea):
            Assignment.objects.create(round=study.round, item=item, member=member, position=position)
    first, second = study.types[:2]
    factories.record(study.round, ann, study.items[0], first, factories.NO)
    factories.record(study.round, ann, study.items[0], second, factories.NO)
    factories.record(study.round, ann, study.items[0], second, None)
    return study


def by_types(made, target, types, members):
    return round_reassign_types(
        round=made.round, target=target, types=types, members=members, member=made.lead
    )


def test_undecided_types_go_to_another_and_what_is_judged_stays(shared):
    ann, bea, cai = shared.annotators
    first, second = shared.types[:2]
    assert [len(codes) for codes in undecided_types(shared.round, ann).values()] == [9, 10]
    result = by_types(shared, ann, [first, second], [bea, cai])
    # Bea is asked everything already; the first type of the first text is judged and stays.
    assert (result.moved, result.left_over) == (3, 0)
    assert asked_of(shared.round, cai, shared.items[0]) == second
    assert asked_of(shared.round, cai, shared.items[1]) == f"{first} {second}"
    assert asked_of(shared.round, ann, shared.items[0]).split() == [first, *shared.types[2:]]
    assert asked_of(shared.round, ann, shared.items[1]).split() == shared.types[2:]
    assert asked_of(shared.round, bea, shared.items[0]) is None
    assert TypeAnnotation.objects.filter(assignment__round=shared.round).count() == 2


def test_more_types_join_those_that_a_taker_has_of_the_text(shared):
    ann, _bea, cai = shared.annotators
    by_types(shared, ann, shared.types[1:2], [cai])
    result = by_types(shared, ann, shared.types[2:3], [cai])
    assert result.moved == 2
    assert asked_of(shared.round, cai, shared.items[0]) == " ".join(shared.types[1:3])
    assert shared.round.assignments.filter(member=cai).count() == 2


def test_nobody_is_asked_a_type_of_a_text_twice(shared):
    ann, bea, _cai = shared.annotators
    result = by_types(shared, ann, shared.types[:1], [bea])
    assert (result.moved, result.left_over) == (0, 1)
    assert asked_of(shared.round, ann, shared.items[1]) is None


def test_a_text_of_which_nothing_is_left_is_released(shared):
    ann, _bea, cai = shared.annotators
    by_types(shared, ann, shared.types, [cai])
    released = shared.round.assignments.filter(member=ann, released_at__isnull=False)
    assert [one.item for one in released] == [shared.items[1]]
    assert asked_of(shared.round, ann, shared.items[0]) == shared.types[0]
    assert list(unfinished_texts(shared.round, ann)) == []
    assert asked_of(shared.round, cai, shared.items[1]) is None


def test_what_went_by_mistake_is_given_back_whole_texts_too(shared):
    ann, _bea, cai = shared.annotators
    first, second = shared.types[:2]
    by_types(shared, ann, shared.types, [cai])
    assert asked_of(shared.round, ann, shared.items[0]) == first
    result = by_types(shared, cai, shared.types, [ann])
    assert (result.moved, result.left_over) == (19, 0)
    assert [asked_of(shared.round, ann, item) for item in shared.items] == [None, None]
    assert not shared.round.assignments.filter(member=cai, released_at__isnull=True).exists()
    undecided = undecided_types(shared.round, ann)
    assert list(undecided.values()) == [tuple(shared.types[1:]), tuple(shared.types)]
    factories.record(shared.round, ann, shared.items[1], second, factories.NO)


def test_a_type_judged_before_the_text_was_reassigned_is_not_asked_again(shared):
    ann, _bea, cai = shared.annotators
    first, second, third = shared.types[:3]
    round_reassign(round=shared.round, target=ann, members=[cai], member=shared.lead)
    factories.record(shared.round, cai, shared.items[0], second, factories.NO)
    # Ann judged the first type of the first text; Cai judged the second.
    result = by_types(shared, cai, [first, second, third], [ann])
    assert (result.moved, result.left_over) == (4, 1)
    assert asked_of(shared.round, ann, shared.items[0]) == f"{first} {third}"
    assert asked_of(shared.round, ann, shared.items[1]) == f"{first} {second} {third}"
    assert asked_of(shared.round, cai, shared.items[0]).split() == [first, second, *shared.types[3:]]
    assert undecided_types(shared.round, ann).popitem()[1] == (first, second, third)


def test_others_take_a_text_before_whoever_handed_it_on(shared):
    ann, bea, cai = shared.annotators
    by_types(shared, bea, shared.types, [cai])
    dana = member_add(project=shared.project, user=factories.user("dana"))
    result = by_types(shared, cai, shared.types[:1], [bea, dana])
    assert (result.moved, result.left_over) == (2, 0)
    assert [asked_of(shared.round, dana, item) for item in shared.items] == [shared.types[0]] * 2
    assert not shared.round.assignments.filter(member=bea, released_at__isnull=True).exists()
    assert ann.assignments.filter(round=shared.round, released_at__isnull=True).count() == 2


def test_the_types_of_a_text_are_shared_among_several_by_what_they_have(study):
    ann, bea, cai = study.annotators
    round_close(study.round)
    factories.open_round(study, overlap=3)
    first, second, third = study.types[:3]
    for item in study.items:
        own = factories.assignment_of(study.round, cai, item)
        Assignment.objects.filter(pk=own.pk).update(types=third)
        own = factories.assignment_of(study.round, bea, item)
        Assignment.objects.filter(pk=own.pk).update(types=second)
    result = by_types(study, ann, [first, second, third], [bea, cai])
    assert (result.moved, result.left_over) == (6, 0)
    both = [(asked_of(study.round, bea, item), asked_of(study.round, cai, item)) for item in study.items]
    # Whoever has less takes all they can of a text; what they are asked already goes to the other one.
    assert sorted(map(len, map(str.split, sum(both, ())))) == [2, 2, 3, 3]
    assert {code for pair in both for code in " ".join(pair).split()} == {first, second, third}


def test_progress_counts_the_units_that_each_one_is_asked(shared):
    ann, bea, cai = shared.annotators
    by_types(shared, ann, shared.types[:2], [cai])
    rows = {row.member: (row.decided, row.total) for row in progress_of_round(shared.round)}
    assert rows == {ann: (1, 17), bea: (0, 20), cai: (0, 3)}
    overview = workspace_overview(cai, shared.round)
    assert (overview["units_total"], overview["units_decided"]) == (3, 0)
    assert [len(page["asked"]) for page in workspace_units(cai, shared.round)["results"]] == [1, 2]


def test_whoever_handed_a_type_on_can_no_longer_judge_it(shared):
    ann, _bea, cai = shared.annotators
    by_types(shared, ann, shared.types[:2], [cai])
    with pytest.raises(NotFound, match="not asked this type"):
        factories.record(shared.round, ann, shared.items[0], shared.types[1], factories.NO)
    factories.record(shared.round, ann, shared.items[0], shared.types[0], None)
    factories.record(shared.round, cai, shared.items[0], shared.types[1], factories.NO)


def test_a_whole_text_is_reassigned_with_the_types_it_asks(shared):
    ann, _bea, cai = shared.annotators
    by_types(shared, ann, shared.types[:2], [cai])
    dan = member_add(project=shared.project, user=factories.user("dan"))
    assert round_reassign(round=shared.round, target=cai, members=[dan], member=shared.lead).moved == 2
    assert asked_of(shared.round, dan, shared.items[0]) == shared.types[1]


@pytest.mark.parametrize("types", [[], ["ZZ"]])
def test_types_that_the_round_does_not_ask_cannot_be_reassigned(shared, types):
    ann, _bea, cai = shared.annotators
    with pytest.raises(Refused):
        by_types(shared, ann, types, [cai])


def test_the_log_says_which_types_went_to_whom(shared):
    ann, _bea, cai = shared.annotators
    by_types(shared, ann, shared.types[:1], [cai])
    event = shared.project.events.get(action="types reassigned")
    assert (event.member, event.details["units"], event.details["types"]) == (
        shared.lead,
        1,
        shared.types[:1],
    )
    assert (event.details["from"], event.details["to"]) == (ann.pseudonym, [cai.pseudonym])


def test_a_round_on_an_older_version_may_ask_its_own_types(study):
    source = study.project.codebooks.get().source
    codebook_publish(project=study.project, source=source.replace("No evidence", "No proof", 1) + "\n")
    old = study.project.codebooks.order_by("version").first()
    assert round_create(project=study.project, codebook=old, types=["LE"]).type_codes == ("LE",)
