"""What goes out to be mended comes back whole: any file, any refusals, write, mend, read."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from annotation.importing.files.refused_rows import ADDED, JSON_ROW, RefusedRows, added_in
from annotation.importing.files.rows import ItemRow, JudgementRow, Refusal
from annotation.importing.formats import cqs_gen, logicclimate, soqg
from annotation.importing.formats import item_table as table
from annotation.importing.formats import judgement_table as judgements
from annotation.importing.staging import ImportReport

NAMES = st.sampled_from(
    ["topic", "note", "=sum", "'tis", "Ärger", "a,b;c", 'a "b"', "two\nlines", "column 2", *ADDED]
    + [f"{name} (2)" for name in ADDED]
)
JSON_NAMES = NAMES | st.sampled_from(["", " note", "note\u00a0", "sep=;"])
CELLS = st.text(st.sampled_from("a1 ,;'\"=+-@\t\r\n\\ü\u00a0\u200f\ufeff＝🎉")) | st.sampled_from(
    ["[1]", "null", "2020", "'=1+1", "sep=;", '{"id": "7"}']
)
VALUES = (
    CELLS
    | st.none()
    | st.booleans()
    | st.integers()
    | st.lists(CELLS, max_size=2)
    | st.floats(-9, 9).map(str)
)
TEXTS = CELLS.map(lambda cell: f"{cell}.")


@st.composite
def tables(draw, names, values):
    """Rows of a table: each its own id and text, and some of the further columns."""
    columns = draw(st.lists(names, unique=True, max_size=5))
    while (line := added_in(columns).get(JSON_ROW)) in columns:
        columns.remove(line)  # with the other two it is a file of refused rows, and its JSON is the row
    n = draw(st.integers(1, 5))
    return columns, [
        {"id": f"{draw(CELLS)[:20]}{number}", "text": draw(TEXTS)}
        | {name: draw(CELLS if name == "topic" else values) for name in columns}
        for number in range(n)
    ]


def write_csv(path: Path, columns, rows) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_ALL)
        writer.writerow(["id", "text", *columns])
        writer.writerows([row[column] for column in ("id", "text", *columns)] for row in rows)
    return path


def write_refused(path: Path, refusals, columns=table.NEEDED) -> Path:
    refused = RefusedRows(ImportReport("x.csv", "table"), path, columns)
    for refusal in refusals:
        refused.add(refusal)
    refused.close()
    return path


def refusal_of(item: ItemRow) -> Refusal:
    return Refusal(item.place, "=because", item.given[0], item.given[1:])


def items_of(path: Path, reader=table.read, name="x.csv") -> list[ItemRow]:
    rows = list(reader(path, name=name))
    assert not [row for row in rows if isinstance(row, Refusal)], rows
    return [replace(row, place="") for row in rows if isinstance(row, ItemRow)]


def raw_rows(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    content = path.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    header, *rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    assert len(set(header)) == len(header)
    return header, [dict(zip(header, row, strict=True)) for row in rows]


def save_mended(path: Path, header, rows) -> Path:
    """Write as spreadsheets do: with semicolons, where that is the custom."""
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream, delimiter=";")
        writer.writerow(header)
        writer.writerows([row[column] for column in header] for row in rows)
    return path


@settings(max_examples=60, deadline=None)
@given(tables(NAMES, CELLS))
def test_refused_rows_of_any_csv_file_come_back_whole(tmp_path_factory, given):
    folder = tmp_path_factory.mktemp("refused")
    items = items_of(write_csv(folder / "x.csv", *given))
    assert len(items) == len(given[1])
    assert items_of(write_refused(folder / "r.csv", map(refusal_of, items))) == items


@settings(max_examples=60, deadline=None)
@given(tables(JSON_NAMES, VALUES), st.data())
def test_refused_rows_of_json_lines_come_back_with_their_kinds_of_value(tmp_path_factory, given, data):
    folder = tmp_path_factory.mktemp("refused")
    rows = [
        {name: value for name, value in row.items() if name in ("id", "text") or data.draw(st.booleans())}
        for row in given[1]
    ]
    path = folder / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    items = items_of(path)
    assert items_of(write_refused(folder / "r.csv", map(refusal_of, items))) == items


def test_rows_that_have_the_names_of_added_columns_together_and_not_each_come_back(tmp_path):
    rows = [
        {"id": "0", "text": ".", "refused at (2)": "line 4"},
        {"id": "1", "text": ".", "refused because (2)": "of its length"},
    ]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    items = items_of(tmp_path / "x.jsonl")
    refused = write_refused(tmp_path / "r.csv", map(refusal_of, items))
    assert {"refused at (3)", "refused because (3)"} <= set(raw_rows(refused)[0])
    assert items_of(refused) == items


@settings(max_examples=60, deadline=None)
@given(tables(NAMES, CELLS), st.data())
def test_what_is_mended_keeps_all_the_rest(tmp_path_factory, given, data):
    folder = tmp_path_factory.mktemp("refused")
    columns, rows = given
    wanted = items_of(write_csv(folder / "whole.csv", columns, rows))
    broken = [{**row, data.draw(st.sampled_from(["id", "text"])): ""} for row in rows]
    refusals = list(table.read(write_csv(folder / "x.csv", columns, broken), name="x.csv"))
    assert [refusal.place[:3] for refusal in refusals] == ["row"] * len(rows)
    header, lines = raw_rows(write_refused(folder / "r.csv", refusals))
    mended = [
        line | {"id": line["id"] or row["id"], "text": line["text"] or row["text"]}
        for line, row in zip(lines, rows, strict=True)
    ]
    assert items_of(save_mended(folder / "m.csv", header, mended)) == wanted


def test_a_cell_of_many_characters_comes_back_whole(tmp_path):
    row = {"id": "a", "text": "x", "note": '"long", ' * 30_000}
    items = items_of(write_csv(tmp_path / "x.csv", ["note"], [row]))
    assert items[0].metadata == {"note": row["note"]}
    assert items_of(write_refused(tmp_path / "r.csv", map(refusal_of, items))) == items


def test_a_second_refusal_of_a_mended_file_names_no_column_twice(tmp_path):
    row = {"id": "a", "text": "x", "refused because": "theirs", "note": "n"}
    items = items_of(write_csv(tmp_path / "x.csv", ["refused because", "note"], [row]))
    first = write_refused(tmp_path / "r.csv", map(refusal_of, items))
    header, _ = raw_rows(first)
    assert header == ["id", "text", "refused because", "note"] + [
        f"{name} (2)" for name in ("refused at", "refused because", "further cells")
    ]
    again = write_refused(tmp_path / "again.csv", map(refusal_of, items_of(first)))
    assert again.read_bytes() == first.read_bytes()


def test_short_and_long_rows_keep_every_column_and_what_is_beyond(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("id,text,source,note\na2,Short,x\na3,Long,s,n,extra,\n", encoding="utf-8")
    header, rows = raw_rows(write_refused(tmp_path / "r.csv", table.read(path, name="x.csv")))
    assert header == ["id", "text", "source", "note", "refused at", "refused because", "further cells"]
    assert [(row["id"], row["source"], row["note"], row["further cells"]) for row in rows] == [
        ("a2", "x", "", ""),
        ("a3", "s", "n", '["extra", ""]'),
    ]
    items = items_of(save_mended(tmp_path / "m.csv", header, rows))
    assert [(item.external_id, item.metadata) for item in items] == [
        ("a2", {"note": ""}),
        ("a3", {"note": "n"}),
    ]


def test_a_broken_line_of_json_goes_out_as_it_is_and_comes_back_mended(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": "a", "text": "=x", "year": 2020}\n{"id": "b", "text": "y" "year": 1}\n[1]\n')
    refusals = [row for row in table.read(path, name="x.jsonl") if isinstance(row, Refusal)]
    assert [refusal.line for refusal in refusals] == ['{"id": "b", "text": "y" "year": 1}', "[1]"]
    header, rows = raw_rows(write_refused(tmp_path / "r.csv", refusals))
    assert header[-1] == "row in JSON"
    again = [row for row in table.read(tmp_path / "r.csv", name="r.csv") if isinstance(row, Refusal)]
    assert again[0].line == refusals[0].line
    rows[0]["row in JSON"] = rows[0]["row in JSON"].replace('"y" ', '"y", ')
    rows[1] |= {"id": "c", "text": "z"}
    items = items_of(save_mended(tmp_path / "m.csv", header, rows))
    assert [(item.external_id, item.text, item.metadata) for item in items] == [
        ("b", "y", {"year": 1}),
        ("c", "z", {}),
    ]


def test_a_file_mended_in_excel_loses_the_marks_that_csv_needed(tmp_path):
    row = {"id": "=a", "text": "=1+1", "=n": "'=x", "note": "'tis"}
    items = items_of(write_csv(tmp_path / "x.csv", ["=n", "note"], [row]))
    header, rows = raw_rows(write_refused(tmp_path / "r.csv", map(refusal_of, items)))
    book = Workbook()
    for line in [header, *(list(row.values()) for row in rows)]:
        book.active.append(line)
    book.save(tmp_path / "m.xlsx")
    assert items_of(tmp_path / "m.xlsx") == items


def test_interventions_go_out_as_rows_of_the_table_and_come_back_with_their_questions(tmp_path):
    path = tmp_path / "x.json"
    questions = [{"id": 0, "cq": "Why?", "label": "Useful"}, {"id": "b", "cq": "=Who?"}]
    entry = {
        "intervention_id": "T",
        "intervention": "So.",
        "dataset": "D",
        "schemes": ["S"],
        "cqs": questions,
    }
    path.write_text(json.dumps({"T": entry}))
    items = items_of(path, cqs_gen.read, "x.json")
    assert items_of(write_refused(tmp_path / "r.csv", map(refusal_of, items))) == [
        replace(item, questions=tuple(replace(q, place=f"row {n}") for n, q in enumerate(item.questions, 2)))
        for item in items
    ]


@pytest.mark.parametrize(
    ("reader", "content"),
    [
        (soqg.read, ',thought,question,label\n0,"=So, it is.",Why?,x\n1,No.,Who?,y\n'),
        (
            logicclimate.read,
            ",original_url,source_article,logical_fallacies\n0,u,So.,a\n1,u,No.,b\n2,v,So.,c\n",
        ),
    ],
    ids=["soqg", "logicclimate"],
)
def test_published_files_come_back_under_the_ids_that_their_own_name_gave(tmp_path, reader, content):
    path = tmp_path / "mturk.csv"
    path.write_text(content)
    items = items_of(path, reader, "mturk.csv")
    assert items[0].external_id == "mturk-0"
    refused = write_refused(tmp_path / "r.csv", map(refusal_of, items), columns=())
    assert items_of(refused, reader, "mturk.refused.csv") == items


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=4))
def test_refused_judgements_come_back_whole(tmp_path_factory, given):
    folder = tmp_path_factory.mktemp("refused")
    columns = (
        "item",
        "annotator",
        "type",
        "applicable",
        "start",
        "end",
        "quote",
        "comment",
        "unsure",
        "mine",
    )
    with (folder / "x.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        for item, quote, comment in given:
            writer.writerow([f"{item}1", "Ann", "LE", "yes", 0, 4, quote, comment, "yes", "kept"])
    rows = [row for row in judgements.read(folder / "x.csv", name="x") if isinstance(row, JudgementRow)]
    assert len(rows) == len(given)
    refusals = [Refusal(row.place, "why", row.given) for row in rows]
    path = write_refused(folder / "r.csv", refusals, judgements.columns_of("focus"))
    again = [row for row in judgements.read(path, name="r") if isinstance(row, JudgementRow)]
    assert again == [replace(row, place=there.place) for row, there in zip(rows, again, strict=True)]
    assert raw_rows(path)[1][0]["mine"] == "kept"


def test_a_file_of_its_own_columns_is_no_file_of_refused_rows():
    assert added_in(["id", "text", "refused because"]) == {}
    assert added_in(["id", "refused at", "refused because", "further cells"]) == {
        name: name for name in ADDED[:3]
    }
