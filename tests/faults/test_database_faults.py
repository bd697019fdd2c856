"""Cheap faults: a query fails, the disk is read-only, the clock jumps, the database is slow."""

import errno
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from redis.exceptions import ConnectionError as RedisDown

from agreement.models import AgreementReport
from annotation.models import AnnotationEvent, TypeAnnotation
from core.jobs import ClaimLost, Lease, sweep
from tests import factories
from tests.conftest import client_of

URL = "/api/projects/bench/rounds/1/judgements/"


@pytest.fixture
def decision() -> dict[str, Any]:
    made = factories.study(annotators=1, items=1, slug="bench")
    factories.open_round(made)
    assignment = factories.assignment_of(made.round, made.annotators[0], made.items[0])
    answer = {"applicable": False}
    return {
        "event_id": "one",
        "assignment": assignment.pk,
        "type": "LE",
        "base_revision": 0,
        "answer": answer,
    }


def stored() -> tuple[int, int]:
    return AnnotationEvent.objects.count(), TypeAnnotation.objects.count()


def patient(client: Client) -> Client:
    client.raise_request_exception = False
    return client


class FailAt:
    """Lets so many queries through and fails at the next one."""

    def __init__(self, place: int) -> None:
        self.left = place

    def __call__(self, execute: Callable[..., Any], *given: Any) -> Any:
        self.left -= 1
        if self.left == -1:
            raise OperationalError("server closed the connection unexpectedly")
        return execute(*given)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_whichever_query_of_a_save_fails_nothing_is_stored_and_a_repeat_stores_it_once(decision):
    client = patient(client_of("ann"))
    failed = 0
    while failed < 100:
        fault = FailAt(failed)
        with connection.execute_wrapper(fault):
            response = client.post(URL, decision, content_type="application/json")
        if fault.left >= 0:
            break  # there are no more queries than that
        assert response.status_code == 503, failed
        assert response.json()["code"] == "unavailable" and response["Retry-After"] == "30"
        assert stored() == (0, 0), failed
        failed += 1
    assert failed > 4
    assert response.status_code == 200 and stored() == (1, 1)
    assert client.post(URL, decision, content_type="application/json").status_code == 200
    assert stored() == (1, 1)


@pytest.mark.django_db
def test_a_slow_database_makes_a_save_slow_and_nothing_else(decision):
    def slow(execute: Callable[..., Any], *given: Any) -> Any:
        time.sleep(0.02)  # what a query takes, not what the test waits for
        return execute(*given)

    with connection.execute_wrapper(slow):
        assert client_of("ann").post(URL, decision, content_type="application/json").status_code == 200
    assert stored() == (1, 1)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "error", [OSError(errno.EROFS, "Read-only file system"), OSError(errno.ENOSPC, "No space left on device")]
)
def test_a_disk_that_takes_nothing_refuses_an_upload_and_leaves_no_row(monkeypatch, error):
    from annotation.models import Upload

    made = factories.study(annotators=1, items=1, slug="bench")

    def fail(*given: Any, **options: Any) -> str:
        raise error

    monkeypatch.setattr("django.core.files.storage.memory.InMemoryStorage._save", fail)
    from django.core.files.uploadedfile import SimpleUploadedFile

    file = SimpleUploadedFile("a.csv", b"id,text\nA,Some text.\n")
    response = patient(client_of("lea")).post(
        f"/p/{made.project.slug}/import/", {"file": file, "holds": "items"}
    )
    assert response.status_code == 503 and response["Retry-After"] == "30"
    assert Upload.objects.count() == 0


@pytest.mark.django_db
def test_redis_that_is_down_is_told_as_such_and_no_right_password_counts_as_wrong(monkeypatch):
    factories.user("ann")
    form = {"login": "ann", "password": "secret"}

    def fail(*given: Any, **options: Any) -> None:
        raise RedisDown("Connection refused")

    with monkeypatch.context() as broken:
        broken.setattr("django.core.cache.backends.locmem.LocMemCache.get", fail)
        for _ in range(8):
            response = patient(Client()).post("/accounts/login/", form)
            assert (response.status_code, response["Retry-After"]) == (503, "30")
    assert Client().post("/accounts/login/", form).status_code == 302


@pytest.mark.django_db
@pytest.mark.database
@pytest.mark.parametrize("jump", [timedelta(hours=3), timedelta(hours=-3)])
def test_a_clock_that_jumps_leaves_no_job_running_for_ever_and_none_done_twice(monkeypatch, jump):
    made = factories.study(annotators=1, items=1)
    factories.open_round(made)
    report = AgreementReport.objects.create(round=made.round, parameters={}, parameters_sha256="x")
    rows = AgreementReport.objects.filter(pk=report.pk)
    dead = Lease.claim(rows)
    assert dead is not None
    now = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: now() + jump)
    assert sweep(AgreementReport.objects.all(), stopped="stopped").again == [report.pk]
    other = Lease.claim(rows)
    assert other is not None
    # The first worker may be alive after all: it stores nothing more.
    with pytest.raises(ClaimLost):
        dead.progress(1, 1)
    other.progress(0, 1)
    assert sweep(AgreementReport.objects.all(), stopped="stopped").again == []
