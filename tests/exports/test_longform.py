"""The judgements in long form: pseudonyms only, safe in a spreadsheet, and taken back by our own importer."""

import ast
import csv
import json
import re
from pathlib import Path

import pandas
import pyarrow.parquet
import pytest

from annotation.importing.judgements import judgements_import
from annotation.models import QuestionAnnotation, TypeAnnotation
from tests import factories
from tests.factories import (
    NO,
    TYPES,
    UNHELPFUL,
    USEFUL,
    close,
    cqs_study,
    focus_study,
    invalid,
    judge,
    judge_question,
    yes,
)
from tests.factories.releases import released

pytestmark = pytest.mark.django_db

DOCUMENTED = Path(__file__).parents[2] / "docs" / "releases.md"
FORMULA = '=HYPERLINK("x") said the mayor'


def read_csv(folder):
    with (folder / "judgements.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def risky_study():
    made = focus_study(annotators=2, items=1, texts=(FORMULA,))
    (item,) = made.items
    unsure = yes(item, "=HYPERLINK", comment="'@ought to be quoted", unsure=True)
    judge(made, item, {"LE": [unsure, NO], "WE": [{"cannot_judge": True, "comment": "Broken."}, NO]})
    close(made)
    return made


def test_each_judgement_is_a_row_with_its_offsets_and_nobodys_name(tmp_path):
    folder = released(risky_study().project, tmp_path / "out")
    rows = read_csv(folder)
    assert len(rows) == 20
    (row,) = [row for row in rows if row["type"] == "LE" and row["applicable"] == "true"]
    row.pop("decided_at")
    assert row == {
        "item": "I-1",
        "type": "LE",
        "round": "Round 1",
        "guideline_version": "1",
        "annotator": "A2",
        "applicable": "true",
        "start": "0",
        "end": "10",
        "quote": "'=HYPERLINK",
        "cannot_judge": "false",
        "unsure": "true",
        "incomplete": "false",
        "active_seconds": "0",
        "after_reopening": "false",
        "counted": "true",
    }


def test_no_file_of_a_release_has_a_name_or_an_address(tmp_path):
    made = risky_study()
    member = made.annotators[0]
    member.private_name, member.user.email = "Zebedee Quux", "zq@example.org"
    member.user.username = "zebedee"
    member.user.save()
    member.save()
    folder = released(made.project, tmp_path / "out", comments=True)
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file()).lower()
    assert b"a2" in everything
    for name in (b"zebedee", b"quux", b"zq@example.org"):
        assert name not in everything


def test_comments_are_there_only_when_they_are_asked_for(tmp_path):
    project = risky_study().project
    assert "comment" not in read_csv(released(project, tmp_path / "without"))[0]
    rows = read_csv(released(project, tmp_path / "with", "1.1", comments=True))
    assert {row["comment"] for row in rows} == {"", "''@ought to be quoted", "Broken."}


def test_parquet_has_typed_columns_and_every_cell_as_it_is(tmp_path):
    folder = released(risky_study().project, tmp_path / "out", comments=True)
    table = pyarrow.parquet.read_table(folder / "judgements.parquet")
    frame = pandas.read_parquet(folder / "judgements.parquet")
    row = frame[(frame.type == "LE") & (frame.annotator == "A2")].iloc[0]
    assert (row["quote"], row["comment"], row["start"], row["end"]) == (
        "=HYPERLINK",
        "'@ought to be quoted",
        0,
        10,
    )
    assert [str(table.schema.field(name).type) for name in ("item", "start", "applicable")] == [
        "string",
        "int64",
        "bool",
    ]
    assert table.num_rows == len(read_csv(folder)) == 20


HARD = '\t=1+1 he said.\rThen ＝2 and\r\nthen, "3".\n\'-4 it is'


def hard_study():
    """Spans that begin with a tab, a carriage return alone, a wide sign and a mark before a sign."""
    made = focus_study(annotators=2, items=1, texts=(HARD,))
    (item,) = made.items
    quotes = ("\t=1+1", "\rThen", "said.\rThen", "＝2 and\r\nthen", '\r\nthen, "3".', "\n'-4", "'-4 it")
    judge(made, item, {code: [yes(item, quote), NO] for code, quote in zip(TYPES, quotes, strict=False)})
    close(made)
    return made


def test_no_cell_of_the_csv_runs_or_breaks_a_row_and_the_documented_line_gives_the_originals_back(tmp_path):
    folder = released(hard_study().project, tmp_path / "out")
    (documented,) = re.findall(r"table = table\.replace\((.*), regex=True\)", DOCUMENTED.read_text())
    mark, nothing = ast.literal_eval(documented)
    safe = pandas.read_csv(folder / "judgements.csv", keep_default_na=False)
    exact = pandas.read_parquet(folder / "judgements.parquet")
    assert len(safe) == len(exact) == 20
    assert not safe.quote.str.match("[=+\\-@\t\r\n＝＋－＠]").any()
    assert list(safe.replace(mark, nothing, regex=True).quote) == list(exact.quote.fillna(""))
    assert [row["quote"] for row in read_csv(folder)] == list(safe.quote)
    again = factories.study("focus", annotators=0, items=1, texts=(HARD,)).project
    report = judgements_import(project=again, path=folder / "judgements.csv", round_name="Round 1")
    assert (report.refused, report.counts["new judgements"]) == (0, 20)


def test_what_is_released_can_be_imported_again_with_the_same_answers(tmp_path):
    folder = released(risky_study().project, tmp_path / "out", comments=True)
    again = factories.study("focus", annotators=0, items=1, texts=(FORMULA,)).project
    report = judgements_import(project=again, path=folder / "judgements.csv", round_name="Round 1")
    assert report.refused == 0
    fields = ("type_code", "applicable", "start", "end", "quote", "comment", "unsure", "cannot_judge")
    stored = TypeAnnotation.objects.filter(assignment__item__project=again).values_list(*fields)
    given = TypeAnnotation.objects.exclude(assignment__item__project=again).values_list(*fields)
    assert sorted(map(str, stored)) == sorted(map(str, given))


def test_question_judgements_carry_label_reason_and_edited_question(tmp_path):
    made = cqs_study(annotators=2, questions=2)
    first, second = made.items[0].questions.all()
    judge_question(made, first, [USEFUL, invalid("NC", "-Why?")])
    judge_question(made, second, [UNHELPFUL, None])
    close(made)
    folder = released(made.project, tmp_path / "out", comments=True)
    keys = ("question", "question_position", "annotator", "label", "reason", "edited_question", "comment")
    assert [tuple(row[key] for key in keys) for row in read_csv(folder)] == [
        ("I-1-Q1", "1", "A2", "USE", "", "", ""),
        ("I-1-Q1", "1", "A3", "IN", "NC", "'-Why?", ""),
        ("I-1-Q2", "2", "A2", "UN", "", "", "The text answers it."),
    ]
    assert QuestionAnnotation.objects.count() == 3


def test_judgements_of_questions_whose_ids_repeat_or_are_missing_come_back_by_their_place(tmp_path):
    made = cqs_study(annotators=2, questions=3)
    made.items[0].questions.filter(position__lt=3).update(external_id=7)
    made.items[0].questions.filter(position=3).update(external_id=None)
    for question, answer in zip(made.items[0].questions.all(), (USEFUL, invalid("BR"), USEFUL), strict=True):
        judge_question(made, question, [answer, USEFUL])
    close(made)
    path = released(made.project, tmp_path / "out") / "judgements.csv"
    again = factories.study("cqs_gen", annotators=0, items=1, questions=3).project
    again.items.get().questions.filter(position__lt=3).update(external_id=7)
    again.items.get().questions.filter(position=3).update(external_id=None)
    report = judgements_import(project=again, path=path, round_name="Back")
    assert (report.refused, report.counts["new judgements"]) == (0, 6)
    fields = ("question__position", "label", "reason")
    stored = QuestionAnnotation.objects.filter(assignment__item__project=again).values_list(*fields)
    given = QuestionAnnotation.objects.exclude(assignment__item__project=again).values_list(*fields)
    assert sorted(stored) == sorted(given)
    path.write_text(path.read_text().replace("I-1,7,2,", "I-1,8,2,").replace("I-1,7,1,", "I-1,7,9,"))
    report = judgements_import(project=again, path=path, round_name="Another", dry_run=True)
    assert [refused["reason"] for refused in report.refusals] == [
        "“I-1” has no question 9",
        "“I-1” has no question 9",
        "question 2 of “I-1” has the id “7”, not “8”",
        "question 2 of “I-1” has the id “7”, not “8”",
    ]


def test_raw_judgements_can_stay_out(tmp_path):
    folder = released(risky_study().project, tmp_path / "out", judgements=False)
    assert not list(folder.glob("judgements.*"))
    assert json.loads((folder / "focus.json").read_bytes())["I-1"]["labels"][8]["votes"] == {
        "yes": 1,
        "no": 1,
    }
