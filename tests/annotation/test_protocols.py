"""The rules of one judgement, tried in every combination against a plain restatement of the protocol."""

import json
from itertools import product

import pytest

from annotation.codebooks.toml_reader import load_shipped
from annotation.protocols.cqs_gen import QuestionAnswer, check_question_judgement
from annotation.protocols.focus import TypeAnswer, check_type_judgement, derived_none
from annotation.protocols.rules import RuleError
from annotation.protocols.spec import spec_for_browser
from core.texts import BLANK_CHARACTERS, is_blank, text_problem

FOCUS = load_shipped("focus")
CONTEXT = load_shipped("context_sufficiency")
CQS_GEN = load_shipped("cqs_gen")
TEXT = "Pills \U0001f48a work:\r\nmy  neighbour has no cold."
SPAN = {"start": 6, "end": 12, "quote": "\U0001f48a work"}
PARTIAL_SPANS = [
    {field: SPAN[field] for field in SPAN if keep[field]}
    for keep in (dict(zip(SPAN, kept, strict=True)) for kept in product((True, False), repeat=3))
]
BLANKS = ["", " \t\n\r\u00a0\u2003\u3000\u200b\ufeff"]


def type_errors(answer, codebook=FOCUS, code="WE", text=TEXT):
    try:
        check_type_judgement(codebook, text, code, answer)
    except RuleError as error:
        return error.errors
    return {}


def question_errors(answer):
    try:
        check_question_judgement(CQS_GEN, answer)
    except RuleError as error:
        return error.errors
    return {}


@pytest.mark.parametrize("applicable", [True, False, None])
@pytest.mark.parametrize("cannot_judge", [True, False])
@pytest.mark.parametrize("span", PARTIAL_SPANS, ids=lambda span: "+".join(span) or "no span")
@pytest.mark.parametrize("comment", ["why", *BLANKS])
@pytest.mark.parametrize("with_span", [True, False], ids=["type with span", "type without span"])
def test_a_type_judgement_is_accepted_exactly_when_the_protocol_says_so(
    applicable, cannot_judge, span, comment, with_span
):
    one_answer = (applicable is not None) != cannot_judge
    said_why = comment == "why" or not cannot_judge
    span_expected = applicable is True and with_span
    wrong = set()
    if not one_answer:
        wrong.add("applicable")
    if not said_why:
        wrong.add("comment")
    if span_expected:
        wrong |= set() if cannot_judge else {"start", "end", "quote"} - set(span)
    else:
        wrong |= set(span)
    answer = {"applicable": applicable, "cannot_judge": cannot_judge, "comment": comment, **span}
    codebook, code = (FOCUS, "WE") if with_span else (CONTEXT, "CTX")
    assert set(type_errors(answer, codebook, code)) == wrong


@pytest.mark.parametrize("label", ["USE", "UN", "IN", None])
@pytest.mark.parametrize("cannot_judge", [True, False])
@pytest.mark.parametrize("reason", ["", "BR", "UR", "NC", "TG", "NCR", "ZZ"])
@pytest.mark.parametrize("comment", ["why", *BLANKS])
@pytest.mark.parametrize("edited", ["Better?", *BLANKS])
def test_a_question_judgement_is_accepted_exactly_when_the_protocol_says_so(
    label, cannot_judge, reason, comment, edited
):
    wrong = set()
    if (label is not None) == cannot_judge:
        wrong.add("label")
    if comment != "why" and (cannot_judge or label == "UN"):
        wrong.add("comment")
    if reason == "ZZ" or (reason and label != "IN"):
        wrong.add("reason")
    if not reason and label == "IN" and not cannot_judge:
        wrong.add("reason")
    if edited and not (label == "IN" and reason == "NC" and edited == "Better?"):
        wrong.add("edited_question")
    answer = {
        "label": label,
        "cannot_judge": cannot_judge,
        "reason": reason,
        "comment": comment,
        "edited_question": edited,
    }
    assert set(question_errors(answer)) == wrong


def test_a_yes_with_its_span_comes_back_as_it_is_stored():
    answer = {"applicable": True, **SPAN, "comment": " kept as given ", "unsure": True}
    assert check_type_judgement(FOCUS, TEXT, "WE", answer) == TypeAnswer(
        applicable=True,
        cannot_judge=False,
        start=6,
        end=12,
        quote="\U0001f48a work",
        comment=" kept as given ",
        unsure=True,
    )


def test_a_no_comes_back_without_a_span_whether_the_span_is_absent_null_or_empty():
    expected = TypeAnswer(False, False, None, None, None, "", False)
    assert check_type_judgement(FOCUS, TEXT, "WE", {"applicable": False}) == expected
    empty = {"applicable": False, "start": None, "end": None, "quote": "", "comment": None}
    assert check_type_judgement(FOCUS, TEXT, "WE", empty) == expected


def test_invalid_for_a_new_concept_may_carry_the_edited_question():
    answer = {"label": "IN", "reason": "NC", "edited_question": "Why pills?"}
    assert check_question_judgement(CQS_GEN, answer) == QuestionAnswer(
        label="IN", cannot_judge=False, reason="NC", comment="", edited_question="Why pills?", unsure=False
    )


@pytest.mark.parametrize(
    ("change", "errors"),
    [
        ({"start": -1}, {"start": "The span starts before the text."}),
        ({"end": len(TEXT) + 1}, {"end": f"The span ends at {len(TEXT) + 1}, the text at {len(TEXT)}."}),
        ({"end": 6}, {"end": "The span must end after its start."}),
        ({"end": 5}, {"end": "The span must end after its start."}),
        (
            {"quote": "\U0001f48a Work"},
            {"quote": "The quoted text does not match the text from 6 to 12, which is '\U0001f48a work'."},
        ),
        # UTF-16 offsets of the same words: the pill counts twice there
        (
            {"end": 13},
            {"quote": "The quoted text does not match the text from 6 to 13, which is '\U0001f48a work:'."},
        ),
        # the carriage return belongs to the text
        (
            {"start": 12, "end": 15, "quote": ":\n"},
            {"quote": "The quoted text does not match the text from 12 to 15, which is ':\\r\\n'."},
        ),
        ({"start": 17, "end": 19, "quote": "  "}, {"quote": "The span holds white space only."}),
        ({"start": 13, "end": 15, "quote": "\r\n"}, {"quote": "The span holds white space only."}),
        ({"start": True}, {"start": "Expected a whole number or null."}),
        ({"start": 6.0}, {"start": "Expected a whole number or null."}),
        ({"start": "6"}, {"start": "Expected a whole number or null."}),
        ({"end": False}, {"end": "Expected a whole number or null."}),
        ({"applicable": 1}, {"applicable": "Expected true, false or null."}),
        ({"applicable": "yes"}, {"applicable": "Expected true, false or null."}),
        ({"cannot_judge": 0}, {"cannot_judge": "Expected true or false."}),
        ({"cannot_judge": None}, {"cannot_judge": "Expected true or false."}),
        ({"unsure": "no"}, {"unsure": "Expected true or false."}),
        ({"comment": 7}, {"comment": "Expected a text."}),
        (
            {"comment": "so\x00"},
            {"comment": "Character 3 is NUL (U+0000), which cannot be stored."},
        ),
        ({"coment": "why"}, {"coment": "There is no such field."}),
        (
            {"start": -1, "end": 99, "unsure": 1},
            {
                "unsure": "Expected true or false.",
                "start": "The span starts before the text.",
                "end": f"The span ends at 99, the text at {len(TEXT)}.",
            },
        ),
    ],
)
def test_each_wrong_field_of_a_yes_has_one_message(change, errors):
    assert type_errors({"applicable": True, **SPAN, **change}) == errors


def test_a_span_may_cover_the_whole_text():
    assert type_errors({"applicable": True, "start": 0, "end": len(TEXT), "quote": TEXT}) == {}


@pytest.mark.parametrize(
    ("answer", "errors"),
    [
        ({}, {"label": "Choose Useful, Unhelpful or Invalid, or cannot judge."}),
        ({"label": "UN"}, {"comment": "Unhelpful needs a comment that says why."}),
        ({"label": "IN"}, {"reason": "Invalid needs one reason."}),
        ({"label": "Useful"}, {"label": "There is no label 'Useful'; choose USE, UN, IN."}),
        ({"label": True}, {"label": "Expected a text."}),
        ({"label": "IN", "reason": ["BR", "UR"]}, {"reason": "Expected a text."}),
        (
            {"label": "IN", "reason": "ZZ"},
            {"reason": "There is no reason 'ZZ'; choose BR, UR, NC, TG, NCR."},
        ),
        (
            {"label": "IN", "reason": "BR", "edited_question": "Better?"},
            {"edited_question": "An edited question needs a reason that allows one."},
        ),
        (
            {"label": "IN", "reason": "NC", "edited_question": "\u200b "},
            {"edited_question": "The edited question is blank."},
        ),
        ({"cannot_judge": True, "comment": "\u00a0"}, {"comment": "Say why this cannot be judged."}),
        (
            {"label": "UN", "comment": "a\ud800"},
            {"comment": "Character 2 is a lone surrogate (U+D800)."},
        ),
    ],
)
def test_each_wrong_field_of_a_question_judgement_has_one_message(answer, errors):
    assert question_errors(answer) == errors


def test_a_type_that_is_unknown_or_derived_takes_no_judgement():
    assert type_errors({"applicable": False}, code="XX") == {"type": "The type 'XX' is not in the codebook."}
    assert type_errors({"applicable": False}, code="NONE") == {
        "type": "The type 'NONE' is derived and never entered."
    }


def test_none_of_the_above_is_derived_from_ten_times_no():
    codes = [entry.code for entry in FOCUS.types]
    ten_no = dict.fromkeys(codes, False)
    assert derived_none(FOCUS, ten_no) is True
    assert derived_none(FOCUS, {**ten_no, "CF": True}) is False
    assert derived_none(FOCUS, {**ten_no, "CF": None}) is None
    assert derived_none(FOCUS, {**ten_no, "CF": None, "LE": True}) is False
    assert derived_none(FOCUS, dict.fromkeys(codes[:-1], False)) is None
    assert derived_none(CONTEXT, {"CTX": False, "TOP": False}) is None


@pytest.mark.parametrize("character", BLANK_CHARACTERS, ids=lambda c: f"U+{ord(c):04X}")
def test_each_blank_character_alone_is_blank(character):
    assert is_blank(character * 3)
    assert not is_blank(f"{character}x{character}")


def test_everything_that_python_strips_is_blank_here_too():
    assert {chr(point) for point in range(0x110000) if not chr(point).strip()} <= set(BLANK_CHARACTERS)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", None),
        ("\U0001f48a", None),
        ("ab\x00", "character 3 is NUL (U+0000), which cannot be stored"),
        ("ab\udfff\x00", "character 3 is a lone surrogate (U+DFFF)"),
        ("\x00\udfff", "character 1 is NUL (U+0000), which cannot be stored"),
    ],
)
def test_a_text_that_cannot_be_stored_is_told_with_the_place(text, problem):
    assert text_problem(text) == problem


def browser_errors(spec, facts, values):
    """Apply the rules of the spec as its docstring describes them, with nothing from the server's code."""
    wrong = set()
    for rule in spec["answer"]["rules"]:
        if all(facts[name] == value for name, value in rule["when"].items()):
            value = values[rule["field"]]
            given = value is not None and value != ""
            blank = isinstance(value, str) and not value.strip(spec["answer"]["blank_characters"])
            broken = {"needed": not given or blank, "refused": given, "filled": given and blank}
            if broken[rule["presence"]]:
                wrong.add(rule["field"])
    return wrong


def test_the_browser_comes_to_the_server_s_verdict_from_the_spec_alone():
    spec = json.loads(json.dumps(spec_for_browser(CQS_GEN)))
    edits = {reason["code"]: reason["edited_question"] for reason in spec["reasons"]}
    for label, cannot, reason, comment, edited in product(
        ("USE", "UN", "IN", None), (True, False), ("", "BR", "NC"), ("why", *BLANKS), ("Better?", *BLANKS)
    ):
        values = {
            "label": label,
            "cannot_judge": cannot,
            "reason": reason,
            "comment": comment,
            "edited_question": edited,
        }
        facts = {**values, "reason_edits": edits.get(reason, False)}
        assert browser_errors(spec, facts, values) == set(question_errors(values)), values


def test_the_browser_s_spec_of_a_typology_has_its_rules_fields_and_types():
    spec = json.loads(json.dumps(spec_for_browser(FOCUS)))
    assert spec["answer"]["fields"]["applicable"] == "boolean or null"
    assert [entry["code"] for entry in spec["types"]][:2] == ["OSP", "TC"]
    for applicable, cannot, span in product((True, False, None), (True, False), PARTIAL_SPANS):
        values = {"start": None, "end": None, "quote": "", **span, "comment": "why"}
        values |= {"applicable": applicable, "cannot_judge": cannot}
        facts = {**values, "span": True}
        assert browser_errors(spec, facts, values) == set(type_errors(values)), values
