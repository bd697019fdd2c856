"""The Celery application. The state of long work is a row in the database; results are ignored."""

import os
from pathlib import Path
from typing import Any

import click
from celery import Celery, bootsteps
from celery.signals import after_task_publish, beat_init

from config.filesystem_broker import register

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.embedded")

register()
app = Celery("elenchus")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


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
    """Have beat touch a file at each message it sends, for the health check of its container."""
    alive = Path(app.conf.beat_schedule_filename).with_name("beat-alive")
    after_task_publish.connect(lambda **sent: alive.touch(), weak=False)
