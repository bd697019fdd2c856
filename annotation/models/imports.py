"""Files that a lead brought by browser, and how far their check or import is."""

from django.db import models
from django.db.models import Q

from annotation.models.items import Import
from annotation.models.project import Membership, Project
from core.jobs import Job


class Upload(Job):
    """A file to be checked, then imported when a lead says so: `work` is which of the two was asked for last.

    `report` is the last `ImportReport`, of the dry run where a check is done and of the import where that is;
    `found` is what the page shows of the file itself: the columns of a table and the first rows, as they
    were read for that report. `language` is that of the lead who asked, in which reasons are told.
    `rows_read` counts while the work runs. `brought` is the import, from its staging on. With
    `screened_from` there is no file: the rows are the items of that project that passed its `criteria`.
    """

    class Work(models.TextChoices):
        CHECK = "check", "to be checked"
        IMPORT = "import", "to be imported"

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
    work = models.CharField(max_length=6, choices=Work, default=Work.CHECK)
    language = models.CharField(max_length=12, blank=True)
    rows_read = models.PositiveIntegerField(default=0)
    report = models.JSONField(default=dict, blank=True)
    found = models.JSONField(default=dict, blank=True)
    refused_file = models.FileField(upload_to="uploads/%Y/%m/", max_length=300, blank=True)
    brought = models.ForeignKey(Import, on_delete=models.PROTECT, null=True, related_name="uploads")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(Job.Meta):
        ordering = ["-id"]
        constraints = [
            *Job.Meta.constraints,
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "done", "failed", "cancelled"]),
                name="upload_state_known",
            ),
            models.CheckConstraint(condition=Q(work__in=["check", "import"]), name="upload_work_known"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_checked(self) -> bool:
        """Whether it was looked through and waits for a lead to have it imported."""
        return self.work == self.Work.CHECK and self.state == self.State.DONE

    @property
    def is_imported(self) -> bool:
        return self.work == self.Work.IMPORT and self.state == self.State.DONE
