"""Which types are asked of a text: the database keeps it, and every count goes by it."""

from random import Random

import pytest
from django.utils import timezone

from annotation.adjudication.adjudication import ResolutionInput, resolution_decide
from annotation.adjudication.discussion import comment_add
from annotation.codebooks.definition import Codebook
from annotation.importing.files.rows import FileError
from annotation.importing.formats import asked_types as asked_file
from annotation.importing.screening import screening_result
from annotation.items.withdrawal import item_withdraw
from annotation.judging.recording import Unit
from annotation.judging.workspace import workspace_overview, workspace_units
from annotation.models import Assignment, KeyAnswer, Round, RoundItem, TypeAnnotation
from annotation.models.rounds import types_named, types_text
from annotation.rounds.asked_types import (
    asked_counts,
    asked_of_item,
    asked_units,
    clean_asked,
    field_choices,
    round_ask,
)
from annotation.rounds.lifecycle import round_close, round_create, round_draw
from annotation.rounds.opening import round_open
from annotation.rounds.progress import progress_of_round
from annotation.rounds.reassignment import round_reassign, unfinished_texts
from annotation.rounds.reassignment_by_type import round_reassign_types, undecided_counts
from annotation.rounds.sampling import draw_preview
from annotation.rounds.training import missing_key, training_results
from annotation.training.key import key_from_resolutions
from core.errors import NotFound, Refused
from tests import factories
from tests.annotation.database import refused
from tests.factories import NO, asked_rounds

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def types_of(made) -> list[str | None]:
    return list(made.round.round_items.order_by("item").values_list("types", flat=True))


def test_a_field_of_the_items_says_which_types_each_is_asked():
    made = asked_rounds.planned()
    assert types_of(made) == ["OSP TC", "LE WE", "OSP TC", "LE WE"]
    counts = asked_counts(made.round)
    assert (counts["OSP"], counts["LE"], counts["VAT"], asked_units(made.round)) == (2, 2, 0, 8)
    assert asked_of_item(made.round, made.items[0].pk) == ("OSP", "TC")
    assert made.round.asked["by"] == "field"
    event = made.project.events.get(action="asked types chosen")
    assert (event.member, event.details["field"]) == (made.lead, "topic")


@pytest.mark.parametrize("share", [0, 0.4, 1], ids=["no text", "some texts", "every text"])
@pytest.mark.parametrize("seed", range(4))
def test_counts_of_types_and_progress_are_what_counting_row_by_row_gives(seed, share):
    rng = Random(seed)
    made = factories.study("focus", items=7, annotators=2)
    made.round = round_create(project=made.project, overlap=2)
    round_draw(made.round)
    codes = made.round.type_codes
    for row in made.round.round_items.all():
        if rng.random() < share:
            row.types = types_text(rng.sample(codes, rng.randrange(1, len(codes))), codes)
            row.save()
    asked = {row.item_id: types_named(row.types, codes) for row in made.round.round_items.all()}
    round_open(made.round, members=made.annotators)
    item_withdraw(item=rng.choice(made.items), member=made.lead, why="take-down request")
    reassigned = rng.choice(made.round.assignments.all())
    made.round.assignments.filter(pk=reassigned.pk).update(released_at=timezone.now())
    for assignment in rng.sample(list(made.round.assignments.exclude(pk=reassigned.pk)), 6):
        code = rng.choice(types_named(assignment.types, codes))
        factories.record(made.round, assignment.member, assignment.item, code, NO, active_seconds=3)

    n_asked = {code: sum(code in named for named in asked.values()) for code in codes}
    assert asked_counts(made.round) == n_asked
    assert asked_units(made.round) == sum(map(len, asked.values()))
    there = made.round.assignments.filter(released_at=None, item__withdrawn_at=None)
    recounted: dict[int, list[int]] = {}
    for one in there:
        sums = recounted.setdefault(one.member_id, [0] * 4)
        n_decided = one.type_annotations.count()
        for place, n in enumerate((1, len(asked[one.item_id]), n_decided, 3 * n_decided)):
            sums[place] += n
    assert recounted == {
        row.member.pk: [row.texts, row.total, row.decided, row.active_seconds]
        for row in progress_of_round(made.round)
    }


def test_a_metadata_field_with_several_values_asks_the_types_of_all_of_them():
    made = factories.study("focus", items=3)
    for item, values in zip(made.items, (["hasty"], ["hasty", "straw"], []), strict=True):
        item.metadata = {"fallacies": values}
        item.save()
    (field,) = (one for one in field_choices(made.project) if one.name == "fallacies")
    assert field.values == (("", 1), ("hasty", 2), ("straw", 1))
    made.round = round_create(project=made.project)
    round_draw(made.round)
    types = {"hasty": ["OG"], "straw": ["CF", "LE"], "": ["WE"]}
    round_ask(made.round, clean_asked({"field": "fallacies", "types": types}, made.round))
    assert types_of(made) == ["OG", "OG CF LE", "WE"]
    round_ask(made.round, None)
    assert types_of(made) == [None] * 3 and made.round.asked == {}


def test_items_of_which_nothing_is_said_are_refused_and_nothing_changes():
    made = asked_rounds.planned()
    given = clean_asked({"field": "topic", "types": {"topic 1": ["VAT"]}}, made.round)
    with pytest.raises(Refused, match="values of “topic”: topic 0"):
        round_ask(made.round, given)
    some = clean_asked({"items": {"I-1": ["VAT"]}}, made.round)
    with pytest.raises(Refused, match="these items: I-2, I-3, I-4"):
        round_ask(made.round, some)
    assert types_of(made) == ["OSP TC", "LE WE", "OSP TC", "LE WE"]
    factories.add_items(made.project, 1)
    made.project.items.filter(external_id="I-5").update(topic="new")
    with pytest.raises(Refused, match="values of “topic”: new"):
        round_draw(made.round)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"field": "topic", "types": {"topic 1": ["ZZ"]}}, "does not ask ZZ"),
        ({"field": "topic", "types": {"topic 1": []}}, "at least one type"),
        ({"types": {"topic 1": ["LE"]}}, "Give a field"),
        ({"field": "topic"}, "Give a field"),
    ],
)
def test_what_is_asked_names_types_of_the_round(given, said):
    made = factories.study("focus", items=1)
    with pytest.raises(Refused, match=said) as refusal:
        clean_asked(given, round_create(project=made.project))
    assert list(refusal.value.errors) == ["asked"]


def test_a_round_of_questions_asks_no_types():
    made = factories.study("cqs_gen", items=1)
    round = round_create(project=made.project)
    for act in (
        lambda: round_ask(round, None),
        lambda: clean_asked({"field": "topic", "types": {"a": ["LE"]}}, round),
    ):
        with pytest.raises(Refused, match="asks questions"):
            act()


def test_a_file_says_which_types_each_drawn_item_is_asked(tmp_path):
    made = factories.study("focus", items=3)
    made.round = round_create(project=made.project)
    round_draw(made.round)
    path = tmp_path / "asked.csv"
    path.write_text('item,types\nI-1,"LE, Weak Evidence"\nI-2,le\nI-2,CF;OG\nI-3,OSP TC\n')
    codebook = used(made)
    types = asked_file.read(path, name="asked.csv", codebook=codebook)
    round_ask(made.round, clean_asked({"items": types}, made.round), file="asked.csv")
    assert types_of(made) == ["LE WE", "OG CF LE", "OSP TC"]
    assert made.round.asked == {"by": "file", "file": "asked.csv"}
    # The file was about the items before.
    round_draw(made.round)
    assert (types_of(made), made.round.asked) == ([None] * 3, {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,types\nI-1,XX\n", "row 2: “XX” is no type"),
        ("item,types\nI-1,\n", "row 2: no type is named"),
        ("item,types\n,LE\n", "row 2: no item is named"),
        ("item,kind\nI-1,LE\n", "no column 'types'"),
    ],
)
def test_a_file_that_says_nothing_certain_is_refused_with_its_place(tmp_path, text, said):
    made = factories.study("focus", items=1)
    path = tmp_path / "asked.csv"
    path.write_text(text)
    with pytest.raises(FileError, match=said):
        asked_file.read(path, name="asked.csv", codebook=used(made))


def used(made) -> Codebook:
    return Codebook.from_json(made.project.codebooks.get().definition)


@pytest.mark.parametrize("types", ["", "ZZ", "LE ZZ", "LE LE", " LE", "le"])
def test_the_database_refuses_types_of_an_item_that_its_round_does_not_ask(types):
    made = asked_rounds.planned()
    write = RoundItem.objects.filter(round=made.round, item=made.items[0])
    assert "an item is asked types of its round" in refused(lambda: write.update(types=types))


def test_the_database_keeps_to_an_assignment_what_its_item_is_asked():
    made = asked_rounds.opened()
    write = Assignment.objects.filter(round=made.round, item=made.items[0])
    for types in (None, "OSP LE", "LE"):
        said = refused(lambda types=types: write.update(types=types))
        assert "an assignment asks what its round asks of the item" in said
    new = {"round": made.round, "item": made.items[0], "position": 99, "repeat": True}
    said = refused(lambda: Assignment.objects.create(member=made.annotators[0], **new))
    assert "an assignment asks what its round asks of the item" in said
    assert write.update(types="TC") == 3


def test_the_database_refuses_a_judgement_of_a_type_that_the_item_is_not_asked():
    made = asked_rounds.opened()
    own = made.round.assignments.filter(item=made.items[0]).first()
    row = {"assignment": own, "span_required": True, "text_length": made.items[0].text_length}
    row |= {"applicable": False, "decided_at": timezone.now()}
    said = refused(lambda: TypeAnnotation.objects.create(type_code="LE", **row))
    assert "the type is one that the assignment asks" in said
    TypeAnnotation.objects.create(type_code="OSP", **row)


def test_the_database_keeps_what_is_asked_once_the_round_is_open():
    made = asked_rounds.opened()
    items = RoundItem.objects.filter(round=made.round)
    assert "drawn into a draft round" in refused(lambda: items.update(types=None))
    rounds = Round.objects.filter(pk=made.round.pk)
    assert "keeps its codebook and types" in refused(lambda: rounds.update(asked={}))
    with pytest.raises(Refused, match="only while the round is a draft"):
        round_ask(made.round, None)


def test_the_database_keeps_the_types_of_a_draft_that_its_items_are_asked():
    made = asked_rounds.planned()
    write = Round.objects.filter(pk=made.round.pk)
    assert "asks every type that one of its items" in refused(lambda: write.update(types="OSP TC LE"))
    assert write.update(types="OSP TC LE WE") == 1


def test_a_preview_counts_the_judgements_that_would_be_asked():
    made = asked_rounds.planned()
    assert draw_preview(made.round).judgements == 8
    assert draw_preview(made.round, external_ids=["I-1"]).judgements == 2
    round_ask(made.round, None)
    assert draw_preview(made.round, external_ids=["I-1"]).judgements == 10


def test_annotators_are_asked_and_counted_what_each_text_asks():
    made = asked_rounds.opened()
    ann = made.annotators[0]
    overview = workspace_overview(ann, made.round)
    assert (overview["units_total"], overview["assignments_total"], overview["types_total"]) == (8, 4, 10)
    pages = workspace_units(ann, made.round)["results"]
    assert [(page["asked"], page["types_total"]) for page in pages] == [
        (("OSP", "TC"), 2),
        (("LE", "WE"), 2),
        (("OSP", "TC"), 2),
        (("LE", "WE"), 2),
    ]
    with pytest.raises(NotFound, match="not asked this type"):
        factories.record(made.round, ann, made.items[0], "LE", NO)


def test_progress_and_the_time_left_are_of_what_is_asked():
    made = asked_rounds.judged()
    rows = progress_of_round(made.round)
    assert [(row.total, row.decided, row.left, row.percent) for row in rows] == [
        (8, 8, 0, 100),
        (8, 8, 0, 100),
        (8, 7, 1, 87),
    ]
    assert (rows[2].seconds_each, rows[2].seconds_left) == (10, 10)
    assert list(unfinished_texts(made.round, made.annotators[0])) == []
    (left,) = unfinished_texts(made.round, made.annotators[2])
    assert left.item == made.items[3]


def test_texts_and_types_are_reassigned_as_they_are_asked():
    made = asked_rounds.opened(overlap=1)
    ann, bea, cai = made.annotators
    own = made.round.assignments.filter(member=ann)
    asked_before = {one.item_id: one.types for one in own}
    left = undecided_counts(made.round, ann)
    assert left.total() == 2 * len(asked_before) and set(left) <= {"OSP", "TC", "LE", "WE"}
    assert round_reassign(round=made.round, target=ann, members=[bea], member=made.lead).moved == len(
        asked_before
    )
    taken = made.round.assignments.filter(member=bea, item__in=asked_before)
    assert {one.item_id: one.types for one in taken} == asked_before
    moved = round_reassign_types(
        round=made.round, target=bea, types=["OSP", "LE"], members=[cai], member=made.lead
    ).moved
    of_cai = made.round.assignments.filter(member=cai, item__in=asked_before)
    assert {one.types for one in of_cai} <= {"OSP", "LE"} and moved >= len(asked_before)
    totals = sum(row.total for row in progress_of_round(made.round))
    assert totals == asked_units(made.round) == 8


def test_hidden_repeats_ask_what_the_text_is_asked():
    made = asked_rounds.opened(annotators=1, items=12, repeats=1)
    (repeat,) = made.round.assignments.filter(repeat=True)
    assert repeat.types == RoundItem.objects.get(round=made.round, item=repeat.item).types


def test_a_round_on_the_items_of_another_asks_of_each_what_that_one_asked():
    made = asked_rounds.planned()
    again = round_create(project=made.project, items_of=made.round)
    assert list(again.round_items.order_by("item").values_list("types", flat=True)) == types_of(made)
    assert again.asked == made.round.asked
    some = round_create(project=made.project, items_of=made.round, types=["LE", "VAT"])
    # Of the other two nothing would be asked.
    assert list(some.round_items.values_list("item__external_id", "types")) == [("I-2", "LE"), ("I-4", "LE")]


def test_a_key_is_whole_when_it_answers_what_is_asked():
    made = asked_rounds.planned(purpose="training", pass_mark=50)
    assert missing_key(made.round)[0] == 8
    said = refused(
        lambda: KeyAnswer.objects.create(
            round=made.round, item=made.items[0], type_code="LE", applicable=False
        )
    )
    assert "a key answers what a draft training round asks" in said
    codebook = made.project.codebooks.get()
    for item in made.items:
        for code in asked_rounds.BY_TOPIC[item.topic] + ["VAT"]:
            resolution_decide(
                item=item,
                unit=Unit(code),
                member=made.lead,
                codebook=codebook,
                given=ResolutionInput(applicable=False, why="So."),
                seen=None,
            )
    assert key_from_resolutions(made.round) == 8
    assert missing_key(made.round) == (0, [])
    round_open(made.round, members=made.annotators, by=made.lead)
    ann = made.annotators[0]
    for item in made.items:
        for code in asked_rounds.BY_TOPIC[item.topic]:
            factories.record(made.round, ann, item, code, NO)
    (result,) = training_results(made.round, member=ann)
    assert (result.total, result.answered, result.agreed, result.passed) == (8, 8, 8, True)
    assert {score.code for score in result.scores} == {"OSP", "TC", "LE", "WE"}


def test_a_key_answer_that_is_asked_no_more_counts_for_nothing():
    made = asked_rounds.planned(purpose="training")
    KeyAnswer.objects.create(round=made.round, item=made.items[0], type_code="OSP", applicable=False)
    types = {"topic 1": ["TC"], "topic 0": ["LE"]}
    round_ask(made.round, clean_asked({"field": "topic", "types": types}, made.round))
    assert missing_key(made.round)[0] == 4
    assert made.round.key_answers.count() == 1


def test_only_what_was_asked_is_talked_about():
    made = asked_rounds.judged()
    round_close(made.round, by=made.lead)
    item = made.items[0]
    comment_add(member=made.lead, round=made.round, item=item, unit=Unit("OSP"), text="Why?")
    with pytest.raises(NotFound, match="not part of the round"):
        comment_add(member=made.lead, round=made.round, item=item, unit=Unit("LE"), text="Why?")


def test_screening_counts_an_item_as_judged_when_all_that_it_was_asked_is_decided():
    made = factories.study("context_sufficiency", annotators=1, items=2)
    made.round = round_create(project=made.project, overlap=1)
    types = {"topic 1": ["CTX", "TOP"], "topic 0": ["CTX"]}
    round_ask(made.round, clean_asked({"field": "topic", "types": types}, made.round))
    round_draw(made.round)
    round_open(made.round, members=made.annotators, by=made.lead)
    for item, codes in zip(made.items, (["CTX", "TOP"], ["CTX"]), strict=True):
        for code in codes:
            factories.record(made.round, made.annotators[0], item, code, {"applicable": True})
    round_close(made.round, by=made.lead)
    sums = screening_result(made.project).sums
    assert (sums.passed, sums.passed_all, sums.judged, sums.total) == ((2, 1), 1, 2, 2)
