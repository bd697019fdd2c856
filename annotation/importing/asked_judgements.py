"""What an imported round asks of its items: all types, those that a field of the item says, or those judged.

It is chosen when the round is made. Of an item that is in the round already, it stays as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext

from annotation.importing.judgement_rules import AcceptedRow, RowRefused
from annotation.models import Assignment, Item, Protocol, Round, RoundItem, TypeAnnotation
from annotation.models.rounds import types_named, types_text
from annotation.rounds.asked_types import JUDGEMENTS, ItemFields, asked_of_round, clean_asked, set_types
from core.errors import Refused


def asked_from_words(field: str, words: Iterable[str], *, between: str = "=") -> dict[str, Any]:
    """Return what is asked by a field from VALUE=TYPE,TYPE words. Raises Refused for another form."""
    types = {}
    for word in words:
        value, there, named = word.partition(between)
        if not there or not named.strip():
            message = gettext("“%(word)s” is not VALUE%(between)sTYPE,TYPE.") % {
                "word": word,
                "between": between,
            }
            raise Refused("invalid", message, errors={"asked": message})
        types[value.strip()] = named.replace(",", " ").split()
    return {"field": field, "types": types}


def choose_asked(round: Round, given: Mapping[str, Any], *, is_new: bool) -> None:
    """Keep with a new imported round how it is chosen what its items are asked.

    `given` is {} (all types), {"by": "judgements"} or {"field", "types"}. Raises Refused for anything else,
    and for an older round that was made with another choice.
    """
    if not given:
        return
    if round.project.protocol != Protocol.FOCUS:
        raise _refused(gettext("This round asks questions, not types."))
    if given.get("by") == JUDGEMENTS:
        chosen: dict[str, Any] = {"by": JUDGEMENTS}
    else:
        asked = clean_asked({name: given[name] for name in ("field", "types") if name in given}, round)
        chosen = {} if asked is None else asked.to_json()
    if is_new:
        round.asked = chosen
        round.save(update_fields=["asked"])
    elif chosen != round.asked:
        raise _refused(
            gettext("%(name)s was made with another choice of what is asked, which stays: leave it out.")
            % {"name": round.name}
        )


class ItemsAsked:
    """What an imported round asks of the items of one batch of rows after the other."""

    def __init__(self, round: Round) -> None:
        self.round = round
        self.codes = round.type_codes
        self.by_field = asked_of_round(round)
        self.types: dict[int, str | None] = {}

    def read(self, items: Iterable[Item], drawn: set[int]) -> None:
        """Take in the items of a batch; those that are `drawn` are asked what they were asked so far."""
        if not self.codes:
            return
        there = self.round.round_items.filter(item__in=drawn)
        self.types = dict(there.values_list("item", "types"))
        for item in items:
            if item.pk not in drawn and self.by_field is not None:
                fields = ItemFields(item.pk, item.external_id, item.topic, item.source, item.metadata)
                codes = self.by_field.of(fields)
                self.types[item.pk] = types_text(codes, self.codes) if codes else ""

    def check(self, row: AcceptedRow) -> None:
        """Raise RowRefused for a judgement of a type that its item is not asked."""
        if not self.codes:
            return
        types = self.types.get(row.item.pk)
        if row.unit.type_code in types_named(types, self.codes):
            return
        if types == "" and self.by_field is not None:
            field = self.by_field.field
            told = gettext("no type is chosen for the “%(field)s” of “%(item)s”")
            raise RowRefused(told % {"field": field, "item": row.item.external_id})
        raise RowRefused(
            gettext("“%(item)s” is not asked %(type_code)s in %(name)s")
            % {"item": row.item.external_id, "type_code": row.unit.type_code, "name": self.round.name}
        )


def settle_asked(round: Round, *, after: int = 0) -> None:
    """Ask of newly imported items what somebody judged of them, where it was chosen so.

    `after` is the last `RoundItem` that was there before. It is called inside the caller's transaction.
    """
    if round.asked.get("by") != JUDGEMENTS:
        return
    fresh = RoundItem.objects.filter(round=round, pk__gt=after)
    judged: dict[int, set[str]] = defaultdict(set)
    rows = TypeAnnotation.objects.filter(
        assignment__round=round, assignment__item__in=fresh.order_by().values("item")
    )
    for item, code in rows.order_by().values_list("assignment__item", "type_code").distinct():
        judged[item].add(code)
    codes = round.type_codes
    types = {item: types_text(found, codes) for item, found in judged.items()}
    # First who is asked, so that nobody is asked what the item is not.
    set_types(Assignment.objects.filter(round=round), "item", types)
    set_types(fresh, "item", types)


def _refused(message: str) -> Refused:
    return Refused("invalid", message, errors={"asked": message})
