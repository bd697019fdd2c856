"""The systems of a project: named, described, found again under any name that looks the same."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from annotation.access import refuse_archived
from annotation.limits import refuse_unfit
from annotation.models import Membership, Project, ProjectEvent
from core.errors import NotFound, Refused
from core.lookalikes import heard_as, seen_as
from scoring.models import System
from scoring.triggers import LIMITS


def system_create(
    *, project: Project, name: str, description: str = "", link: str = "", by: Membership | None = None
) -> System:
    """Name a system. Raises Refused for a name that looks like another one of the project."""
    refuse_archived(project)
    refuse_unfit(LIMITS["system"], name=name, description=description, link=link)
    name, link = seen_as(name), link_of_the_web(link)
    if not name:
        raise _refused("name", gettext("Give the system a name."))
    try:
        with transaction.atomic():
            system = System.objects.create(
                project=project,
                name=name,
                name_key=heard_as(name),
                description=description.strip(),
                link=link,
                created_by=by,
            )
            ProjectEvent.objects.create(
                project=project, member=by, action="system added", details={"system": name}
            )
    except IntegrityError:
        there = system_named(project, name)
        if there is None:
            raise
        words = gettext("There is a system “%(name)s” already: choose it, or give another name.")
        raise Refused(
            "taken", words % {"name": there.name}, errors={"name": words % {"name": there.name}}
        ) from None
    return system


def system_edit(*, system: System, description: str, link: str, by: Membership | None = None) -> None:
    """Describe a system in other words; its name stays, since figures are known by it."""
    refuse_unfit(LIMITS["system"], description=description, link=link)
    link = link_of_the_web(link)
    with transaction.atomic():
        System.objects.filter(pk=system.pk).update(description=description.strip(), link=link)
        ProjectEvent.objects.create(
            project=system.project, member=by, action="system described", details={"system": system.name}
        )
    system.refresh_from_db()


def system_named(project: Project, name: str) -> System | None:
    """Return the system whose name this one looks like."""
    return project.systems.filter(name_key=heard_as(name)).first()


def system_or_404(project: Project, system_id: int) -> System:
    """Return a system of the project. Raises NotFound."""
    found = project.systems.select_related("project", "created_by").filter(pk=system_id).first()
    if found is None:
        raise NotFound(gettext("There is no such system in this project."))
    return found


def link_of_the_web(link: str) -> str:
    """Return a link that can be followed, or none. Raises Refused for anything else."""
    link = link.strip()
    if link and not _is_of_the_web(link):
        raise _refused("link", gettext("A link begins with https:// or http:// and names a host."))
    return link


def _is_of_the_web(link: str) -> bool:
    try:
        parts = urlsplit(link)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and not any(map(str.isspace, link))
    except ValueError:
        return False


def _refused(field: str, message: str) -> Refused:
    return Refused("invalid", message, errors={field: message})
