"""A long round for the workspace: where one stands, what is asked for alone, and the outline of all texts."""

import pytest

from annotation.items.withdrawal import item_withdraw
from annotation.judging.outline import last_decided, standing
from tests.conftest import client_of
from tests.factories import NO, assignment_of, cqs_study, judge_question, open_round, record, study, yes

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def asked(made, path, name="ann"):
    answer = client_of(name).get(f"/api/projects/{made.project.slug}/rounds/{made.round.number}/{path}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def texts_of(page):
    return [one["item"]["id"] for one in page["results"]]


@pytest.fixture
def made():
    made = study(annotators=2, items=6)
    open_round(made, types=["LE", "WE"])
    return made


def decide(made, places, codes=("LE", "WE"), answer=NO):
    for place in places:
        for code in codes:
            record(made.round, made.annotators[0], made.items[place - 1], code, answer)


class TestWhereOneStands:
    def test_at_the_first_text_with_something_left(self, made):
        ann = made.annotators[0]
        assert standing(ann, made.round) == (1, "")
        decide(made, [1, 2, 3])
        decide(made, [4], codes=["LE"])
        assert standing(ann, made.round) == (4, "")
        page = asked(made, "units/?here=1&limit=3")
        assert (texts_of(page), page["index"], page["next"]) == (["I-2", "I-3", "I-4"], 1, 4)
        assert (page["newest"]["item"]["id"], page["newest"]["index"], page["type"]) == ("I-4", 3, "")

    def test_a_decision_that_was_taken_back_is_left(self, made):
        decide(made, [1, 2])
        record(made.round, made.annotators[0], made.items[0], "LE", None, base_revision=1)
        assert standing(made.annotators[0], made.round) == (1, "")
        assert texts_of({"results": [asked(made, "units/?here=1")["newest"]]}) == ["I-2"]

    def test_by_type_it_is_a_text_and_a_type(self):
        made = study(annotators=1, items=3)
        open_round(made, types=["LE", "WE"], order="by_type")
        decide(made, [1, 3], codes=["LE"])
        assert standing(made.annotators[0], made.round) == (2, "LE")
        decide(made, [2], codes=["LE"])
        decide(made, [1], codes=["WE"])
        assert standing(made.annotators[0], made.round) == (2, "WE")
        assert asked(made, "units/?here=1")["type"] == "WE"

    def test_where_all_is_decided_it_is_the_start(self, made):
        decide(made, range(1, 7))
        page = asked(made, "units/?here=1&limit=2")
        assert (texts_of(page), page["index"], page["newest"]["item"]["id"]) == (["I-1", "I-2"], 0, "I-6")

    def test_nothing_is_newest_before_the_first_decision(self, made):
        page = asked(made, "units/?here=1&limit=2")
        assert (page["index"], page["newest"]) == (0, None)

    def test_a_withdrawn_text_has_no_place(self, made):
        decide(made, [1, 2])
        item_withdraw(item=made.items[0], member=made.lead, why="take-down request")
        page = asked(made, "units/?here=1&limit=9")
        assert (texts_of(page)[0], page["index"]) == ("I-2", 0)
        assert len(asked(made, "outline/")["texts"]) == 5

    def test_the_last_decision_is_found_behind_many_that_were_taken_back(self, made, monkeypatch):
        monkeypatch.setattr("annotation.judging.outline.LATEST", 2)
        decide(made, [1, 2, 3, 4], codes=["LE"])
        for place in (2, 3, 4):
            record(made.round, made.annotators[0], made.items[place - 1], "LE", None, base_revision=1)
        first = assignment_of(made.round, made.annotators[0], made.items[0])
        assert last_decided(made.annotators[0], made.round) == first.pk

    def test_of_questions_it_is_the_first_with_one_left(self):
        made = cqs_study(items=3, questions=2)
        for question in made.items[0].questions.all():
            judge_question(made, question, [{"label": "USE"}])
        judge_question(made, made.items[1].questions.first(), [{"label": "USE"}])
        page = asked(made, "units/?here=1&limit=2")
        assert (standing(made.annotators[0], made.round), page["index"]) == ((2, ""), 0)
        assert page["newest"]["item"]["id"] == made.items[1].external_id


def test_around_a_named_text_there_are_two_before_it(made):
    wanted = assignment_of(made.round, made.annotators[0], made.items[4])
    page = asked(made, f"units/?at={wanted.pk}&limit=4")
    assert (texts_of(page), page["index"]) == (["I-3", "I-4", "I-5", "I-6"], 2)


def test_a_text_of_somebody_else_is_not_shown_whichever_way_it_is_asked_for(made):
    (_, bea) = made.annotators
    decide(made, [1])
    theirs = assignment_of(made.round, bea, made.items[5])
    assert asked(made, f"units/?only={theirs.pk}")["results"] == []
    assert asked(made, f"units/?at={theirs.pk}")["index"] == 0
    own = {row[0] for row in asked(made, "outline/", "bea")["texts"]}
    assert own == set(made.round.assignments.filter(member=bea).values_list("pk", flat=True))
    assert {row[3] for row in asked(made, "outline/", "bea")["texts"]} == {".."}
    assert asked(made, "units/?newest=LE", "bea")["results"] == []


def test_some_texts_come_alone_with_ones_judgements(made):
    decide(made, [2])
    chosen = [assignment_of(made.round, made.annotators[0], made.items[place]).pk for place in (4, 1)]
    page = asked(made, f"units/?only={chosen[0]},{chosen[1]}")
    assert texts_of(page) == ["I-2", "I-5"]
    assert page["results"][0] == asked(made, "units/?limit=2")["results"][1]
    assert client_of("ann").get("/api/projects/x/rounds/1/units/?only=1").status_code == 404


@pytest.mark.parametrize("bad", ["1,", "x", "0", ",".join(["1"] * 51), "-1"])
def test_a_list_of_texts_that_is_none_is_refused(made, bad):
    answer = client_of("ann").get(f"/api/projects/{made.project.slug}/rounds/1/units/?only={bad}")
    assert (answer.status_code, list(answer.json()["errors"])) == (422, ["only"])


def test_the_last_decisions_of_a_type_come_with_their_texts(made):
    decide(made, [1, 3], codes=["LE"])
    decide(made, [5], codes=["WE"])
    assert texts_of(asked(made, "units/?newest=LE")) == ["I-1", "I-3"]
    assert texts_of(asked(made, "units/?newest=LE&limit=1")) == ["I-3"]
    assert texts_of(asked(made, "units/?newest=&limit=1")) == ["I-5"]


class TestOutline:
    def test_says_of_each_text_what_is_decided_and_flagged_and_how_often_it_changed(self, made):
        ann, items = made.annotators[0], made.items
        decide(made, [1], codes=["LE"])
        record(made.round, ann, items[0], "WE", yes(items[0], "library", unsure=True))
        record(made.round, ann, items[1], "LE", {"cannot_judge": True, "comment": "cut"})
        record(made.round, ann, items[2], "LE", NO)
        record(made.round, ann, items[2], "LE", None, base_revision=1)
        rows = asked(made, "outline/")["texts"]
        assert [row[2:] for row in rows[:4]] == [
            [None, "nY", 2],
            [None, "c.", 1],
            [None, "..", 2],
            [None, "..", 0],
        ]
        assert [row[:2] for row in rows] == [
            [assignment_of(made.round, ann, item).pk, place] for place, item in enumerate(items, start=1)
        ]

    def test_comes_in_parts(self, made):
        first = asked(made, "outline/?limit=4")
        rest = asked(made, f"outline/?limit=4&after={first['next']}")
        assert (len(first["texts"]), len(rest["texts"]), rest["next"]) == (4, 2, None)
        assert first["texts"] + rest["texts"] == asked(made, "outline/")["texts"]

    def test_names_the_types_of_a_text_that_is_not_asked_all(self, made):
        own = assignment_of(made.round, made.annotators[0], made.items[1])
        type(own).objects.filter(pk=own.pk).update(types="WE")
        rows = asked(made, "outline/")["texts"]
        assert [row[2:4] for row in rows[:2]] == [[None, ".."], [["WE"], "."]]

    def test_names_the_questions_of_each_text_in_their_order(self):
        made = cqs_study(items=2, questions=2)
        first, second = made.items[0].questions.order_by("position")
        judge_question(made, second, [{"label": "IN", "reason": "BR"}])
        rows = asked(made, "outline/")["texts"]
        assert rows[0][2:] == [[first.pk, second.pk], ".i", 1]
        assert rows[1][3:] == ["..", 0]

    def test_is_for_annotators_of_the_project_alone(self, made):
        address = f"/api/projects/{made.project.slug}/rounds/1/outline/"
        assert client_of("lea").get(address).status_code == 403
        study(annotators=3)
        assert client_of("cai").get(address).status_code == 404

    def test_costs_the_same_statements_however_many_texts(self, made, django_assert_num_queries):
        client = client_of("ann")
        address = f"/api/projects/{made.project.slug}/rounds/1/outline/"
        client.get(address)
        with django_assert_num_queries(4):
            assert len(client.get(address).json()["texts"]) == 6
