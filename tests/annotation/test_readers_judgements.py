"""Finished judgements in long form, as CSV, JSON Lines and Excel."""

import csv
import json

import openpyxl
import pytest

from annotation.importing.files.rows import FileError, JudgementRow, Notice, Refusal
from annotation.importing.formats.judgement_table import read


def rows(path, content=None):
    if content is not None:
        path.write_text(content, encoding="utf-8", newline="")
    return list(read(path, name=path.name))


TYPE_ROW = JudgementRow(
    item="A",
    type_code="LE",
    question=None,
    annotator="Ann",
    applicable=True,
    label=None,
    start=3,
    end=7,
    quote="-so\n",
    reason="",
    comment="hm",
    edited_question="",
    cannot_judge=False,
    unsure=False,
    place="row 2",
)
QUESTION_ROW = JudgementRow(
    item="A",
    type_code=None,
    question="q1",
    annotator="Ann",
    applicable=None,
    label="IN",
    start=None,
    end=None,
    quote=None,
    reason="NC",
    comment="",
    edited_question="Better?",
    cannot_judge=False,
    unsure=True,
    place="row 2",
)


def test_a_type_judgement_comes_with_its_span_and_the_spreadsheet_mark_is_taken_away(tmp_path):
    header = "item,type,annotator,applicable,start,end,quote,reason,comment\n"
    assert rows(tmp_path / "j.csv", header + 'A,LE,Ann,yes,3,7,"\'-so\n",,hm\n') == [TYPE_ROW]


def test_a_question_judgement_comes_with_its_reason_and_edited_question(tmp_path):
    header = "item;question;annotator;label;reason;edited_question;unsure\n"
    assert rows(tmp_path / "j.csv", header + "A;q1;Ann;Invalid;NC;Better?;yes\n") == [QUESTION_ROW]


def test_json_lines_and_excel_give_the_same_as_csv(tmp_path):
    values = {"item": "A", "type": "LE", "annotator": "Ann", "applicable": True, "start": 3, "end": 7}
    values |= {"quote": "-so\n", "comment": "hm"}
    (row,) = rows(tmp_path / "j.jsonl", json.dumps(values))
    assert row == TYPE_ROW.__class__(**{**fields(TYPE_ROW), "place": "line 1"})
    book = openpyxl.Workbook()
    book.active.append(list(values))
    book.active.append(list(values.values()))
    book.save(tmp_path / "j.xlsx")
    (row,) = rows(tmp_path / "j.xlsx")
    assert row == TYPE_ROW.__class__(**{**fields(TYPE_ROW), "place": "sheet 'Sheet', row 2"})


def fields(row):
    return {name: getattr(row, name) for name in row.__dataclass_fields__}


@pytest.mark.parametrize(
    ("cell", "applicable"),
    [
        ("yes", True),
        ("YES", True),
        ("True", True),
        ("1", True),
        ("1.0", True),
        ("no", False),
        ("false", False),
        ("0", False),
        ("0.0", False),
    ],
)
def test_yes_and_no_may_be_written_in_each_usual_way(tmp_path, cell, applicable):
    (row,) = rows(tmp_path / "j.csv", f"item,type,annotator,applicable\nA,LE,Ann,{cell}\n")
    assert row.applicable is applicable


@pytest.mark.parametrize(
    ("cell", "label"),
    [("USE", "USE"), ("UN", "UN"), ("IN", "IN"), ("Useful", "USE"), ("unhelpful", "UN"), ("INVALID", "IN")],
)
def test_labels_may_be_codes_or_the_published_words(tmp_path, cell, label):
    (row,) = rows(tmp_path / "j.csv", f"item,question,annotator,label\nA,0,Ann,{cell}\n")
    assert (row.label, row.question) == (label, "0")


def test_offsets_that_pandas_made_decimal_are_still_whole_and_negative_ones_are_read(tmp_path):
    (row,) = rows(tmp_path / "j.csv", "item,type,annotator,applicable,start,end\nA,LE,Ann,yes,-3.0,7.0\n")
    assert (row.start, row.end, row.quote) == (-3, 7, None)


def test_what_could_not_be_judged_needs_no_answer(tmp_path):
    content = "item,type,annotator,applicable,cannot_judge,comment\nA,LE,Ann,,yes,broken\n"
    (row,) = rows(tmp_path / "j.csv", content)
    assert (row.applicable, row.cannot_judge, row.comment) == (None, True, "broken")


def test_types_and_questions_may_stand_in_one_file(tmp_path):
    header = "item,type,question,annotator,applicable,label\n"
    found = rows(tmp_path / "j.csv", header + "A,LE,,Ann,no,\nA,,q1,Ann,,USE\n")
    assert [(row.type_code, row.question, row.applicable, row.label) for row in found] == [
        ("LE", None, False, None),
        (None, "q1", None, "USE"),
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (" ,LE,,Ann,no,,,", "item is blank"),
        ("A,LE,,,no,,,", "annotator is blank"),
        ("A,,,Ann,no,,,", "expected a type or a question, and not both"),
        ("A,LE,q1,Ann,no,,,", "expected a type or a question, and not both"),
        ("A,LE,,Ann,,,,", "applicable is blank"),
        ("A,,q1,Ann,,,,", "label is blank"),
        ("A,LE,,Ann,maybe,,,", "applicable is 'maybe', expected yes or no (or true, false, 1, 0)"),
        ("A,LE,,Ann,2,,,", "applicable is '2', expected yes or no (or true, false, 1, 0)"),
        ("A,,q1,Ann,,good,,", "label is 'good', expected USE, UN, IN or Useful, Unhelpful, Invalid"),
        ("A,LE,,Ann,yes,USE,,", "label does not go with a type; expected applicable"),
        ("A,,q1,Ann,yes,USE,,", "applicable does not go with a question; expected label"),
        ("A,LE,,Ann,yes,,three,7", "start is 'three', expected a whole number"),
        ("A,LE,,Ann,yes,,3,7.5", "end is '7.5', expected a whole number"),
        ("A,LE,,Ann,yes,,3,٧", "end is '٧', expected a whole number"),
        ("A\x00,LE,,Ann,yes,,3,7", "row.item: character 2 is NUL (U+0000), which cannot be stored"),
        ("A,LE,,Ann,yes,,3", "has 7 cells, the header 8"),
    ],
)
def test_a_row_that_says_nothing_usable_is_refused_with_its_row_and_reason(tmp_path, row, reason):
    header = "item,type,question,annotator,applicable,label,start,end\n"
    refusal, kept = rows(tmp_path / "j.csv", f"{header}{row}\nA,LE,,Ann,no,,,\n")
    assert isinstance(refusal, Refusal)
    assert (refusal.place, refusal.reason) == ("row 2", reason)
    assert kept.applicable is False


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("item,type,applicable", "no column 'annotator'; found 'item', 'type', 'applicable'"),
        ("type,label", "no columns 'item', 'annotator'; found 'type', 'label'"),
        ("item,annotator,type", "no column 'applicable'; found 'item', 'annotator', 'type'"),
        ("item,annotator,question", "no column 'label'; found 'item', 'annotator', 'question'"),
        ("item,annotator,label", "no column 'type' or 'question'; found 'item', 'annotator', 'label'"),
    ],
)
def test_a_missing_column_refuses_the_file_and_is_named_with_those_found(tmp_path, header, message):
    with pytest.raises(FileError) as raised:
        rows(tmp_path / "j.csv", f"{header}\n")
    assert str(raised.value) == f"j.csv: row 1: {message}"


def test_a_column_that_is_not_known_is_noticed_and_left_out(tmp_path):
    notice, row = rows(tmp_path / "j.csv", "item,type,annotator,applicable,mood\nA,LE,Ann,no,good\n")
    assert notice == Notice("row 1", "column 'mood' is not known and is left out")
    assert row.applicable is False


def test_the_crowd_s_insult_spans_are_read_one_judgement_a_worker_and_post(shared_data, tmp_path):
    """Offsets outside their text are the loader's to refuse; the reader keeps them as they are."""
    folder = shared_data / "toxic_spans"
    spans = {}
    with (folder / "spans.csv").open(encoding="utf-8", newline="") as stream:
        for span in csv.DictReader(stream):
            if span["type"] == "Insult":
                spans.setdefault(span["annotation"], []).append((int(span["start"]), int(span["end"])))
    path = tmp_path / "insult.csv"
    with (
        (folder / "annotations.csv").open(encoding="utf-8", newline="") as source,
        path.open("w", encoding="utf-8", newline="") as target,
    ):
        writer = csv.writer(target)
        writer.writerow(["item", "type", "annotator", "applicable", "start", "end"])
        expected = []
        for annotation in csv.DictReader(source):
            start, end = min(spans.get(annotation["annotation"], [("", "")]))
            yes = annotation["annotation"] in spans
            writer.writerow(
                [annotation["comment_id"], "INS", annotation["worker"], "yes" if yes else "no", start, end]
            )
            expected.append((annotation["comment_id"], annotation["worker"], yes, start if yes else None))
    found = rows(path)
    assert [(row.item, row.annotator, row.applicable, row.start) for row in found] == expected
    assert sum(yes for *_, yes, _ in expected) == len(spans)
