"""Celery as the product configures it."""

import socket
from threading import Thread

import pytest
from celery import shared_task
from celery.signals import after_task_publish, beat_init
from kombu.exceptions import OperationalError

from config import celery_app
from config.celery import app


@shared_task
def addition(first: int, second: int) -> int:
    return first + second


def test_tasks_of_the_apps_belong_to_our_application():
    assert addition.app is app is celery_app


def test_results_are_ignored_and_only_json_is_taken():
    assert app.conf.task_ignore_result is True
    assert app.conf.accept_content == ["json"]
    assert app.conf.task_serializer == "json"
    assert app.conf.worker_prefetch_multiplier == 1


def test_the_broker_of_files_carries_a_task(tmp_path):
    with app.connection("atomicfs://", transport_options={"folder": str(tmp_path)}) as connection:
        addition.apply_async((1, 2), connection=connection)
        with connection.SimpleQueue("celery", no_ack=True) as queue:
            message = queue.get(timeout=1)
    assert message.headers["task"] == "tests.config.test_celery.addition"
    assert message.payload[0] == [1, 2]


def test_a_dead_broker_is_an_error_and_not_a_page_that_hangs():
    with socket.socket() as taken:  # bound and not listening: whoever connects is refused
        taken.bind(("127.0.0.1", 0))
        url = f"redis://127.0.0.1:{taken.getsockname()[1]}/0"
        with app.connection(url) as connection, pytest.raises(OperationalError):
            addition.apply_async((1, 2), connection=connection)


@pytest.mark.django_db
def test_beat_shows_its_health_check_that_it_sends(tmp_path, monkeypatch):
    monkeypatch.setattr(after_task_publish, "receivers", [])
    before = app.conf.beat_schedule_filename
    app.conf.beat_schedule_filename = str(tmp_path / "beat-schedule")
    try:
        beat_init.send(sender=None)
    finally:
        app.conf.beat_schedule_filename = before
    assert not (tmp_path / "beat-alive").exists()
    after_task_publish.send(sender="agreement.sweep_reports")
    assert (tmp_path / "beat-alive").exists()


def test_beat_is_a_thread_of_the_worker_that_asks_for_it():
    class Worker:
        steps: list = []
        app = celery_app

    (step,) = (step for step in app.steps["worker"] if step.__name__ == "BeatThread")
    worker = Worker()
    assert step(worker).enabled is False
    beat = step(worker, beat_thread=True)
    assert beat.enabled is True
    service = beat.create(worker)
    assert isinstance(service, Thread)
    assert service.service.schedule_filename == app.conf.beat_schedule_filename
