"""What submissions are called that came in by a board, where all systems are listed."""

from collections.abc import Iterable

from django.db.models import F

from boards.models import Entry

_SUBMISSIONS = "team__system__submissions"


def entry_names(submissions: Iterable[int]) -> dict[int, str]:
    """Return the name that a team gave each submission that it handed in on a board, by its key.

    The same files that a later version of the board scores against another release are another submission of
    the team's system; they keep their name.
    """
    rows = Entry.objects.filter(
        **{f"{_SUBMISSIONS}__in": list(submissions), "digest": F(f"{_SUBMISSIONS}__digest")}
    )
    return dict(rows.values_list(_SUBMISSIONS, "name"))
