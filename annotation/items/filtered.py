"""Items that a filter marked: rounds leave them out unless told otherwise. Filters lie above this app."""

from django.db.models import Q, QuerySet

from annotation.models import Item
from annotation.signals import filters_asked


def is_filtered() -> Q:
    """Return the condition on items that some filter marked one; it holds of none where nothing filters."""
    marked = Q(pk__in=[])
    for _, condition in filters_asked.send(sender=Item):
        marked |= Q(condition)
    return marked


def filtered_items(items: QuerySet[Item]) -> QuerySet[Item]:
    """Return those of the items that a filter marked."""
    return items.filter(is_filtered())
