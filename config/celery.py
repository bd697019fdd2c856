"""The Celery application. The state of long work is a row in the database; results are ignored."""

import os

from celery import Celery

from config.filesystem_broker import register

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.embedded")

register()
app = Celery("elenchus")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
