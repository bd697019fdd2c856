import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotation.codebooks.exemplar_questions import question_from_exemplar
from annotation.codebooks.toml_reader import load_shipped

MIDDLE = "What might happen if _____ changes in time?"
END = "Would people understand what you mean by _____?"
START = "_____: who says so?"


def filled(exemplar, span):
    """Return what stands where the blank was."""
    before, _, after = exemplar.partition("_____")
    question = question_from_exemplar(exemplar, span)
    assert question.startswith(before)
    assert question.endswith(after)
    return question[len(before) : len(question) - len(after)]


def test_the_examples_that_annotators_read_ask_what_a_release_would():
    for entry in load_shipped("focus").types:
        argument, question = entry.example.split("\n")
        span = argument[argument.index("[") + 1 : argument.index("]")]
        assert question == question_from_exemplar(entry.exemplar, span)


def test_the_blank_of_the_exemplar_is_filled_with_the_span():
    assert (
        question_from_exemplar(MIDDLE, "the tax rate") == "What might happen if the tax rate changes in time?"
    )


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ("taxes rise", "Taxes rise"),
        ("“prices ALWAYS rise”", "“Prices ALWAYS rise”"),
        ("(some) taxes rise", "(Some) taxes rise"),
        ("iPhones cost too much", "iPhones cost too much"),
        ("NATO", "NATO"),
        ("2,000 people", "2,000 people"),
        ("élites rule", "Élites rule"),
        ("налоги растут", "Налоги растут"),
        ("გადასახადი", "გადასახადი"),
        ("税收", "税收"),
        ("الضرائب", "الضرائب"),
    ],
)
def test_a_span_that_opens_the_question_begins_with_a_capital(span, expected):
    assert filled(START, span) == expected


def test_a_span_that_opens_a_later_sentence_of_the_exemplar_begins_with_a_capital():
    assert filled("You made a claim. _____ is it?", "taxes rise") == "Taxes rise"


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ("The tax rate", "the tax rate"),
        ("This", "this"),
        ("If taxes fall, jobs will grow", "if taxes fall, jobs will grow"),
        ("When I was young", "when I was young"),
        ("A tax on cars", "a tax on cars"),
        ("Everyone", "everyone"),
        ("The U.S. data", "the U.S. data"),
        ("It's not that simple", "it's not that simple"),
        ("The Hague", "The Hague"),
        ("The American dream", "The American dream"),
        ("The “American” dream", "The “American” dream"),
        ("I think so", "I think so"),
        ("I'm sure", "I'm sure"),
        ("NATO expansion", "NATO expansion"),
        ("THE tax", "THE tax"),
        ("IT workers", "IT workers"),
        ("US troops", "US troops"),
        ("Trump", "Trump"),
        ("Taxes rise", "Taxes rise"),
        ("May is here", "May is here"),
        ("Will has left", "Will has left"),
        ("“The law is bad”", "“The law is bad”"),
        ("Die Steuern steigen", "Die Steuern steigen"),
        ("Налоги растут", "Налоги растут"),
        ("Ó Briain says", "Ó Briain says"),
    ],
)
def test_in_mid_sentence_only_a_common_opener_of_sentences_loses_its_capital(span, expected):
    assert filled(MIDDLE, span) == expected


def test_a_span_that_the_exemplar_puts_in_quotes_keeps_its_capital():
    assert filled("What do you mean by “_____”?", "The law") == "The law"


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ("taxes rise.", "taxes rise"),
        ("do they?", "do they"),
        ("taxes rise!!!", "taxes rise"),
        ("taxes rise...", "taxes rise"),
        ("not that simple…", "not that simple"),
        ("taxes rise ,", "taxes rise"),
        ("taxes rise —", "taxes rise"),
        ("taxes rise;", "taxes rise"),
        ("in the U.S.", "in the U.S."),
        ("before 9 a.m.", "before 9 a.m."),
        ("plan B.", "plan B"),
        ("pays 3.5", "pays 3.5"),
        ("“taxes rise.”", "“taxes rise”"),
        ("“taxes rise”.", "“taxes rise”"),
        ("'taxes rise.'", "'taxes rise'"),
        ("taxes rise (a lot)", "taxes rise (a lot)"),
        ("100%", "100%"),
        ("税收会下降。", "税收会下降"),
        ("करों में वृद्धि।", "करों में वृद्धि"),
        ("هل ترتفع الضرائب؟", "هل ترتفع الضرائب"),
        ("why? because", "why? because"),
    ],
)
def test_final_punctuation_is_dropped(span, expected):
    assert filled(END, span) == expected


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ("“taxes rise", "taxes rise"),
        ("taxes rise”", "taxes rise"),
        ('"taxes rise', "taxes rise"),
        ('taxes rise."', "taxes rise"),
        ("taxes rise.”", "taxes rise"),
        ("the “rich", "the rich"),
        ("the “rich” pay", "the “rich” pay"),
        ("“taxes rise”", "“taxes rise”"),
        ('"taxes rise"', '"taxes rise"'),
        ('the "rich" and "poor', 'the "rich" and poor'),
        ("„die Steuern steigen“", "„die Steuern steigen“"),
        ("„die Steuern", "die Steuern"),
        ("«les impôts»", "«les impôts»"),
        ("les impôts»", "les impôts"),
        ("「税收", "税收"),
        ("‘taxes rise’", "‘taxes rise’"),
        ("‘taxes don’t rise’", "‘taxes don’t rise’"),
        ("‘taxes rise", "taxes rise"),
        ("people’s taxes", "people’s taxes"),
        ("the voters’ will", "the voters’ will"),
        ("voters' taxes", "voters' taxes"),
        ("don't", "don't"),
        ("they say “ taxes rise", "they say taxes rise"),
        ("“taxes ‘rise”", "“taxes rise”"),
        ("‘taxes don’t rise", "taxes don’t rise"),
        ("“the «rich” pay» taxes", "“the rich” pay taxes"),
    ],
)
def test_quotation_marks_come_in_pairs_and_apostrophes_stay(span, expected):
    assert filled(END, span) == expected


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ("  taxes  rise ", "taxes rise"),
        ("taxes\nrise", "taxes rise"),
        ("taxes\r\n\r\nrise", "taxes rise"),
        ("taxes\u00a0rise", "taxes rise"),
        ("taxes\u2028rise", "taxes rise"),
    ],
)
def test_whitespace_is_folded_to_one_space(span, expected):
    assert filled(END, span) == expected


def test_emoji_combining_marks_and_joiners_are_untouched():
    span = "👩\u200d👩\u200d👧 and cafe\u0301 👍🏽"
    assert filled(END, span) == span


def test_a_span_that_contains_a_blank_does_not_fill_itself():
    assert filled(END, "a _____ line") == "a _____ line"


def test_a_span_of_punctuation_alone_is_shown_as_it_is():
    assert filled(END, "…") == "…"
    assert filled(END, '".') == '".'


@pytest.mark.parametrize("exemplar", ["No blank?", "_____ and _____?", ""])
def test_an_exemplar_without_exactly_one_blank_is_refused(exemplar):
    with pytest.raises(ValueError, match="exactly one blank"):
        question_from_exemplar(exemplar, "taxes")


def test_a_span_of_whitespace_leaves_the_blank_open():
    assert question_from_exemplar(END, " \n") == END


@pytest.mark.parametrize(
    "exemplar",
    [
        entry["exemplar"]
        for entry in json.loads(
            (Path(__file__).parent.parent / "reference" / "focus_types.json").read_text(encoding="utf-8")
        )["types"]
        if entry["exemplar"]
    ],
)
def test_every_focus_exemplar_becomes_a_question_with_one_question_mark(exemplar):
    question = question_from_exemplar(exemplar, "The rich pay no taxes, do they?")
    assert question == exemplar.replace("_____", "the rich pay no taxes, do they")
    assert question.count("?") == 1


@example("‘0’“0")  # once the second mark is gone, the first pair must not look like an apostrophe
@given((st.text(min_size=1) | st.text("aT “”„\"‘’'«».?!…", min_size=1)).filter(str.strip))
def test_any_span_makes_a_question_and_filling_again_changes_nothing(span):
    once = filled(MIDDLE, span)
    assert once
    assert filled(MIDDLE, once) == once
