"""One job engine: claims, leases, sweeps. A refinement run's row stands for all jobs."""

import threading
import time
from datetime import timedelta

import pytest
from django.apps import apps
from django.apps.registry import Apps
from django.db import IntegrityError, InterfaceError, OperationalError, connection, models, transaction
from django.db.models import QuerySet
from django.utils import timezone

from core import jobs
from core.jobs import ATTEMPTS, LEASE, ClaimLost, Job, Lease, beating, cancel, requeue, silent_for, sweep
from exports.models import Release
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def row():
    return factories.study("focus", slug="jobs").project.releases.create(version="1.0", parameters={})


def rows(row):
    return Release.objects.filter(pk=row.pk)


def now_as(row):
    row.refresh_from_db()
    return row.state, row.attempts, row.error


def lapse(row):
    rows(row).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_of_two_who_claim_a_row_one_gets_it(row):
    assert Lease.claim(rows(row)) is not None
    assert Lease.claim(rows(row)) is None
    assert now_as(row) == ("running", 1, "")


def test_a_row_whose_worker_was_silent_for_a_minute_is_claimed_by_another_and_the_first_writes_nothing(row):
    first = Lease.claim(rows(row))
    lapse(row)
    second = Lease.claim(rows(row))
    for write in (first.renew, first.finish, first.drop, lambda: first.progress(1, 2)):
        with pytest.raises(ClaimLost):
            write()
    assert first.fail("late") is False
    second.progress(1, 2)
    assert (now_as(row), row.lease_token, row.progress_done) == (("running", 2, ""), second.token, 1)


def test_every_write_renews_the_lease_by_a_minute(row):
    lease = Lease.claim(rows(row))
    rows(row).update(lease_until=timezone.now() + timedelta(seconds=2))
    lease.renew()
    row.refresh_from_db()
    assert LEASE - timedelta(seconds=10) < row.lease_until - timezone.now() <= LEASE == timedelta(minutes=1)


def test_a_failed_row_says_why_and_a_dropped_one_waits_again(row):
    assert Lease.claim(rows(row)).fail("The disk is full.") is True
    assert (now_as(row), row.lease_until) == (("failed", 1, "The disk is full."), None)
    assert requeue(rows(row), version="1.1") is True
    assert (now_as(row), row.version) == (("queued", 0, ""), "1.1")
    Lease.claim(rows(row)).drop()
    assert (now_as(row), row.lease_token) == (("queued", 1, ""), "")


def test_whoever_cancels_wins_over_the_worker(row):
    lease = Lease.claim(rows(row))
    assert cancel(rows(row)) is True
    with pytest.raises(ClaimLost):
        lease.finish()
    assert cancel(rows(row)) is False
    assert now_as(row)[0] == "cancelled"


def test_what_somebody_works_on_cannot_be_asked_for_again(row):
    Lease.claim(rows(row))
    assert requeue(rows(row)) is False
    lapse(row)
    assert requeue(rows(row)) is True


def test_the_sweep_finds_what_waits_too_long_once_a_minute_and_what_lost_its_worker(row):
    assert sweep(Release.objects.all(), stopped="given up").again == []
    rows(row).update(enqueued_at=timezone.now() - timedelta(minutes=2))
    assert sweep(Release.objects.all(), stopped="given up").again == [row.pk]
    assert sweep(Release.objects.all(), stopped="given up").again == []
    lost = Lease.claim(rows(row))
    assert sweep(Release.objects.all(), stopped="given up").again == []
    lapse(row)
    assert sweep(Release.objects.all(), stopped="given up").again == [row.pk]
    # It waits, and says so, until another worker has time; the lost one stores nothing more.
    assert now_as(row)[0] == "queued"
    with pytest.raises(ClaimLost):
        lost.finish()
    assert Lease.claim(rows(row)) is not None


def test_the_sweep_gives_up_what_killed_three_workers_and_names_their_last_token(row):
    for _ in range(ATTEMPTS):
        token = Lease.claim(rows(row)).token
        lapse(row)
    swept = sweep(Release.objects.all(), stopped="It stopped 3 times.")
    assert (swept.again, swept.given_up) == ([], [(row.pk, token)])
    assert now_as(row) == ("failed", ATTEMPTS, "It stopped 3 times.")


def test_work_that_lost_the_database_is_no_failure_and_is_sent_again(row, monkeypatch):
    broken = OperationalError("server closed the connection unexpectedly")
    monkeypatch.setattr(connection, "is_usable", lambda: False)
    with Lease.claim(rows(row)).working("a release"):
        raise broken
    assert now_as(row) == ("running", 1, "")
    lapse(row)
    assert sweep(Release.objects.all(), stopped="given up").again == [row.pk]
    # One that answers has refused what was asked, and would do so again.
    monkeypatch.undo()
    with Lease.claim(rows(row)).working("a release"):
        raise broken
    state, attempts, error = now_as(row)
    assert (state, attempts) == ("failed", 2) and error.startswith("OperationalError")


def test_the_silence_of_a_worker_is_counted_from_its_last_sign(row):
    assert silent_for(row) == timedelta()
    Lease.claim(rows(row))
    rows(row).update(lease_until=timezone.now() + LEASE - timedelta(minutes=3))
    row.refresh_from_db()
    assert silent_for(row) // timedelta(minutes=1) == 3


def test_a_worker_that_shows_life_while_the_sweep_looks_keeps_its_row(row, monkeypatch):
    for _ in range(ATTEMPTS):
        lease = Lease.claim(rows(row))
        lapse(row)
    looked = QuerySet.values_list

    def late(self, *fields, **options):
        found = list(looked(self, *fields, **options))
        if fields == ("pk", "lease_token"):
            lease.renew()
        return found

    monkeypatch.setattr(QuerySet, "values_list", late)
    assert sweep(rows(row), stopped="given up").given_up == []
    lease.finish(state="cancelled")


@pytest.mark.parametrize("told", [SystemExit, KeyboardInterrupt])
def test_a_worker_that_is_told_to_stop_gives_its_row_back_at_once_and_that_was_no_attempt(row, told):
    lease = Lease.claim(rows(row))
    with pytest.raises(told), lease.kept():
        raise told
    assert (now_as(row), row.lease_token) == (("queued", 0, ""), lease.token)
    assert sweep(Release.objects.all(), stopped="given up").again == [row.pk]
    with pytest.raises(ClaimLost):
        lease.renew()


def test_a_beat_that_the_database_refuses_is_tried_again_and_its_end_waits_for_nobody(monkeypatch):
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.01)
    beats = []
    renewed = threading.Event()

    def beat():
        beats.append(1)
        if len(beats) < 3:
            raise InterfaceError("connection already closed")
        renewed.set()
        return False

    with beating(beat, time.monotonic, "a job"):
        assert renewed.wait(20)
    assert len(beats) == 3


class Counting(Job):
    """A new kind of job: this class, and a function that works under a lease."""

    limit = models.PositiveIntegerField(default=3)

    class Meta(Job.Meta):
        apps = Apps()  # no other test meets it
        app_label = "annotation"


def count_up(pk, *, at=lambda n: None):
    lease = Lease.claim(Counting.objects.filter(pk=pk))
    if lease is None:
        return
    with lease.kept():
        for n in range(1, 4):
            at(n)
            lease.progress(n, 3)
        lease.finish()


@pytest.fixture
def counting():
    with connection.schema_editor() as editor:
        editor.create_model(Counting)
    yield Counting.objects.create()
    with connection.schema_editor() as editor:
        editor.delete_model(Counting)


@pytest.mark.django_db(transaction=True)
def test_a_new_job_of_ten_lines_inherits_claim_progress_cancel_retry_and_sweep(counting):
    mine = Counting.objects.filter(pk=counting.pk)

    def die(n):
        if n == 3:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        count_up(counting.pk, at=die)
    counting.refresh_from_db()
    assert (counting.state, counting.progress_done, counting.progress_total) == ("running", 2, 3)
    mine.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert sweep(Counting.objects.all(), stopped="It stopped.").again == [counting.pk]
    with pytest.raises(ClaimLost):
        count_up(counting.pk, at=lambda n: cancel(mine))
    counting.refresh_from_db()
    assert (counting.state, counting.attempts) == ("cancelled", 2)
    assert requeue(mine)
    count_up(counting.pk)
    counting.refresh_from_db()
    assert (counting.state, counting.attempts, counting.progress_done) == ("done", 1, 3)
    with pytest.raises(IntegrityError):
        mine.update(state="failed", error="")


@pytest.mark.django_db(transaction=True)
def test_a_long_step_keeps_its_lease_until_it_ends_or_hangs(row, monkeypatch):
    lease = Lease.claim(rows(row))
    soon = timezone.now() + timedelta(seconds=5)
    rows(row).update(lease_until=soon)
    renewed = threading.Event()
    held = Lease._held

    def noticed(self):
        if threading.current_thread().name == "lease" and not renewed.is_set():
            found = held(self)
            update = found.update
            found.update = lambda **values: (update(**values), renewed.set())[0]
            return found
        return held(self)

    monkeypatch.setattr(Lease, "_held", noticed)
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.01)
    with lease.kept():
        assert renewed.wait(20)
    row.refresh_from_db()
    assert row.lease_until > soon

    monkeypatch.setattr(jobs, "SILENT_SECONDS", -1.0)
    rows(row).update(lease_until=soon)
    with lease.kept():
        [thread] = [one for one in threading.enumerate() if one.name == "lease"]
        thread.join(20)
        assert not thread.is_alive()
    row.refresh_from_db()
    assert row.lease_until == soon


def test_every_kind_of_job_keeps_the_three_rules(row):
    kinds = [model for model in apps.get_models() if issubclass(model, Job)]
    assert {model.__name__ for model in kinds} >= {
        "AgreementReport",
        "ReportPart",
        "Release",
        "RefinementRun",
        "Upload",
    }
    for model in kinds:
        name = model._meta.model_name
        kept = {constraint.name for constraint in model._meta.constraints}
        assert {
            f"{name}_running_has_lease",
            f"{name}_failed_says_why",
            f"{name}_progress_within_total",
        } <= kept
    for broken in (
        {"state": "running", "lease_token": "", "lease_until": timezone.now()},
        {"state": "running", "lease_token": "x", "lease_until": None},
        {"state": "failed", "error": ""},
        {"progress_done": 2, "progress_total": 1},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            rows(row).update(**broken)
    assert connection.vendor
