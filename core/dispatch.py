"""Sending work to workers: after the transaction, by id; a broker that is down never makes a request fail."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

from celery import Task
from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


def send(task: Task, *arguments: Any) -> bool:
    """Send a task now; return False where the broker cannot be reached: its row waits for the sweep."""
    try:
        task.delay(*arguments)
    except (OperationalError, OSError) as error:
        logger.warning("%s %s waits: the broker cannot be reached (%s)", task.name, arguments, error)
        return False
    return True


def send_after_commit(task: Task, *arguments: Any) -> None:
    """Send a task once the transaction is over."""
    transaction.on_commit(partial(send, task, *arguments))


def send_or_run(task: Task, *arguments: Any) -> None:
    """Send a task; where no broker answers do the work here and now."""
    if not send(task, *arguments):
        task(*arguments)
