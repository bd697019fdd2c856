"""Matching rounds: the references that candidate questions are matched with, frozen when the round opens."""

from django.db import models

from annotation.models.constraints import not_blank
from annotation.models.items import Item, Question
from annotation.models.rounds import Round


class MatchReference(models.Model):
    """A reference question of an item, as annotators of a matching round may pick it.

    `place` is its place in the file of the release it is from, counted from 0.
    """

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="match_references")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="match_references")
    place = models.PositiveIntegerField()
    text = models.TextField()

    class Meta:
        ordering = ["round", "item", "place"]
        constraints = [
            models.UniqueConstraint(fields=["round", "item", "place"], name="matchreference_place_unique"),
            models.CheckConstraint(condition=not_blank("text"), name="matchreference_text_not_blank"),
        ]

    def __str__(self) -> str:
        return self.text


class ReferenceLeftOut(models.Model):
    """A reference that is not offered for a question: it came from a system that asked the question."""

    reference = models.ForeignKey(MatchReference, on_delete=models.PROTECT, related_name="left_out")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="references_left_out")

    class Meta:
        ordering = ["reference", "question"]
        constraints = [
            models.UniqueConstraint(fields=["reference", "question"], name="referenceleftout_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.reference_id}:{self.question_id}"
