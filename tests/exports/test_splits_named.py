"""Splits by round, topic or field get the names that the lead gives them, several the same one."""

import pytest

from exports.selection.parameters import ParameterError, Parameters, split_names_from_words
from exports.selection.selection import read_selection
from exports.selection.splits import plan_splits
from tests.factories import NO, close, focus_study, judge

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    made = focus_study(annotators=2, items=3)
    for item, topic in zip(made.items, ("Energy", "energy", "Pools"), strict=True):
        made.project.items.filter(pk=item.pk).update(topic=topic)
        judge(made, item, {"LE": [NO, NO]})
    close(made)
    return made


def plan(made, **choices):
    parameters = Parameters.from_json(choices)
    found = plan_splits(read_selection(made.project, parameters))
    return [found[item.pk] for item in made.items]


def test_two_topics_become_one_split(made):
    names = split_names_from_words(["Energy=train", "energy = train", "Pools=test"])
    assert plan(made, split_by="topic", split_names=names) == ["train", "train", "test"]
    assert plan(made, split_by="topic", split_names={"Pools": "test"}) == ["Energy", "energy", "test"]


def test_a_round_gives_its_split_another_name(made):
    assert plan(made, split_by="round", split_names={made.round.name: "dev"}) == ["dev"] * 3


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({"split_by": "topic", "split_names": {"Cats": "train"}}, "there is no split 'Cats'"),
        ({"split_by": "none", "split_names": {"a": "b"}}, "has no meaning for a split by none"),
        ({"split_names": {"a": 1}}, "expected an object of names and other names"),
        ({"split_names": {"a": "x" * 61}}, "61 characters, at most 60"),
    ],
)
def test_names_that_make_no_splits_are_refused(made, choices, told):
    with pytest.raises(ParameterError, match=told):
        plan(made, **choices)


def test_words_without_a_name_are_refused():
    with pytest.raises(ParameterError, match="is not NAME=SPLIT"):
        split_names_from_words(["train"])
