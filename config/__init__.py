"""Settings and the ends of the wire: URLs, WSGI, Celery."""

import os

# Before numpy is loaded: its products are small, and more threads than one only wait for each other, busily
# where several workers share the machine. One thread also adds up in the same order on every machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Loaded with the project, so that a task called from the web reaches our broker and not Celery's default.
from config.celery import app as celery_app

__all__ = ["celery_app"]
