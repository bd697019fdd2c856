"""How long a worker may be silent before its release is begun anew, and what leads read meanwhile."""

from datetime import timedelta

import pytest
from django.utils import timezone

from core.jobs import LEASE, Lease, silent_minutes
from exports.models import Release
from exports.releases import build as building
from exports.releases.claim import release_claim
from exports.releases.lifecycle import release_request, release_run, release_sweep
from exports.selection.parameters import Parameters
from tests.factories import close, focus_study, judge

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def asked():
    made = focus_study(annotators=1, items=5)
    for item in made.items:
        judge(made, item, {})
    close(made)
    return release_request(project=made.project, version="1.0", parameters=Parameters())


def test_every_batch_of_items_renews_the_lease(asked, monkeypatch):
    monkeypatch.setattr(building, "BATCH", 2)
    told, renew = [], Lease.renew

    def telling(lease, **values):
        Release.objects.filter(state="running").update(lease_until=timezone.now())
        renew(lease, **values)
        row = Release.objects.get()
        if row.state == "running":
            told.append((row.progress_done, row.lease_until > timezone.now() + LEASE / 2))

    monkeypatch.setattr(Lease, "renew", telling)
    assert release_run(release_id=asked.pk) is True
    assert told[:3] == [(2, True), (4, True), (5, True)]
    assert set(told[3:]) == {(5, True)}


@pytest.mark.parametrize(("done", "total"), [(0, 0), (1000, 9000), (9000, 9000)])
def test_the_minutes_of_silence_are_counted_from_the_last_sign_of_the_worker(asked, done, total):
    release_claim(asked.pk).progress(done, total)
    row = Release.objects.get(pk=asked.pk)
    assert silent_minutes(row) == 0
    row.lease_until -= timedelta(minutes=1, seconds=30)
    assert silent_minutes(row) == 1


def test_what_a_worker_that_died_left_is_begun_anew_after_a_minute_of_silence(asked):
    release_claim(asked.pk).progress(1000, 9000)
    Release.objects.update(lease_until=Release.objects.get().lease_until - timedelta(seconds=50))
    assert release_sweep() == []
    Release.objects.update(lease_until=Release.objects.get().lease_until - timedelta(seconds=11))
    assert release_sweep() == [asked.pk]
    assert release_run(release_id=asked.pk) is True
