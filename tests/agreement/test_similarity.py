import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.spans import similarity
from agreement.spans.similarity import MEASURES, Similarity, similarities

REFERENCE = json.loads(
    (Path(__file__).parent.parent / "reference" / "span_similarity.json").read_text(encoding="utf-8")
)
TEXT = REFERENCE["text"]

# Our measures by their names in the reference file. ROUGE is apart: the file has 0.0 where it is undefined.
REFERENCE_NAMES = {
    "exact": "exact_match_offsets",
    "character_jaccard": "char_offset_jaccard",
    "token_jaccard": "token_position_jaccard",
    "unigram_jaccard": "unigram_jaccard",
    "bigram_jaccard": "bigram_jaccard",
    "token_f1": "token_f1",
    "edit": "levenshtein_similarity",
}


def of(pair, side):
    return pair[side]["start"], pair[side]["end"]


@pytest.mark.parametrize("pair", REFERENCE["pairs"], ids=lambda pair: pair["name"])
def test_every_measure_has_the_value_of_the_reference_pairs(pair):
    found = similarities(TEXT, of(pair, "a"), of(pair, "b"))
    assert tuple(found) == MEASURES
    for ours, theirs in REFERENCE_NAMES.items():
        expected = pair["values"][theirs]
        if expected is None:
            assert found[ours].value is None, ours
            assert found[ours].reason in {"no_token", "no_bigram"}, ours
        else:
            assert found[ours].value == pytest.approx(expected, abs=1e-12), ours
            assert found[ours].reason is None, ours


@pytest.mark.parametrize("pair", REFERENCE["pairs"], ids=lambda pair: pair["name"])
def test_rouge_has_the_value_of_the_package_and_is_undefined_where_a_side_has_no_token(pair):
    found = similarities(TEXT, of(pair, "a"), of(pair, "b"))
    has_tokens = pair["tokens"]["rouge_a"] and pair["tokens"]["rouge_b"]
    for ours, theirs in (("rouge1", "rouge1_f"), ("rougeL", "rougeL_f")):
        if has_tokens:
            assert found[ours] == Similarity(pytest.approx(pair["values"][theirs], abs=1e-12))
        else:
            assert found[ours] == Similarity(None, "no_rouge_token")


def test_an_underscore_joins_words_but_separates_rouge_tokens():
    assert similarity.token_f1("tax_rate", "tax") == Similarity(0.0)
    assert similarity.rouge("tax_rate", "tax")[0] == Similarity(pytest.approx(2 / 3))


def test_rouge_of_a_latin_span_against_a_cyrillic_one_is_undefined_and_not_zero():
    assert similarity.rouge("taxes rise", "налоги растут") == (Similarity(None, "no_rouge_token"),) * 2


@given(st.text("ab_İK 1é.ſ", max_size=20), st.text("ab_İK 1é.ſ", max_size=20))
def test_rouge_equals_the_rouge_score_package(a, b):
    for ours, theirs in zip(similarity.rouge(a, b), similarity.rouge_by_package(a, b), strict=True):
        assert ours.reason == theirs.reason
        assert ours.value == theirs.value


def test_the_kelvin_sign_is_a_rouge_token_because_it_lower_cases_to_k():
    assert similarity.rouge("\u212a", "k") == (Similarity(1.0), Similarity(1.0))


def test_offsets_count_code_points_so_an_emoji_before_a_span_moves_it_by_one():
    text = "🎉 taxes rise"
    assert text[2:7] == "taxes"
    assert similarities(text, (2, 7), (2, 12))["token_jaccard"].value == 0.5


def test_decomposed_and_composed_accents_are_the_same_word():
    decomposed = unicodedata.normalize("NFD", "café")
    assert similarity.unigram_jaccard("CAFÉ", decomposed) == Similarity(1.0)
    assert similarity.edit_similarity("café", decomposed) == Similarity(1 - 2 / 5)


def test_sharp_s_folds_to_double_s():
    assert similarity.token_f1("Straße", "STRASSE") == Similarity(1.0)


def test_a_chinese_text_is_compared_by_characters():
    text = "他说税收会下降而就业会增长"
    found = similarities(text, (2, 7), (4, 7))
    assert found["token_jaccard"].value == 3 / 5
    assert found["unigram_jaccard"].value == 3 / 5
    assert found["bigram_jaccard"].value == 2 / 4
    assert found["token_f1"].value == 6 / 8
    assert found["rouge1"] == Similarity(None, "no_rouge_token")


def test_disjoint_chinese_spans_do_not_agree():
    text = "他说税收会下降而就业会增长"
    assert similarities(text, (0, 4), (8, 12))["token_jaccard"] == Similarity(0.0)


def test_empty_strings_have_no_similarity():
    assert similarity.edit_similarity("", "") == Similarity(None, "empty_spans")
    assert similarity.character_jaccard((3, 3), (3, 3)) == Similarity(None, "empty_spans")
    assert similarity.token_f1("", "!") == Similarity(None, "no_token")


@pytest.mark.parametrize("span", [(-1, 2), (0, 0), (3, 2), (0, 6)])
def test_a_span_outside_the_text_is_refused(span):
    with pytest.raises(ValueError, match="not inside a text of 5 code points"):
        similarities("abcde", (0, 1), span)


LETTERS = "ab c,.é👍अ世ि"


@st.composite
def text_and_two_spans(draw):
    text = draw(st.text(LETTERS, min_size=1, max_size=30))
    spans = []
    for _ in range(2):
        start = draw(st.integers(0, len(text) - 1))
        spans.append((start, draw(st.integers(start + 1, len(text)))))
    return text, *spans


@given(text_and_two_spans())
def test_similarities_are_symmetric_and_within_zero_and_one(case):
    text, a, b = case
    forward, backward = similarities(text, a, b), similarities(text, b, a)
    for measure in MEASURES:
        assert forward[measure].reason == backward[measure].reason
        if forward[measure].value is None:
            assert forward[measure].reason
            assert backward[measure].value is None
        else:
            assert forward[measure].value == pytest.approx(backward[measure].value, abs=1e-15)
            assert 0 <= forward[measure].value <= 1


@given(text_and_two_spans())
def test_a_span_is_fully_similar_to_itself_wherever_a_measure_is_defined(case):
    text, a, _ = case
    assert {found.value for found in similarities(text, a, a).values()} <= {1.0, None}
