"""Raw judgements of closed rounds without a release: what a release has, for leads, and nothing else."""

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.importing.judgements import judgements_import
from annotation.models import Assignment, KeyAnswer, Question, TypeAnnotation
from annotation.projects.members import member_deactivate
from annotation.rounds.lifecycle import round_create, round_draw, round_reopen
from annotation.rounds.opening import round_open
from exports.files import raw_judgements
from exports.files.raw_judgements import judgements_export
from tests import factories
from tests.conftest import client_of
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
    matching_study,
    open_round,
    record,
    yes,
)
from tests.factories.releases import released
from tests.pages import html_of

pytestmark = [pytest.mark.django_db, pytest.mark.database]

FORMULA = "=HYPERLINK said the\rmayor"


@pytest.fixture
def made():
    made = focus_study(annotators=2, items=3, texts=(FORMULA, "Second text.", "Third text."))
    item = made.items[0]
    broken = {"cannot_judge": True, "comment": '\'Broken, "truly".'}
    judge(made, item, {"LE": [yes(item, FORMULA, unsure=True), NO], "WE": [broken, None]})
    judge(made, made.items[1], {})
    judge(made, made.items[2], {})
    close(made)
    return made


def csv_rows(pieces) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(b"".join(pieces).decode(), newline="")))


def json_rows(project, **options) -> list[dict]:
    pieces = judgements_export(project=project, format="jsonl", **options)
    return [json.loads(line) for line in b"".join(pieces).splitlines()]


def address(project, format: str = "csv", query: str = "") -> str:
    return f"/api/projects/{project.slug}/judgements.{format}{query}"


def test_the_csv_has_the_rows_of_a_releases_judgements_but_for_which_count(made, tmp_path, monkeypatch):
    monkeypatch.setattr(raw_judgements, "BLOCK", 7)
    folder = released(made.project, tmp_path / "out", comments=True)
    with (folder / "judgements.csv").open(encoding="utf-8", newline="") as stream:
        expected = list(csv.DictReader(stream))
    assert [row.pop("counted") for row in expected] == ["true"] * 59
    assert csv_rows(judgements_export(project=made.project)) == expected


def test_json_lines_have_numbers_words_and_nulls_as_they_are(made):
    rows = json_rows(made.project)
    assert len(rows) == 59
    (row,) = [row for row in rows if row["applicable"] is True]
    assert row.pop("decided_at").startswith("20")
    assert row == {
        "item": "I-1",
        "type": "LE",
        "round": "Round 1",
        "guideline_version": 1,
        "annotator": "A2",
        "applicable": True,
        "start": 0,
        "end": len(FORMULA),
        "quote": FORMULA,
        "comment": None,
        "cannot_judge": False,
        "unsure": True,
        "incomplete": False,
        "active_seconds": 0,
        "after_reopening": False,
    }


def test_questions_come_in_the_order_of_their_item_with_reasons_and_edits(tmp_path):
    made = cqs_study(annotators=2, questions=3)
    questions = list(Question.objects.order_by("position"))
    judge_question(made, questions[0], [USEFUL, UNHELPFUL])
    judge_question(made, questions[1], [invalid("NC", "Who says so?"), None])
    close(made)
    folder = released(made.project, tmp_path / "out", comments=True)
    with (folder / "judgements.csv").open(encoding="utf-8", newline="") as stream:
        expected = [{**row} for row in csv.DictReader(stream)]
    for row in expected:
        del row["counted"]
    assert csv_rows(judgements_export(project=made.project)) == expected
    rows = json_rows(made.project)
    assert [
        (row["question_position"], row["label"], row["reason"], row["edited_question"]) for row in rows
    ] == [
        (questions[0].position, "USE", None, None),
        (questions[0].position, "UN", None, None),
        (questions[1].position, "IN", "NC", "Who says so?"),
    ]


def test_the_file_can_be_imported_elsewhere(made, tmp_path):
    path = tmp_path / "judgements.csv"
    path.write_bytes(b"".join(judgements_export(project=made.project)))
    other = factories.study(
        "focus", annotators=0, items=3, slug="other", texts=[item.text for item in made.items]
    )
    report = judgements_import(project=other.project, path=path, round_name="Brought")
    assert (report.refused, report.counts["new judgements"]) == (0, 59)
    brought = TypeAnnotation.objects.filter(assignment__round__project=other.project)
    assert brought.get(applicable=True).quote == FORMULA


def test_what_a_release_leaves_out_is_left_out():
    made = factories.study("focus", annotators=2, items=12)
    open_round(made, repeats=2)
    for item in made.items:
        judge(made, item, {})
    again = Assignment.objects.filter(member=made.annotators[0], repeat=True).first()
    record(made.round, again.member, again.item, "WE", NO, repeat=True)
    close(made)
    withdrawn = made.items[1]
    withdrawn.withdrawn_at, withdrawn.withdrawn_reason = timezone.now(), "Asked for by its author."
    withdrawn.save()
    member_deactivate(target=made.annotators[1], member=made.lead, leave_out=True)
    rows = json_rows(made.project)
    assert len(rows) == 11 * 10
    assert {row["annotator"] for row in rows} == {made.annotators[0].pseudonym}
    assert withdrawn.external_id not in {row["item"] for row in rows}


def test_open_rounds_are_in_no_file_and_refused_by_their_number(made):
    open_round(made, name="Later")
    judge(made, made.items[0], {})
    assert {row["round"] for row in json_rows(made.project)} == {"Round 1"}
    with pytest.raises(raw_judgements.Refused, match="Later is not closed"):
        judgements_export(project=made.project, number=2)
    with pytest.raises(raw_judgements.NotFound, match="no round 9"):
        judgements_export(project=made.project, number=9)


def test_a_round_that_is_reopened_before_it_was_read_breaks_the_download_off(made):
    pieces = judgements_export(project=made.project)
    assert next(pieces).startswith(b"item,type,")
    round_reopen(made.round, why="One more look.", by=made.lead)
    with pytest.raises(raw_judgements.Refused, match="is not closed"):
        next(pieces)


def test_training_rounds_come_only_by_their_number_and_never_with_their_key():
    made = factories.study("focus", annotators=1, items=1)
    made.round = round_create(
        project=made.project, name="Training", purpose="training", overlap=1, member=made.lead
    )
    round_draw(made.round)
    KeyAnswer.objects.bulk_create(
        KeyAnswer(round=made.round, item=made.items[0], type_code=code, applicable=False) for code in TYPES
    )
    round_open(made.round, members=made.annotators, by=made.lead)
    record(made.round, made.annotators[0], made.items[0], "WE", NO)
    close(made)
    with pytest.raises(raw_judgements.Refused, match="No round of this project is closed yet"):
        judgements_export(project=made.project)
    (row,) = json_rows(made.project, number=1)
    assert (row["annotator"], row["type"], row["applicable"]) == ("A2", "WE", False)


def test_a_matching_round_is_on_the_pages_of_systems():
    made = matching_study()
    with pytest.raises(raw_judgements.Refused, match="pages of the systems"):
        judgements_export(project=made.project, number=made.round.number)


@pytest.mark.parametrize("format", ["csv", "jsonl"])
@pytest.mark.parametrize(("who", "status"), [("lea", 200), ("ann1", 403), ("outsider", 404), ("nobody", 403)])
def test_leads_alone_may_download_it(made, format, who, status):
    names = {"ann1": made.annotators[0].user.username}
    client = Client() if who == "nobody" else client_of(names.get(who, who))
    response = client.get(address(made.project, format))
    assert response.status_code == status
    if status == 200:
        assert b"I-1" in b"".join(response.streaming_content)
        assert response.headers["Cache-Control"] == "no-store"
        assert f'filename="{made.project.slug}-judgements.{format}"' in response["Content-Disposition"]
    else:
        assert b"I-1" not in response.content


def test_a_deactivated_lead_is_refused(made):
    made.lead.is_active = False
    made.lead.save()
    assert client_of("lea").get(address(made.project)).status_code == 403


def test_a_lead_who_judges_one_of_the_texts_now_is_refused_until_that_round_closes(made, lead_client):
    made.lead.is_annotator = True
    made.lead.save()
    made.annotators = [made.lead]
    open_round(made, name="Mine", overlap=1)
    refused = lead_client.get(address(made.project))
    assert refused.status_code == 409
    assert "You judge texts of these rounds in Mine" in refused.json()["message"]
    close(made)
    assert lead_client.get(address(made.project)).status_code == 200


@pytest.mark.parametrize(("query", "status"), [("?round=1", 200), ("?round=7", 404), ("?round=x", 422)])
def test_one_round_is_asked_for_by_its_number(made, lead_client, query, status):
    response = lead_client.get(address(made.project, query=query))
    assert response.status_code == status
    if status == 200:
        assert len(csv_rows(response.streaming_content)) == 59
        assert "round-1-judgements.csv" in response["Content-Disposition"]


def test_the_pages_offer_it_to_leads_once_a_round_is_closed(made, lead_client):
    csv_of_all, lines = address(made.project), address(made.project, "jsonl")
    page = html_of(lead_client.get(reverse("releases", args=[made.project.slug])))
    assert csv_of_all in page
    assert lines in page
    round_page = reverse("round", args=[made.project.slug, 1])
    assert f"{csv_of_all}?round=1" in html_of(lead_client.get(round_page))
    round_reopen(made.round, why="One more look.", by=made.lead)
    assert csv_of_all not in html_of(lead_client.get(reverse("releases", args=[made.project.slug])))
    assert csv_of_all not in html_of(lead_client.get(round_page))


def test_the_command_writes_a_file_or_standard_output(made, tmp_path):
    out = io.StringIO()
    call_command("export_judgements", made.project.slug, stdout=out)
    assert out.getvalue().encode() == b"".join(judgements_export(project=made.project))
    path = tmp_path / "all.jsonl"
    path.write_text("before")
    call_command("export_judgements", made.project.slug, "--round", "1", "--out", str(path))
    assert path.read_bytes() == b"".join(judgements_export(project=made.project, format="jsonl"))
    assert [found.name for found in tmp_path.iterdir()] == ["all.jsonl"]
    call_command("export_judgements", made.project.slug, format="csv", out=path)
    assert path.read_bytes().startswith(b"item,type,round,")


def test_the_command_says_why_it_cannot_and_leaves_what_was_there(made, tmp_path, monkeypatch):
    path = tmp_path / "all.csv"
    path.write_text("before")
    with pytest.raises(CommandError, match="There is no project"):
        call_command("export_judgements", "nowhere", out=path)
    with pytest.raises(CommandError, match="could not be written"):
        call_command("export_judgements", made.project.slug, out=tmp_path / "none" / "all.csv")

    def half(*args, **options):
        yield b"half"
        raise raw_judgements.Refused("not_ready", "reopened meanwhile")

    monkeypatch.setattr("exports.management.commands.export_judgements.judgements_export", half)
    with pytest.raises(CommandError, match="reopened meanwhile"):
        call_command("export_judgements", made.project.slug, out=path)
    assert [(found.name, found.read_text()) for found in tmp_path.iterdir()] == [("all.csv", "before")]
