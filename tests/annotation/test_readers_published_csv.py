"""The published CSV formats, SoQG and LogicClimate."""

import csv
from collections import Counter

import pytest

from annotation.importing.files.rows import FileError, ItemRow, Refusal
from tests.annotation.reading import read_items


def write(path, content):
    path.write_text(content, encoding="utf-8", newline="")
    return path


def of(kind, rows):
    return [row for row in rows if isinstance(row, kind)]


# SoQG

SOQG = (
    ",thought,question,label\n"
    '0,"One\r\nthought",Why?,clarity\n'
    "1,-two,How?,others\n"
    '2,"One\r\nthought",When?,others\n'
)


def test_soqg_thoughts_become_items_with_the_question_in_the_metadata(tmp_path):
    rows = list(read_items(write(tmp_path / "mturk.csv", SOQG)))
    assert rows[0] == ItemRow(
        external_id="mturk-0",
        text="One\r\nthought",
        source="SoQG",
        metadata={"question": "Why?", "question_type": "clarity"},
        place="row 2",
    )
    assert (rows[1].text, rows[1].place) == ("-two", "row 3 (line 4)")


def test_an_equal_soqg_thought_is_an_item_of_its_own(tmp_path):
    rows = list(read_items(write(tmp_path / "mturk.csv", SOQG)))
    assert [(row.external_id, row.text) for row in rows] == [
        ("mturk-0", "One\r\nthought"),
        ("mturk-1", "-two"),
        ("mturk-2", "One\r\nthought"),
    ]


def test_a_published_cell_with_an_apostrophe_is_taken_as_it_is(tmp_path):
    (item,) = read_items(write(tmp_path / "m.csv", ",thought,question,label\n0,'-x,'=y,z\n"))
    assert (item.text, item.metadata["question"]) == ("'-x", "'=y")


def test_soqg_rows_without_a_thought_or_an_index_are_refused(tmp_path):
    content = ",thought,question,label\n0,,Why?,x\n,y,Why?,x\n2,z,Why?\n"
    rows = list(read_items(write(tmp_path / "m.csv", content)))
    assert [(row.place, row.reason) for row in rows] == [
        ("row 2", "the text is blank"),
        ("row 3", "the index is blank"),
        ("row 4", "has 3 cells, the header 4"),
    ]
    assert rows[0].row == {
        "id": "m-0",
        "column 1": "0",
        "thought": "",
        "question": "Why?",
        "label": "x",
    }


def test_a_missing_soqg_column_is_named_with_the_columns_found(tmp_path):
    path = write(tmp_path / "m.csv", ",thought,label\n0,x,y\n")
    with pytest.raises(FileError) as raised:
        list(read_items(path, format="soqg"))
    assert str(raised.value) == "m.csv: row 1: no column 'question'; found 'column 1', 'thought', 'label'"


@pytest.mark.parametrize(
    ("file", "items", "texts"), [("mturk_test.csv", 634, 634), ("mturk_train_valid.csv", 2535, 2530)]
)
def test_the_published_soqg_files_have_their_known_counts(shared_data, file, items, texts):
    rows = list(read_items(shared_data / "soqg" / file))
    assert Counter(type(row) for row in rows) == Counter({ItemRow: items})
    assert len({row.external_id for row in rows}) == items
    assert len({row.text for row in rows}) == texts


def test_six_soqg_thoughts_occur_in_both_published_files(shared_data):
    texts = [
        {row.text for row in of(ItemRow, read_items(shared_data / "soqg" / file))}
        for file in ("mturk_test.csv", "mturk_train_valid.csv")
    ]
    assert len(texts[0] & texts[1]) == 6


def test_published_texts_are_those_of_the_file_character_for_character(shared_data):
    path = shared_data / "soqg" / "mturk_test.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        expected = [row["thought"] for row in csv.DictReader(stream)]
    assert [row.text for row in read_items(path)] == expected


# LogicClimate

CLIMATE = (
    ",original_url,source_article,logical_fallacies\n"
    "0,u1,One .,intentional\n"
    "1,u1,Two .,ad hominem\n"
    "2,u1, ,intentional\n"
    "3,u2,One .,ad hominem\n"
    "4,u1,One .,intentional\n"
)


def test_a_passage_is_one_item_with_its_fallacies_in_order_of_appearance(tmp_path):
    rows = list(read_items(write(tmp_path / "climate.csv", CLIMATE)))
    assert rows[0] == ItemRow(
        external_id="climate-0",
        text="One .",
        source="LogicClimate",
        metadata={"logical_fallacies": ["intentional", "ad hominem"], "original_urls": ["u1", "u2"]},
        place="row 2",
    )
    assert rows[1].external_id == "climate-1"
    assert (rows[2].place, rows[2].reason) == ("row 4", "source_article is blank")
    assert len(rows) == 3


def test_the_published_logicclimate_files_have_their_known_counts(shared_data):
    """1,074 rows; the 859 distinct texts of traps.md count the blank one, which is no item."""
    counts, texts, rows_in = Counter(), set(), 0
    for file in ("climate_test.csv", "climate_train.csv"):
        path = shared_data / "logicclimate" / file
        with path.open(encoding="utf-8", newline="") as stream:
            rows_in += sum(1 for _ in csv.DictReader(stream))
        rows = list(read_items(path))
        counts.update(type(row) for row in rows)
        texts |= {row.text for row in of(ItemRow, rows)}
        assert {row.reason for row in of(Refusal, rows)} == {"source_article is blank"}
    assert rows_in == 1074
    assert counts == Counter({ItemRow: 858, Refusal: 32})
    assert len(texts | {""}) == 859
