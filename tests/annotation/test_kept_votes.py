"""What a file does not say stays unknown, and a vote can be kept where what goes with it cannot."""

import csv
import json
from datetime import UTC, datetime

import pytest
from django.core.management import call_command
from django.db import DatabaseError, transaction

from agreement.adjudication.answers import read_answers
from agreement.report.annotators import median_seconds
from agreement.report.loading import read_judgements
from annotation.importing.judgements import judgements_import
from annotation.models import QuestionAnnotation, Round, TypeAnnotation
from annotation.rounds.progress import progress_of_round
from tests.factories import open_round, record, study
from tests.factories.releases import released

pytestmark = pytest.mark.django_db

YES = {"item": "I-1", "annotator": "Mona", "type": "LE", "applicable": "yes"}
FOUND = {"start": 4, "end": 11, "quote": "library"}
LOST = {"start": 4, "end": 11, "quote": "librarian"}


def write(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def bring(made, path, **choices):
    report = judgements_import(project=made.project, path=path, round_name="R", **choices)
    return report, Round.objects.filter(project=made.project, name="R").first()


def read_csv(folder):
    with (folder / "judgements.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_times_are_those_of_the_file_or_unknown_everywhere(tmp_path):
    made = study(annotators=1, items=2)
    _, round = bring(
        made,
        write(
            tmp_path / "j.jsonl",
            YES | FOUND | {"active_seconds": 7.6, "decided_at": "2024-05-31T14:05:00+02:00"},
            YES | FOUND | {"annotator": "Nora", "active_seconds": "", "decided_at": None},
            YES | FOUND | {"annotator": "Olga", "active_seconds": 0},
        ),
    )
    stored = TypeAnnotation.objects.order_by("id").values_list("active_seconds", "decided_at")
    assert list(stored) == [(8, datetime(2024, 5, 31, 12, 5, tzinfo=UTC)), (None, None), (0, None)]
    progress = progress_of_round(round)
    assert [(row.active_seconds, row.seconds_each, row.last_at) for row in progress] == [
        (8, 8, datetime(2024, 5, 31, 12, 5, tzinfo=UTC)),
        (None, None, None),
        (None, None, None),
    ]
    columns = read_judgements(round).columns
    assert [median_seconds(columns, columns.rater == rater) for rater in range(3)] == [8, None, None]
    answers = read_answers(round, [(made.items[0].pk, "LE", None)])[(made.items[0].pk, "LE", None)]
    in_order = sorted(answers, key=lambda answer: answer.member_id)
    assert [answer.seconds for answer in in_order] == [8, None, 0]
    rows = read_csv(released(made.project, tmp_path / "out"))
    assert [(row["active_seconds"], row["decided_at"]) for row in rows] == [
        ("8", "2024-05-31T12:05:00.000000+00:00"),
        ("", ""),
        ("0", ""),
    ]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (
            {"active_seconds": "-1"},
            "active_seconds is '-1', expected a number of seconds of at most 316",
        ),
        ({"active_seconds": "long"}, "active_seconds is 'long', expected a number of seconds"),
        ({"active_seconds": 10**8}, "active_seconds is 100000000, expected a number of seconds"),
        ({"decided_at": "2024-05-31"}, "decided_at is '2024-05-31', expected a date with a time"),
        ({"decided_at": "yesterday"}, "decided_at is 'yesterday', expected a date with a time"),
    ],
)
def test_a_time_that_is_none_is_refused(tmp_path, given, reason):
    made = study(annotators=1, items=1)
    report, _ = bring(made, write(tmp_path / "j.jsonl", YES | FOUND | given))
    assert report.refusals[0]["reason"].startswith(reason)


def test_a_yes_whose_words_are_not_in_the_text_is_refused_or_kept_alone_as_the_lead_chooses(tmp_path):
    made = study(annotators=1, items=1)
    path = write(tmp_path / "j.jsonl", YES | LOST, YES | FOUND | {"annotator": "Nora"})
    report, _ = bring(made, path)
    assert not report.stored
    assert "--keep-votes" in report.refusals[0]["reason"]
    report, round = bring(made, path, keep_votes=True)
    assert (report.refused, report.counts["votes kept alone"]) == (0, 1)
    kept, whole = TypeAnnotation.objects.order_by("id")
    assert (kept.applicable, kept.incomplete, kept.start, kept.quote) == (True, True, None, None)
    assert kept.comment == "“librarian”"
    assert (whole.incomplete, whole.quote) == (False, "library")
    columns = read_judgements(round).columns
    assert sorted(zip(columns.value.tolist(), columns.start.tolist(), strict=True)) == [(1, -1), (1, 4)]
    again, _ = bring(made, path, keep_votes=True)
    assert (again.changed, again.counts["judgements already there"]) == (False, 2)


def test_a_release_says_what_was_kept_alone_and_its_judgements_come_back(tmp_path):
    made = study(annotators=1, items=1)
    bring(made, write(tmp_path / "j.jsonl", YES | LOST | {"annotator": "A7"}), keep_votes=True)
    folder = released(made.project, tmp_path / "out")
    (row,) = read_csv(folder)
    assert (row["applicable"], row["start"], row["incomplete"]) == ("true", "", "true")
    report = judgements_import(
        project=made.project, path=folder / "judgements.csv", round_name="Again", skip_invalid=True
    )
    assert (report.refused, report.counts["votes kept alone"]) == (0, 1)


def test_invalid_with_an_unknown_reason_and_unhelpful_without_a_comment_keep_their_label(tmp_path):
    made = study("cqs_gen", annotators=1, items=1)
    base = {"item": "I-1", "annotator": "Mona"}
    path = write(
        tmp_path / "j.jsonl",
        base | {"question_position": 1, "label": "IN", "reason": "OFF TOPIC"},
        base | {"question_position": 2, "label": "UN"},
        base | {"question_position": 3, "label": "IN", "reason": " new\u00a0concept "},
    )
    report, _ = bring(made, path)
    assert [refusal["place"] for refusal in report.refusals] == ["line 1", "line 2"]
    report, round = bring(made, path, keep_votes=True)
    stored = QuestionAnnotation.objects.order_by("id").values_list("label", "reason", "incomplete", "comment")
    assert list(stored) == [
        ("IN", "", True, "“OFF TOPIC”"),
        ("UN", "", True, ""),
        ("IN", "NC", False, ""),
    ]
    columns = read_judgements(round).columns
    assert columns.reason.tolist().count(-1) == 2


def test_what_else_is_wrong_with_a_row_is_refused_all_the_same(tmp_path):
    made = study(annotators=1, items=1)
    path = write(
        tmp_path / "j.jsonl",
        YES | LOST | {"type": "XX"},
        YES | LOST | {"applicable": "no"},
        YES | LOST | {"item": "nowhere"},
    )
    report, _ = bring(made, path, keep_votes=True)
    assert (report.stored, report.refused) == (False, 3)


def label_studio(spans):
    result = [
        {"type": "labels", "from_name": "span", "value": {"start": one, "end": end, "labels": ["LE"]}}
        for one, end in spans
    ]
    annotation = {"completed_by": 7, "created_at": "2024-05-31T12:05:00Z", "result": result}
    return [{"data": {"id": "I-1", "text": "x"}, "annotations": [annotation]}]


def test_two_spans_of_one_type_are_refused_with_both_or_kept_as_one_vote(tmp_path):
    made = study(annotators=1, items=1)
    path, refused = tmp_path / "ls.json", tmp_path / "refused.csv"
    path.write_text(json.dumps(label_studio([(0, 3), (4, 11), (12, 18)])))
    report, _ = bring(made, path, dry_run=True, refused_path=refused)
    assert report.refused == 2
    with refused.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["item"], row["annotator"], row["type"]) for row in rows] == [("I-1", "7", "LE")] * 4
    report, _ = bring(made, path, keep_votes=True)
    (row,) = TypeAnnotation.objects.all()
    assert (row.applicable, row.incomplete, row.start) == (True, True, None)
    assert row.decided_at == datetime(2024, 5, 31, 12, 5, tzinfo=UTC)


@pytest.mark.database
def test_the_database_keeps_incomplete_answers_to_imported_rounds_and_to_what_lacks_something(tmp_path):
    made = study(annotators=1, items=1)
    round = open_round(made)
    record(round, made.annotators[0], made.items[0], "LE", {"applicable": True, **FOUND})
    path = write(tmp_path / "j.jsonl", YES | LOST, YES | {"type": "TC", "applicable": "no"})
    bring(made, path, keep_votes=True)
    here = TypeAnnotation.objects.filter(assignment__round=round)
    elsewhere = TypeAnnotation.objects.exclude(assignment__round=round)
    nothing = {"start": None, "end": None, "quote": None}
    for rows, change in [
        (here, nothing | {"incomplete": True}),
        (here, {"incomplete": True}),
        (elsewhere.filter(type_code="LE"), {"incomplete": False}),
        (elsewhere.filter(type_code="TC"), {"incomplete": True}),
    ]:
        with pytest.raises(DatabaseError), transaction.atomic():
            rows.update(**change)


def test_the_command_keeps_votes_where_it_is_told_to(tmp_path, capsys):
    made = study(annotators=1, items=1)
    path = write(tmp_path / "j.jsonl", YES | LOST)
    call_command("import_judgements", made.project.slug, path, "--round", "R", "--keep-votes")
    assert "1 vote kept without its span, reason or comment" in capsys.readouterr().out
