"""A lead cancels a release that waits or is being built: nothing is left of it, and its version is free."""

import errno
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier, Event

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connections
from django.utils import timezone

from agreement.report.loading import read_judgements
from annotation.models import ProjectEvent
from core.errors import Refused
from exports.models import Release
from exports.releases import lifecycle as releases
from exports.releases.claim import release_cancel, release_cancellation, release_claim
from exports.releases.lifecycle import release_build, release_request, release_run, release_sweep
from exports.selection.parameters import Parameters
from tests.factories import close, focus_study, judge
from tests.factories.releases import release, stored_files

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def made(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made = focus_study(annotators=2, items=2)
    for item in made.items:
        judge(made, item, {})
    close(made)
    return made


def asked(made, version="1.0"):
    return release_request(project=made.project, version=version, parameters=Parameters(), by=made.lead)


def state_of(row):
    row.refresh_from_db()
    return row.state, row.lease_token, row.lease_until, row.files, row.digest


CANCELLED = ("cancelled", "", None, [], "")


def left_over():
    return stored_files() + [path.name for path in Path(tempfile.gettempdir()).iterdir()]


def logged(made):
    events = ProjectEvent.objects.filter(project=made.project, action__startswith="release").order_by("id")
    return list(events.values_list("action", "member", "details"))


def test_a_release_that_waits_is_cancelled_and_no_worker_builds_it(made):
    row = asked(made)
    release_cancel(release=row, by=made.lead)
    assert release_run(release_id=row.pk) is False
    Release.objects.update(enqueued_at=timezone.now() - timedelta(hours=1))
    assert release_sweep() == []
    assert state_of(row) == CANCELLED
    assert logged(made) == [
        ("release requested", made.lead.pk, {"version": "1.0"}),
        ("release cancelled", made.lead.pk, {"version": "1.0"}),
    ]


def cancelling_at(made, row, monkeypatch, stage):
    """Have the release cancelled while its worker is at a stage of its work."""

    def cancel():
        release_cancel(release=row, by=made.lead)

    if stage == "reading":
        real = releases.read_selection
        monkeypatch.setattr(releases, "read_selection", lambda *given: [real(*given), cancel()][0])
    elif stage == "agreement":
        monkeypatch.setattr("exports.releases.build.card_text", lambda *given: [cancel(), "card"][1])
    elif stage == "storing":
        save, saved = default_storage.save, []

        def saving(name, content):
            saved.append(name)
            if len(saved) == 3:
                cancel()
            return save(name, content)

        monkeypatch.setattr(default_storage, "save", saving)
    else:
        real = releases.store_files

        def stored(*given, **named):
            found = real(*given, **named)
            cancel()
            return found

        monkeypatch.setattr(releases, "store_files", stored)


def test_a_worker_that_computes_the_agreement_notices_meanwhile(made, monkeypatch):
    row = asked(made)

    def cancelling(round, **options):
        release_cancel(release=row, by=made.lead)
        return read_judgements(round, **options)

    monkeypatch.setattr("exports.releases.agreement_files.read_judgements", cancelling)
    monkeypatch.setattr("exports.releases.build.card_text", lambda *given: pytest.fail("it went on"))
    assert release_run(release_id=row.pk) is False
    assert state_of(row) == CANCELLED
    assert left_over() == []


@pytest.mark.parametrize("stage", ["reading", "agreement", "storing", "stored"])
def test_a_worker_notices_at_its_next_write_and_leaves_nothing(made, monkeypatch, stage):
    row = asked(made)
    cancelling_at(made, row, monkeypatch, stage)
    assert release_run(release_id=row.pk) is False
    assert state_of(row) == CANCELLED
    assert left_over() == []
    assert [action for action, *_ in logged(made)] == ["release requested", "release cancelled"]
    monkeypatch.undo()
    assert release(made.project).state == "done"


def test_the_command_line_is_told_that_its_release_was_cancelled_meanwhile(made, monkeypatch):
    real = releases.build_files

    def building(*given):
        release_cancel(release=Release.objects.get(), by=made.lead)
        return real(*given)

    monkeypatch.setattr(releases, "build_files", building)
    with pytest.raises(Refused, match=r"Release 1\.0 was cancelled before it was built\."):
        release_build(project=made.project, version="1.0", parameters=Parameters())


def test_the_version_can_be_asked_for_again_while_the_worker_has_not_noticed_yet(made, monkeypatch):
    row = asked(made)
    real = releases.build_files

    def slow(*given):
        monkeypatch.setattr(releases, "build_files", real)
        release_cancel(release=row, by=made.lead)
        # Of the folder of the first worker nothing is there any more when it goes on.
        assert release_run(release_id=asked(made).pk) is True
        return real(*given)

    monkeypatch.setattr(releases, "build_files", slow)
    assert release_run(release_id=row.pk) is False
    state, attempt, *_ = state_of(row)
    assert (state, row.attempts, row.error) == ("done", 1, "")
    assert attempt != ""
    assert sorted(left_over()) == sorted(file["storage"] for file in row.files if file["storage"])


def test_what_fails_after_a_release_was_cancelled_is_no_failure_of_the_release(made, monkeypatch, caplog):
    row = asked(made)

    def building(*given):
        release_cancel(release=row, by=made.lead)
        raise FileNotFoundError(errno.ENOENT, "No such file or directory")

    monkeypatch.setattr(releases, "build_files", building)
    assert release_run(release_id=row.pk) is False
    assert (state_of(row), row.error) == (CANCELLED, "")
    said = [record.getMessage() for record in caplog.records if record.name == "exports.releases.lifecycle"]
    assert said == [f"release {row.pk} was cancelled or taken over by another worker"]


def test_what_a_worker_left_that_died_before_it_noticed_is_swept_once_its_lease_is_over(made, tmp_path):
    row = asked(made)
    token = release_claim(row.pk).token
    default_storage.save(f"releases/{row.pk}-{token}/focus.json", ContentFile(b"half"))
    (tmp_path / f"elenchus-release-{token}-x").mkdir()
    release_cancel(release=row, by=made.lead)
    assert release_sweep() == []
    assert len(left_over()) == 2
    Release.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert release_sweep() == []
    assert left_over() == []
    assert state_of(row) == CANCELLED


def test_a_release_that_is_built_failed_or_cancelled_cannot_be_cancelled(made):
    done = release(made.project)
    failed, gone = asked(made, "2.0"), asked(made, "3.0")
    Release.objects.filter(pk=failed.pk).update(state="failed", error="The disk is full.")
    release_cancel(release=gone, by=made.lead)
    for row in (done, failed, gone):
        before = state_of(row)
        with pytest.raises(Refused, match="is not being built any more, so it cannot be cancelled"):
            release_cancel(release=row, by=made.lead)
        assert state_of(row) == before
    assert [action for action, *_ in logged(made)].count("release cancelled") == 1


def test_the_log_says_who_cancelled_it_last(made):
    other = made.annotators[1]
    row = asked(made)
    release_cancel(release=asked(made, "2.0"), by=other)
    for member in (made.lead, None, other):
        release_cancel(release=row, by=member)
        assert release_cancellation(row).member == member
        asked(made)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("first", ["worker", "lead", "either"])
def test_who_finishes_as_somebody_cancels_has_built_the_whole_release_or_nothing(made, monkeypatch, first):
    row = asked(made)
    barrier, decided = Barrier(2), Event()
    real = releases.store_files

    def stored(*given, **named):
        found = real(*given, **named)
        barrier.wait(timeout=30)
        if first == "lead":
            assert decided.wait(timeout=30)
        return found

    def work():
        try:
            return release_run(release_id=row.pk)
        finally:
            decided.set()
            connections.close_all()

    def cancel():
        try:
            barrier.wait(timeout=30)
            if first == "worker":
                assert decided.wait(timeout=30)
            release_cancel(release=Release.objects.get(pk=row.pk), by=made.lead)
            return True
        except Refused:
            return False
        finally:
            decided.set()
            connections.close_all()

    monkeypatch.setattr(releases, "store_files", stored)
    with ThreadPoolExecutor(2) as pool:
        working, cancelling = pool.submit(work), pool.submit(cancel)
        built, cancelled = working.result(), cancelling.result()
    assert built is not cancelled
    if first != "either":
        assert built is (first == "worker")
    actions = [action for action, *_ in logged(made)][1:]
    if built:
        row.refresh_from_db()
        assert (row.state, actions) == ("done", ["release built"])
        assert sorted(left_over()) == sorted(file["storage"] for file in row.files if file["storage"])
    else:
        assert (state_of(row), actions, left_over()) == (CANCELLED, ["release cancelled"], [])
