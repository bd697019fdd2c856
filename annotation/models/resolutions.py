"""Decided answers: adjudicated by a lead, or published with the file."""

from django.db import models
from django.db.models import Q

from annotation.models.codebooks import Codebook
from annotation.models.constraints import not_blank
from annotation.models.items import Import, Item, Question
from annotation.models.project import Membership


class Resolution(models.Model):
    """The decided answer for one type of an item or for one question.

    It wins over the consensus in exports and never touches a coefficient. Deciding again makes a new row
    and supersedes the old one, so the history stays.
    `in_guideline` shows the ruling beside its type's guideline, where annotators find it.
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
                    label__in=["USE", "UN", "IN"],
                ),
                name="resolution_one_unit_one_answer",
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
