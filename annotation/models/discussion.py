"""What people say about a unit of a closed round, and who is deciding it right now."""

from django.db import models
from django.db.models import Q

from annotation.models.constraints import not_blank
from annotation.models.items import Item, Question
from annotation.models.project import Membership
from annotation.models.rounds import Round

ONE_UNIT = (Q(question__isnull=True) & ~Q(type_code="")) | Q(question__isnull=False, type_code="")


class Comment(models.Model):
    """One entry of the thread on a unit: words, or the thread being settled or opened again.

    The thread's state is its last entry that is not plain words. Entries are never changed or deleted.
    """

    class Act(models.TextChoices):
        SAY = "say", "said"
        SETTLE = "settle", "settled"
        REOPEN = "reopen", "opened again"

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="comments")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="comments")
    type_code = models.CharField(max_length=8, blank=True)
    question = models.ForeignKey(Question, on_delete=models.PROTECT, null=True, related_name="comments")
    member = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="comments")
    act = models.CharField(max_length=8, choices=Act, default=Act.SAY)
    text = models.TextField(blank=True)
    mentions = models.ManyToManyField(Membership, related_name="mentioned_in", blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["round", "item"], name="comment_unit")]
        constraints = [
            models.CheckConstraint(condition=ONE_UNIT, name="comment_one_unit"),
            models.CheckConstraint(
                condition=Q(act__in=["settle", "reopen"]) | (Q(act="say") & not_blank("text")),
                name="comment_says_something",
            ),
        ]

    def __str__(self) -> str:
        return self.text


class Claim(models.Model):
    """A lead is deciding this unit until `expires_at`, so that no other lead does the same meanwhile."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="claims")
    type_code = models.CharField(max_length=8, blank=True)
    question = models.ForeignKey(Question, on_delete=models.PROTECT, null=True, related_name="claims")
    member = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="claims")
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=ONE_UNIT, name="claim_one_unit"),
            models.UniqueConstraint(
                fields=["item", "type_code"],
                condition=Q(question__isnull=True),
                name="claim_one_per_type",
            ),
            models.UniqueConstraint(
                fields=["question"], condition=Q(question__isnull=False), name="claim_one_per_question"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item_id}:{self.type_code or self.question_id}"
