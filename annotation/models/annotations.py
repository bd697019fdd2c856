"""The current judgement of each unit: what the annotator says now.

How it came to be is in `AnnotationEvent`. Every rule of the two protocols that a row can break is a
constraint here; what reaches into another table is a trigger of `annotation.database.install`.

See docs/decisions/storage.md.
"""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length
from django.utils import timezone

from annotation.models.constraints import not_blank
from annotation.models.items import Question
from annotation.models.matching import MatchReference
from annotation.models.project import Membership
from annotation.models.rounds import Assignment
from annotation.models.suggestions import Suggestion


class Judgement(models.Model):
    """What the judgements of both protocols have in common. Undecided is a row without an answer.

    Of a judgement made elsewhere the time is unknown unless its file says it: then it is NULL. `incomplete`
    marks an imported answer that was kept though the part that goes with it could not be: a yes without its
    span, Invalid without its reason, Unhelpful without its comment.

    `suggestion` is the one that was visible before the first input, if one was, and never changes;
    `suggestion_taken` says whether the answer of now is the suggestion's, taken by its key or button. The
    words of a span may have been moved since.
    """

    cannot_judge = models.BooleanField(default=False)
    comment = models.TextField(blank=True)
    unsure = models.BooleanField(default=False)
    incomplete = models.BooleanField(default=False)
    active_seconds = models.PositiveIntegerField(default=0, null=True)
    revision = models.PositiveIntegerField(default=1)
    after_reopening = models.BooleanField(default=False)
    decided_at = models.DateTimeField(default=timezone.now, null=True)
    # The index is a partial one: most rounds have no suggestions.
    suggestion = models.ForeignKey(
        Suggestion, on_delete=models.PROTECT, null=True, db_index=False, related_name="%(class)ss"
    )
    suggestion_taken = models.BooleanField(default=False)

    class Meta:
        abstract = True
        indexes = [
            models.Index(
                fields=["suggestion"], condition=Q(suggestion__isnull=False), name="%(class)s_suggested"
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(cannot_judge=False) | not_blank("comment"),
                name="%(class)s_cannot_judge_says_why",
            ),
            models.CheckConstraint(condition=Q(revision__gte=1), name="%(class)s_revision_positive"),
            models.CheckConstraint(
                condition=Q(suggestion_taken=False) | Q(suggestion__isnull=False),
                name="%(class)s_taken_was_visible",
            ),
        ]


class TypeAnnotation(Judgement):
    """Does this type apply to the text, and to which span of it?

    `start` and `end` are Unicode code points of the item's text, half open. `text_length` and
    `span_required` are copies that a trigger compares with the item and the codebook.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="type_annotations")
    type_code = models.CharField(max_length=8)
    applicable = models.BooleanField(null=True)
    span_required = models.BooleanField()
    text_length = models.PositiveIntegerField()
    start = models.PositiveIntegerField(null=True)
    end = models.PositiveIntegerField(null=True)
    quote = models.TextField(null=True)

    class Meta(Judgement.Meta):
        constraints = [
            *Judgement.Meta.constraints,
            models.UniqueConstraint(fields=["assignment", "type_code"], name="typeannotation_unit_unique"),
            models.CheckConstraint(
                condition=Q(cannot_judge=False) | Q(applicable__isnull=True),
                name="typeannotation_one_answer",
            ),
            models.CheckConstraint(
                condition=Q(
                    applicable=True,
                    applicable__isnull=False,
                    span_required=True,
                    incomplete=False,
                    start__isnull=False,
                    end__isnull=False,
                    quote__isnull=False,
                )
                | Q(
                    applicable=True,
                    applicable__isnull=False,
                    span_required=True,
                    incomplete=True,
                    start__isnull=True,
                    end__isnull=True,
                    quote__isnull=True,
                )
                | (
                    (Q(applicable__isnull=True) | Q(applicable=False) | Q(span_required=False))
                    & Q(incomplete=False, start__isnull=True, end__isnull=True, quote__isnull=True)
                ),
                name="typeannotation_span_exactly_when_asked",
            ),
            models.CheckConstraint(
                condition=Q(start__isnull=True)
                | Q(start__gte=0, end__gt=F("start"), end__lte=F("text_length")),
                name="typeannotation_span_inside_text",
            ),
            models.CheckConstraint(
                condition=Q(quote__isnull=True)
                | (Q(end=F("start") + Length(F("quote"))) & not_blank("quote")),
                name="typeannotation_quote_fits_span",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.assignment_id}:{self.type_code}"


class QuestionAnnotation(Judgement):
    """Is this question useful, unhelpful (with a comment why) or invalid (with one reason)?

    In a matching round it may instead ask the same as a `reference` of its item.
    """

    class Label(models.TextChoices):
        USEFUL = "USE", "Useful"
        UNHELPFUL = "UN", "Unhelpful"
        INVALID = "IN", "Invalid"
        MATCHED = "REF", "Asks the same as a reference"

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="question_annotations")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="annotations")
    label = models.CharField(max_length=3, choices=Label, null=True)
    reason = models.CharField(max_length=8, blank=True)
    edited_question = models.TextField(blank=True)
    reference = models.ForeignKey(
        MatchReference, on_delete=models.PROTECT, null=True, related_name="annotations"
    )

    class Meta(Judgement.Meta):
        constraints = [
            *Judgement.Meta.constraints,
            models.UniqueConstraint(fields=["assignment", "question"], name="questionannotation_unit_unique"),
            models.CheckConstraint(
                condition=Q(label__isnull=True) | Q(label__in=["USE", "UN", "IN", "REF"]),
                name="questionannotation_label_known",
            ),
            models.CheckConstraint(
                condition=Q(cannot_judge=False) | Q(label__isnull=True), name="questionannotation_one_answer"
            ),
            models.CheckConstraint(
                condition=(Q(label__isnull=False, label="IN", incomplete=False) & ~Q(reason=""))
                | Q(label__isnull=False, label="IN", incomplete=True, reason="")
                | ((Q(label__isnull=True) | Q(label__in=["USE", "UN", "REF"])) & Q(reason="")),
                name="questionannotation_reason_exactly_when_invalid",
            ),
            models.CheckConstraint(
                condition=Q(label__isnull=False, label="REF", reference__isnull=False)
                | ((Q(label__isnull=True) | ~Q(label="REF")) & Q(reference__isnull=True)),
                name="questionannotation_reference_exactly_when_matched",
            ),
            models.CheckConstraint(
                condition=Q(label__isnull=True) | ~Q(label="UN") | Q(incomplete=True) | not_blank("comment"),
                name="questionannotation_unhelpful_says_why",
            ),
            models.CheckConstraint(
                condition=Q(incomplete=False) | Q(label__isnull=False, label__in=["IN", "UN"]),
                name="questionannotation_incomplete_lacks_something",
            ),
            models.CheckConstraint(
                condition=Q(edited_question="")
                | (Q(label__isnull=False, label="IN") & not_blank("edited_question")),
                name="questionannotation_edit_only_when_invalid",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.assignment_id}:{self.question_id}"


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
