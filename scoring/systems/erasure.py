"""What systems answered about an item that is erased for good, and the files of a project that is deleted."""

from functools import partial
from typing import Any

from django.db import transaction

from annotation.models import Item, Project
from core.stored_files import forget_stored
from exports.releases.take_down import releases_with
from scoring.models import Answer, JudgeAnswer, SubmissionFile


def answers_erase(*, item: Item, **_signal: Any) -> list[str]:
    """Delete answers about an item, and files submitted for releases that hold it; return their systems."""
    of_project = {"evaluation__submission__system__project": item.project, "item": item.external_id}
    for model in (Answer, JudgeAnswer):
        keys = list(model.objects.filter(**of_project).values_list("pk", flat=True))
        model.objects.filter(pk__in=keys)._raw_delete("default")
    files = SubmissionFile.objects.filter(submission__release__in=releases_with(item))
    transaction.on_commit(partial(forget_stored, list(files.values_list("storage", flat=True))))
    systems = files.values_list("submission__system__name", flat=True).order_by("submission__system__name")
    return [f"files of {name}" for name in systems.distinct()]


def forget_project_submissions(*, project: Project, **_signal: Any) -> None:
    """Delete what systems submitted to a project that is deleted."""
    files = SubmissionFile.objects.filter(submission__system__project=project)
    forget_stored(files.values_list("storage", flat=True))
