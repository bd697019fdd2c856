"""Codebooks: what ships is what the papers say, and a broken file is told apart key by key."""

import json
from pathlib import Path

import pytest

from annotation.codebooks.definition import BLANK, Codebook
from annotation.codebooks.toml_reader import (
    SHIPPED,
    CodebookError,
    load_shipped,
    read_codebook,
    read_codebook_file,
)

REFERENCE = Path(__file__).parents[1] / "reference" / "focus_types.json"

TYPOLOGY = """
title = "T"
protocol = "focus"
language = "en"
guideline = "G"
[derived_none]
code = "NONE"
name = "None of the Above"
[[groups]]
key = "one"
name = "One"
letter = "O"
hue = "blue"
[[types]]
code = "AA"
name = "Alpha"
group = "one"
description = "D"
exemplar = "Why _____?"
span = true
[[types]]
code = "BB"
name = "Beta"
group = "one"
description = "D"
span = false
"""

QUESTIONS = """
title = "T"
protocol = "cqs_gen"
language = "en"
guideline = "G"
[[labels]]
code = "USE"
name = "U"
published = "Useful"
description = "D"
[[labels]]
code = "UN"
name = "H"
published = "Unhelpful"
description = "D"
[[labels]]
code = "IN"
name = "I"
published = "Invalid"
description = "D"
[[reasons]]
code = "NC"
name = "New"
description = "D"
edited_question = true
[[comment_starts]]
key = "known"
text = "Known."
"""


def problems(text: str) -> list[str]:
    with pytest.raises(CodebookError) as raised:
        read_codebook(text, "mine")
    return [str(problem) for problem in raised.value.problems]


def test_focus_has_the_published_types_groups_aliases_and_exemplars():
    published = json.loads(REFERENCE.read_text(encoding="utf-8"))["types"]
    codebook = load_shipped("focus")
    group_names = {group.key: group.name for group in codebook.groups}
    assert [
        (t.code, t.name, group_names[t.group], list(t.aliases), t.exemplar, t.span) for t in codebook.types
    ] == [
        (t["code"], t["name"], t["group"], t.get("aliases", []), t["exemplar"], True) for t in published[:-1]
    ]
    assert codebook.derived_none is not None
    assert (codebook.derived_none.code, codebook.derived_none.name) == (
        published[-1]["code"],
        published[-1]["name"],
    )


def test_every_focus_example_reads_as_its_exemplar_filled_with_the_bracketed_span():
    for entry in load_shipped("focus").types:
        argument, question = entry.example.split("\n")
        span = argument[argument.index("[") + 1 : argument.index("]")]
        assert entry.exemplar.replace(BLANK, span) == question


def test_every_focus_type_tells_when_yes_when_no_and_which_span():
    for entry in load_shipped("focus").types:
        for heading in ("**Yes**", "**No**", "**Span:**"):
            assert heading in entry.guideline, (entry.code, heading)


def test_cqs_gen_has_the_three_labels_five_reasons_and_four_comment_starts():
    codebook = load_shipped("cqs_gen")
    assert [(label.code, label.published) for label in codebook.labels] == [
        ("USE", "Useful"),
        ("UN", "Unhelpful"),
        ("IN", "Invalid"),
    ]
    assert [(reason.code, reason.name, reason.edited_question) for reason in codebook.reasons] == [
        ("BR", "Bad Reasoning", False),
        ("UR", "Unrelated", False),
        ("NC", "New Concept", True),
        ("TG", "Too General", False),
        ("NCR", "Not Critical", False),
    ]
    assert [start.key for start in codebook.comment_starts] == [
        "common_sense",
        "well_known",
        "too_complicated",
        "answered_in_text",
    ]


def test_context_sufficiency_asks_two_questions_without_spans():
    codebook = load_shipped("context_sufficiency")
    assert [(t.code, t.span, t.exemplar) for t in codebook.types] == [
        ("CTX", False, None),
        ("TOP", False, None),
    ]
    assert codebook.derived_none is None


@pytest.mark.parametrize("name", SHIPPED)
def test_a_codebook_survives_the_way_through_stored_json(name):
    codebook = load_shipped(name)
    stored = json.loads(json.dumps(codebook.to_json()))
    assert stored == codebook.to_json()
    assert Codebook.from_json(stored) == codebook


def test_the_json_has_the_keys_that_database_triggers_read():
    definition = read_codebook(TYPOLOGY, "mine").to_json()
    assert [(t["code"], t["span"]) for t in definition["types"]] == [("AA", True), ("BB", False)]
    assert definition["reasons"] == []
    definition = read_codebook(QUESTIONS, "mine").to_json()
    assert [(r["code"], r["edited_question"]) for r in definition["reasons"]] == [("NC", True)]
    assert definition["types"] == []


def test_a_typology_may_do_without_groups_and_derived_type():
    start, end = TYPOLOGY.index("[derived_none]"), TYPOLOGY.index("[[types]]")
    codebook = read_codebook((TYPOLOGY[:start] + TYPOLOGY[end:]).replace('group = "one"\n', ""), "mine")
    assert (codebook.groups, codebook.derived_none, codebook.types[0].group) == ((), None, None)


def test_broken_toml_names_the_line():
    assert problems('title = "T"\nprotocol = focus\n') == ["line 2, column 12: Invalid value"]


def test_toml_that_ends_too_early_is_a_problem_of_the_file_end():
    assert problems("title =") == ["end of document: Invalid value"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("Why _____?", "Why?", "types[0].exemplar: has no blank _____"),
        (
            "Why _____?",
            "Why _____ or _____?",
            "types[0].exemplar: has the blanks _____ _____, expected exactly one _____",
        ),
        ("Why _____?", "Why ___?", "types[0].exemplar: has the blanks ___, expected exactly one _____"),
        (
            'exemplar = "Why _____?"\n',
            "",
            "types[0].exemplar: is missing; a type with a span needs a question with one blank _____",
        ),
        (
            "span = false",
            'span = false\nexemplar = "Is _____?"',
            "types[1].exemplar: has a blank, but the type has no span that could fill it",
        ),
        ("span = false", "", "types[1].span: is missing, expected true or false"),
        ("span = false", "span = 0", "types[1].span: is the number 0, expected true or false"),
        (
            "span = false",
            'span = false\nexmplar = "x"',
            "types[1].exmplar: is not a known key; did you mean exemplar?",
        ),
        (
            "span = false",
            "span = false\nzz = 1",
            "types[1].zz: is not a known key; known keys are code, name, group, aliases, description, "
            "example, exemplar, span, guideline",
        ),
        ('title = "T"', 'titel = "T"\ntitle = "T"', "titel: is not a known key; did you mean title?"),
        ('code = "BB"', 'code = "AA"', "types[1].code: is 'AA', which types[0] has already"),
        ('code = "BB"', 'code = "NONE"', "derived_none.code: is 'NONE', which types[1] has already"),
        ('code = "BB"', 'code = "B"', "types[1].code: is 'B', expected two to eight capital letters A to Z"),
        (
            'code = "BB"',
            'code = "bb"',
            "types[1].code: is 'bb', expected two to eight capital letters A to Z",
        ),
        (
            'code = "BB"',
            'code = "ABCDEFGHI"',
            "types[1].code: is 'ABCDEFGHI', expected two to eight capital letters A to Z",
        ),
        (
            'code = "BB"',
            'code = "B\\n"',
            "types[1].code: is 'B\\n', expected two to eight capital letters A to Z",
        ),
        ('name = "Beta"', 'name = "Alpha"', "types[1].name: is 'Alpha', which types[0] has already"),
        ('name = "Beta"', "", "types[1].name: is missing"),
        ('name = "Beta"', "name = 7", "types[1].name: is the number 7, expected a text"),
        ('name = "Beta"', 'name = " \\u00a0"', "types[1].name: is blank"),
        (
            'name = "Beta"',
            'name = "Be\\u0000ta"',
            "types[1].name: character 3 is NUL (U+0000), which cannot be stored",
        ),
        ('name = "Beta"', 'name = "Beta"\naliases = ["b", ""]', "types[1].aliases[1]: is blank"),
        (
            'name = "Beta"',
            'name = "Beta"\naliases = "b"',
            "types[1].aliases: is 'b', expected a list of texts",
        ),
        (
            'name = "Beta"\ngroup = "one"',
            'name = "Beta"\ngroup = "two"',
            "types[1].group: is 'two', expected one of one",
        ),
        ('name = "Beta"\ngroup = "one"', 'name = "Beta"', "types[1].group: is missing, expected one of one"),
        (
            'hue = "blue"',
            'hue = "red"',
            "groups[0].hue: is 'red', expected one of blue, purple, yellow, green, orange, sky, grey",
        ),
        ('letter = "O"', 'letter = "On"', "groups[0].letter: is 'On', expected one character"),
        (
            'key = "one"',
            'key = "One"',
            "groups[0].key: is 'One', expected small letters, digits and _, beginning with a letter",
        ),
        ('guideline = "G"', "", "guideline: is missing"),
        (
            'language = "en"',
            'language = "english"',
            "language: is 'english', expected a language tag such as en, es or pt-BR",
        ),
        ('protocol = "focus"', 'protocol = "focs"', "protocol: is 'focs', expected one of focus, cqs_gen"),
        (
            'guideline = "G"',
            'guideline = "G"\nreasons = []',
            "reasons: belongs to protocol cqs_gen, this codebook's is focus",
        ),
        ("[derived_none]", "[[derived_none]]", "derived_none: is a list, expected a table [derived_none]"),
        ("[[groups]]", "[groups]", "groups: is a table, expected a list of tables [[groups]]"),
    ],
)
def test_what_is_wrong_in_a_typology_is_named_with_its_key_path(old, new, expected):
    assert old in TYPOLOGY
    assert expected in problems(TYPOLOGY.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('code = "UN"', 'code = "UH"', "labels[1].code: is 'UH', expected one of USE, UN, IN"),
        ('code = "UN"', 'code = "USE"', "labels: has no label UN; exactly USE, UN, IN are expected"),
        ('code = "UN"', 'code = "USE"', "labels[1].code: is 'USE', which labels[0] has already"),
        (
            'published = "Unhelpful"',
            'published = "Not helpful"',
            "labels[1].published: is 'Not helpful'; the published files say 'Unhelpful' for UN",
        ),
        (
            "edited_question = true",
            'edited_question = "yes"',
            "reasons[0].edited_question: is 'yes', expected true or false",
        ),
        ("[[reasons]]", "[[reson]]", "reasons: is missing, expected at least one [[reasons]]"),
        ("[[reasons]]", "[[reson]]", "reson: is not a known key; did you mean reasons?"),
        ('text = "Known."', "", "comment_starts[0].text: is missing"),
        (
            'guideline = "G"',
            'guideline = "G"\ntypes = []',
            "types: belongs to protocol focus, this codebook's is cqs_gen",
        ),
    ],
)
def test_what_is_wrong_in_a_question_codebook_is_named_with_its_key_path(old, new, expected):
    assert old in QUESTIONS
    assert expected in problems(QUESTIONS.replace(old, new, 1))


def test_all_problems_are_reported_at_once_with_the_name_of_the_codebook():
    with pytest.raises(CodebookError) as raised:
        read_codebook(TYPOLOGY.replace('title = "T"', "").replace("Why _____?", "Why?"), "mine")
    assert str(raised.value) == "mine: title: is missing\nmine: types[0].exemplar: has no blank _____"


def test_a_codebook_file_may_have_a_byte_order_mark_and_is_named_after_its_stem(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(TYPOLOGY, encoding="utf-8-sig")
    assert read_codebook_file(path) == read_codebook(TYPOLOGY, "mine")


def test_a_codebook_file_that_is_not_utf_8_is_refused_with_its_line(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_bytes(TYPOLOGY.replace("Beta", "Bêta").encode("latin-1"))
    with pytest.raises(CodebookError) as raised:
        read_codebook_file(path)
    line = TYPOLOGY[: TYPOLOGY.index("Beta")].count("\n") + 1
    assert str(raised.value) == f"mine: line {line}: byte 0xEA is not UTF-8"


def test_a_codebook_that_does_not_ship_is_a_key_error_naming_those_that_do():
    with pytest.raises(KeyError, match="focus, cqs_gen, context_sufficiency"):
        load_shipped("../focus")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("\na" + ".a" * 200_000 + " = 1", "line 2: a key has too many parts"),
        ("[a" + '."a"' * 100_000 + "]", "line 1: a key has too many parts"),
        ("a = { b" + ".a" * 200_000 + " = 1 }", "line 1: a key has too many parts"),
        ("a = " + "[" * 9_000, "is nested too deeply"),
        ("a = " + "9" * 9_000, "a whole number has more than 4,300 digits"),
    ],
)
def test_toml_that_would_take_hours_or_fall_over_is_refused_at_once(source, told):
    with pytest.raises(CodebookError) as raised:
        read_codebook(source, "mine")
    assert str(raised.value) == f"mine: {told}"


def test_dots_in_a_text_are_no_parts_of_a_key():
    with pytest.raises(CodebookError) as raised:
        read_codebook(f'guideline = "{"See. " * 300}"', "mine")
    assert "too many parts" not in str(raised.value)
