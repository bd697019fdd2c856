"""What submissions are called that came in by a board, where all systems are listed."""

from collections.abc import Iterable

from django.db.models import OuterRef, Subquery

from boards.models import Entry

ENTRY_NAME = Subquery(Entry.objects.filter(submission=OuterRef("submission")).values("name")[:1])
"""The name that a team gave an evaluated submission on a board; null for others."""


def entry_names(submissions: Iterable[int]) -> dict[int, str]:
    """Return the name of the entry of each submission, by its key, that a team handed in on a board."""
    rows = Entry.objects.filter(submission__in=list(submissions))
    return dict(rows.values_list("submission", "name"))
