"""What is put into a prompt, and which answers may stand for a question."""

import pytest

from exports.refinement.prompt import (
    DEFAULT_PROMPT,
    GoldQuestion,
    answer_problem,
    fill_prompt,
    length_limit,
    prompt_problem,
)

ARGUMENT = "It rained. Everyone's grades fell {question} after that."


def asked(question="Why do you think everyone's grades fell?", argument=ARGUMENT):
    return GoldQuestion(1, "I-1", argument, "", "", "OG", "Overgeneralized Statement", 11, 33, question)


def test_the_default_prompt_is_filled_with_argument_type_span_and_question():
    filled = fill_prompt(DEFAULT_PROMPT, asked())
    for line in (
        f"\nArgument: {ARGUMENT}\n",
        "\nKind of question: Overgeneralized Statement\n",
        "\nWords that it is about: Everyone's grades fell\n",
        "\nQuestion: Why do you think everyone's grades fell?\n",
    ):
        assert line in filled
    assert prompt_problem(DEFAULT_PROMPT) == ""


def test_braces_in_a_text_are_text():
    assert fill_prompt("{argument}|{question}", asked()) == f"{ARGUMENT}|{asked().question}"
    assert fill_prompt('Answer as {"q": "{question}"}', asked()) == f'Answer as {{"q": "{asked().question}"}}'


@pytest.mark.parametrize(
    ("prompt", "problem"),
    [
        ("", "Write {question} where the question goes."),
        ("Reword {argument}", "Write {question} where the question goes."),
        ("{question} {key}", "{key} stands for nothing: use {argument}, {span}, {type}, {question}."),
        ("{question}" + "x" * 4_000, "The prompt cannot be sent: 4,010 characters, at most 4,000 are kept."),
        ("{question}", ""),
    ],
)
def test_a_prompt_is_refused_with_what_to_write(prompt, problem):
    assert prompt_problem(prompt) == problem


@pytest.mark.parametrize(
    "answer",
    [
        "What makes you think that everyone's grades fell?",
        "Does “everyone’s grades fell” hold for the U.S. Army, e.g. Fort Knox?",
        "Is it 3.5 or more?",
        "为什么大家的成绩都下降了？",
        "لماذا انخفضت درجات الجميع؟",
        "Why 👩‍👩‍👧?",
        "Everyone's grades fell... but did they?",
    ],
)
def test_one_question_in_one_sentence_is_kept(answer):
    assert answer_problem(answer, asked()) == ""


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("", "it is empty"),
        ("\u200b\ufeff", "it is empty"),
        ("Why did grades\nfall?", "it has line breaks or control characters"),
        ("Why\x00?", "it has line breaks or control characters"),
        ("Why\u2028?", "it has line breaks or control characters"),
        ("Why \ud800?", "it has line breaks or control characters"),
        ("Why \u202egnip?", "it has line breaks or control characters"),
        ("Why " + "so " * 140 + "?", "it is longer than 400 characters"),
        ("Why is _____ true?", "its blank is not filled"),
        ("Grades fell.", "it does not end with a question mark"),
        ("“Why did grades fall?”", "it does not end with a question mark"),
        ("Why? Sure.", "it does not end with a question mark"),
        ("?", "it has no words"),
        ("Sure! Why did grades fall?", "it is more than one sentence"),
        ("Here it is. “Why did grades fall”?", "it is more than one sentence"),
        ("Why did they fall? Who says so?", "it is more than one sentence"),
        ("下降了。为什么？", "it is more than one sentence"),
    ],
)
def test_any_other_answer_is_refused_with_its_reason(answer, problem):
    assert answer_problem(answer, asked()) == problem


def test_a_span_of_two_sentences_may_stay_in_the_question():
    two = asked("Could you explain “It rained. Everyone's grades fell”?")
    assert answer_problem("What does “It rained. Everyone's grades fell” rest on?", two) == ""
    assert answer_problem("Hm. What does “It rained. Everyone's fell” rest on?", two) == (
        "it is more than one sentence"
    )


def test_a_long_question_may_have_a_long_answer():
    assert length_limit(asked("x" * 1_000)) == 2_000
