"""Decided answers: adjudicated by a lead, or published with the file."""

from django.db import models
from django.db.models import Q

from annotation.models.constraints import not_blank
from annotation.models.items import Import, Item, Question
from annotation.models.matching import MatchReference
from annotation.models.project import Codebook, Membership
from annotation.models.rounds import Round


class Resolution(models.Model):
    """The decided answer for one type of an item or for one question.

    It wins over the consensus in exports and never touches a coefficient. Deciding again makes a new row
    and supersedes the old one, so the history stays.
    `in_guideline` shows the resolution beside its type's guideline, where annotators find it.
    `spans` is a list of [start, end] in code points of the item's text.
    """

    class Source(models.TextChoices):
        ADJUDICATED = "adjudicated", "adjudicated"
        IMPORTED = "imported", "imported published label"

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="resolutions")
    type_code = models.CharField(max_length=8, blank=True)
    question = models.ForeignKey(Question, on_delete=models.PROTECT, null=True, related_name="resolutions")
    applicable = models.BooleanField(null=True)
    spans = models.JSONField(default=list)
    label = models.CharField(max_length=3, blank=True)
    reason = models.CharField(max_length=8, blank=True)
    edited_question = models.TextField(blank=True)
    reference = models.ForeignKey(
        MatchReference, on_delete=models.PROTECT, null=True, related_name="resolutions"
    )
    source = models.CharField(max_length=12, choices=Source)
    why = models.TextField(blank=True)
    member = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="resolutions")
    codebook = models.ForeignKey(Codebook, on_delete=models.PROTECT, null=True, related_name="resolutions")
    brought_by = models.ForeignKey(Import, on_delete=models.PROTECT, null=True, related_name="resolutions")
    created_at = models.DateTimeField(auto_now_add=True)
    superseded_at = models.DateTimeField(null=True, blank=True)
    in_guideline = models.BooleanField(default=False)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(
                fields=["member"],
                condition=Q(in_guideline=True, superseded_at__isnull=True),
                name="resolution_in_guideline",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "type_code"],
                condition=Q(superseded_at__isnull=True, question__isnull=True),
                name="resolution_one_current_per_type",
            ),
            models.UniqueConstraint(
                fields=["question"],
                condition=Q(superseded_at__isnull=True, question__isnull=False),
                name="resolution_one_current_per_question",
            ),
            models.CheckConstraint(
                condition=(Q(question__isnull=True, applicable__isnull=False, label="") & ~Q(type_code=""))
                | Q(
                    question__isnull=False,
                    applicable__isnull=True,
                    type_code="",
                    label__in=["USE", "UN", "IN", "REF"],
                ),
                name="resolution_one_unit_one_answer",
            ),
            models.CheckConstraint(
                condition=Q(label="REF", reference__isnull=False)
                | (~Q(label="REF") & Q(reference__isnull=True)),
                name="resolution_reference_exactly_when_matched",
            ),
            models.CheckConstraint(
                condition=Q(source="imported", brought_by__isnull=False)
                | (Q(source="adjudicated", member__isnull=False) & not_blank("why")),
                name="resolution_says_where_from",
            ),
            models.CheckConstraint(
                condition=Q(reason="") | Q(label="IN"), name="resolution_reason_only_when_invalid"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item_id}:{self.type_code or self.question_id}"


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
