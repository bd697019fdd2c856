"""The one door through which what is erased by right passes the triggers that keep everything else.

While a row of `ErasureDoor` says so, a transaction may

- of one item: turn its text, and what quotes it, into blocks (█), and delete what systems answered about it;
- of one member: delete what they judged, where the project promised that;
- delete the rows of a project.

The row is made and taken away in that transaction, so no other one ever meets an open door.

See docs/decisions/storage.md.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from django.apps import apps
from django.db import transaction
from django.db.models import QuerySet

from core.jobs import CANCELLED
from core.stored_files import forget_stored

BLOCK = "█"
ERASED = "item erased"
"""The action in the log of a project."""

DOOR = "annotation_erasuredoor"


def blocks(text: str) -> str:
    """Return what is left of an erased text: as many blocks as it had characters, so that spans still fit.

    >>> blocks("a b\\n")
    '████'
    """
    return BLOCK * len(text)


def without_strings(value: Any) -> Any:
    """Return a value of JSON with blocks for its texts; names of fields, numbers and yes or no stay.

    >>> without_strings({"spans": ["a b", None], "n": 2})
    {'spans': ['███', None], 'n': 2}
    """
    if isinstance(value, str):
        return blocks(value)
    if isinstance(value, list):
        return [without_strings(one) for one in value]
    if isinstance(value, dict):
        return {key: without_strings(one) for key, one in value.items()}
    return value


def only_blocks(column: str) -> str:
    """Return the condition that a text has nothing in it but blocks."""
    return f"replace({column}, '{BLOCK}', '') = ''"


def is_erased(kind: str, target: str) -> str:
    """Return the condition that the door is open for a thing of this kind and key."""
    return f"EXISTS (SELECT 1 FROM {DOOR} d WHERE d.kind = '{kind}' AND d.target = {target})"


def is_item_of_project_erased(project: str) -> str:
    """Return the condition that the door is open for an item of this project."""
    return (
        f"EXISTS (SELECT 1 FROM {DOOR} d JOIN annotation_item i ON i.id = d.target "
        f"WHERE d.kind = 'item' AND i.project_id = {project})"
    )


PROJECT_DELETED = f"EXISTS (SELECT 1 FROM {DOOR} d WHERE d.kind = 'project')"

ERASED_KEY = (
    f"(NEW.quote IS NULL OR {only_blocks('NEW.quote')}) AND NEW.item_id = OLD.item_id "
    f"AND NEW.round_id = OLD.round_id AND {is_erased('item', 'OLD.item_id')}"
)


@contextmanager
def door_open(kind: str, target: int) -> Iterator[None]:
    """Open the door for one thing, for what the block writes; a failure undoes all of it."""
    # The models are there only once all apps are loaded, and the triggers above are read before.
    doors = apps.get_model("annotation", "ErasureDoor").objects
    with transaction.atomic():
        door = doors.create(kind=kind, target=target)
        yield
        doors.filter(pk=door.pk).delete()


def uploads_empty(uploads: "QuerySet[Any]") -> None:
    """Delete files that were uploaded, and what was kept to show of them; what only was checked is over."""
    for upload in uploads:
        names = [file.name for file in (upload.file, upload.refused_file) if file and file.name]
        over = {"state": CANCELLED} if upload.is_checked else {}
        type(upload).objects.filter(pk=upload.pk).update(file="", refused_file="", found={}, **over)
        transaction.on_commit(partial(forget_stored, names))
