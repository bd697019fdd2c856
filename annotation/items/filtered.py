"""Items that a filter marked: rounds leave them out unless told otherwise. Filters lie above this app."""

from django.db.models import Q, QuerySet

from annotation.models import Item, Project
from annotation.signals import filters_asked


def is_filtered(project: Project) -> Q:
    """Return the condition on items of a project that a filter marked one; of none where nothing filters."""
    marked = Q(pk__in=[])
    for condition in _conditions(project):
        marked |= condition
    return marked


def filtered_items(project: Project, items: QuerySet[Item]) -> QuerySet[Item]:
    """Return those of a project's items that a filter marked."""
    return items.filter(is_filtered(project))


def has_filtered(project: Project) -> bool:
    """Return whether a filter marks items of a project."""
    return bool(_conditions(project))


def _conditions(project: Project) -> list[Q]:
    asked = filters_asked.send(sender=Project, project=project)
    return [Q(condition) for _, condition in asked if condition is not None]
