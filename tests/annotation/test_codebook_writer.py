"""A codebook edited by fields is the same codebook but for what was edited."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.codebooks.toml_reader import SHIPPED, read_codebook
from annotation.codebooks.toml_writer import codebook_toml, edit_document
from annotation.projects.projects import codebook_source

texts = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_codebook_survives_being_written(name):
    source = codebook_source(name)
    document = tomllib.loads(source)
    assert tomllib.loads(codebook_toml(document)) == document
    assert read_codebook(codebook_toml(document), name) == read_codebook(source, name)


@given(texts, st.lists(texts), texts)
def test_any_text_survives_being_written(title, aliases, guideline):
    entry = {"code": "LE", "span": True, "aliases": aliases, "guideline": guideline}
    # TOML reads a carriage return before a newline as part of the newline only in multi-line strings.
    document = {"title": title, "types": [entry], "derived_none": {"code": "NONE"}}
    assert tomllib.loads(codebook_toml(document)) == document


def form_of(document) -> dict[str, str]:
    """What the browser sends back where nobody touched a field: newlines as CR LF, outer ones lost."""
    sent = {"title": document["title"], "guideline": document["guideline"].strip("\n").replace("\n", "\r\n")}
    for index, entry in enumerate(document["types"]):
        sent[f"types-{index}-shown"] = "1"
        for field, value in entry.items():
            if value is True:
                sent[f"types-{index}-{field}"] = "on"
            elif isinstance(value, str):
                sent[f"types-{index}-{field}"] = value.strip("\n").replace("\n", "\r\n")
    return sent


def test_a_form_that_nobody_touched_changes_nothing():
    document = tomllib.loads(codebook_source("focus"))
    assert edit_document(document, form_of(document)) == document


def test_only_the_touched_field_changes():
    document = tomllib.loads(codebook_source("focus"))
    edited = edit_document(document, {**form_of(document), "types-3-description": "Sharper\r\nnow."})
    assert edited["types"][3]["description"] == "Sharper\nnow."
    edited["types"][3]["description"] = document["types"][3]["description"]
    assert edited == document


def test_types_can_be_left_out_and_added():
    document = tomllib.loads(codebook_source("focus"))
    sent = {
        **form_of(document),
        "types-0-remove": "on",
        "types-new-code": "AD",
        "types-new-name": "Ad Hominem",
    }
    edited = edit_document(document, sent)
    assert [entry["code"] for entry in edited["types"]][-1] == "AD"
    assert len(edited["types"]) == 10
    assert edited["types"][-1]["span"] is False


def test_a_blank_optional_field_is_taken_out():
    document = {"types": [{"code": "LE", "example": "Old.", "span": False}]}
    edited = edit_document(document, {"types-0-shown": "1", "types-0-example": " "})
    assert edited == {"types": [{"code": "LE", "span": False}]}
