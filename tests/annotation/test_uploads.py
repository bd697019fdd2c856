"""Files brought by browser: checked first, imported when asked for, by one worker only."""

from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone

from annotation.importing import staging
from annotation.importing import uploads as uploading
from annotation.importing.uploads import (
    STOPPED,
    upload_cancel,
    upload_check,
    upload_create,
    upload_import,
    upload_map_columns,
    upload_request_import,
    upload_retry,
    uploads_sweep,
)
from annotation.models import Import, Upload
from annotation.projects.projects import project_archive
from core.errors import Refused
from core.jobs import ATTEMPTS, LEASE, Lease
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.database]

GOOD = "id,text,topic\na1,First text.,t1\na2,Second text.,t2\n"
MIXED = "id,text\na1,First text.\na2,\na3,Third text.\n"


@pytest.fixture
def study():
    return factories.study("focus", annotators=2, items=0)


def bring(study, content: str, name: str = "items.csv", **options) -> Upload:
    return upload_create(
        project=study.project, member=study.lead, file=ContentFile(content.encode()), name=name, **options
    )


def checked(upload: Upload) -> Upload:
    upload_check(upload_id=upload.pk)
    upload.refresh_from_db()
    return upload


def imported(upload: Upload, **options) -> Upload:
    upload_request_import(upload=upload, skip_invalid=options.get("skip_invalid", False))
    upload_import(upload_id=upload.pk)
    upload.refresh_from_db()
    return upload


def seen(study) -> int:
    """Return how many items of a project there are for people."""
    return study.project.items.filter(brought_by__state="done").count()


def forgotten(study) -> None:
    """Take away what checks have staged, as after a day: the import has to read the file."""
    long_ago = timezone.now() - timedelta(days=1, seconds=1)
    study.project.imports.filter(state="checked").update(heartbeat_at=long_ago)
    staging.imports_sweep()
    assert study.project.items.count() == seen(study)


def test_checking_says_what_will_happen_and_stores_nothing(study):
    upload = checked(bring(study, GOOD))
    assert (upload.work, upload.state, upload.format, upload.rows_read) == ("check", "done", "table", 2)
    assert upload.report["counts"]["new items"] == 2
    assert seen(study) == 0


def test_the_first_rows_are_shown_as_they_will_be_understood(study):
    rows = checked(bring(study, GOOD)).found["rows"]
    assert rows[0] == {"place": "row 2", "id": "a1", "text": "First text.", "about": "t1"}


def test_importing_stores_and_names_the_import_for_undoing(study):
    upload = imported(checked(bring(study, GOOD)))
    assert (upload.work, upload.state) == ("import", "done")
    assert (upload.progress_done, upload.progress_total) == (2, 2)
    assert list(study.project.items.values_list("external_id", flat=True)) == ["a1", "a2"]
    assert upload.brought == study.project.imports.get(state="done", member=study.lead)


def test_refused_rows_are_kept_as_a_file_and_left_out_when_asked(study):
    upload = checked(bring(study, MIXED))
    assert upload.report["refused"] == 1
    assert upload.report["refusals"] == [{"place": "row 3", "reason": "the text is blank"}]
    assert "the text is blank" in upload.refused_file.read().decode()
    upload = imported(upload, skip_invalid=True)
    assert list(study.project.items.values_list("external_id", flat=True)) == ["a1", "a3"]


def test_without_leave_to_skip_a_refused_row_stops_all(study):
    upload = imported(checked(bring(study, MIXED)))
    assert upload.is_checked
    assert seen(study) == 0


def test_an_unreadable_file_fails_with_its_place(study):
    upload = upload_create(
        project=study.project, member=study.lead, file=ContentFile(b"id,text\na,caf\xe9\n"), name="latin.csv"
    )
    assert checked(upload).state == "failed"
    assert upload.error == "row 2, column 6: byte 0xE9 is not UTF-8; save the file as UTF-8"
    upload_retry(upload=upload)
    assert (upload.work, upload.state) == ("check", "queued")


def test_columns_of_other_names_can_be_chosen(study):
    upload = checked(bring(study, "nr;body;theme\n7;Some text.;t1\n"))
    assert upload.state == "failed"
    assert upload.found["columns"] == ["nr", "body", "theme"]
    upload_map_columns(upload=upload, columns={"id": "nr", "text": "body", "topic": "theme"})
    upload = imported(checked(upload))
    item = study.project.items.get()
    assert (item.external_id, item.text, item.topic, item.metadata) == ("7", "Some text.", "t1", {})


def test_a_column_chosen_in_place_of_a_known_one_keeps_the_other_as_metadata(study):
    upload = checked(bring(study, "id,text,body\n7,old,new\n"))
    upload_map_columns(upload=upload, columns={"id": "id", "text": "body"})
    imported(checked(upload))
    item = study.project.items.get()
    assert (item.text, item.metadata) == ("new", {"text (as in the file)": "old"})


def test_columns_must_be_told_apart(study):
    upload = checked(bring(study, "nr,body\n7,x\n"))
    with pytest.raises(Refused, match="Choose the column for: text"):
        upload_map_columns(upload=upload, columns={"id": "nr", "text": ""})
    with pytest.raises(Refused, match="One column was chosen twice"):
        upload_map_columns(upload=upload, columns={"id": "nr", "text": "nr"})


def test_two_workers_on_one_upload_do_the_work_once(study):
    upload = checked(bring(study, GOOD))
    upload_request_import(upload=upload, skip_invalid=False)
    upload_import(upload_id=upload.pk)
    upload_import(upload_id=upload.pk)
    assert study.project.imports.filter(state="done", member=study.lead).count() == 1
    with pytest.raises(Refused, match="not waiting to be imported"):
        upload_request_import(upload=upload, skip_invalid=False)


def lapse(upload: Upload) -> None:
    """Let the worker of an upload be silent for a minute, and what it staged with it."""
    long_ago = timezone.now() - timedelta(minutes=1, seconds=1)
    Upload.objects.filter(pk=upload.pk, state="running").update(lease_until=long_ago)
    Import.objects.filter(state="staging").update(heartbeat_at=long_ago)


@pytest.fixture
def died(monkeypatch):
    """A worker that dies at a batch: nothing is discarded, failed or given back after it."""

    class Killed(BaseException):
        pass

    def kill(n: int):
        raise Killed

    def run(upload: Upload) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(staging, "import_discard", lambda staged: None)
            patched.setattr(Lease, "renew", lambda lease, **values: kill(0) if "rows_read" in values
                            else Upload.objects.filter(pk=upload.pk).update(**values))  # fmt: skip
            work = upload_check if upload.work == "check" else upload_import
            with pytest.raises(Killed):
                work(upload_id=upload.pk)
        upload.refresh_from_db()
        assert upload.state == "running"

    return run


@pytest.mark.parametrize("work", ["check", "import"])
def test_what_a_dead_worker_left_is_taken_up_again_within_two_minutes_and_done_once(study, died, work):
    upload = bring(study, GOOD)
    if work == "import":
        upload_request_import(upload=checked(upload), skip_invalid=False)
        forgotten(study)
    died(upload)
    assert Import.objects.filter(state="staging").count() == 1
    assert uploads_sweep() == []
    lapse(upload)
    [again] = uploads_sweep()
    assert (again, again.work, LEASE + timedelta(seconds=30) < timedelta(minutes=2)) == (upload, work, True)
    (upload_check if work == "check" else upload_import)(upload_id=upload.pk)
    upload.refresh_from_db()
    assert (upload.work, upload.state, upload.attempts) == (work, "done", 2)
    assert not Import.objects.filter(state="staging").exists()
    assert study.project.imports.filter(state="done", member=study.lead).count() == (work == "import")
    assert seen(study) == (2 if work == "import" else 0)


def test_an_import_that_is_taken_up_again_does_not_wait_for_what_the_dead_worker_staged(study, died):
    upload = checked(bring(study, GOOD))
    upload_request_import(upload=upload, skip_invalid=False)
    forgotten(study)
    died(upload)
    lapse(upload)
    Import.objects.filter(state="staging").update(heartbeat_at=timezone.now())  # its last sign came later
    upload_import(upload_id=upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.error, study.project.items.count()) == ("done", "", 2)


def test_an_upload_that_killed_three_workers_is_given_up_and_can_be_tried_again(study, died):
    upload = bring(study, GOOD)
    for _ in range(ATTEMPTS):
        died(upload)
        lapse(upload)
        found = uploads_sweep()
    upload.refresh_from_db()
    assert (found, upload.state, upload.error) == ([], "failed", STOPPED)
    upload_retry(upload=upload)
    assert checked(upload).is_checked


def test_a_worker_that_lost_its_upload_makes_nothing_visible(study, monkeypatch):
    upload = checked(bring(study, GOOD))
    upload_request_import(upload=upload, skip_invalid=False)
    forgotten(study)
    real = uploading.items_import

    def taken_over(**options):
        def too_late(staged, report):
            Upload.objects.filter(pk=upload.pk).update(lease_token="another's")
            options["on_stored"](staged, report)

        return real(**{**options, "on_stored": too_late})

    monkeypatch.setattr(uploading, "items_import", taken_over)
    upload_import(upload_id=upload.pk)
    upload.refresh_from_db()
    assert (upload.state, study.project.items.count()) == ("running", 0)
    assert not study.project.imports.filter(state__in=["staging", "done"], member=study.lead).exists()
    assert not study.project.events.filter(action="file imported", member=study.lead).exists()


def test_a_check_or_an_import_can_be_cancelled_and_nothing_of_it_is_stored(study, monkeypatch):
    upload = checked(bring(study, GOOD))
    upload_request_import(upload=upload, skip_invalid=False)
    forgotten(study)
    real = uploading.items_import

    def cancelled(**options):
        upload_cancel(upload=upload)
        return real(**options)

    monkeypatch.setattr(uploading, "items_import", cancelled)
    upload_import(upload_id=upload.pk)
    upload.refresh_from_db()
    assert (upload.state, study.project.items.count()) == ("cancelled", 0)
    assert not Import.objects.filter(state="staging").exists()
    with pytest.raises(Refused, match="has ended already"):
        upload_cancel(upload=upload)
    monkeypatch.undo()
    upload_retry(upload=upload)
    assert imported(checked(upload)).is_imported


def test_judgements_made_elsewhere_go_into_a_closed_round(study):
    factories.add_items(study.project, 1)
    item = study.project.items.get()
    content = f"item,annotator,type,applicable\n{item.external_id},Zoe,LE,no\n"
    upload = imported(checked(bring(study, content, "done.csv", round_name="Pilot")))
    made = study.project.rounds.get()
    assert (upload.state, made.name, made.status, made.imported) == ("done", "Pilot", "closed", True)


def test_an_empty_file_and_an_archived_project_are_refused(study):
    with pytest.raises(Refused, match="is empty"):
        bring(study, "")
    project_archive(project=study.project, member=study.lead)
    with pytest.raises(Refused, match="is archived"):
        bring(study, GOOD)


def unread(monkeypatch) -> None:
    def refuse(**options):
        raise AssertionError("the file is read a second time")

    monkeypatch.setattr(uploading, "items_import", refuse)


def test_what_a_check_has_staged_is_imported_without_reading_the_file_again(study, monkeypatch):
    upload = checked(bring(study, MIXED))
    refused = upload.refused_file.read()
    assert (seen(study), study.project.imports.filter(state="checked").count()) == (0, 1)
    unread(monkeypatch)
    upload = imported(upload, skip_invalid=True)
    assert (upload.is_imported, upload.report["stored"], upload.report["refused"]) == (True, True, 1)
    assert list(study.project.items.values_list("external_id", flat=True)) == ["a1", "a3"]
    assert (seen(study), upload.refused_file.read()) == (2, refused)
    event = study.project.events.get(action="file imported", member=study.lead)
    assert event.details["counts"] == {"new items": 2, "new questions": 0, "new published labels": 0}


def test_another_import_takes_away_what_a_check_has_staged_and_it_is_staged_again(study):
    first = checked(bring(study, GOOD))
    imported(checked(bring(study, "id,text\na1,First text.\nb1,Other.\n")))
    assert study.project.imports.filter(state="checked").count() == 0
    upload = imported(first)
    assert upload.report["counts"]["items already there"] == 1
    assert sorted(study.project.items.values_list("external_id", flat=True)) == ["a1", "a2", "b1"]
    assert seen(study) == 3


def test_a_check_of_what_is_there_already_keeps_nothing_staged(study):
    imported(checked(bring(study, GOOD)))
    upload = checked(bring(study, GOOD + "b,New.,t1\n"))
    assert (upload.brought, study.project.items.count()) == (None, 2)
    assert imported(upload).is_imported and seen(study) == 3


def test_a_worker_that_lost_its_upload_makes_nothing_visible_of_what_was_staged(study, monkeypatch):
    upload = checked(bring(study, GOOD))
    upload_request_import(upload=upload, skip_invalid=False)
    real = uploading.import_finish

    def taken_over(staged, report, on_stored):
        Upload.objects.filter(pk=upload.pk).update(lease_token="another's")
        real(staged, report, on_stored)

    monkeypatch.setattr(uploading, "import_finish", taken_over)
    upload_import(upload_id=upload.pk)
    upload.refresh_from_db()
    assert (upload.state, seen(study)) == ("running", 0)
    assert not study.project.events.filter(action="file imported", member=study.lead).exists()


def test_what_a_check_has_staged_goes_after_a_day(study):
    upload = checked(bring(study, GOOD))
    forgotten(study)
    upload.refresh_from_db()
    assert (upload.is_checked, upload.brought.state, study.project.items.count()) == (True, "failed", 0)
    assert imported(upload).is_imported and seen(study) == 2
