"""The Celery side of imports: id in, one use case, nothing else."""

import logging

from celery import Task, shared_task
from django.conf import settings
from django.utils import translation
from kombu.exceptions import OperationalError

from annotation import uploading

logger = logging.getLogger(__name__)


@shared_task(name="annotation.check_upload")
def check_upload(upload_id: int, language: str | None = None) -> None:
    """Look through an uploaded file without storing anything; reasons are told in the lead's language."""
    with translation.override(language or settings.LANGUAGE_CODE):
        uploading.upload_check(upload_id=upload_id)


@shared_task(name="annotation.import_upload")
def import_upload(upload_id: int, language: str | None = None) -> None:
    """Import an uploaded file; reasons are told in the lead's language."""
    with translation.override(language or settings.LANGUAGE_CODE):
        uploading.upload_import(upload_id=upload_id)


def run_or_send(task: Task, upload_id: int, size: int) -> None:
    """Do the work at once for a small file, else send it to a worker.

    Where the broker cannot be reached the row stays waiting, and is shown as stopped after a while.
    """
    if size <= uploading.AT_ONCE_BYTES:
        task(upload_id, translation.get_language())
        return
    try:
        task.delay(upload_id, translation.get_language())
    except (OperationalError, OSError) as error:
        logger.warning("upload %s waits: the broker cannot be reached (%s)", upload_id, error)
