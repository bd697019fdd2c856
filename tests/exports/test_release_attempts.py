"""One worker builds a release; what stopped it is said, and leaves nothing half done."""

import errno
import os
import re
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from annotation.rounds.lifecycle import round_reopen
from core.errors import Refused
from exports.models import Release
from exports.releases import lifecycle as releases
from exports.releases.build import NotReconciled
from exports.releases.lifecycle import release_build, release_request, release_run, release_sweep
from exports.selection.parameters import Parameters
from tests import factories
from tests.factories import adjudicate, close, judged
from tests.factories.releases import release, stored_files

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_a_version_whose_building_failed_can_be_built_again():
    made = judged()
    wrong = adjudicate(made, made.items[1], "WE", True, (3, 9999))
    with pytest.raises(NotReconciled):
        release(made.project)
    wrong.spans = [[0, 3]]
    wrong.save()
    assert release(made.project).state == "done"


def test_a_round_reopened_while_the_release_waits_is_not_silently_left_out():
    made = judged()
    first = made.round
    factories.open_round(made)
    close(made)
    row = release_request(project=made.project, version="1.0", parameters=Parameters())
    round_reopen(first, why="a slip", by=made.lead)
    assert release_run(release_id=row.pk) is False
    row.refresh_from_db()
    assert row.state == "failed"
    assert row.error.startswith("Round 1 was reopened after this release was asked for: close it again")
    # Asked for again by somebody who sees that the round is open, the release is of the other one.
    again = release(made.project)
    assert (again.state, again.counts["judgements"]) == ("done", 0)


def test_of_two_workers_one_builds():
    made = judged()
    row = release_request(project=made.project, version="1.0", parameters=Parameters())
    assert [release_run(release_id=row.pk), release_run(release_id=row.pk)] == [True, False]
    row.refresh_from_db()
    assert (row.state, row.attempts) == ("done", 1)


def test_a_dead_workers_release_is_found_and_done_again_and_its_late_result_dropped(monkeypatch):
    made = judged()
    row = release_request(project=made.project, version="1.0", parameters=Parameters())
    real = releases.build_files

    def dying(*arguments):
        monkeypatch.setattr(releases, "build_files", real)
        Release.objects.filter(pk=row.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
        assert release_sweep() == [row.pk]
        assert release_run(release_id=row.pk) is True
        return real(*arguments)

    monkeypatch.setattr(releases, "build_files", dying)
    assert release_run(release_id=row.pk) is False
    row.refresh_from_db()
    assert (row.state, row.attempts) == ("done", 2)
    assert sorted(stored_files()) == sorted(file["storage"] for file in row.files if file["storage"])


def test_a_worker_whose_release_was_taken_over_stores_nothing(monkeypatch):
    made = judged()
    row = release_request(project=made.project, version="1.0", parameters=Parameters())
    real = releases.build_files

    def taken_over(*arguments):
        Release.objects.filter(pk=row.pk).update(lease_token="another")
        return real(*arguments)

    monkeypatch.setattr(releases, "build_files", taken_over)
    assert release_run(release_id=row.pk) is False
    row.refresh_from_db()
    assert (row.state, row.lease_token, row.files, stored_files()) == ("running", "another", [], [])


def test_what_one_lead_waits_for_is_not_built_with_the_choices_of_another():
    made = judged()
    other = made.project.memberships.create(user=factories.user("mia"), pseudonym="A9", is_lead=True)
    mine = Parameters(adjudicated_only=True)

    def ask(by, parameters):
        return release_request(project=made.project, version="1.0", parameters=parameters, by=by)

    row = ask(made.lead, mine)
    words = "was asked for by A1 with other choices and waits for a worker"
    for by in (other, None):
        with pytest.raises(Refused, match=words) as refused:
            ask(by, Parameters())
        assert list(refused.value.errors) == ["version"]
    row.refresh_from_db()
    assert (row.parameters, row.member) == (mine.to_json(), made.lead)
    assert ask(other, mine) == row
    assert ask(other, Parameters()).parameters == Parameters().to_json()


def test_a_release_whose_worker_died_three_times_fails_says_so_and_leaves_nothing():
    made = judged()
    row = release_request(project=made.project, version="1.0", parameters=Parameters())
    default_storage.save(f"releases/{row.pk}-x/focus.json", ContentFile(b"half"))
    past = timezone.now() - timedelta(seconds=1)
    Release.objects.filter(pk=row.pk).update(state="running", lease_token="x", attempts=3, lease_until=past)
    assert release_sweep() == []
    row.refresh_from_db()
    assert row.state == "failed"
    assert "stopped 3 times" in row.error
    assert stored_files() == []


def test_an_unexpected_error_is_kept_without_its_message(monkeypatch):
    made = judged()

    def broken(*arguments):
        raise RuntimeError("Everyone's grades fell")

    monkeypatch.setattr(releases, "build_files", broken)
    row = release_request(project=made.project, version="1.0", parameters=Parameters())
    assert release_run(release_id=row.pk) is False
    row.refresh_from_db()
    assert row.state == "failed"
    assert "nobody foresaw (RuntimeError in tests/exports/test_release_attempts.py, line " in row.error
    assert "Ask again; if it fails again, tell whoever runs this installation." in row.error
    assert "grades" not in row.error


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "The disk of this installation is full. Ask again once whoever runs it has made room"),
        (errno.EACCES, "A file could not be written or read (Permission denied). Tell whoever runs this"),
    ],
)
def test_a_disk_that_cannot_be_written_is_named_and_leaves_nothing(monkeypatch, number, words):
    made = judged()
    save, saved = default_storage.save, []

    def full(name, content):
        if len(saved) == 2:
            raise OSError(number, os.strerror(number), "/grades/fell")
        saved.append(name)
        return save(name, content)

    monkeypatch.setattr(default_storage, "save", full)
    with pytest.raises(Refused, match=re.escape(words)):
        release(made.project)
    row = made.project.releases.get()
    assert (row.state, row.files, stored_files()) == ("failed", [], [])
    assert row.error.startswith(words)
    assert "grades" not in row.error
    monkeypatch.undo()
    assert release(made.project).state == "done"


def test_while_a_worker_builds_a_version_nobody_else_can():
    made = judged()
    row = release_request(project=made.project, version="1.0", parameters=Parameters())
    later = timezone.now() + timedelta(minutes=5)
    Release.objects.filter(pk=row.pk).update(state="running", lease_token="x", lease_until=later)
    assert release_run(release_id=row.pk) is False
    with pytest.raises(Refused, match="is being built already"):
        release_build(project=made.project, version="1.0", parameters=Parameters())
    row.refresh_from_db()
    assert (row.state, row.lease_token) == ("running", "x")
