"""Which types a round asks of each of its items: all of the round, or by a field of the items, or by a file.

How it was chosen is kept with the round (`Round.asked`); what is asked of an item, with the item in the round
(`RoundItem.types`). Every number of units is counted from the latter.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, TextField, Value
from django.db.models.functions import Concat, StrIndex
from django.utils.translation import gettext

from annotation.access import visible_items
from annotation.models import Item, Membership, Project, Protocol, Round, RoundItem
from annotation.models.rounds import types_named, types_text
from annotation.projects.change_sign import project_stamp
from annotation.rounds.draft_claim import locked_draft, refuse_half_drawn, round_log
from core.cache import cached
from core.delete_in_batches import delete_in_batches
from core.errors import Refused

BATCH = 2_000
COLUMNS = ("topic", "source")
"""Fields that every item has beside its metadata."""
FIELD_VALUES = 60
"""A field with more values than this is no grouping."""
NAMED = 5
FIELD, FILE, JUDGEMENTS = "field", "file", "judgements"
_READ = ("id", "external_id", "topic", "source", "metadata")


@dataclass(frozen=True, slots=True)
class AskedBy:
    """The types asked of items by the values of a `field`; without a field by their ids.

    A field is "topic", "source" or one of the metadata. An item with several values is asked the types of all
    of them, and one without a value those of "".
    """

    field: str
    types: Mapping[str, tuple[str, ...]]

    def of(self, item: ItemFields) -> set[str]:
        """Return the types asked of an item; none where they are not said."""
        values = item.values(self.field) if self.field else (item.external_id,)
        return {code for value in values for code in self.types.get(value, ())}

    def to_json(self, name: str = "") -> dict[str, Any]:
        """Return how it was chosen, as a round keeps it; of a file its name alone."""
        if not self.field:
            return {"by": FILE, "file": name}
        return {
            "by": FIELD,
            "field": self.field,
            "types": {value: list(codes) for value, codes in self.types.items()},
        }


@dataclass(frozen=True, slots=True)
class ItemFields:
    """What of an item can decide on the types that it is asked."""

    pk: int
    external_id: str
    topic: str
    source: str
    metadata: Mapping[str, Any]

    def values(self, field: str) -> tuple[str, ...]:
        """Return the values of a field; ("",) for none."""
        if field in COLUMNS:
            return (getattr(self, field),)
        value = self.metadata.get(field)
        listed = value if isinstance(value, list) else [value]
        texts = [str(one) for one in listed if isinstance(one, str | int) and one != ""]
        return tuple(dict.fromkeys(texts)) or ("",)


@dataclass(frozen=True, slots=True)
class FieldValues:
    """A field that can decide on the types: its values and how many items have each."""

    name: str
    values: tuple[tuple[str, int], ...]


def clean_asked(given: Mapping[str, Any], round: Round) -> AskedBy | None:
    """Return what is asked by {"field", "types"}, or {"items": {id: types}}; None for an empty `given`.

    Raises Refused where it names types that the round does not ask, or none at all.
    """
    if not given:
        return None
    by_item = "items" in given
    field, types = ("", given["items"]) if by_item else (given.get("field"), given.get("types"))
    if not isinstance(types, Mapping) or not isinstance(field, str) or not (field or by_item):
        raise _refused(
            gettext("Give a field with the types of each of its values, or the types of each item.")
        )
    codes = round.type_codes
    if not codes:
        raise _refused(gettext("This round asks questions, not types."))
    read: dict[str, tuple[str, ...]] = {}
    for value, named in types.items():
        chosen = named.split() if isinstance(named, str) else list(named) if named else []
        if unknown := [code for code in chosen if code not in codes]:
            raise _refused(
                gettext("%(name)s does not ask %(unknown)s.")
                % {"name": round.name, "unknown": ", ".join(map(str, unknown))}
            )
        if chosen:
            read[str(value)] = tuple(code for code in codes if code in chosen)
    if not read:
        raise _refused(gettext("Choose at least one type."))
    return AskedBy(field, read)


def asked_of_round(round: Round) -> AskedBy | None:
    """Return by which field the types of a round's items are chosen; None where by none."""
    kept = round.asked
    if kept.get("by") != FIELD:
        return None
    return AskedBy(kept["field"], {value: tuple(codes) for value, codes in kept["types"].items()})


def item_types(round: Round, asked: AskedBy, items: QuerySet[Item]) -> dict[int, str | None]:
    """Return what a round asks of items, as `RoundItem.types` has it. Raises Refused for unsaid ones."""
    codes = round.type_codes
    found: dict[int, str | None] = {}
    unsaid: Counter[str] = Counter()
    for item in read_item_fields(items):
        types = asked.of(item)
        if types:
            found[item.pk] = types_text(types, codes)
        else:
            unsaid.update(item.values(asked.field) if asked.field else [item.external_id])
    if unsaid:
        raise _refused(_unsaid_words(asked, unsaid))
    return found


def read_item_fields(items: QuerySet[Item]) -> Iterator[ItemFields]:
    """Yield of items what can decide on their types."""
    for row in items.order_by().values_list(*_READ).iterator(chunk_size=BATCH):
        yield ItemFields(*row)


def round_ask(
    round: Round, asked: AskedBy | None, *, file: str = "", member: Membership | None = None
) -> None:
    """Set what a draft asks of each of its items; None: all types of the round.

    By a field it holds for items that are drawn later too; by the items' ids (of a `file`) only for those
    that are drawn now. Raises Refused where something drawn is asked nothing, and unless it is a draft.
    """
    if round.project.protocol != Protocol.FOCUS:
        raise _refused(gettext("This round asks questions, not types."))
    with transaction.atomic():
        locked_draft(round, gettext("What is asked can be changed only while the round is a draft."))
        refuse_half_drawn(round)
        drawn = round.project.items.filter(round_items__round=round)
        if asked is not None and not asked.field and not drawn.exists():
            raise _refused(gettext("Draw the items first: a file says what is asked of drawn items."))
        types = {} if asked is None else item_types(round, asked, drawn)
        delete_in_batches(round.assignments.all())  # of an opening that stopped halfway
        RoundItem.objects.filter(round=round).update(types=None)
        set_types(RoundItem.objects.filter(round=round), "item", types)
        round.asked = {} if asked is None else asked.to_json(file)
        round.save(update_fields=["asked"])
        kept = {name: round.asked[name] for name in ("field", "file") if name in round.asked}
        round_log(round, member, "asked types chosen", **kept)


def set_types(rows: QuerySet[Any], key: str, types: Mapping[int, str | None]) -> None:
    """Write the types of many rows, found by a foreign key, those with the same types together."""
    alike: dict[str | None, list[int]] = defaultdict(list)
    for pk, text in types.items():
        if text is not None:
            alike[text].append(pk)
    for text, pks in alike.items():
        for start in range(0, len(pks), BATCH):
            rows.filter(**{f"{key}__in": pks[start : start + BATCH]}).update(types=text)


def drawn_types(
    round: Round, item_ids: Sequence[int], items_of: Round | None = None
) -> dict[int, str | None]:
    """Return what a round asks of items that come into it: by its field, or as in the round `items_of`."""
    codes = round.type_codes
    if items_of is not None:
        earlier = RoundItem.objects.filter(round=items_of, item__in=item_ids, types__isnull=False)
        return {
            item: types_text(types_named(types, codes), codes)
            for item, types in earlier.values_list("item", "types")
        }
    asked = asked_of_round(round)
    return {} if asked is None else item_types(round, asked, Item.objects.filter(pk__in=item_ids))


def is_asked_something(round: Round, types: str | None) -> bool:
    """Whether a round asks any of the types that an item is asked elsewhere."""
    return types is None or bool(types_named(types, round.type_codes))


def asked_of_item(round: Round, item_id: int) -> tuple[str, ...]:
    """Return the types that a round asks of an item; none where it does not have the item."""
    row = RoundItem.objects.filter(round=round, item=item_id).values_list("types").first()
    return () if row is None else types_named(row[0], round.type_codes)


def asking(round: Round) -> Exists:
    """Return the condition that a round asks of an `item` what a row's `type_code` names."""
    named = Concat(Value(" "), "types", Value(" "), output_field=TextField())
    code = Concat(Value(" "), OuterRef("type_code"), Value(" "), output_field=TextField())
    rows = RoundItem.objects.filter(round=round, item=OuterRef("item"))
    return Exists(rows.annotate(place=StrIndex(named, code)).filter(Q(types__isnull=True) | Q(place__gt=0)))


def asked_counts(round: Round) -> Counter[str]:
    """Return of how many of its items a round asks each type."""
    codes = round.type_codes
    drawn = round.drawn.order_by()
    # Only items that name their types stand in the index by types: of the others their number is enough.
    named = list(drawn.filter(types__isnull=False).values_list("types").annotate(n=Count("*")))
    counts: Counter[str] = Counter(dict.fromkeys(codes, drawn.count() - sum(n for _, n in named)))
    for types, n in named:
        counts.update(dict.fromkeys(types_named(types, codes), n))
    return counts


def asked_units(round: Round) -> int:
    """Return how many judgements a round asks of an annotator who has all its items."""
    if round.project.protocol != Protocol.FOCUS:
        return 0 if round.claimed_for == Round.Work.DRAWING else round.round_questions.count()
    return asked_counts(round).total()


def units_asked_of(round: Round, items: QuerySet[Item], n_items: int) -> int:
    """Return how many judgements a round would ask about so many items that are not drawn yet."""
    asked = asked_of_round(round)
    if asked is None:
        return n_items * len(round.type_codes)
    return sum(len(asked.of(item)) for item in read_item_fields(items))


def field_choices(project: Project) -> list[FieldValues]:
    """Return the fields by which the items of a project can be told apart, with their values, by name."""
    # Only an import or another act that is logged changes items.
    return cached(f"item-fields:{project.pk}:{project_stamp(project)}", lambda: _field_choices(project))


def _field_choices(project: Project) -> list[FieldValues]:
    seen: dict[str, Counter[str]] = {name: Counter() for name in COLUMNS}
    too_many: set[str] = set()
    total = 0
    with_field: Counter[str] = Counter()
    for item in read_item_fields(visible_items(project)):
        total += 1
        for name in {*COLUMNS, *item.metadata} - too_many:
            with_field[name] += 1
            counts = seen.setdefault(name, Counter())
            counts.update(item.values(name))
            if len(counts) > FIELD_VALUES:
                too_many.add(name)
                del seen[name]
    for name, counts in seen.items():
        if with_field[name] < total:
            counts[""] += total - with_field[name]
    return [
        FieldValues(name, tuple(sorted(counts.items())))
        for name, counts in sorted(seen.items())
        if len(set(counts) - {""}) > 1
    ]


def asked_words(asked: Mapping[str, Any]) -> str:
    """Return in a sentence how it was chosen what a round asks of each text."""
    by = asked.get("by")
    if by == FIELD:
        return gettext("by the field “%(field)s” of the text") % {"field": asked["field"]}
    if by == JUDGEMENTS:
        return gettext("what was judged of it")
    if by:
        return gettext("by the file %(file)s") % {"file": asked.get("file", "")}
    return gettext("all types of the round")


def _unsaid_words(asked: AskedBy, unsaid: Mapping[str, int]) -> str:
    values = sorted(unsaid)
    shown = ", ".join(value or gettext("(no value)") for value in values[:NAMED])
    if len(values) > NAMED:
        shown = gettext("%(shown)s and %(n)s more") % {"shown": shown, "n": len(values) - NAMED}
    if not asked.field:
        return gettext(
            "No type is given for these items: %(items)s. Add them, or draw the round without them."
        ) % {"items": shown}
    return gettext(
        "No type is chosen for these values of “%(field)s”: %(values)s. Say what is asked of them, or draw "
        "the round without such items."
    ) % {"field": asked.field, "values": shown}


def _refused(message: str) -> Refused:
    return Refused("invalid", message, errors={"asked": message})
