"""The texts that are judged, the questions about them, and the imports that brought them."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length

from annotation.models.constraints import not_blank
from annotation.models.project import Membership, Project


class Import(models.Model):
    """One file brought into a project. What it staged stays invisible until its state is `done`.

    Rows are written in batches, so that a large file never holds the database's write lock for long.
    `checked` is what a check has staged whole: a lead has it imported, or the next import takes it away.
    """

    class State(models.TextChoices):
        STAGING = "staging", "staging"
        CHECKED = "checked", "checked"
        DONE = "done", "done"
        UNDONE = "undone", "undone"
        FAILED = "failed", "failed"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="imports")
    member = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")
    file_name = models.CharField(max_length=255)
    file_sha256 = models.CharField(max_length=64)
    format = models.CharField(max_length=20)
    state = models.CharField(max_length=10, choices=State, default=State.STAGING)
    report = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    heartbeat_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["project"], condition=Q(state="staging"), name="import_one_staging_per_project"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["staging", "checked", "done", "undone", "failed"]),
                name="import_state_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.file_name} ({self.state})"


class Item(models.Model):
    """One text to judge: an argument or an intervention, kept exactly as given.

    `text_length` counts Unicode code points; spans are checked against it. Of an item that was erased
    (`annotation.items.erasure`) the text is that many blocks, and its quotes too.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="items")
    brought_by = models.ForeignKey(Import, on_delete=models.PROTECT, related_name="items")
    external_id = models.CharField(max_length=200)
    text = models.TextField()
    text_length = models.PositiveIntegerField()
    source = models.CharField(max_length=200, blank=True)
    licence = models.CharField(max_length=200, blank=True)
    topic = models.CharField(max_length=200, blank=True)
    split = models.CharField(max_length=60, blank=True)
    metadata = models.JSONField(default=dict)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_reason = models.TextField(blank=True)
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            # A page of the list is found in these alone, however far back it is.
            models.Index(fields=["project", "id", "brought_by"], name="item_listed"),
            models.Index(fields=["project", "topic", "id", "brought_by"], name="item_of_topic"),
            models.Index(
                fields=["project", "id", "brought_by"],
                condition=Q(withdrawn_at__isnull=False),
                name="item_withdrawn",
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["project", "external_id"], name="item_external_id_unique"),
            models.CheckConstraint(condition=not_blank("external_id"), name="item_external_id_not_blank"),
            models.CheckConstraint(condition=not_blank("text"), name="item_text_not_blank"),
            models.CheckConstraint(condition=Q(text_length=Length(F("text"))), name="item_text_length_true"),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True) | not_blank("withdrawn_reason"),
                name="item_withdrawn_with_reason",
            ),
        ]

    def __str__(self) -> str:
        return self.external_id


class Question(models.Model):
    """A critical question about an item.

    Published files repeat an id within an item, so the id alone is no key; `external_id` is JSON to
    keep a number a number. Annotators never see it, nor the origin. A `candidate` is a system's question
    that people match with references: in no round but its matching round, and in no release, until a lead
    makes it a reference.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="questions")
    brought_by = models.ForeignKey(Import, on_delete=models.PROTECT, related_name="questions")
    position = models.PositiveIntegerField()
    external_id = models.JSONField(null=True)
    text = models.TextField()
    origin = models.CharField(max_length=200, blank=True)
    candidate = models.BooleanField(default=False)

    class Meta:
        ordering = ["item", "position"]
        constraints = [
            models.UniqueConstraint(fields=["item", "position"], name="question_position_unique"),
            models.CheckConstraint(condition=not_blank("text"), name="question_text_not_blank"),
        ]

    def __str__(self) -> str:
        return self.text
