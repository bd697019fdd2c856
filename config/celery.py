"""The Celery application. The state of long work is a row in the database; results are ignored."""

import os
import time
from pathlib import Path
from typing import Any

import click
from celery import Celery, bootsteps
from celery.signals import after_task_publish, beat_init

from config.filesystem_broker import register

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.embedded")
# `manage.py migrate` and `serve` check the code; a worker that did so too would load all pages: 33 MB.
os.environ.setdefault("CELERY_SKIP_CHECKS", "yes")

register()
app = Celery("elenchus")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


class SignOfLife(bootsteps.StartStopStep):
    """Have a worker note that it lives, by its own timer: one that hangs is not heard of, a busy one is."""

    requires = ("celery.worker.components:Timer",)

    def __init__(self, parent: Any, **options: Any) -> None:
        self.timer: Any = None

    def start(self, parent: Any) -> None:
        from operations.heartbeats import EVERY_SECONDS

        self.note()
        self.timer = parent.timer.call_repeatedly(EVERY_SECONDS, self.note, priority=10)

    def stop(self, parent: Any) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def note(self) -> None:
        from operations.heartbeats import heartbeat_try

        heartbeat_try(role="worker")


app.steps["worker"].add(SignOfLife)


class BeatThread(bootsteps.StartStopStep):
    """Beat as a thread of the one worker: Celery's own --beat is a process as large as the worker."""

    def __init__(self, worker: Any, beat_thread: bool = False, **options: Any) -> None:
        super().__init__(worker, **options)
        self.enabled = beat_thread

    def create(self, worker: Any) -> Any:
        from celery.beat import EmbeddedService

        return EmbeddedService(
            worker.app, thread=True, schedule_filename=worker.app.conf.beat_schedule_filename
        )


app.user_options["worker"].add(
    click.Option(("--beat-thread",), is_flag=True, help="Also run beat, as a thread of this worker.")
)
app.steps["worker"].add(BeatThread)


@beat_init.connect
def beat_shows_life(**options: Any) -> None:
    """Have beat note that it lives as it sends messages: a row, and a file for its container's health check.

    After its start only what was sent counts: a beat whose broker is gone touches no file and writes no row.
    """
    from operations.heartbeats import EVERY_SECONDS, heartbeat_try

    alive = Path(app.conf.beat_schedule_filename).with_name("beat-alive")
    noted = time.monotonic()
    heartbeat_try(role="beat")

    def note(**sent: Any) -> None:
        nonlocal noted
        alive.touch()
        # Several messages go out within one second, one row a while is enough.
        if time.monotonic() - noted >= EVERY_SECONDS / 2:
            noted = time.monotonic()
            heartbeat_try(role="beat")

    after_task_publish.connect(note, weak=False)
