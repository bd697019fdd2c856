"""The sample texts, questions and key keep the rules and hold what the demo promises to show."""

import itertools
import re
import unicodedata
from collections import Counter

import pytest

from tests.annotation.sample_files import (
    ARGUMENTS,
    FILES,
    FOCUS,
    INTERVENTIONS,
    JAPANESE,
    KEY,
    SAMPLE,
    TEXTS,
    TRAINING,
    TYPES,
)


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_utf8_without_bom_nul_or_carriage_return(name):
    raw = (SAMPLE / name).read_bytes()
    assert raw.decode("utf-8").endswith("\n")
    assert not raw.startswith(b"\xef\xbb\xbf")
    assert b"\0" not in raw and b"\r" not in raw and b"\\u0000" not in raw


def test_there_are_28_arguments_with_unique_ids_and_topics():
    assert [argument["id"] for argument in ARGUMENTS] == [f"S-{n:02d}" for n in range(1, 29)]
    assert len({argument["topic"] for argument in ARGUMENTS}) == 28
    assert len(set(TEXTS.values())) == 28
    for argument in ARGUMENTS:
        assert list(argument) == ["id", "text", "source", "topic", "licence", "fallacy"]
        assert (argument["source"], argument["licence"]) == ("Elenchus sample", "CC0-1.0")


def test_arguments_have_50_to_130_words_and_the_japanese_one_150_to_300_characters():
    lengths = {item: len(text.split()) for item, text in TEXTS.items() if item != JAPANESE}
    assert {item: n for item, n in lengths.items() if not 50 <= n <= 130} == {}
    assert 150 <= len(TEXTS[JAPANESE]) <= 300


def test_fallacies_repeat_so_that_a_cross_table_has_more_than_one_item_a_row():
    rows = Counter(argument["fallacy"] for argument in ARGUMENTS)
    assert len(rows) >= 8
    assert sum(n >= 2 for n in rows.values()) >= 7


def test_arabic_hebrew_and_japanese_each_have_an_argument():
    def names(item):
        return Counter(unicodedata.name(char, "").split(" ")[0] for char in TEXTS[item]).most_common(3)

    assert names("S-13")[0][0] == "ARABIC"
    assert names("S-23")[0][0] == "HEBREW"
    assert "HIRAGANA" in dict(names(JAPANESE))
    assert {unicodedata.bidirectional(char) for char in TEXTS["S-13"]} >= {"AL"}
    assert {unicodedata.bidirectional(char) for char in TEXTS["S-23"]} >= {"R"}


def test_spans_follow_a_joined_emoji_in_s08():
    text = TEXTS["S-08"]
    assert "👨‍👩‍👧‍👦" in text and "\u200d" in text
    starts = [int(row["start"]) for row in FOCUS if row["item"] == "S-08" and row["start"]]
    assert sum(start > text.index("👨‍👩‍👧‍👦") for start in starts) >= 3
    assert len(text.encode("utf-16-le")) // 2 > len(text)


def test_s07_keeps_its_decomposed_accents_in_text_and_quotes():
    assert "e\u0301" in TEXTS["S-07"]
    assert (
        unicodedata.normalize("NFD", TEXTS["S-07"])
        == TEXTS["S-07"]
        != unicodedata.normalize("NFC", TEXTS["S-07"])
    )
    assert any("e\u0301" in row["quote"] for row in FOCUS if row["item"] == "S-07")


def test_interventions_have_the_published_shape_without_labels():
    assert list(INTERVENTIONS) == [f"SMP_{n:02d}" for n in range(1, 15)]
    for key, entry in INTERVENTIONS.items():
        assert list(entry) == ["intervention_id", "intervention", "dataset", "schemes", "cqs"]
        assert entry["intervention_id"] == key and entry["dataset"] == "Elenchus sample"
        assert entry["schemes"] and all(isinstance(scheme, str) for scheme in entry["schemes"])
        assert re.fullmatch(r'[A-Z]+: "[^"]+"', entry["intervention"], re.DOTALL)
        assert 60 <= len(entry["intervention"].split()) <= 150
        assert 5 <= len(entry["cqs"]) <= 8
        for question in entry["cqs"]:
            assert list(question) == ["id", "cq"]
            assert re.fullmatch(key + r"_(T_|LLM_sample)_\d", question["id"])
            assert question["cq"].endswith("?")


def test_question_ids_and_texts_are_unique():
    questions = [question for entry in INTERVENTIONS.values() for question in entry["cqs"]]
    assert len(questions) == 93
    assert len({question["id"] for question in questions}) == 93
    assert len({question["cq"] for question in questions}) == 93


@pytest.mark.parametrize("rows", [FOCUS, KEY], ids=["judgements", "key"])
def test_a_span_is_there_exactly_on_yes_and_its_quote_is_the_slice_of_the_text(rows):
    for row in rows:
        if row["applicable"] == "yes":
            start, end = int(row["start"]), int(row["end"])
            assert 0 <= start < end <= len(TEXTS[row["item"]])
            assert TEXTS[row["item"]][start:end] == row["quote"]
            assert row["quote"] == row["quote"].strip()
            assert not unicodedata.combining(TEXTS[row["item"]][end : end + 1] or " ")
        else:
            assert (row["start"], row["end"], row["quote"]) == ("", "", "")


def test_the_key_answers_every_type_of_four_further_arguments_with_a_reason():
    assert [(row["item"], row["type"]) for row in KEY] == list(itertools.product(TRAINING, TYPES))
    assert {row["applicable"] for row in KEY} == {"yes", "no"}
    assert all(row["comment"].strip() for row in KEY)


def test_the_key_shows_each_type_answered_yes_and_answered_no():
    answers = {(row["type"], row["applicable"]) for row in KEY}
    assert answers == set(itertools.product(TYPES, ["yes", "no"])) - {("LE", "no")}


def test_the_readme_names_every_file_and_the_licence():
    readme = (SAMPLE / "README.md").read_text("utf-8")
    assert [name for name in FILES if f"`{name}`" not in readme] == []
    assert "CC0-1.0" in readme
