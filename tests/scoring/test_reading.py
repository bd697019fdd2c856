"""Reading a system's lists and a model's answers: known answers, every problem by its name."""

import json
from pathlib import Path

import pytest

from annotation.codebooks.toml_reader import load_shipped
from scoring.evaluation.faults import Findings
from scoring.evaluation.json_file import items_of, items_one_by_one
from scoring.reading.focus_answers import AnswerRefused, TypeNames, read_focus_answer
from scoring.reading.model_answers import read_context, read_label, read_questions, read_reference
from scoring.reading.places import find_place

REFERENCE = Path(__file__).parents[1] / "reference" / "scoring"


def known(name):
    return json.loads((REFERENCE / f"{name}.json").read_text("utf-8"))


def names():
    codebook = load_shipped("focus")
    return TypeNames([(kind.code, (kind.name, *kind.aliases)) for kind in codebook.types])


@pytest.mark.parametrize("case", known("focus_answers")["cases"], ids=lambda case: str(case["fsq_types"]))
def test_the_known_answers_of_lists(case):
    text, expected = known("focus_answers")["text"], case["expected"]
    entry = {key: case[key] for key in ("fsq_types", "spans")}
    if "problem" in expected:
        with pytest.raises(AnswerRefused) as refusal:
            read_focus_answer(entry, text, names())
        assert refusal.value.problem == expected["problem"]
        assert refusal.value.what == expected.get("what", refusal.value.what)
        return
    found = read_focus_answer(entry, text, names())
    assert found.spans_not_in_text == expected["spans_not_in_text"]
    assert [
        {"type": one.type, "span": list(one.span) if one.span else None, "given": one.given}
        for one in found.answers
    ] == expected["answer"]


def test_an_unknown_type_is_refused_with_the_nearest_name():
    with pytest.raises(AnswerRefused, match=r"'Weak Evidense' is no type .* nearest is 'Weak Evidence'"):
        read_focus_answer({"fsq_types": ["Weak Evidense"], "spans": ["x"]}, "x", names())


@pytest.mark.parametrize("entry", [{"fsq_types": "LE", "spans": []}, {"fsq_types": ["LE"], "spans": [3]}])
def test_what_is_no_list_of_texts_is_refused(entry):
    with pytest.raises(AnswerRefused, match="expected a list of texts"):
        read_focus_answer(entry, "x", names())


@pytest.mark.parametrize(
    ("text", "words", "place"),
    [
        ("a b a b", "a b", (0, 3)),
        ("😀 Jobs are lost", "jobs are", (2, 10)),
        ("He said ‘no\n  way’.", "'no way'", (8, 18)),
        ("Straße", "STRASSE", (0, 6)),
        ("jobs", "job losses", None),
        ("jobs", "  ", None),
    ],
)
def test_a_place_is_the_first_as_it_stands_then_the_first_folded(text, words, place):
    assert find_place(text, words) == place


@pytest.mark.parametrize("case", known("llm_judges")["reference"], ids=lambda case: repr(case["raw"]))
def test_the_known_answers_of_a_model_that_matches(case):
    found = read_reference(case["raw"], case["references"])
    told = {"problem": found.problem} if found.problem else {"reference": found.reference}
    if found.label:
        told["label"] = found.label
    assert told == case["expected"]


@pytest.mark.parametrize("case", known("llm_judges")["label"], ids=lambda case: repr(case["raw"]))
def test_the_known_answers_of_a_model_that_labels(case):
    found = read_label(case["raw"])
    assert ({"problem": found.problem} if found.problem else {"label": found.label}) == case["expected"]


@pytest.mark.parametrize("case", known("llm_context")["cases"], ids=lambda case: repr(case["raw"]))
def test_the_known_answers_of_a_filter(case):
    found = read_context(case["raw"])
    assert ({"problem": found.problem} if found.problem else found.label) == case["expected"]


@pytest.mark.parametrize("case", known("llm_questions")["cases"], ids=lambda case: case["why"])
def test_the_known_answers_of_questions(case):
    assert read_questions(case["raw"]) == case["expected"]


WHOLE = {"A-1": {"text": 'a "quoted" } word, é', "labels": [1, {"x": None}]}, "A-2": {}}


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_file_is_read_item_by_item_wherever_it_is_cut(size, indent):
    data = b"\xef\xbb\xbf" + json.dumps(WHOLE, ensure_ascii=False, indent=indent).encode() + b"\n"
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert dict(items_one_by_one(pieces)) == WHOLE


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"[]", b"{", b'{"a": {}', b'{"a": {}} x', b'{"a": {},}', b'{"a": 1}', b'{"a" {}}', b"\xff{}"),
        b'{"a": {"b": 1, "b": 2}}',
        b'{"a": {"b": "\\ud800"}}',
    ],
)
def test_what_is_wrong_in_a_file_stops_reading_item_by_item(data):
    with pytest.raises(ValueError):
        list(items_one_by_one([data[at : at + 1] for at in range(len(data))]))
    findings = Findings("a.json")
    items_of(data, findings)
    assert findings.faults
