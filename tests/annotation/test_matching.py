"""Matching rounds: one reference or a label, kept by protocol and database; blind, and in nothing else."""

import json

import pytest

from annotation.access import visible_questions
from annotation.codebooks.toml_reader import load_shipped
from annotation.judging.workspace import workspace_units
from annotation.models import (
    Import,
    MatchReference,
    Question,
    QuestionAnnotation,
    ReferenceLeftOut,
    Resolution,
    Round,
)
from annotation.protocols.matching import check_matching_judgement
from annotation.protocols.rules import RuleError
from annotation.protocols.spec import spec_for_browser
from annotation.rounds.drawing import round_draw
from annotation.rounds.editing import draft_delete
from annotation.rounds.lifecycle import round_close, round_create
from annotation.rounds.matching import Candidate, MatchItem, matching_round_create
from core.errors import Refused
from tests.annotation.database import refused
from tests.factories import (
    QUESTIONS,
    Study,
    assignment_of,
    candidate_of,
    matching_study,
    record,
    reference_of,
    study,
)

WEATHER, PAYS, LIKE = (
    "Was it the weather?",
    "Who pays for barriers?",
    "Is a river road like a high street?",
)
database = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def made(db) -> Study:
    return matching_study()


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ({}, ["label"]),
        ({"label": "REF"}, ["reference"]),
        ({"label": "REF", "reference": 9}, ["reference"]),
        ({"reference": 5}, ["label", "reference"]),
        ({"label": "USE", "reference": 5}, ["reference"]),
        ({"label": "REF", "reference": 5, "reason": "NC"}, ["reason"]),
        ({"label": "REF", "reference": 5, "cannot_judge": True, "comment": "x"}, ["label"]),
        ({"label": "UN"}, ["comment"]),
        ({"label": "IN"}, ["reason"]),
        ({"label": "REF", "reference": "5"}, ["reference"]),
    ],
)
def test_an_answer_is_one_reference_that_is_offered_or_a_whole_label(answer, wrong):
    with pytest.raises(RuleError) as error:
        check_matching_judgement(load_shipped("cqs_gen"), answer, {5, 6})
    assert sorted(error.value.errors) == wrong


def test_a_reference_needs_no_label_and_a_label_no_reference():
    codebook = load_shipped("cqs_gen")
    picked = check_matching_judgement(codebook, {"label": "REF", "reference": 5}, {5})
    assert (picked.label, picked.reference_id, picked.reason) == ("REF", 5, "")
    none = check_matching_judgement(codebook, {"label": "USE", "reference": None}, {5})
    assert (none.label, none.reference_id) == ("USE", None)


def test_the_browser_gets_the_field_of_the_reference_in_a_matching_round_alone():
    codebook = load_shipped("cqs_gen")
    assert "reference" in spec_for_browser(codebook, matches=True)["answer"]["fields"]
    assert "reference" not in spec_for_browser(codebook)["answer"]["fields"]


class TestRecording:
    pytestmark = database

    def test_a_picked_reference_is_stored_and_a_label_takes_its_place(self, made):
        item, ann, asked = made.items[0], made.annotators[0], candidate_of(made, WEATHER)
        first = reference_of(made, 0)
        row = record(made.round, ann, item, asked, {"label": "REF", "reference": first.pk}).row
        assert (row.label, row.reference_id, row.revision) == ("REF", first.pk, 1)
        row = record(made.round, ann, item, asked, {"label": "UN", "comment": "Says nothing."}).row
        assert (row.label, row.reference_id, row.revision) == ("UN", None, 2)
        assert assignment_of(made.round, ann, item).decided == 1

    def test_a_reference_that_is_not_offered_is_refused(self, made):
        item, ann = made.items[0], made.annotators[0]
        elsewhere = reference_of(made, 0, item=1)
        for asked, reference in ((WEATHER, elsewhere), (PAYS, reference_of(made, 0))):
            with pytest.raises(Refused) as error:
                answer = {"label": "REF", "reference": reference.pk}
                record(made.round, ann, item, candidate_of(made, asked), answer)
            assert error.value.errors == {
                "reference": "This reference is not offered for this question. Reload the page."
            }
        assert not QuestionAnnotation.objects.exists()

    def test_an_ordinary_round_knows_no_references(self, cqs):
        question = cqs.items[0].questions.first()
        with pytest.raises(Refused) as error:
            record(cqs.round, cqs.annotators[0], cqs.items[0], question, {"label": "REF", "reference": 1})
        assert sorted(error.value.errors) == ["label", "reference"]


class TestWhatAnAnnotatorSees:
    pytestmark = database

    def test_references_come_in_an_order_of_ones_own_that_stays(self, db):
        made = matching_study(annotators=12)
        orders = {
            tuple(one["text"] for one in workspace_units(member, made.round)["results"][at]["references"])
            for member in made.annotators
            for at, found in enumerate(workspace_units(member, made.round)["results"])
            if found["item"]["id"] == "I-1"
        }
        assert len(orders) > 1
        assert {tuple(sorted(order)) for order in orders} == {tuple(sorted(QUESTIONS))}
        ann = made.annotators[0]
        assert workspace_units(ann, made.round) == workspace_units(ann, made.round)

    def test_what_is_left_out_for_a_question_is_not_among_its_references(self, made):
        found = next(
            one
            for one in workspace_units(made.annotators[0], made.round)["results"]
            if one["item"]["id"] == "I-1"
        )
        offered = {one["text"]: set(one["references"]) for one in found["questions"]}
        everything = {one["id"] for one in found["references"]}
        assert offered[WEATHER] == offered[LIKE] == everything
        assert everything - offered[PAYS] == {reference_of(made, 0).pk}

    def test_nothing_tells_origin_place_or_what_others_picked(self, made):
        ann, bea = made.annotators
        picked = {"label": "REF", "reference": reference_of(made, 1).pk, "comment": "bea's own words"}
        record(made.round, bea, made.items[0], candidate_of(made, WEATHER), picked)
        found = workspace_units(ann, made.round)
        assert "bea's own words" not in json.dumps(found)
        keys = {key for one in found["results"] for part in one["references"] for key in part}
        assert keys == {"id", "text"}
        assert {key for one in found["results"] for part in one["questions"] for key in part} == {
            "id",
            "position",
            "text",
            "row",
            "references",
        }


class TestTheDatabase:
    pytestmark = database

    def row(self, made, *, asked=WEATHER, **values):
        fields = {
            "assignment": assignment_of(made.round, made.annotators[0], made.items[0]),
            "question": candidate_of(made, asked),
            **values,
        }
        return lambda: QuestionAnnotation.objects.create(**fields)

    @pytest.mark.parametrize(
        ("values", "rule"),
        [
            ({"label": "REF"}, "reference_exactly_when_matched"),
            ({"label": "USE", "pick": 0}, "reference_exactly_when_matched"),
            ({"label": None, "pick": 0}, "reference_exactly_when_matched"),
            ({"cannot_judge": True, "comment": "x", "pick": 0}, "reference_exactly_when_matched"),
            ({"label": "REF", "pick": 0, "reason": "NC"}, "reason_exactly_when_invalid"),
            ({"label": "REF", "pick": 0, "cannot_judge": True, "comment": "x"}, "one_answer"),
            ({"label": "REF", "pick": 0, "edited_question": "Why?"}, "edit_only_when_invalid"),
            ({"label": "REF", "pick": 0, "asked": PAYS}, "the round offers for the question"),
            ({"label": "REF", "pick": 0, "of": 1}, "the round offers for the question"),
        ],
    )
    def test_a_matching_that_the_protocol_forbids_is_refused(self, made, values, rule):
        values = dict(values)
        if "pick" in values:
            values["reference"] = reference_of(made, values.pop("pick"), item=values.pop("of", 0))
        assert rule in refused(self.row(made, **values))

    def test_a_reference_of_another_round_is_refused(self, made):
        other = matching_study()
        row = self.row(made, label="REF", reference=reference_of(other, 0))
        assert "the round offers for the question" in refused(row)

    def test_what_a_round_offers_is_frozen_when_it_opens(self, made):
        one, asked = reference_of(made, 0), candidate_of(made, LIKE)
        assert "frozen" in refused(lambda: MatchReference.objects.filter(pk=one.pk).update(text="New?"))
        assert "frozen" in refused(lambda: ReferenceLeftOut.objects.all().delete())
        assert "left out" in refused(lambda: ReferenceLeftOut.objects.create(reference=one, question=asked))
        new = {"round": made.round, "item": made.items[0], "place": 9, "text": "New?"}
        assert "draft matching round" in refused(lambda: MatchReference.objects.create(**new))

    def test_candidates_are_asked_in_matching_rounds_and_other_questions_nowhere_there(self, made):
        draft = round_create(project=made.project, name="plain")
        round_draw(draft)
        assert not draft.round_questions.filter(question__candidate=True).exists()
        add = {"question": candidate_of(made, WEATHER)}
        assert "candidates into a matching round alone" in refused(
            lambda: draft.round_questions.create(**add)
        )

    def test_a_round_is_a_matching_round_from_its_beginning_or_never(self, made, focus):
        rounds = Round.objects
        assert "or never" in refused(lambda: rounds.filter(pk=made.round.pk).update(matching=False))
        assert "only questions" in refused(
            lambda: round_create(project=focus.project, name="odd", matching=True)
        )
        assert "not_in_training" in refused(
            lambda: round_create(project=made.project, name="odd", matching=True, purpose="training")
        )

    def test_a_candidate_becomes_a_question_once_its_round_is_closed_and_none_becomes_a_candidate(self, made):
        asked = Question.objects.filter(pk=candidate_of(made, WEATHER).pk)
        assert "once its matching round is closed" in refused(lambda: asked.update(candidate=False))
        plain = Question.objects.filter(item=made.items[0], candidate=False)
        assert "no question a candidate" in refused(lambda: plain.update(candidate=True))
        round_close(made.round)
        asked.update(candidate=False)
        assert visible_questions(made.project).filter(text=WEATHER).count() == 1

    def test_a_resolution_picks_a_reference_that_is_offered_or_a_label(self, made):
        def resolved(**values):
            return lambda: Resolution.objects.create(
                item=made.items[0],
                question=candidate_of(made, PAYS),
                source="adjudicated",
                why="I read both.",
                member=made.lead,
                **values,
            )

        one, left_out = reference_of(made, 1), reference_of(made, 0)
        assert "reference_exactly_when_matched" in refused(resolved(label="REF"))
        assert "reference_exactly_when_matched" in refused(resolved(label="USE", reference=one))
        assert "offers for the question" in refused(resolved(label="REF", reference=left_out))
        assert resolved(label="REF", reference=one)().reference.text == QUESTIONS[1]


class TestMaking:
    pytestmark = database

    def test_candidates_are_in_nothing_but_their_round(self, made):
        assert not visible_questions(made.project).filter(candidate=True).exists()
        assert Question.objects.filter(candidate=True).count() == 4

    def test_a_draft_is_deleted_with_its_candidates(self):
        made = study("cqs_gen", items=1)
        draft, _ = matching_round_create(
            project=made.project,
            items=[MatchItem(made.items[0].pk, QUESTIONS, [Candidate(WEATHER, frozenset([1]))])],
            digest="1" * 64,
        )
        assert draft.name == "Matching 1"
        draft_delete(draft, by=made.lead)
        assert not Round.objects.exists()
        assert not Question.objects.filter(candidate=True).exists()
        assert not MatchReference.objects.exists()
        assert Import.objects.get(format="matching").state == "undone"

    def test_nothing_else_is_drawn_into_one(self):
        made = study("cqs_gen", items=1)
        draft, _ = matching_round_create(
            project=made.project,
            items=[MatchItem(made.items[0].pk, QUESTIONS, [Candidate(WEATHER)])],
            digest="1" * 64,
        )
        with pytest.raises(Refused, match="has the questions that it was made of"):
            round_draw(draft)
        assert draft.round_questions.count() == 1

    def test_the_questions_of_an_item_are_shuffled_by_the_seed(self):
        made = study("cqs_gen", items=1)
        asked = [Candidate(f"Is {number} enough?") for number in range(12)]
        orders = []
        for name, seed in (("one", 7), ("two", 7), ("three", 8)):
            _, (questions,) = matching_round_create(
                project=made.project,
                items=[MatchItem(made.items[0].pk, QUESTIONS, asked)],
                digest="1" * 64,
                name=name,
                seed=seed,
            )
            assert [question.text for question in questions] == [one.text for one in asked]
            first = min(question.position for question in questions)
            orders.append([question.position - first for question in questions])
        assert orders[0] == orders[1] != orders[2]
        assert orders[0] != sorted(orders[0])
