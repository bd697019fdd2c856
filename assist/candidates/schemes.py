"""Schemes of argument: which an item has, filling one, and confirming what was filled in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.access import refuse_archived, visible_items
from annotation.codebooks.exemplar_questions import span_fitted
from annotation.models import Item, Membership, Project
from assist.candidates.scheme_file import SHIPPED, SLOT, Catalogue, key_of, read_catalogue
from assist.models import AssistAnswer, Scheme, SchemeFilling
from core.errors import Refused


def catalogue() -> dict[str, Scheme]:
    """Return the schemes by every name they go by; those that ship with Elenchus are there from the start.

    Where a file that was imported has a name of theirs, its scheme is meant.
    """
    shipped = {scheme["code"] for scheme in _shipped().schemes}
    if not Scheme.objects.filter(code__in=shipped).exists():
        # Not by `migrate`: a restore wants empty tables. Two that look first at once both find them.
        Scheme.objects.bulk_create([Scheme(**row) for row in _shipped().schemes], ignore_conflicts=True)
    rows = sorted(Scheme.objects.all(), key=lambda scheme: (scheme.code not in shipped, scheme.pk))
    return {key_of(name): scheme for scheme in rows for name in (*scheme.aliases, scheme.name, scheme.code)}


@cache
def _shipped() -> Catalogue:
    return read_catalogue(SHIPPED)


def schemes_named(item: Item) -> list[str]:
    """Return the names of the schemes that came with an item, each once."""
    named = item.metadata.get("schemes") if isinstance(item.metadata, dict) else None
    listed = named if isinstance(named, list) else []
    return list(dict.fromkeys(name for name in listed if isinstance(name, str)))


def schemes_of(item: Item, known: Mapping[str, Scheme]) -> list[Scheme]:
    """Return the schemes of the catalogue that came with an item, each once."""
    found = (known.get(key_of(name)) for name in schemes_named(item))
    return list({scheme.pk: scheme for scheme in found if scheme is not None}.values())


def schemes_unknown(project: Project) -> dict[str, int]:
    """Return the names on a project's items that no scheme goes by, with how many items have them."""
    known = catalogue()
    counted = Counter(
        name for item in visible_items(project).iterator(chunk_size=500) for name in schemes_named(item)
    )
    return {name: n for name, n in sorted(counted.items()) if key_of(name) not in known}


def scheme_questions(scheme: Scheme, slots: Mapping[str, str]) -> list[str]:
    """Return the questions of a scheme with words in its slots, joined as questions of exemplars are.

    A slot without words stays as it is.
    """
    return [scheme_filled(question, slots) for question in scheme.questions]


def scheme_filled(template: str, slots: Mapping[str, str]) -> str:
    """Return a template with words in its slots.

    >>> scheme_filled("Does <eventA> lead to <eventB>?", {"<eventA>": "The rain.", "<eventB>": "wet roads"})
    'Does the rain lead to wet roads?'
    """
    done, at = "", 0
    for slot in SLOT.finditer(template):
        done += template[at : slot.start()]
        done += span_fitted(slots.get(slot[0], ""), done) or slot[0]
        at = slot.end()
    return done + template[at:]


def filling_confirm(
    *,
    item: Item,
    scheme: Scheme,
    slots: Mapping[str, Any],
    by: Membership | None = None,
    proposed: SchemeFilling | None = None,
) -> SchemeFilling:
    """Store the words of a scheme's slots as a person confirms them. Raises Refused where one is empty."""
    refuse_archived(item.project)
    errors = {
        slot: gettext("Select or type the words for this slot.")
        for slot in scheme.slots
        if not isinstance(slots.get(slot), str) or not slots[slot].split()
    }
    if errors:
        raise Refused("invalid", gettext("Some slots have no words yet."), errors=errors)
    words = {slot: " ".join(slots[slot].split()) for slot in scheme.slots}
    now = timezone.now()
    with transaction.atomic():
        if proposed is not None:
            SchemeFilling.objects.filter(pk=proposed.pk).update(
                slots=words, confirmed_at=now, confirmed_by=by
            )
            proposed.refresh_from_db()
            return proposed
        return SchemeFilling.objects.create(
            item=item, scheme=scheme, slots=words, confirmed_at=now, confirmed_by=by
        )


def filling_propose(answer: AssistAnswer, known: Mapping[str, Scheme]) -> SchemeFilling | None:
    """Store what a model proposed for a scheme, once an answer; None where the scheme is gone."""
    scheme = known.get(key_of(answer.variant))
    if scheme is None or answer.found is None:
        return None
    found = answer.fillings.first()
    return found or SchemeFilling.objects.create(
        item=answer.item, scheme=scheme, slots=answer.found["slots"], answer=answer
    )
