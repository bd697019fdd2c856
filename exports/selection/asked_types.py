"""Which types the chosen rounds asked of each item: these alone a release has labels of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import TYPE_CHECKING

from annotation.models import RoundItem
from annotation.models.rounds import types_named

if TYPE_CHECKING:
    from exports.selection.selection import Selection


def asks_some(selection: Selection) -> bool:
    """Whether a chosen round asked of some item less than all types of the release's codebook."""
    if not selection.typology:
        return False
    codes = set(selection.type_codes)
    if any(not codes <= set(row.asks) for row in selection.rounds):
        return True
    rounds = [row.pk for row in selection.rounds]
    return RoundItem.objects.filter(round__in=rounds, types__isnull=False).exists()


def read_asked(selection: Selection, within: tuple[int, int]) -> dict[int, set[str]]:
    """Return the types asked of the items whose keys lie within a range, but for those in no chosen round."""
    rounds = selection.round_of
    found: dict[int, set[str]] = defaultdict(set)
    rows = RoundItem.objects.filter(round__in=list(rounds), item__id__range=within).order_by()
    for item, number, types in rows.values_list("item_id", "round_id", "types"):
        found[item].update(types_named(types, rounds[number].asks))
    return found


def asked_types(
    selection: Selection, asked: set[str] | None, answered: Collection[str | int]
) -> tuple[str, ...]:
    """Return the types of an item, in the order of the codebook: those asked, judged or decided by a lead.

    An item in no chosen round (`asked` is None) was asked no less than all.
    """
    if asked is None:
        return selection.type_codes
    return tuple(code for code in selection.type_codes if code in asked or code in answered)
