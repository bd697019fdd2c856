"""A release, one frozen version of a project's data; and the questions that a language model reworded."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy

from annotation.models import Item, Membership, Project
from annotation.models.constraints import not_blank
from assist.models import ModelRun
from core.jobs import Job

PROMPT_LENGTH = 4_000


class Release(Job):
    """One version of a project's benchmark. Once it is `done` a trigger keeps it as it is.

    `digest` covers everything the files depend on: judgements, texts, choices, code. `files` lists
    name, sha256, size and storage path of each file. `counts` and `digest` are those of everything, for the
    leads; `public` has those that anybody may see, and is empty for a release of an older version.
    `name`, `licence` and `description` are those it was built with, as the card has them, whatever becomes of
    the project. `taken_down_at` says since when its files are gone, because a text in it was erased for good.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "waiting for a worker"
        RUNNING = "running", "being built"
        DONE = "done", "built"
        FAILED = "failed", "failed"
        CANCELLED = "cancelled", "cancelled"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="releases")
    version = models.CharField(max_length=40)
    parameters = models.JSONField()
    state = models.CharField(max_length=9, choices=State, default=State.QUEUED)
    digest = models.CharField(max_length=64, blank=True)
    files = models.JSONField(default=list)
    counts = models.JSONField(default=dict)
    public = models.JSONField(default=dict)
    card = models.TextField(blank=True)
    name = models.TextField(blank=True)
    licence = models.TextField(blank=True)
    description = models.TextField(blank=True)
    is_public = models.BooleanField(default=False)
    member = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    built_at = models.DateTimeField(null=True)
    taken_down_at = models.DateTimeField(null=True)

    class Meta(Job.Meta):
        ordering = ["project", "-id"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["project", "version"], name="release_version_unique"),
            models.CheckConstraint(condition=~Q(version=""), name="release_version_not_empty"),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "done", "failed", "cancelled"]),
                name="release_state_known",
            ),
            models.CheckConstraint(
                condition=(Q(state="done", built_at__isnull=False) & ~Q(digest="") & ~Q(card=""))
                | (~Q(state="done") & Q(digest="", built_at__isnull=True)),
                name="release_done_is_whole",
            ),
            models.CheckConstraint(
                condition=Q(is_public=False) | Q(state="done"), name="release_public_is_done"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version} ({self.state})"


class RefinementRun(ModelRun):
    """One pass of a language model over the questions of a project's gold spans.

    Items of `splits_left_out` are not sent, whatever their source.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="refinement_runs")
    prompt = models.TextField()
    max_questions = models.PositiveIntegerField()
    splits_left_out = models.JSONField(default=list)


class QuestionRefinement(models.Model):
    """What came of asking about one gold span: a question in other words, or why there is none.

    `question_template` and `text_sha256` say what was asked about; where they are no longer those of the
    span the refinement stands for nothing. `model` is what the endpoint said who answered. Only whether a
    lead rejected it ever changes: a trigger keeps the rest.
    """

    class State(models.TextChoices):
        REFINED = "refined", gettext_lazy("refined")
        REFUSED = "refused", gettext_lazy("answer not usable")
        FAILED = "failed", gettext_lazy("no answer")

    run = models.ForeignKey(RefinementRun, on_delete=models.PROTECT, related_name="refinements")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="refinements")
    type_code = models.CharField(max_length=8)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    text_sha256 = models.CharField(max_length=64)
    question_template = models.TextField()
    state = models.CharField(max_length=8, choices=State)
    question = models.TextField(blank=True)
    reason = models.CharField(max_length=200, blank=True)
    model = models.CharField(max_length=200, blank=True)
    tries = models.PositiveIntegerField()
    answered_at = models.DateTimeField()
    rejected_at = models.DateTimeField(null=True)
    rejected_by = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["item", "type_code", "start", "end"], name="refinement_span")]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "item", "type_code", "start", "end"], name="refinement_once_a_run"
            ),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="refinement_span_not_empty"),
            models.CheckConstraint(
                condition=Q(state="refined", reason="") & not_blank("question")
                | Q(state__in=["refused", "failed"], question="") & ~Q(reason=""),
                name="refinement_question_or_reason",
            ),
            models.CheckConstraint(
                condition=Q(rejected_at__isnull=True, rejected_by__isnull=True)
                | Q(rejected_at__isnull=False, state="refined"),
                name="refinement_rejected_was_refined",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type_code} {self.start}-{self.end} ({self.state})"
