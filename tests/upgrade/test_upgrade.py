"""An installation of version 0.1.0 with a year's kinds of work in it is upgraded, and its people go on.

The databases in `from_0_1_0` and some of their files were made by the code of that version itself, as
`from_0_1_0/fill.py` says; no history of the repository is needed.
"""

import json
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command
from django.test import override_settings

from agreement.computation.compute import report_compute
from agreement.computation.requests import report_request
from agreement.models import AgreementReport
from annotation.models import (
    AnnotationEvent,
    Comment,
    Invitation,
    Membership,
    Project,
    QuestionAnnotation,
    Resolution,
    Round,
    Upload,
)
from annotation.rounds.lifecycle import round_close
from exports.models import QuestionRefinement, RefinementRun, Release
from exports.releases.lifecycle import release_run, release_sweep
from exports.releases.storage import verify_file, write_release
from tests.annotation.database import missing_triggers, refused
from tests.factories import record, yes
from tests.factories.releases import release
from tests.upgrade.database import restored, rows_by_table, stored

pytestmark = pytest.mark.database

FIGURES = ("observed_agreement", "krippendorff_alpha", "fleiss_kappa", "gwet_ac1", "conger_kappa")


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory, django_db_setup, django_db_blocker):
    """Upgrade a database of 0.1.0 for the tests of this module; return its rows by table before and after."""
    with django_db_blocker.unblock(), restored("from_0_1_0", tmp_path_factory.mktemp("before")):
        before = rows_by_table()
        call_command("migrate", verbosity=0)
        yield before, rows_by_table()


@pytest.fixture(autouse=True)
def no_file_stored_yet() -> None:
    """Keep the files that all tests of this module read."""


def project(slug: str) -> Project:
    return Project.objects.get(slug=slug)


def test_no_row_of_before_is_lost(upgraded):
    before, after = upgraded
    assert (before["annotation_annotationevent"], before["exports_release"]) == (100, 5)
    assert sum(1 for rows in before.values() if rows) >= 25
    assert {table: after.get(table) for table in before} == before


def test_the_people_find_what_they_did(upgraded):
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.PBKDF2PasswordHasher"]):
        assert authenticate(username="lea", password="secret").email == "lea@example.org"
    assert [(one.version, one.state) for one in project("talk").releases.order_by("id")][:2] == [
        ("1.0", "done"),
        ("1.1", "done"),
    ]
    question = QuestionAnnotation.objects.get(
        question__external_id="I-1-Q2", assignment__member__user__username="ann"
    )
    assert (question.label, question.reason) == ("IN", "NC")
    assert question.edited_question == "What does a barrier cost?"
    decided = Resolution.objects.filter(item__project__slug="talk").order_by("id")
    assert [(one.applicable, one.superseded_at is None) for one in decided] == [(False, False), (True, True)]
    assert Comment.objects.get().text == "@A2 is that a cause?"
    assert (Invitation.objects.get().note, Upload.objects.get().state) == ("for Dan", "done")
    assert (RefinementRun.objects.get().state, QuestionRefinement.objects.get().question) == (
        "done",
        "Did they fall?",
    )


def test_the_rules_hold_again(upgraded):
    assert missing_triggers() == set()
    assert "append-only" in refused(lambda: AnnotationEvent.objects.update(revision=9))
    assert "immutable" in refused(lambda: Release.objects.filter(state="done").update(licence="CC0-1.0"))


@pytest.mark.parametrize("slug", ["talk", "ask"])
def test_a_report_is_computed_again_with_the_same_figures(upgraded, slug):
    round = project(slug).rounds.get(number=1)
    old = round.agreement_reports.get()
    report = report_request(round=round)
    assert report.pk != old.pk  # of other code
    assert report_compute(report_id=report.pk) == "done"
    report.refresh_from_db()
    assert values_of(report) == values_of(old)
    assert len(values_of(report)) >= 5


def values_of(report: AgreementReport) -> dict[tuple[str, str], Any]:
    return {
        (section["key"], name): section["estimates"][name]["value"]
        for section in report.figures["sections"]
        if section["kind"] in {"type", "labels"}  # what pools several types is computed otherwise since
        for name in FIGURES
    }


def test_a_release_has_the_labels_that_one_of_before_has(upgraded):
    old = Release.objects.get(project__slug="talk", version="1.0")
    new = release(project("talk"), "2.0", rounds=["Round 1"])
    assert labels(release_file(new)) == labels(release_file(old))


def release_file(of: Release) -> bytes:
    [file] = [one for one in of.files if one["name"] == "data/all.jsonl"]
    return stored(file["storage"])


def labels(data: bytes) -> dict[str, Any]:
    """Return what was decided of each item, with its votes and spans."""
    return {row["argument_id"]: row["labels"] for row in map(json.loads, data.splitlines())}


def test_a_release_of_before_still_has_its_files(upgraded, tmp_path):
    old = Release.objects.get(project__slug="ask", version="1.0")
    files = [file for file in old.files if not file["archive"]]
    for file in files:
        verify_file(old.files, file)
    names = write_release(old, tmp_path / "out", internal=True)
    assert set(names) == {file["name"] for file in files}
    assert b'"label": "Invalid"' in (tmp_path / "out" / "cqs_gen.json").read_bytes()


def test_what_a_dead_worker_left_goes_on(upgraded):
    assert {Release.objects.get(pk=pk).version for pk in release_sweep()} == {"1.1", "1.2"}
    for version in ("1.1", "1.2"):
        assert release_run(release_id=project("ask").releases.get(version=version).pk)
    assert labels_of_questions("1.1") == labels_of_questions("1.0")


def labels_of_questions(version: str) -> list[tuple[str, str]]:
    [file] = [
        one for one in project("ask").releases.get(version=version).files if one["name"] == "cqs_gen.json"
    ]
    return [
        (question["id"], question["label"])
        for item in json.loads(stored(file["storage"])).values()
        for question in item["cqs"]
    ]


def test_an_open_round_is_judged_on_and_closed(upgraded):
    round = Round.objects.get(status="open")
    item = round.project.items.get(external_id="I-4")
    ann, bea, lea = (
        Membership.objects.get(project=round.project, user__username=n) for n in ("ann", "bea", "lea")
    )
    answer = yes(item, item.text[:7])
    assert record(round, bea, item, "LE", answer, event_id="after").row.revision == 1
    assert record(round, ann, item, "LE", answer, event_id="after").row.revision == 2
    round_close(round, by=lea)
    assert round.agreement_reports.get().state == "queued"
