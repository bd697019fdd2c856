"""Deleting a project: asked for with its typed name, done by a scheduled task seven days later.

See docs/decisions/storage.md.
"""

import logging
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

from django.apps import apps
from django.core.files.storage import default_storage
from django.db import models, transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.database.erasure import door_open
from annotation.models import ErasureDoor, Membership, Project, ProjectEvent, Upload
from annotation.projects.projects import project_archive
from annotation.signals import project_deleting
from core.backups.tables import tables_kept
from core.delete_in_batches import delete_in_batches
from core.errors import Refused

logger = logging.getLogger(__name__)

DAYS = 7


def project_deletion_ask(*, project: Project, member: Membership | None, typed: str) -> Project:
    """Have a project deleted in seven days; until then it is archived, and any lead can take this back.

    Raises Refused where its short name was not typed, and while one of its rounds is open.
    """
    if typed.strip() != project.slug:
        told = gettext("That is not the short name: type %(slug)s.") % {"slug": project.slug}
        raise Refused("invalid", told, errors={"typed": told})
    due = timezone.now() + timedelta(days=DAYS)
    with transaction.atomic():
        project_archive(project=project, member=member)
        if Project.objects.filter(pk=project.pk, deletion_due_at=None).update(deletion_due_at=due):
            _log(project, member, "project deletion asked for", due=due.date().isoformat())
    project.refresh_from_db(fields=["archived_at", "deletion_due_at"])
    return project


def project_deletion_take_back(*, project: Project, member: Membership | None) -> Project:
    """Keep a project that waits to be deleted; it stays archived until a lead restores it."""
    with transaction.atomic():
        if Project.objects.filter(pk=project.pk, deletion_due_at__isnull=False).update(deletion_due_at=None):
            _log(project, member, "project deletion taken back")
    project.refresh_from_db(fields=["deletion_due_at"])
    return project


def projects_delete_due() -> int:
    """Delete the projects whose seven days are over; return how many."""
    due = list(Project.objects.filter(deletion_due_at__lte=timezone.now()).order_by("pk"))
    for project in due:
        project_delete(project=project)
    return len(due)


def project_delete(*, project: Project) -> None:
    """Delete a project with everything in it, a batch at a time; what is left of it goes the next time.

    Accounts stay. Nothing in the installation says afterwards that it was there.
    """
    project_deleting.send(sender=Project, project=project)
    _forget_uploads(project)
    # An import of another project may say that its texts were screened here.
    Upload.objects.filter(screened_from=project).exclude(project=project).update(screened_from=None)
    door = partial(door_open, ErasureDoor.Kind.PROJECT, project.pk)
    for rows in _rows_of(project):
        delete_in_batches(rows, each=door)
    logger.info("project %s was deleted as its lead asked", project.pk)


def _rows_of(project: Project) -> Iterator[Any]:
    """Yield the rows of every model that belong to the project, those before that refer to others after."""
    by_table = {
        model._meta.db_table: model
        for model in apps.get_models(include_auto_created=True)
        if not model._meta.proxy
    }
    for table in reversed(tables_kept()):
        model = by_table[table.name]
        path = path_to_project(model)
        if path is not None:
            yield model._base_manager.filter(**{path: project.pk})


def path_to_project(
    model: type[models.Model], seen: frozenset[type[models.Model]] = frozenset()
) -> str | None:
    """Return by which lookup a row of a model belongs to a project, None where it belongs to none."""
    if model is Project:
        return "pk"
    for field in model._meta.concrete_fields:
        other = field.related_model
        if not isinstance(other, type) or field.null or other in seen or other is model:
            continue
        path = path_to_project(other, seen | {model})
        if path is not None:
            return f"{field.name}__{path}"
    return None


def _forget_uploads(project: Project) -> None:
    for upload in Upload.objects.filter(project=project):
        for file in (upload.file, upload.refused_file):
            if file and file.name:
                default_storage.delete(file.name)


def _log(project: Project, member: Membership | None, action: str, **details: object) -> None:
    ProjectEvent.objects.create(project=project, member=member, action=action, details=details)
