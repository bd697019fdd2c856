"""A release for fine-tuning: an instruction, the text and what people decided, without withheld splits."""

import json

import pytest

from annotation.codebooks.toml_reader import load_shipped
from annotation.models import Item
from tests.factories import (
    NO,
    TYPES,
    USEFUL,
    close,
    cqs_study,
    focus_study,
    invalid,
    judge,
    judge_question,
    yes,
)
from tests.factories.releases import released

pytestmark = pytest.mark.django_db


def lines(folder):
    path = folder / "exchange" / "instructions.jsonl"
    return [json.loads(row) for row in path.read_text("utf-8").splitlines()]


def test_an_argument_becomes_what_a_model_is_told_and_the_two_lists_that_people_decided(tmp_path):
    made = focus_study(annotators=2, items=3, texts=("Parks make us happy.", "It rains.", "Taxes fell."))
    parks, rains, taxes = made.items
    Item.objects.filter(pk=taxes.pk).update(split="test")
    Item.objects.exclude(pk=taxes.pk).update(split="train")
    judge(made, parks, {"LE": [yes(parks, "Parks")] * 2})
    judge(made, rains, {code: [NO, NO] for code in TYPES})
    judge(made, taxes, {"LE": [yes(taxes, "Taxes")] * 2})
    close(made)
    folder = released(made.project, tmp_path / "out", exchange=["instructions"], withheld=("test",))
    found = lines(folder)
    assert [(row["input"], row["output"]) for row in found] == [
        ("Parks make us happy.", 'Classification:\n["Lacks Evidence"]\n\nSpan:\n["Parks"]'),
        ("It rains.", 'Classification:\n["None of the Above"]\n\nSpan:\n["Null"]'),
    ]
    assert list(found[0]) == ["id", "instruction", "input", "output"]
    assert all(kind.name in found[0]["instruction"] for kind in load_shipped("focus").types)
    assert not list((tmp_path / "out").rglob("internal/exchange/*"))


def test_an_intervention_becomes_its_useful_questions(tmp_path):
    made = cqs_study(annotators=2, items=1, questions=3)
    first, second, third = made.items[0].questions.all()
    judge_question(made, first, [USEFUL, USEFUL])
    judge_question(made, second, [invalid(), invalid()])
    judge_question(made, third, [USEFUL, USEFUL])
    close(made)
    (row,) = lines(released(made.project, tmp_path / "out", exchange=["instructions"]))
    assert (row["input"], row["output"]) == (made.items[0].text, f"{first.text}\n{third.text}")
