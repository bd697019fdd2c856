import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.spans import tokens
from agreement.spans.tokens import counting_unit, positions, word_tokens


@pytest.mark.parametrize(
    ("text", "unit", "reason"),
    [
        ("If taxes fall, jobs will grow.", "token", None),
        ("Если налоги падают, рабочих мест больше.", "token", None),
        ("ஒரு நல்ல வாதம் எப்போதும் சான்றுகளைக் கொண்டிருக்கும்", "character", "combining_marks"),
        ("सरकार को लोगों की बात सुननी चाहिए और हिन्दी में लिखना चाहिए", "character", "combining_marks"),
        ("בְּרֵאשִׁית בָּרָא אֱלֹהִים", "character", "combining_marks"),
        ("בראשית ברא אלוהים", "token", None),
        ("كل الناس يعرفون أن الضرائب سيئة", "token", None),
        ("세금이 내리면 일자리가 늘어난다", "token", None),
        ("他说税收会下降,而就业会增长。", "character", "unspaced_script"),
        ("税金が下がれば雇用が増える。", "character", "unspaced_script"),
        ("ภาษีลดลงแล้วงานจะเพิ่มขึ้น", "character", "unspaced_script"),
        ("ພາສີຫຼຸດລົງ", "character", "unspaced_script"),
        ("ពន្ធធ្លាក់ចុះ", "character", "unspaced_script"),
        ("အခွန်ကျသည်", "character", "unspaced_script"),
        ("我们用 GPT 和 BERT 做了三次实验", "character", "unspaced_script"),
        ("The word 世界 means world, and most people know it.", "token", None),
        ("A cafe\u0301 owner says that nai\u0308ve claims hurt everyone here.", "token", None),
        ("I ❤️ this 1️⃣ idea", "token", None),
        ("👍🏽 🎉🎉 …", "character", "no_words"),
        ("", "character", "no_words"),
    ],
)
def test_the_unit_of_a_text_follows_its_script(text, unit, reason):
    assert counting_unit(text) == (unit, reason)
    assert (positions(text).unit, positions(text).reason) == (unit, reason)


@pytest.mark.parametrize(
    ("start", "end", "touched"),
    [
        (0, 3, range(1)),
        (0, 4, range(1)),
        (3, 5, range(1, 2)),
        (4, 9, range(1, 2)),
        (4, 10, range(1, 3)),
        (6, 7, range(1, 2)),
        (7, 8, range(2, 2)),
        (0, 13, range(3)),
    ],
)
def test_a_span_touches_each_token_it_shares_a_character_with(start, end, touched):
    assert positions("The tax, grew").touched(start, end) == touched


def test_positions_of_a_character_text_are_its_code_points():
    chinese = positions("税收会下降")
    assert chinese.count == 5
    assert chinese.touched(1, 3) == range(1, 3)


def test_positions_of_a_word_text_are_its_tokens():
    assert positions("don't stop").count == 3


def test_tokens_split_at_apostrophes_and_hyphens_and_ignore_case():
    assert word_tokens("State-of-the-art, DON'T!") == ("state", "of", "the", "art", "don", "t")


def test_character_tokens_keep_combining_marks_and_drop_punctuation():
    assert word_tokens("हिन्दी, x।", "character") == ("हि", "न्", "दी", "x")


@given(st.text("ab .é世अि👍\u0301", max_size=20), st.data())
def test_touched_positions_are_those_whose_tokens_overlap_the_span(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    places = positions(text)
    if places.unit == "character":
        expected = list(range(start, end))
    else:
        tokens = [match.span() for match in re.finditer(r"\w+", text)]
        expected = [
            index
            for index, (left, right) in enumerate(tokens)
            if start < end and left < end and start < right
        ]
    assert list(places.touched(start, end)) == expected


@given(st.text(st.characters(max_codepoint=127)), st.text(st.characters(max_codepoint=127)))
def test_words_of_ascii_are_where_the_pattern_finds_them(one, other):
    text = f"{one}a{other}"
    assert tokens._ascii_words(text) == tokens._words(text)
