"""Judgements made elsewhere come in by the protocol's rules, once, and overwrite nothing."""

import csv

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.importing.items import items_import
from annotation.importing.judgements import judgements_import
from annotation.models import (
    AnnotationEvent,
    Assignment,
    Membership,
    QuestionAnnotation,
    Round,
    TypeAnnotation,
)
from core.errors import Refused
from tests import toxic_spans
from tests.factories import add_items, open_round, study

pytestmark = pytest.mark.django_db

HEADER = ("item", "type", "annotator", "applicable", "start", "end", "quote", "comment")


def write(path, *rows):
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return path


@pytest.fixture
def made():
    return study(annotators=1, items=2)


def test_a_new_round_is_created_closed_and_the_names_stay_private(made, tmp_path):
    path = write(
        tmp_path / "j.csv",
        HEADER,
        ("I-1", "LE", "Zoé Doe", "yes", "4", "11", "library", ""),
        ("I-1", "LE", "Max", "NO", "", "", "", ""),
        ("I-2", "TC", "Max", "1", "0", "5", "", ""),
    )
    report = judgements_import(project=made.project, path=path, round_name="Pilot")
    pilot = Round.objects.get(name="Pilot")
    assert (pilot.status, pilot.imported, pilot.overlap) == ("closed", True, 2)
    assert report.counts["new judgements"] == 3
    assert list(TypeAnnotation.objects.order_by("id").values_list("applicable", "start", "end", "quote")) == [
        (True, 4, 11, "library"),
        (False, None, None, None),
        (True, 0, 5, "Emoji"),
    ]
    names = Membership.objects.exclude(private_name="").values_list("pseudonym", "private_name")
    assert sorted(names) == [("A3", "Zoé Doe"), ("A4", "Max")]
    assert AnnotationEvent.objects.count() == 3


def test_the_same_file_twice_changes_nothing_and_another_value_is_refused(made, tmp_path):
    row = ("I-1", "LE", "Max", "no", "", "", "", "")
    path = write(tmp_path / "j.csv", HEADER, row)
    judgements_import(project=made.project, path=path, round_name="Pilot")
    again = judgements_import(project=made.project, path=path, round_name="Pilot")
    assert (again.changed, again.counts["judgements already there"]) == (False, 1)
    other = write(
        tmp_path / "k.csv",
        HEADER,
        ("I-1", "LE", "Max", "yes", "4", "11", "library", ""),
        ("I-2", "LE", "Max", "no", "", "", "", ""),
    )
    refused = judgements_import(project=made.project, path=other, round_name="Pilot")
    assert "another judgement of this unit in Pilot; it stays as it is" in refused.refusals[0]["reason"]
    assert TypeAnnotation.objects.count() == 1
    assert TypeAnnotation.objects.get().applicable is False
    kept = judgements_import(project=made.project, path=other, round_name="Pilot", skip_invalid=True)
    assert (kept.counts["new judgements"], kept.refused) == (1, 1)
    assert Round.objects.get(name="Pilot").round_items.count() == 2


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (("I-9", "LE", "Max", "no", "", "", "", ""), "there is no item “I-9”"),
        (("I-1", "XX", "Max", "no", "", "", "", ""), "type: "),
        (("I-1", "LE", "Max", "yes", "", "", "", ""), "start: "),
        (("I-1", "LE", "Max", "yes", "4", "11", "Library", ""), "quote: "),
        (("I-1", "LE", "Max", "yes", "4", "4", "", ""), "end: "),
        (("I-1", "LE", "Max", "yes", "4", "400", "", ""), "end: The span ends at 400, the text at 85."),
        (("I-1", "LE", "Max", "no", "4", "11", "library", ""), "start: "),
        (("I-1", "LE", "Max", "maybe", "", "", "", ""), "applicable is 'maybe'"),
        (("I-1", "", "Max", "no", "", "", "", ""), "a type or a question"),
        (("I-1", "LE", "", "no", "", "", "", ""), "annotator is blank"),
    ],
)
def test_a_row_that_breaks_a_rule_is_refused_with_its_place_and_leaves_no_trace(made, tmp_path, row, reason):
    good = ("I-1", "LE", "Eva", "no", "", "", "", "")
    before = Membership.objects.count()
    report = judgements_import(
        project=made.project, path=write(tmp_path / "j.csv", HEADER, good, row), round_name="Pilot"
    )
    assert report.refusals[0]["place"] == "row 3"
    assert reason in report.refusals[0]["reason"]
    assert not Round.objects.exists()
    assert not Assignment.objects.exists()
    assert not AnnotationEvent.objects.exists()
    assert Membership.objects.count() == before


def test_one_annotator_cannot_judge_a_unit_twice_in_one_file(made, tmp_path):
    path = write(
        tmp_path / "j.csv",
        HEADER,
        ("I-1", "LE", "Max", "no", "", "", "", ""),
        ("I-1", "LE", "Max", "yes", "4", "11", "library", ""),
    )
    report = judgements_import(project=made.project, path=path, round_name="Pilot")
    assert "further up in the file" in report.refusals[0]["reason"]
    assert report.refusals[0]["place"] == "row 3"


def test_a_round_that_was_annotated_here_takes_no_judgements_from_a_file(made, tmp_path):
    open_round(made)
    path = write(tmp_path / "j.csv", HEADER, ("I-1", "LE", "Max", "no", "", "", "", ""))
    with pytest.raises(Refused, match="was annotated here"):
        judgements_import(project=made.project, path=path, round_name="Round 1")
    assert not TypeAnnotation.objects.exists()


def test_a_pseudonym_in_the_file_stays_that_pseudonym_where_it_is_free(made, tmp_path):
    path = write(
        tmp_path / "j.csv",
        HEADER,
        ("I-1", "LE", "A7", "no", "", "", "", ""),
        ("I-1", "LE", "A1", "no", "", "", "", ""),
    )
    judgements_import(project=made.project, path=path, round_name="Pilot")
    brought = Membership.objects.filter(user=None).order_by("id").values_list("pseudonym", "private_name")
    assert list(brought) == [("A7", ""), ("A3", "A1")]


def test_labels_of_questions_come_in_with_reason_and_comment(tmp_path):
    made = study("cqs_gen", annotators=1, items=1, questions=3)
    path = write(
        tmp_path / "j.csv",
        ("item", "question", "annotator", "label", "reason", "comment"),
        ("I-1", "I-1-Q1", "Max", "USE", "", ""),
        ("I-1", "I-1-Q2", "Max", "Unhelpful", "", "well known"),
        ("I-1", "I-1-Q3", "Max", "IN", "NC", ""),
    )
    judgements_import(project=made.project, path=path, round_name="Pilot")
    assert list(QuestionAnnotation.objects.order_by("id").values_list("label", "reason", "comment")) == [
        ("USE", "", ""),
        ("UN", "", "well known"),
        ("IN", "NC", ""),
    ]
    assert Round.objects.get().round_questions.count() == 3


def test_an_id_that_stands_for_two_questions_is_refused(tmp_path):
    made = study("cqs_gen", annotators=1, items=1, questions=2)
    made.items[0].questions.update(external_id="same")
    path = write(
        tmp_path / "j.csv", ("item", "question", "annotator", "label"), ("I-1", "same", "Max", "USE")
    )
    report = judgements_import(project=made.project, path=path, round_name="Pilot")
    assert "has 2 questions with the id “same”" in report.refusals[0]["reason"]


def test_the_command_exits_with_2_and_names_the_row(made, tmp_path, capsys):
    path = write(tmp_path / "j.csv", HEADER, ("I-9", "LE", "Max", "no", "", "", "", ""))
    with pytest.raises(CommandError) as error:
        call_command("import_judgements", made.project.slug, str(path), "--round", "Pilot")
    assert error.value.returncode == 2
    assert "j.csv: row 2: there is no item “I-9”" in capsys.readouterr().err


def test_a_file_that_is_not_there_is_named_whatever_format_is_said(made, tmp_path):
    absent = str(tmp_path / "absent.csv")
    refused = r"^absent\.csv: cannot be read: No such file or directory$"
    with pytest.raises(CommandError, match=refused):
        call_command("import_judgements", made.project.slug, absent, "--round", "Pilot")
    with pytest.raises(CommandError, match=refused):
        call_command("import_items", made.project.slug, absent, "--format", "table")
    assert not made.project.imports.filter(file_name="absent.csv").exists()


def test_items_of_another_project_are_unknown(made, tmp_path):
    other = study(annotators=1, items=0)
    add_items(other.project, 1)
    path = write(tmp_path / "j.csv", HEADER, ("I-2", "LE", "Max", "no", "", "", "", ""))
    report = judgements_import(project=other.project, path=path, round_name="Pilot")
    assert report.refused == 1


def test_real_crowd_spans_come_in_and_those_outside_their_text_are_refused(shared_data, tmp_path):
    from annotation.projects.projects import project_create

    project = project_create(slug="crowd", codebook=toxic_spans.CODEBOOK)
    folder = shared_data / "toxic_spans"
    assert toxic_spans.write_items(folder, tmp_path / "items.csv") == 3000
    assert toxic_spans.write_judgements(folder, tmp_path / "judgements.csv") == 10093
    items_import(project=project, path=tmp_path / "items.csv")
    report = judgements_import(
        project=project,
        path=tmp_path / "judgements.csv",
        round_name="Crowd",
        skip_invalid=True,
        refused_path=tmp_path / "refused.csv",
    )
    assert (report.counts["new judgements"], report.refused) == (10088, 5)
    assert TypeAnnotation.objects.filter(applicable=True).count() == 5097
    for row in TypeAnnotation.objects.filter(applicable=True).select_related("assignment__item")[:500]:
        assert row.assignment.item.text[row.start : row.end] == row.quote
    with (tmp_path / "refused.csv").open(encoding="utf-8", newline="") as stream:
        assert len(list(csv.DictReader(stream))) == 5
