"""Erasing an item for good, as the law may ask: its text and all that quotes it turn into blocks.

Its id, who judged it and what was answered stay, so that figures and spans still fit; releases that hold
it are taken down by those who listen to `item_erasing`.

See docs/decisions/storage.md.
"""

from functools import partial
from typing import Any

from django.db import models, transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.database.erasure import ERASED, blocks, door_open, uploads_empty
from annotation.items.item_stretches import forget_stretches
from annotation.models import (
    AnnotationEvent,
    Comment,
    ErasureDoor,
    Item,
    KeyAnswer,
    MatchReference,
    Membership,
    ProjectEvent,
    Question,
    QuestionAnnotation,
    Resolution,
    Suggestion,
    TypeAnnotation,
)
from annotation.signals import item_erasing
from core.errors import Refused
from core.jobs import WORKING

QUOTING = ("quote", "comment", "edited_question")
"""What of an answer, and of the event that gave it, may hold words of the text."""


def item_erase(*, item: Item, member: Membership | None, typed: str) -> Item:
    """Erase the text of an item and its quotes everywhere; `typed` is its id, as a sign that this is meant.

    Raises Refused where another id was typed, and while a release is built, a report computed or a file read
    that could hold the text.
    """
    if typed.strip() != item.external_id:
        told = gettext("That is not its id: type %(external_id)s.") % {"external_id": item.external_id}
        raise Refused("invalid", told, errors={"typed": told})
    with door_open(ErasureDoor.Kind.ITEM, item.pk):
        if item.project.uploads.filter(state__in=WORKING).exists():
            told = gettext(
                "A file is being read that may hold the text: wait for it, or cancel it, then erase."
            )
            raise Refused("not_ready", told)
        taken_down = [
            name for _, names in item_erasing.send(sender=Item, item=item) for name in (names or ())
        ]
        now = timezone.now()
        Item.objects.filter(pk=item.pk).update(
            text=blocks(item.text), source="", metadata={}, erased_at=now, withdrawn_reason=gettext("Erased.")
        )
        Item.objects.filter(pk=item.pk, withdrawn_at=None).update(withdrawn_at=now)
        _erase_words(item)
        # Once more when all see the erased text: a worker may read the one before until then.
        forget_stretches(item.project)
        transaction.on_commit(partial(forget_stretches, item.project))
        uploads_empty(item.project.uploads.all())
        ProjectEvent.objects.create(
            project=item.project,
            member=member,
            action=ERASED,
            details={"item": item.external_id, "releases": taken_down},
        )
    item.refresh_from_db()
    return item


def _erase_words(item: Item) -> None:
    """Turn into blocks what people wrote about the item, after its own text: quotes are compared with it."""
    _blank(Question.objects.filter(item=item), "text")
    _blank(MatchReference.objects.filter(item=item), "text")
    _blank(TypeAnnotation.objects.filter(assignment__item=item), "quote", "comment")
    _blank(QuestionAnnotation.objects.filter(assignment__item=item), "comment", "edited_question")
    _blank(KeyAnswer.objects.filter(item=item), "quote", "why")
    _blank(Suggestion.objects.filter(item=item), "quote")
    _blank(Resolution.objects.filter(item=item), "why", "edited_question")
    _blank(Comment.objects.filter(item=item), "text")
    for event in AnnotationEvent.objects.filter(assignment__item=item).only("before", "after").iterator():
        AnnotationEvent.objects.filter(pk=event.pk).update(
            before=without_words(event.before), after=without_words(event.after)
        )


def _blank(rows: "models.QuerySet[Any]", *fields: str) -> None:
    for row in rows.order_by("pk").values("pk", *fields):
        written = {field: blocks(row[field]) for field in fields if row[field]}
        if written:
            rows.model.objects.filter(pk=row["pk"]).update(**written)


def without_words(answer: Any) -> Any:
    """Return an answer as an event keeps it, with blocks for what may quote the text.

    >>> without_words({"applicable": True, "quote": "so it is"})
    {'applicable': True, 'quote': '████████'}
    """
    if not isinstance(answer, dict):
        return answer
    return {
        key: blocks(value) if key in QUOTING and isinstance(value, str) else value
        for key, value in answer.items()
    }
