"""Settings and the ends of the wire: URLs, WSGI, Celery."""

# Loaded with the project, so that a task called from the web reaches our broker and not Celery's default.
from config.celery import app as celery_app

__all__ = ["celery_app"]
