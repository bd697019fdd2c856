"""How every judgement came to be: an append-only log."""

from django.db import models
from django.db.models import Q

from annotation.models.items import Question
from annotation.models.project import Membership
from annotation.models.rounds import Assignment


class AnnotationEvent(models.Model):
    """One decision (or undoing of one) by a member, with the answer before and after.

    `client_event_id` makes a repeated send harmless; `payload_sha256` tells a repeat from a reuse of the
    id for something else. Triggers refuse to change or delete a row.
    """

    member = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="annotation_events")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="events")
    type_code = models.CharField(max_length=8, blank=True)
    question = models.ForeignKey(Question, on_delete=models.PROTECT, null=True, related_name="events")
    client_event_id = models.CharField(max_length=80)
    payload_sha256 = models.CharField(max_length=64)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    revision = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["member", "client_event_id"], name="annotationevent_id_unique"),
            models.CheckConstraint(
                condition=(Q(question__isnull=True) & ~Q(type_code=""))
                | Q(question__isnull=False, type_code=""),
                name="annotationevent_one_unit",
            ),
            models.CheckConstraint(condition=~Q(client_event_id=""), name="annotationevent_id_not_empty"),
        ]

    def __str__(self) -> str:
        return f"{self.member_id}:{self.client_event_id}"
