"""The Celery application. The state of long work is a row in the database; results are ignored."""

import os
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import after_task_publish, beat_init

from config.filesystem_broker import register

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.embedded")

register()
app = Celery("elenchus")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@beat_init.connect
def beat_shows_life(**options: Any) -> None:
    """Have beat touch a file at each message it sends, for the health check of its container."""
    alive = Path(app.conf.beat_schedule_filename).with_name("beat-alive")
    after_task_publish.connect(lambda **sent: alive.touch(), weak=False)
