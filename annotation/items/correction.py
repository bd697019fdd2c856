"""Correcting what is said of an item beside its text: topic, split, source and licence.

Possible while no release has the item: a release stays what it was built from. Each correction is logged.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import cast

from django.db import transaction
from django.utils.translation import gettext

from annotation.limits import LIMITS, refuse_unfit
from annotation.models import Item, Membership, Project, ProjectEvent
from annotation.signals import items_held
from core.errors import Refused

FIELDS = ("topic", "split", "source", "licence")
CORRECTED = "items corrected"
"""The action in the log."""

LOGGED = 50
"""Corrections that a log entry shows one by one; all are counted."""


def held_by(project: Project, items: Collection[int]) -> dict[int, str]:
    """Return what depends on each of these items, by key: the name of a release."""
    held: dict[int, str] = {}
    for _, found in items_held.send(sender=Project, project=project, items=items):
        held.update(cast(dict[int, str], found))
    return held


def held_words(held: str) -> str:
    """Say why an item cannot be corrected."""
    return gettext(
        "release %(version)s has this item as it is, so topic, split, source and licence stay. Make the "
        "correction in a copy of the project, or withdraw the item"
    ) % {"version": held}


def item_correct(*, item: Item, member: Membership, given: Mapping[str, str]) -> bool:
    """Correct fields of one item; return whether there was anything to correct.

    Raises Refused for a text that does not fit, and where a release has the item.
    """
    changes = {field: given[field].strip() for field in FIELDS if field in given}
    changes = {field: value for field, value in changes.items() if value != getattr(item, field)}
    if not changes:
        return False
    refuse_unfit(LIMITS["item"], **changes)
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=item.project_id)
        store_corrections(project=item.project, member=member, changes={item.pk: changes})
    item.refresh_from_db(fields=list(changes))
    return True


def store_corrections(
    *, project: Project, member: Membership | None, changes: Mapping[int, Mapping[str, str]], file: str = ""
) -> None:
    """Write corrections of items by key, and log what they were before.

    Raises Refused where a release has one of the items.
    """
    for held in held_by(project, changes).values():
        raise Refused("in_use", held_words(held) + ".")
    items = list(project.items.filter(pk__in=changes).order_by("id")) if changes else []
    logged: list[Sequence[str]] = []
    for item in items:
        for field, value in changes[item.pk].items():
            if len(logged) < LOGGED:
                logged.append([item.external_id, field, getattr(item, field), value])
            setattr(item, field, value)
    Item.objects.bulk_update(items, FIELDS, batch_size=500)
    if items:
        ProjectEvent.objects.create(
            project=project,
            member=member,
            action=CORRECTED,
            details={"items": len(items), "changes": logged} | ({"file": file} if file else {}),
        )
