"""Bringing more judgements into an imported round that people read already, or taking them back.

Meanwhile the round is open, which hides its judgements from everybody; nobody judges in an imported round.
What the import has staged are the rows of the round with higher keys than there were before it began.
"""

from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotation.models import (
    AnnotationEvent,
    Assignment,
    Import,
    Membership,
    QuestionAnnotation,
    Round,
    RoundItem,
    RoundQuestion,
    TypeAnnotation,
)
from core.delete_in_batches import delete_in_batches

STAGED = (
    (TypeAnnotation, "assignment__round"),
    (QuestionAnnotation, "assignment__round"),
    (AnnotationEvent, "assignment__round"),
    (Assignment, "round"),
    (RoundQuestion, "round"),
    (RoundItem, "round"),
)
"""What an import stages, in the order in which it can be deleted, and how it belongs to its round."""


def begin_append(staged: Import, round: Round) -> None:
    """Hide a closed imported round until the import ends."""
    before = {model.__name__: model.objects.aggregate(last=Max("pk"))["last"] or 0 for model, _ in STAGED}
    with transaction.atomic():
        closed_at = round.closed_at.isoformat() if round.closed_at else ""
        staged.report = {"round": round.pk, "closed_at": closed_at, "before": before}
        staged.save(update_fields=["report"])
        _set(round, Round.Status.OPEN, None)


def end_append(round: Round) -> None:
    """Show the round with all that was brought, inside the caller's transaction."""
    _set(round, Round.Status.CLOSED, timezone.now())


def roll_back_append(staged: Import) -> None:
    """Take away what such an import has staged, and show the round as it was."""
    began = staged.report
    round = Round.objects.filter(pk=began.get("round"), imported=True, status=Round.Status.OPEN).first()
    if round is None:
        return
    theirs = Assignment.objects.filter(round=round, pk__gt=began["before"][Assignment.__name__])
    members = set(theirs.values_list("member", flat=True))
    for model, to_round in STAGED:
        delete_in_batches(model.objects.filter(**{to_round: round}, pk__gt=began["before"][model.__name__]))
    Membership.objects.filter(pk__in=members, user=None, assignments__isnull=True).delete()
    _set(round, Round.Status.CLOSED, parse_datetime(began["closed_at"]))


def _set(round: Round, status: str, closed_at: Any) -> None:
    Round.objects.filter(pk=round.pk, imported=True).update(status=status, closed_at=closed_at)
    round.status, round.closed_at = status, closed_at
