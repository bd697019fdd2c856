"""The browser's copies of server rules: both sides are held to one table, here and in tests/js."""

import json
from pathlib import Path

from annotation.codebooks.exemplar_questions import question_from_exemplar
from annotation.codebooks.toml_reader import load_shipped
from annotation.protocols.spec import spec_for_browser

REFERENCE = Path(__file__).resolve().parent.parent / "reference"


def test_the_live_question_and_the_released_one_follow_one_table():
    table = json.loads((REFERENCE / "question_joints.json").read_text("utf-8"))
    assert len(table["cases"]) > 60
    wrong = [
        (exemplar, span, question_from_exemplar(exemplar, span), expected)
        for exemplar, span, expected in table["cases"]
        if question_from_exemplar(exemplar, span) != expected
    ]
    assert wrong == []


def test_the_rules_that_the_browsers_tests_use_are_those_that_the_api_sends():
    table = json.loads((REFERENCE / "answer_rules.json").read_text("utf-8"))
    sent = {name: spec_for_browser(load_shipped(name))["answer"] for name in ("focus", "cqs_gen")}
    assert table == json.loads(json.dumps(sent))
