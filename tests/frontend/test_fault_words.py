"""Faults of a system's file are told in the reader's language, although what reads the file is pure."""

import ast
from collections.abc import Iterator

import pytest
from django.utils import translation

from frontend.pages.systems.fault_words import FAULTS, fault_said
from tests.conftest import ROOT

READERS = (
    *("scoring/evaluation/submissions.py", "scoring/evaluation/json_file.py"),
    *("scoring/evaluation/prediction_files.py", "scoring/reading/focus_answers.py"),
)


def written() -> Iterator[str]:
    """Give every message of a fault or note in the readers, with 7 wherever something is filled in."""
    for path in READERS:
        for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in ("fault", "note", "tell", "AnswerRefused"):
                message = node.args[name == "AnswerRefused"]
                for one in (message.body, message.orelse) if isinstance(message, ast.IfExp) else (message,):
                    if isinstance(one, ast.Constant):
                        yield one.value
                    elif isinstance(one, ast.JoinedStr):
                        yield "".join(
                            part.value if isinstance(part, ast.Constant) else "7" for part in one.values
                        )


@pytest.mark.parametrize("language", ["es", "ja"])
def test_every_fault_that_a_reader_finds_has_words_in_every_language(language):
    messages = list(written())
    assert len(messages) > 25
    with translation.override(language):
        assert [message for message in messages if fault_said(message) == message] == []


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("is missing", "falta"),
        ("1 question where 3 are asked for", "1 pregunta donde se piden 3"),
        ("2 questions where 3 are asked for", "2 preguntas donde se piden 3"),
        ("is question 1 again; it counts once", "es otra vez la pregunta 1; cuenta una sola vez"),
        ("question 2", "pregunta 2"),
        ("line 3, column 9", "línea 3, columna 9"),
        ("is 7; expected a list of questions", "es 7; se esperaba una lista de preguntas"),
        ("is 50%; expected an object", "es 50%; se esperaba un objeto"),
        ("has 2,001 characters; at most 2,000 are read", "tiene 2,001 caracteres; se leen como mucho 2,000"),
        ("cqs", "cqs"),
        (
            "2 of 2 items are missing; they count as not answered",
            "faltan 2 de 2 textos; cuentan como no respondidos",
        ),
        ("… and 7 more", "… y 7 más"),
        ("dropped 3 times: None beside a type", "se descartó 3 veces: None junto a un tipo"),
        ("not read: a type twice", "no se leyó: a type twice"),
        (
            "The method sts needs a sentence encoder, and there is none: set ELENCHUS_SENTENCE_ENCODER. "
            "Other methods need none.",
            "El método sts necesita un codificador de oraciones, y there is none: set "
            "ELENCHUS_SENTENCE_ENCODER. Los demás métodos no lo necesitan.",
        ),
    ],
)
def test_a_fault_keeps_what_it_names(message, told):
    with translation.override("es"):
        assert fault_said(message) == told


def test_in_english_a_fault_stays_as_it_was_written():
    assert {form: str(words) for form, words in FAULTS.items()} == {form: form for form in FAULTS}
