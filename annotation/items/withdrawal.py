"""Taking items out of a study: a take-down request, a broken text. What was judged stays stored."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.limits import LIMITS, refuse_unfit
from annotation.models import Item, Membership, ProjectEvent
from core.errors import Refused


def item_withdraw(*, item: Item, member: Membership, why: str) -> Item:
    """Take an item out of queues, figures and new releases; releases that are out stay as they are."""
    if not why.strip():
        raise Refused(
            "invalid", gettext("Say why the item is withdrawn."), errors={"why": gettext("Say why.")}
        )
    refuse_unfit(LIMITS["item"], withdrawn_reason=why)
    with transaction.atomic():
        there = Item.objects.filter(pk=item.pk, withdrawn_at__isnull=True)
        if there.update(withdrawn_at=timezone.now(), withdrawn_reason=why.strip()):
            _log(item, member, "item withdrawn", why=why.strip())
    item.refresh_from_db(fields=["withdrawn_at", "withdrawn_reason"])
    return item


def item_restore(*, item: Item, member: Membership) -> Item:
    """Bring a withdrawn item back into queues, figures and new releases."""
    if item.erased_at:
        raise Refused("not_ready", gettext("The text was erased for good: it cannot be restored."))
    with transaction.atomic():
        withdrawn = Item.objects.filter(pk=item.pk, withdrawn_at__isnull=False)
        if withdrawn.update(withdrawn_at=None, withdrawn_reason=""):
            _log(item, member, "item restored")
    item.refresh_from_db(fields=["withdrawn_at", "withdrawn_reason"])
    return item


def _log(item: Item, member: Membership, action: str, **details: object) -> None:
    ProjectEvent.objects.create(
        project=item.project, member=member, action=action, details={"item": item.external_id, **details}
    )
