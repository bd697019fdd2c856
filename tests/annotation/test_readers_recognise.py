"""The format of a file is told by its content."""

import json

import pytest

from annotation.importing.files.rows import FileError
from annotation.importing.formats.item_formats import recognise

INTERVENTION = {"intervention_id": "T_1", "intervention": "A: x", "dataset": "US2016", "cqs": []}
SOQG = ",thought,question,label\n0,One,Why?,clarity\n"
CLIMATE = ",original_url,source_article,logical_fallacies\n0,u1,One .,intentional\n"


def write(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"T_1": INTERVENTION}, "cqs_gen"),
        (json.dumps({"T_1": INTERVENTION}, indent=4), "cqs_gen"),
        ("{}", "cqs_gen"),
        ('{"id": "A", "text": "x"}\n{"id": "B", "text": "y"}\n', "table"),
        ('\n {"text": "x", "id": "A"}', "table"),
        (SOQG, "soqg"),
        (CLIMATE, "logicclimate"),
        ("text,id\n", "table"),
        ("id;text;note\n", "table"),
        ("id\ttext\n", "table"),
        ("id,text,thought,question,label\n", "table"),
    ],
)
def test_the_format_is_told_by_the_content_and_not_by_the_name(tmp_path, content, expected):
    assert recognise(write(tmp_path / "anything.dat", content), "anything.dat") == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("cqs_gen/validation.json", "cqs_gen"),
        ("cqs_gen/test.json", "cqs_gen"),
        ("cqs_gen/submission_llama8.json", "cqs_gen"),
        ("soqg/mturk_test.csv", "soqg"),
        ("logicclimate/climate_train.csv", "logicclimate"),
    ],
)
def test_the_published_files_are_recognised(shared_data, path, expected):
    assert recognise(shared_data / path, "x") == expected


def test_a_file_of_no_known_format_says_what_was_expected_and_found(tmp_path):
    with pytest.raises(FileError) as raised:
        recognise(write(tmp_path / "m.csv", "id,txt\n1,x\n"), "m.csv")
    assert str(raised.value) == (
        "m.csv: row 1: the columns of no known format: expected id, text (table); "
        "thought, question, label (soqg); original_url, source_article, logical_fallacies (logicclimate), "
        "or a JSON object (cqs_gen); "
        "found 'id', 'txt'"
    )
