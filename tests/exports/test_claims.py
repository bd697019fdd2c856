"""How long a worker may be silent before its release is begun anew, and what leads read meanwhile."""

from datetime import timedelta

import pytest
from django.utils import timezone

from exports.models import Release
from exports.releases import build as building
from exports.releases import claim as claims
from exports.releases.claim import release_claim, release_hold, silent_minutes
from exports.releases.lifecycle import release_request, release_run, release_sweep
from exports.selection.parameters import Parameters
from tests.exports.studies import close, focus_study, judge

pytestmark = [pytest.mark.django_db, pytest.mark.database]

MINUTE = timedelta(minutes=1)


@pytest.fixture
def asked():
    made = focus_study(annotators=1, items=5)
    for item in made.items:
        judge(made, item, {})
    close(made)
    return release_request(project=made.project, version="1.0", parameters=Parameters())


def lease_of(row):
    """Return the minutes from now on for which the worker may be silent."""
    row.refresh_from_db()
    return round((row.lease_until - timezone.now()) / MINUTE)


def test_a_worker_that_writes_items_is_given_up_after_two_minutes_else_after_ten(asked, monkeypatch):
    monkeypatch.setattr(claims, "BATCH", 2)
    token = release_claim(asked.pk)
    leases = [lease_of(asked)]
    for done in (2, 3, 4, 5):
        release_hold(asked.pk, token, progress_done=done, progress_total=5)
        leases.append(lease_of(asked))
    release_hold(asked.pk, token)
    # With less than a batch left the agreement is next; before the first batch there are the splits.
    assert [*leases, lease_of(asked)] == [10, 2, 2, 10, 10, 10]


def test_every_batch_of_items_renews_the_lease(asked, monkeypatch):
    for module in (building, claims):
        monkeypatch.setattr(module, "BATCH", 2)
    told = []

    def telling(release_id, token, **values):
        release_hold(release_id, token, **values)
        row = Release.objects.get(pk=release_id)
        if row.state == "running":
            told.append((row.progress_done, lease_of(row)))

    monkeypatch.setattr("exports.releases.lifecycle.release_hold", telling)
    assert release_run(release_id=asked.pk) is True
    assert told[:3] == [(2, 2), (4, 10), (5, 10)]
    assert set(told[3:]) == {(5, 10)}


@pytest.mark.parametrize(("done", "total"), [(0, 0), (1000, 9000), (9000, 9000)])
def test_the_minutes_of_silence_are_counted_from_the_last_sign_of_the_worker(asked, done, total):
    token = release_claim(asked.pk)
    release_hold(asked.pk, token, progress_done=done, progress_total=total)
    row = Release.objects.get(pk=asked.pk)
    assert silent_minutes(row) == 0
    row.lease_until -= timedelta(minutes=1, seconds=30)
    assert silent_minutes(row) == 1


def test_what_a_worker_that_died_among_the_items_left_is_begun_anew_after_two_minutes(asked):
    token = release_claim(asked.pk)
    release_hold(asked.pk, token, progress_done=1000, progress_total=9000)
    Release.objects.update(lease_until=Release.objects.get().lease_until - timedelta(seconds=110))
    assert release_sweep() == []
    Release.objects.update(lease_until=Release.objects.get().lease_until - timedelta(seconds=11))
    assert release_sweep() == [asked.pk]
    assert release_run(release_id=asked.pk) is True
