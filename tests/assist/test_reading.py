"""Reading a model's answer: every known answer, in all scripts, and a problem where it is none."""

import json
from pathlib import Path

import pytest

from assist.reading.model_answers import read_context, read_questions, read_slots

REFERENCE = Path(__file__).parents[1] / "reference" / "scoring"


def known(name):
    return json.loads((REFERENCE / f"{name}.json").read_text("utf-8"))["cases"]


@pytest.mark.parametrize("case", known("llm_context"), ids=lambda case: case["raw"] or "nothing")
def test_the_known_answers_about_context(case):
    expected = case["expected"]
    assert read_context(case["raw"]) == ("" if isinstance(expected, dict) else expected)


@pytest.mark.parametrize("case", known("llm_questions"), ids=lambda case: case["why"])
def test_the_known_answers_with_questions(case):
    assert read_questions(case["raw"]) == case["expected"]


@pytest.mark.parametrize(
    ("raw", "questions"),
    [
        ("１．なぜですか？\n2、誰が？", ["なぜですか？", "誰が？"]),
        ("Γιατί συμβαίνει αυτό;\nΤέλος.", ["Γιατί συμβαίνει αυτό;"]),
        ("لماذا؟\nنعم.", ["لماذا؟"]),
        ("कि क्या?\nका क्या?", ["कि क्या?", "का क्या?"]),
        ("???\n- ?", []),
        ("i. Who?\nii) Why?", ["Who?", "Why?"]),
        ("Is it good-natured?\nIs it good natured?", ["Is it good-natured?"]),
    ],
)
def test_questions_are_read_in_all_scripts(raw, questions):
    assert read_questions(raw) == questions


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ('{"a": "It rains", "b": "roads"}', ({"<a>": "It rains", "<b>": "roads"}, ("<b>",), "")),
        ('```json\n{"<a>": "it  RAINS", "b": "wet"}\n```', ({"<a>": "it RAINS", "<b>": "wet"}, (), "")),
        ('{"a": "It rains"}', ({}, (), "slot_missing")),
        ('{"a": "It rains", "b": " "}', ({}, (), "slot_empty")),
        ('{"a": "It rains", "b": "wet", "c": "x"}', ({}, (), "no_such_slot")),
        ('{"a": 3, "b": "wet"}', ({}, (), "not_in_the_form")),
        ("a: It rains", ({}, (), "not_in_the_form")),
        ('["It rains", "wet"]', ({}, (), "not_in_the_form")),
    ],
)
def test_slots_are_read_strictly_and_words_that_are_not_in_the_text_are_marked(raw, expected):
    assert tuple(read_slots(raw, ["<a>", "<b>"], "It rains, so it is wet.")) == expected
