"""A codebook's texts in other languages: what is read, shown, refused, kept by the editor, out of date."""

import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from django.utils import translation

from annotation.codebooks import toml_reader as reader
from annotation.codebooks.definition import BLANK, Codebook
from annotation.codebooks.diff import codebook_changes
from annotation.codebooks.toml_reader import SHIPPED, CodebookError, load_shipped, read_codebook
from annotation.codebooks.toml_writer import codebook_toml, edit_document
from annotation.codebooks.translations import base_texts, codebook_in, language_shown, translation_states
from annotation.judging.workspace import workspace_overview
from tests import factories
from tests.conftest import client_of

BASE = """
title = "Types"
protocol = "focus"
language = "en"
guideline = "Read."

[[types]]
code = "LE"
name = "Lacks Evidence"
description = "No support."
exemplar = "What backs up _____?"
span = true

[[types]]
code = "TOP"
name = "On Topic"
description = "About it."
span = false
"""
SPANISH = """
[languages.es]
title = "Tipos"

[languages.es.types.LE]
name = "Falta de pruebas"
exemplar = "¿Qué respalda _____?"
"""


def problems(translations: str) -> list[str]:
    with pytest.raises(CodebookError) as refused:
        read_codebook(BASE + translations, "x")
    return [str(problem) for problem in refused.value.problems]


def test_a_translation_is_shown_where_there_is_one_and_the_base_text_elsewhere():
    codebook = read_codebook(BASE + SPANISH, "x")
    shown = codebook_in(codebook, "es")
    assert (shown.title, shown.guideline) == ("Tipos", "Read.")
    assert [(entry.code, entry.name) for entry in shown.types] == [
        ("LE", "Falta de pruebas"),
        ("TOP", "On Topic"),
    ]
    assert codebook_in(codebook, "ja") == codebook_in(codebook, "en") == codebook


def test_the_question_stays_in_the_codebooks_own_language():
    assert codebook_in(read_codebook(BASE + SPANISH, "x"), "es").types[0].exemplar == "What backs up _____?"


@pytest.mark.parametrize(
    ("asked", "shown"),
    [("es", "es"), ("es-mx", "es"), ("PT", "pt-BR"), ("en-gb", "en"), ("fr", "en"), ("", "en")],
)
def test_a_near_language_does_and_else_the_codebooks_own(asked, shown):
    codebook = replace(load_shipped("cqs_gen"), languages={"es": {"title": "x"}, "pt-BR": {"title": "y"}})
    assert language_shown(codebook, asked) == shown


@pytest.mark.parametrize(
    ("translations", "problem"),
    [
        (
            "[languages.es.types.LEE]\nname = 'x'",
            "languages.es.types.LEE: is not a known key; did you mean LE?",
        ),
        (
            "[languages.es.types.LE]\ncode = 'LE'",
            "languages.es.types.LE.code: is not a known key; known keys are name,",
        ),
        ("[languages.es.types.LE]\nexemplar = '¿Qué?'", "languages.es.types.LE.exemplar: has no blank _____"),
        (
            "[languages.es.types.LE]\nexemplar = '_____ y _____'",
            "languages.es.types.LE.exemplar: has the blanks _____ _____, expected exactly one _____",
        ),
        ("[languages.es.types.TOP]\nexemplar = 'x'", "languages.es.types.TOP.exemplar: is not a known key;"),
        ("[languages.es.types.LE]\nname = ' '", "languages.es.types.LE.name: is blank"),
        ("[languages.es.types.LE]\nname = 3", "languages.es.types.LE.name: is the number 3, expected a text"),
        (
            "[languages.es.types]\nLE.name = 'x'\nTOP.name = 'x'",
            "languages.es.types.TOP.name: is 'x', which languages.es.types.LE has already",
        ),
        ("[languages.jp]\ntitle = 'x'", "languages.jp: is no known language tag; did you mean"),
        ("[languages.klingon]\ntitle = 'x'", "languages.klingon: is no known language tag;"),
        ("[languages.en]\ntitle = 'x'", "languages.en: is the language of the codebook itself"),
        ("[languages.es]\ntypes = 'x'", "languages.es.types: is 'x', expected a table [languages.es.types]"),
        ("[languages]\nes = 'x'", "languages.es: is 'x', expected a table [languages.es]"),
        ("[languages.es.labels.USE]\nname = 'x'", "languages.es.labels: is not a known key;"),
    ],
)
def test_a_wrong_translation_is_refused_with_its_place(translations, problem):
    (told,) = problems(translations)
    assert told.startswith(problem)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_shipped_codebooks_are_whole_in_spanish_and_japanese(name):
    codebook = load_shipped(name)
    assert [(state.language, state.missing, state.older) for state in translation_states([codebook])] == [
        ("es", (), ()),
        ("ja", (), ()),
    ]
    for language in ("es", "ja"):
        shown, base = base_texts(codebook_in(codebook, language)), base_texts(codebook)
        same = {place for place in base if shown[place] == base[place]}
        assert {place for place in same if place[-1] != "exemplar"} == set()
        for entry in codebook.types:
            translated = codebook.languages[language]["types"][entry.code]
            if entry.span:
                # The example ends with the exemplar, its blank filled by the words in brackets.
                span = re.search(r"\[(.+?)\]", translated["example"])[1]
                question = translated["example"].splitlines()[-1]
                assert question.lower() == translated["exemplar"].replace(BLANK, span).lower()


def test_a_definition_stored_before_there_were_translations_is_read_as_one_without():
    codebook = read_codebook(BASE, "x")
    stored = codebook.to_json()
    assert stored.pop("languages") == {}
    assert Codebook.from_json(stored) == codebook
    translated = read_codebook(BASE + SPANISH, "x")
    assert Codebook.from_json(translated.to_json()) == translated


def test_the_editor_keeps_translations_and_takes_out_those_of_what_is_taken_out():
    document = tomllib.loads(BASE + SPANISH)
    shown = {"types-0-shown": "1", "types-0-name": "No Evidence", "types-0-exemplar": "What backs up _____?"}
    edited = edit_document(document, shown | {"types-0-description": "No support.", "types-0-span": "on"})
    assert edited["types"][0]["name"] == "No Evidence"
    assert edited["languages"] == document["languages"]
    assert tomllib.loads(codebook_toml(edited)) == edited
    gone = edit_document(document, {"types-0-remove": "1"})
    assert gone["languages"] == {"es": {"title": "Tipos", "types": {}}}
    assert read_codebook(codebook_toml(gone), "x").languages == {"es": {"title": "Tipos"}}


def test_every_shipped_codebook_comes_back_the_same_from_the_writer():
    for name in SHIPPED:
        document = tomllib.loads(Path(reader.__file__).with_name(f"{name}.toml").read_text("utf-8"))
        assert tomllib.loads(codebook_toml(document)) == document


def test_a_translation_is_older_once_its_text_has_changed_and_no_more_once_it_is_rewritten():
    first = read_codebook(BASE + SPANISH, "x")
    second = read_codebook(BASE.replace("Lacks Evidence", "No Evidence") + SPANISH, "x")
    third = read_codebook(
        BASE.replace("Lacks Evidence", "No Evidence") + SPANISH.replace("Falta", "Carece"), "x"
    )
    back = read_codebook(BASE + SPANISH, "x")
    assert translation_states([first])[0].older == ()
    assert translation_states([first, second])[0].older == ("types LE name",)
    assert translation_states([first, second, second])[0].older == ("types LE name",)
    assert translation_states([first, second, third])[0].older == ()
    assert translation_states([first, second, back])[0].older == ()
    (state,) = translation_states([first])
    assert (state.total, state.missing) == (
        7,
        ("guideline", "types LE description", "types TOP name", "types TOP description"),
    )


def test_changed_translations_are_compared_like_other_texts():
    old, new = read_codebook(BASE, "x"), read_codebook(BASE + SPANISH, "x")
    told = [(change.part, change.field) for change in codebook_changes(old, new)]
    assert told == [("Translation es", field) for field in ("title", "types LE name", "types LE exemplar")]


@pytest.mark.django_db
def test_an_annotator_reads_the_rules_in_their_language_and_the_question_in_the_studys():
    made = factories.study("focus", annotators=1, slug="s")
    factories.open_round(made)
    member = made.annotators[0]
    base = workspace_overview(member, made.round)
    with translation.override("es"):
        spanish = workspace_overview(member, made.round)
    first, told = base["spec"]["types"][0], spanish["spec"]["types"][0]
    assert (told["code"], told["name"]) == ("OSP", "Perspectiva de otros implicados")
    assert told["exemplar"] == first["exemplar"] and "stakeholders" in first["exemplar"]
    assert "Indagar en un argumento" in spanish["guideline_html"]
    assert "languages" not in spanish["spec"]
    page = client_of(member.user).get("/p/s/codebook/", headers={"accept-language": "es"}).content.decode()
    assert "Perspectiva de otros implicados" in page and "¿Qué dirían otros implicados" in page
    assert "What would other stakeholders" in page
    asked = client_of(member.user).get("/p/s/codebook/?language=ja", headers={"accept-language": "es"})
    assert "ほかの利害関係者の視点" in asked.content.decode()


@pytest.mark.django_db
def test_the_editor_tells_a_lead_which_translations_are_older(lead_client):
    factories.study("context_sufficiency", slug="s")
    assert "22 of 22" not in lead_client.get("/p/s/codebook/edit/").content.decode()
    given = {"types-0-shown": "1", "types-0-name": "Enough Context", "types-0-description": "It is clear."}
    lead_client.post("/p/s/codebook/edit/", given)
    page = " ".join(lead_client.get("/p/s/codebook/edit/").content.decode().split())
    assert "2 are older than their texts" in page
    assert "types CTX name, types CTX description" in page
