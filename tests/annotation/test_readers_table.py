"""The project's own table of items and questions, as CSV, JSON Lines and Excel."""

import csv
import datetime
import json
import tempfile
import zipfile
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.styles import Font

from annotation.importing.files.lost_cells import lost_text
from annotation.importing.files.rows import FileError, ItemRow, Notice, QuestionRow, Refusal, item_problem
from core.csv_safety import made_safe, taken_back
from core.texts import is_blank
from tests.annotation.reading import read_items


def write(path, content):
    path.write_text(content, encoding="utf-8", newline="")
    return path


def workbook(path, *rows, further_sheet=None):
    book = openpyxl.Workbook()
    book.active.title = "Items"
    for row in rows:
        book.active.append(row)
    if further_sheet:
        book.create_sheet(further_sheet)
    book.save(path)
    return path


def refusals(rows):
    return [(row.place, row.reason) for row in rows if isinstance(row, Refusal)]


FULL = ItemRow(
    external_id="A",
    text="Zwei\r\nZeilen",
    source="Forum",
    topic="T3",
    split="dev",
    licence="CC0",
    metadata={"year": "2024", "note": ""},
    questions=(
        QuestionRow("q1", "Why?", "human", None, "row 2"),
        QuestionRow(None, "How?", "", None, "row 3 (line 4)"),
    ),
    place="row 2",
)


@pytest.mark.parametrize("separator", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
def test_rows_of_one_item_become_one_item_with_its_questions(tmp_path, separator):
    lines = [
        [
            "id",
            "text",
            "source",
            "topic",
            "split",
            "licence",
            "question_id",
            "question",
            "origin",
            "year",
            "note",
        ],
        ["A", '"Zwei\r\nZeilen"', "Forum", "T3", "dev", "CC0", "q1", "Why?", "human", "2024", ""],
        ["A", '"Zwei\r\nZeilen"', "Forum", "T3", "dev", "CC0", "", "How?", "", "2024", ""],
        ["B", "alone", *[""] * 9],
    ]
    path = write(tmp_path / "mine.csv", "\n".join(separator.join(line) for line in lines))
    first, second = read_items(path)
    assert first == FULL
    assert (second.external_id, second.text, second.questions) == ("B", "alone", ())


def test_json_lines_keep_numbers_as_question_ids_and_any_json_as_metadata(tmp_path):
    line = {
        "id": 17,
        "text": "x\r\ny\u2028z",
        "question": "Why?",
        "question_id": 0,
        "tags": ["a", {"b": None}],
    }
    (item,) = read_items(write(tmp_path / "mine.jsonl", json.dumps(line, ensure_ascii=False) + "\n\n"))
    assert item == ItemRow(
        external_id="17",
        text="x\r\ny\u2028z",
        metadata={"tags": ["a", {"b": None}]},
        questions=(QuestionRow(0, "Why?", "", None, "line 1"),),
        place="line 1",
    )


def test_excel_rows_are_read_with_their_sheet_and_row_and_empty_rows_are_passed_over(tmp_path):
    path = workbook(
        tmp_path / "mine.xlsx",
        ["id", "text", "year", "when"],
        [17, "first_x000D_\nsecond", 2024, datetime.date(2024, 5, 1)],
        [None, None, None, None],
        ["B", "-no formula", None, None, None],
    )
    first, second, notice = read_items(path)
    assert notice == Notice("sheet 'Items', row 2", "when: dates and times; the first of 1 is cell D2")
    assert first == ItemRow(
        external_id="17",
        text="first\r\nsecond",
        metadata={"year": 2024, "when": "2024-05-01T00:00:00"},
        place="sheet 'Items', row 2",
    )
    assert (second.external_id, second.place) == ("B", "sheet 'Items', row 4")
    assert second.metadata == {"year": "", "when": ""}


def test_further_sheets_of_a_workbook_are_noticed(tmp_path):
    path = workbook(tmp_path / "mine.xlsx", ["id", "text"], ["A", "x"], further_sheet="More")
    assert list(read_items(path))[1:] == [
        Notice("sheet 'More'", "only the first sheet of a workbook is read")
    ]


@pytest.mark.parametrize("name", ["mine.csv", "mine", "mine.XLSX"])
def test_an_excel_workbook_is_told_by_its_content_whatever_it_is_called(tmp_path, name):
    workbook(tmp_path / "saved.xlsx", ["id", "text"], ["A", "x"])
    (tmp_path / "saved.xlsx").rename(tmp_path / name)
    assert [(item.external_id, item.text) for item in read_items(tmp_path / name)] == [("A", "x")]


def test_an_archive_that_is_no_workbook_is_called_one(tmp_path):
    with zipfile.ZipFile(tmp_path / "data.zip", "w") as archive:
        archive.writestr("data.csv", "id,text\nA,x\n")
    with pytest.raises(FileError) as raised:
        list(read_items(tmp_path / "data.zip"))
    assert str(raised.value) == (
        "data.zip: is an archive and no Excel workbook: unpack it, or save the table in it as .xlsx"
    )


def test_excel_cells_beyond_the_header_are_refused_where_they_have_content(tmp_path):
    path = workbook(tmp_path / "mine.xlsx", ["id", "text"], ["A", "x", "lost"])
    assert refusals(read_items(path)) == [("sheet 'Items', row 2", "has 3 cells, the header 2")]


def test_excel_cells_that_only_have_a_format_do_not_count(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["id", "text"])
    book.active.append(["A", "x"])
    for cell in ("D1", "F2", "B9"):
        book.active[cell].font = Font(bold=True)
    book.save(tmp_path / "mine.xlsx")
    (item,) = read_items(tmp_path / "mine.xlsx")
    assert (item.text, item.metadata) == ("x", {})


def test_an_excel_sheet_is_read_whole_where_its_stated_size_is_too_small(tmp_path):
    path = workbook(tmp_path / "mine.xlsx", ["id", "text"], ["A", "x"])
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    assert b'<dimension ref="A1:B2"' in parts[sheet]
    parts[sheet] = parts[sheet].replace(b'<dimension ref="A1:B2"', b'<dimension ref="A1"')
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    assert [(item.external_id, item.text) for item in read_items(path)] == [("A", "x")]


def test_an_excel_number_that_is_no_whole_number_is_no_text(tmp_path):
    path = workbook(tmp_path / "mine.xlsx", ["id", "text"], ["A", 1.5], [True, "x"])
    assert refusals(read_items(path)) == [
        (
            "sheet 'Items', row 2",
            "text: cell B2: expected a text, found 1.5; format the column as Text and fill it in again",
        ),
        (
            "sheet 'Items', row 3",
            "id: cell A3: expected a text, found True, which Excel takes for a truth value",
        ),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"PK\x03\x04 and nothing of an archive",
            "cannot be read as an Excel workbook: its archive is damaged, most likely cut off on its way. "
            "Send or save it once more",
        ),
        (b"\xd0\xcf\x11\xe0 an .xls file", "is a workbook of an old Excel; save it as .xlsx"),
    ],
)
def test_a_workbook_that_cannot_be_read_is_refused(tmp_path, content, message):
    path = tmp_path / "mine.xlsx"
    path.write_bytes(content)
    with pytest.raises(FileError) as raised:
        list(read_items(path))
    assert str(raised.value) == f"mine.xlsx: {message}"


def test_items_may_come_back_later_in_the_file_for_the_loader_to_join(tmp_path):
    path = write(tmp_path / "mine.csv", "id,text,question\nA,x,One?\nB,y,Two?\nA,x,Three?\n")
    assert [(item.external_id, item.questions[0].text) for item in read_items(path)] == [
        ("A", "One?"),
        ("B", "Two?"),
        ("A", "Three?"),
    ]


def test_a_row_whose_text_differs_from_its_item_s_is_refused_with_the_difference(tmp_path):
    path = write(
        tmp_path / "mine.csv", "id,text,question\nA,a cat sat,One?\nA,a cow sat,Two?\nA,a cat sat,Three?\n"
    )
    item, refusal = read_items(path)
    assert [question.text for question in item.questions] == ["One?", "Three?"]
    assert (refusal.place, refusal.reason) == (
        "row 3",
        "the text differs from that of the same id at row 2, "
        "from character 4 on: 'at sat' there, 'ow sat' here",
    )
    assert refusal.row == {"id": "A", "text": "a cow sat", "question": "Two?"}


@pytest.mark.parametrize(
    ("header", "first", "second", "reason"),
    [
        ("id,text,topic", "A,x,T1", "A,x,T2", "topic is 'T2', at row 2 of the same id 'T1'"),
        (
            "id,text,model",
            "A,x,m1",
            "A,x,m2",
            "model is 'm2', at row 2 of the same id 'm1'; "
            "columns beyond the known ones belong to the item, not to a question",
        ),
        (
            "id,text",
            "A,x",
            "A,x ",
            "the text differs from that of the same id at row 2, from character 2 on: "
            "the end of the text there, ' ' here",
        ),
    ],
)
def test_rows_of_one_item_must_agree_on_what_is_the_item_s(tmp_path, header, first, second, reason):
    path = write(tmp_path / "mine.csv", f"{header}\n{first}\n{second}\n")
    assert refusals(read_items(path)) == [("row 3", reason)]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (" ,x,,,", "the id is blank"),
        ("A,\u00a0,,,", "the text is blank"),
        ("A,x\x00,,,", "text: character 2 is NUL (U+0000), which cannot be stored"),
        (f"{'A' * 201},x,,,", "id: 201 characters, at most 200 are kept"),
        ("A,x,q1,,", "has question_id but no question"),
        ("A,x,,,human", "has origin but no question"),
        ("A,x,,Why?\x00,", "question: character 5 is NUL (U+0000), which cannot be stored"),
        ("A,x,,", "has 4 cells, the header 5"),
        ("A,x,,,,", "has 6 cells, the header 5"),
    ],
)
def test_a_row_that_cannot_be_kept_is_refused_with_its_row_and_reason(tmp_path, row, reason):
    path = write(
        tmp_path / "mine.csv", f"id,text,question_id,question,origin\nZ,fine,,,\n{row}\n,,,,\nY,fine,,,\n"
    )
    rows = list(read_items(path))
    assert refusals(rows) == [("row 3", reason)]
    assert [item.external_id for item in rows if isinstance(item, ItemRow)] == ["Z", "Y"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"id": "A"}', "no 'text'; found 'id'"),
        ('{"id": "A", "text": 1.5}', "text: expected a text, found 1.5"),
        ('{"id": "A", "text": ["x"]}', "text: expected a text, found ['x']"),
        ('{"id": "A", "text": "x\\ud800"}', "text: character 2 is a lone surrogate (U+D800)"),
        (
            '{"id": "A", "text": "x", "m": {"k": ["\\u0000"]}}',
            "metadata.m.k[0]: character 1 is NUL (U+0000), which cannot be stored",
        ),
        ('{"id": "A", "text": "x", "m": 1e999}', "metadata.m: inf is no number of JSON"),
        (
            '{"id": "A", "text": "x", "question": "Why?", "question_id": 1.5}',
            "question_id: expected a text or a whole number",
        ),
        ('{"id": "A", "text": "x"', "no valid JSON: column 24: Expecting ',' delimiter"),
        ('{"id": "A", "id": "B", "text": "x"}', "no valid JSON: the name 'id' stands twice in one object"),
        ('{"id": "A", "text": "x", "m": NaN}', "no valid JSON: column 31: NaN is no JSON"),
        ('["A", "x"]', "expected a JSON object"),
        ('{"id": "A", "text": "x", "m": ' + "[" * 60 + "]" * 60 + "}", "nested more than 50 deep"),
        (
            '{"id": "A", "text": "x", "m": ' + "[" * 100_000 + "]" * 100_000 + "}",
            "no valid JSON: nested too deeply",
        ),
    ],
)
def test_a_json_line_that_cannot_be_kept_is_refused_with_its_line_and_reason(tmp_path, line, reason):
    path = write(tmp_path / "mine.jsonl", f'{{"id": "Z", "text": "fine"}}\n{line}\n')
    rows = list(read_items(path))
    assert refusals(rows) == [("line 2", reason)]
    assert rows[0].external_id == "Z"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,text,note,note\n1,x,a,b\n", "row 1: column 'note' stands more than once"),
        ("id, id ,text\n1,2,x\n", "row 1: column 'id' stands more than once"),
        ("id,txt\n1,x\n", "row 1: no column 'text'; found 'id', 'txt'"),
        ("txt\nx\n", "row 1: no columns 'id', 'text'; found 'txt'"),
        ('id,text\nA,x\nB,"never closed\nC,y\n', "row 3: no valid CSV: unexpected end of data"),
        ('id,text\nA,"x"y\n', "row 2: no valid CSV: ',' expected after '\"'"),
        ("\n,\n", "row 1: has no header"),
    ],
)
def test_a_table_without_a_usable_form_is_refused_as_a_whole(tmp_path, content, message):
    with pytest.raises(FileError) as raised:
        list(read_items(write(tmp_path / "mine.csv", content), format="table"))
    assert str(raised.value) == f"mine.csv: {message}"


def test_a_column_without_a_name_is_kept_under_its_number(tmp_path):
    (item,) = read_items(write(tmp_path / "mine.csv", ",id,text\n0,A,x\n"))
    assert item.metadata == {"column 1": "0"}


def test_a_long_text_is_read_whole(tmp_path):
    text = "word " * 100_000
    (item,) = read_items(write(tmp_path / "mine.csv", f"id,text\nA,{text}\n"))
    assert item.text == text


def test_an_origin_given_with_the_import_stands_where_the_row_has_none(tmp_path):
    path = write(tmp_path / "mine.csv", "id,text,question,origin\nA,x,One?,human\nA,x,Two?,\n")
    (item,) = read_items(path, origin="my system")
    assert [question.origin for question in item.questions] == ["human", "my system"]


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "-x",
        "+x",
        "@x",
        "\t=1",
        "\r=1",
        "\n=1",
        "＝1",
        "＋1",
        "－1",
        "＠x",
        "'\t=1",
        "'=1",
        "''-x",
        "'tis",
        "''",
        "",
        "x",
        "'",
        "1-2",
    ],
)
def test_a_cell_made_safe_for_spreadsheets_comes_back_as_it_was(tmp_path, text):
    assert taken_back(made_safe(text)) == text
    assert made_safe(text)[:1] not in tuple("=+-@\t\r\n＝＋－＠")
    path = write(tmp_path / "mine.csv", f'id,text,note\nA,x,"{made_safe(text)}"\n')
    (item,) = read_items(path)
    assert item.metadata == {"note": text}


@pytest.mark.parametrize("name", ["source", "topic", "split", "licence"])
def test_the_readers_limits_are_those_of_the_database(name):
    from annotation.models import Item

    limit = Item._meta.get_field(name).max_length
    assert item_problem(ItemRow(external_id="A", text="x", place="", **{name: "é" * limit})) is None
    assert item_problem(ItemRow(external_id="A", text="x", place="", **{name: "é" * (limit + 1)})) == (
        f"{name}: {limit + 1} characters, at most {limit} are kept"
    )


ANY_TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=30
)


@settings(max_examples=60)
@given(
    texts=st.lists(
        ANY_TEXT.filter(lambda text: not is_blank(text) and lost_text(text) is None), min_size=1, max_size=5
    ),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    separator=st.sampled_from(",;\t"),
)
def test_every_text_written_to_csv_is_read_back_character_for_character(texts, encoding, separator):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mine.csv"
        with path.open("w", encoding=encoding, newline="") as stream:
            writer = csv.writer(stream, delimiter=separator)
            writer.writerow(["id", "text"])
            writer.writerows([number, made_safe(text)] for number, text in enumerate(texts))
        assert [item.text for item in read_items(path)] == texts
