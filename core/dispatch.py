"""Sending work to workers: after the transaction, by id; a broker that is down never makes a request fail."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from celery import Task, current_app
from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


def send(task: Task[Any, Any], *arguments: Any) -> bool:
    """Send a task now; return False where the broker cannot be reached: its row waits for the sweep."""
    try:
        task.delay(*arguments)
    except (OperationalError, OSError) as error:
        logger.warning("%s %s waits: the broker cannot be reached (%s)", task.name, arguments, error)
        return False
    return True


def send_after_commit(task: Task[Any, Any], *arguments: Any) -> None:
    """Send a task once the transaction is over."""
    transaction.on_commit(partial(send, task, *arguments))


def send_or_run(task: Task[Any, Any], *arguments: Any, here: Callable[[], Any] | None = None) -> None:
    """Send a task that has no row for the sweep to find; where no broker answers do the work here and now.

    What it needs is committed by then. `here` does the work where the task itself would hide from the caller
    what stood in its way.
    """
    if send(task, *arguments):
        return
    logger.warning("%s is done without a worker", task.name)
    if here is not None:
        here()
    else:
        task(*arguments)


def broker_problem() -> str:
    """Return what stands between this process and the broker; empty where nothing does."""
    try:
        with current_app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=1, interval_start=0, timeout=3)
            # A connection to a broker of files is none: declaring a queue is what it would have to write.
            current_app.amqp.queues["celery"](broker.default_channel).declare()
    except (OperationalError, OSError, TimeoutError) as error:
        return type(error).__name__
    return ""
