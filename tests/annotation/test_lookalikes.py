"""One rule of look-alikes for ids, annotators, topics, labels and columns."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.importing.items import items_import
from annotation.importing.judgements import judgements_import
from annotation.models import Item, Membership, TypeAnnotation
from core.lookalikes import Names, alike, groups_alike, heard_as, seen_as
from tests.factories import study

UNSEEN = [*["a1 ", "\xa0a1", "a\u200b1", "a1\ufeff", "ａ1", "a1\xad", "a1\u3000", "a\u20601", "a1️"]]


@pytest.mark.parametrize("name", UNSEEN, ids=ascii)
def test_what_nobody_sees_makes_no_other_name(name):
    assert name != "a1"
    assert seen_as(name) == seen_as("a1")
    names = Names()
    names.add("a1")
    assert names.unseen(name) == "a1"


@pytest.mark.parametrize(
    ("one", "other"), [("Mona", "MONA"), ("Straße", "STRASSE"), ("\u00e9", "E\u0301"), ("ǆ", "Ǆ"), ("Σ", "ς")]
)
def test_case_is_heard_and_not_seen(one, other):
    assert heard_as(one) == heard_as(other)
    assert seen_as(one) != seen_as(other)
    assert groups_alike([one, "x", other]) == [(one, other)]
    assert alike(other, ["x", one]) == one


@given(st.text(max_size=8))
def test_the_rule_is_stable(name):
    assert seen_as(seen_as(name)) == seen_as(name)
    assert heard_as(heard_as(name)) == heard_as(name)
    assert heard_as(seen_as(name)) == heard_as(name)


@pytest.fixture
def made(db):
    return study(annotators=1, items=2)


def write(path, *rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("stored", [False, True], ids=["same file", "another file"])
@pytest.mark.parametrize("name", UNSEEN, ids=ascii)
def test_an_id_that_looks_like_another_is_refused_with_its_place(made, tmp_path, name, stored):
    rows = [{"id": "a1", "text": "One."}, {"id": name, "text": "Two."}]
    if stored:
        items_import(project=made.project, path=write(tmp_path / "a.jsonl", rows[0]))
    report = items_import(project=made.project, path=write(tmp_path / "b.jsonl", *rows))
    (refusal,) = report.refusals
    assert refusal["place"] == "line 2"
    assert "looks exactly like “a1”" in refusal["reason"]
    assert Item.objects.filter(external_id__in=["a1", name]).count() == stored


def test_an_id_and_a_topic_in_another_case_are_noted_and_kept(made, tmp_path):
    path = write(
        tmp_path / "a.jsonl",
        {"id": "b1", "text": "One.", "topic": "Energy", "split": "test"},
        {"id": "B1", "text": "Two.", "topic": "energy ", "split": "Test"},
        {"id": "b2", "text": "Three.", "topic": "energy ", "split": "Test"},
    )
    report = items_import(project=made.project, path=path)
    assert report.stored
    assert [(note["place"], note["message"]) for note in report.notices] == [
        ("line 2", "“B1” looks like “b1”; they are two items"),
        ("line 2", "topic: “energy ” looks like “Energy”; they are kept as two"),
        ("line 2", "split: “Test” looks like “test”; they are kept as two"),
    ]
    assert Item.objects.get(external_id="B1").topic == "energy "


JUDGED = {"item": "I-1", "annotator": "Mona", "type": "LE", "applicable": "no"}


def test_annotators_that_differ_in_case_are_noted_and_those_that_look_the_same_refused(made, tmp_path):
    path = write(
        tmp_path / "j.jsonl",
        JUDGED,
        JUDGED | {"annotator": "MONA"},
        JUDGED | {"annotator": "Mona\u00a0"},
        JUDGED | {"annotator": "MONA", "type": "TC"},
    )
    report = judgements_import(project=made.project, path=path, round_name="R", skip_invalid=True)
    assert [(note["place"], note["message"]) for note in report.notices] == [
        ("line 2", "the annotators “MONA” and “Mona” look alike and are taken as two people")
    ]
    assert [refusal["place"] for refusal in report.refusals] == ["line 3"]
    assert "looks exactly like “Mona”" in report.refusals[0]["reason"]
    assert set(Membership.objects.exclude(private_name="").values_list("private_name", flat=True)) == {
        "Mona",
        "MONA",
    }


def test_types_and_answers_are_known_by_their_look_and_an_unknown_item_names_its_like(made, tmp_path):
    path = write(
        tmp_path / "j.jsonl",
        JUDGED | {"type": " lacks\u00a0evidence", "applicable": "No "},
        JUDGED | {"type": "tc", "applicable": "ＮＯ"},
        JUDGED | {"item": "i-1 "},
    )
    report = judgements_import(project=made.project, path=path, round_name="R", skip_invalid=True)
    stored = TypeAnnotation.objects.values_list("type_code", "applicable")
    assert sorted(stored) == [("LE", False), ("TC", False)]
    assert report.refusals[0]["reason"] == "there is no item “i-1 ” in this project; “I-1” looks like it"


def test_one_id_twice_with_equal_rows_is_noted_and_stored_once(made, tmp_path):
    row = {"id": "a", "text": "One.", "topic": "T"}
    path = write(tmp_path / "a.jsonl", row, row, {"id": "b", "text": "Two."}, row | {"topic": "U"})
    report = items_import(project=made.project, path=path)
    assert report.counts["new items"] == 2
    assert [(note["place"], note["message"][:34]) for note in report.notices] == [
        ("line 2", "“a” stands at line 1 already, with"),
        ("line 4", "“a” stands at line 1 already, with"),
        ("line 4", "the topic of “a” stays “T”, not “U"),
    ]
