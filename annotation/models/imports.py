"""Files that a lead brought by browser, and how far their check or import is."""

from django.db import models
from django.db.models import Q

from annotation.models.items import Import
from annotation.models.project import Membership, Project


class Upload(models.Model):
    """A file waiting to be looked at, checked and imported. The row is the truth about that work.

    `report` is the last `ImportReport`, of the dry run in state `checked` and of the import in `done`;
    `found` is what the page shows of the file itself: the columns of a table and the first rows, as they
    were read for that report.
    `rows_read` counts while the work runs, and `heartbeat_at` tells whether it still does. With
    `screened_from` there is no file: the rows are the items of that project that passed its `criteria`.
    """

    class State(models.TextChoices):
        NEW = "new", "waiting to be checked"
        CHECKING = "checking", "being checked"
        CHECKED = "checked", "checked"
        QUEUED = "queued", "waiting to be imported"
        IMPORTING = "importing", "being imported"
        DONE = "done", "imported"
        FAILED = "failed", "failed"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="uploads")
    member = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="+")
    file = models.FileField(upload_to="uploads/%Y/%m/", max_length=300)
    name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    format = models.CharField(max_length=20, blank=True)
    origin = models.CharField(max_length=200, blank=True)
    round_name = models.CharField(max_length=120, blank=True)
    columns = models.JSONField(default=dict, blank=True)
    screened_from = models.ForeignKey(Project, on_delete=models.PROTECT, null=True, related_name="+")
    criteria = models.JSONField(default=list, blank=True)
    asked = models.JSONField(default=dict, blank=True)
    correct = models.BooleanField(default=False)
    keep_votes = models.BooleanField(default=False)
    skip_invalid = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=State, default=State.NEW)
    attempt = models.PositiveIntegerField(default=0)
    rows_read = models.PositiveIntegerField(default=0)
    report = models.JSONField(default=dict, blank=True)
    found = models.JSONField(default=dict, blank=True)
    refused_file = models.FileField(upload_to="uploads/%Y/%m/", max_length=300, blank=True)
    error = models.TextField(blank=True)
    brought = models.ForeignKey(Import, on_delete=models.PROTECT, null=True, related_name="uploads")
    created_at = models.DateTimeField(auto_now_add=True)
    heartbeat_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    state__in=["new", "checking", "checked", "queued", "importing", "done", "failed"]
                ),
                name="upload_state_known",
            ),
        ]

    def __str__(self) -> str:
        return self.name
