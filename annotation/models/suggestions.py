"""What a language model suggests to annotators of a round: fixed when the round opens, part of it hidden."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length

from annotation.models.constraints import not_blank
from annotation.models.items import Item, Question
from annotation.models.rounds import Round


class Suggestion(models.Model):
    """What a model answered about one type of an item, or one question, in a round with suggestions.

    `shown` says whether annotators meet it: those of the hidden half never leave the server, and serve to
    find the anchoring. A yes may come without the words that it is about. Frozen when the round opens.
    """

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="suggested")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="suggested")
    type_code = models.CharField(max_length=8, blank=True)
    question = models.ForeignKey(Question, on_delete=models.PROTECT, null=True, related_name="suggested")
    applicable = models.BooleanField(null=True)
    start = models.PositiveIntegerField(null=True)
    end = models.PositiveIntegerField(null=True)
    quote = models.TextField(null=True)
    label = models.CharField(max_length=3, blank=True)
    shown = models.BooleanField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["round", "item", "type_code"],
                condition=Q(question__isnull=True),
                name="suggestion_one_per_type",
            ),
            models.UniqueConstraint(
                fields=["round", "question"],
                condition=Q(question__isnull=False),
                name="suggestion_one_per_question",
            ),
            models.CheckConstraint(
                condition=(Q(question__isnull=True, applicable__isnull=False, label="") & ~Q(type_code=""))
                | Q(
                    question__isnull=False,
                    applicable__isnull=True,
                    type_code="",
                    label__in=["USE", "UN", "IN"],
                ),
                name="suggestion_one_unit_one_answer",
            ),
            models.CheckConstraint(
                condition=Q(start__isnull=True, end__isnull=True, quote__isnull=True)
                | (
                    Q(applicable__isnull=False, applicable=True, start__isnull=False, end__gt=F("start"))
                    & Q(quote__isnull=False, end=F("start") + Length(F("quote")))
                    & not_blank("quote")
                ),
                name="suggestion_span_fits",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.round_id}:{self.item_id}:{self.type_code or self.question_id}"
