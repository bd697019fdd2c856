"""The Celery side of looking after an installation."""

from celery import shared_task

from operations import prune as pruning


@shared_task(name="operations.prune")
def prune() -> None:
    """Delete what has had its time."""
    pruning.prune()
