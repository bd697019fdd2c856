"""A release: one frozen version of a project's data, and where its files are."""

from django.db import models
from django.db.models import F, Q

from annotation.models import Membership, Project


class Release(models.Model):
    """One version of a project's benchmark. Once it is `done` a trigger keeps it as it is.

    `digest` covers everything the files depend on: judgements, texts, choices, code. `files` lists
    name, sha256, size and storage path of each file. `attempt` and `lease_until` say which worker may write.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "waiting for a worker"
        RUNNING = "running", "being built"
        DONE = "done", "built"
        FAILED = "failed", "failed"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="releases")
    version = models.CharField(max_length=40)
    parameters = models.JSONField()
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(default=0)
    attempt = models.CharField(max_length=32, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    error = models.TextField(blank=True)
    digest = models.CharField(max_length=64, blank=True)
    files = models.JSONField(default=list)
    counts = models.JSONField(default=dict)
    card = models.TextField(blank=True)
    is_public = models.BooleanField(default=False)
    member = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    enqueued_at = models.DateTimeField(auto_now_add=True)
    built_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["project", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["project", "version"], name="release_version_unique"),
            models.CheckConstraint(condition=~Q(version=""), name="release_version_not_empty"),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "done", "failed"]), name="release_state_known"
            ),
            models.CheckConstraint(
                condition=~Q(state="running") | (~Q(attempt="") & Q(lease_until__isnull=False)),
                name="release_running_has_lease",
            ),
            models.CheckConstraint(
                condition=(Q(state="done", built_at__isnull=False) & ~Q(digest="") & ~Q(card=""))
                | (~Q(state="done") & Q(digest="", built_at__isnull=True)),
                name="release_done_is_whole",
            ),
            models.CheckConstraint(
                condition=~Q(state="failed") | ~Q(error=""), name="release_failed_says_why"
            ),
            models.CheckConstraint(
                condition=Q(is_public=False) | Q(state="done"), name="release_public_is_done"
            ),
            models.CheckConstraint(
                condition=Q(progress_done__lte=F("progress_total")), name="release_progress_within_total"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version} ({self.state})"
