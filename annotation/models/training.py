"""The key of a training round: the answers that annotators are measured against."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length

from annotation.models.constraints import not_blank
from annotation.models.items import Item, Question
from annotation.models.rounds import Round


class KeyAnswer(models.Model):
    """The right answer for one type of an item, or for one question, in a training round.

    It never leaves the server before the annotator has answered, and is frozen when the round opens.
    `revision` tells two leads who set it in the workspace apart.
    """

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="key_answers")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="key_answers")
    type_code = models.CharField(max_length=8, blank=True)
    question = models.ForeignKey(Question, on_delete=models.PROTECT, null=True, related_name="key_answers")
    applicable = models.BooleanField(null=True)
    start = models.PositiveIntegerField(null=True)
    end = models.PositiveIntegerField(null=True)
    quote = models.TextField(null=True)
    label = models.CharField(max_length=3, blank=True)
    reason = models.CharField(max_length=8, blank=True)
    why = models.TextField(blank=True)
    revision = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["round", "item", "type_code"],
                condition=Q(question__isnull=True),
                name="keyanswer_one_per_type",
            ),
            models.UniqueConstraint(
                fields=["round", "question"],
                condition=Q(question__isnull=False),
                name="keyanswer_one_per_question",
            ),
            models.CheckConstraint(
                condition=(
                    Q(question__isnull=True, applicable__isnull=False, label="", reason="") & ~Q(type_code="")
                )
                | Q(
                    question__isnull=False,
                    applicable__isnull=True,
                    type_code="",
                    label__in=["USE", "UN", "IN"],
                ),
                name="keyanswer_one_unit_one_answer",
            ),
            models.CheckConstraint(
                condition=Q(start__isnull=True, end__isnull=True, quote__isnull=True)
                | (
                    Q(applicable__isnull=False, applicable=True, start__isnull=False, end__gt=F("start"))
                    & Q(quote__isnull=False, end=F("start") + Length(F("quote")))
                    & not_blank("quote")
                ),
                name="keyanswer_span_fits",
            ),
            models.CheckConstraint(condition=Q(reason="") | Q(label="IN"), name="keyanswer_reason_fits"),
        ]

    def __str__(self) -> str:
        return f"{self.round_id}:{self.item_id}:{self.type_code or self.question_id}"
