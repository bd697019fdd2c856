"""Systems, the files they submitted for a release, what these are worth, and what people say of errors."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy

from annotation.models import Membership, Project, Question, Round
from annotation.models.constraints import not_blank
from core.jobs import Job
from exports.models import Release


class System(models.Model):
    """Something that answers what people were asked, such as a language model with its prompt.

    `name_key` is what two names have in common that look alike (core.lookalikes): it is unique in a project.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="systems")
    name = models.CharField(max_length=200)
    name_key = models.TextField()
    description = models.TextField(blank=True)
    link = models.CharField(max_length=500, blank=True)
    created_by = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["project", "name_key"]
        constraints = [
            models.UniqueConstraint(fields=["project", "name_key"], name="system_name_unique"),
            models.CheckConstraint(condition=not_blank("name"), name="system_name_not_blank"),
            models.CheckConstraint(
                condition=Q(link="") | Q(link__startswith="https://") | Q(link__startswith="http://"),
                name="system_link_is_of_the_web",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Submission(models.Model):
    """The files that a system submitted for one split of a release, each a run of it; triggers keep them.

    `split` is empty where the release has none. `digest` covers the files in their order: the same files for
    the same split are the same submission.
    """

    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="submissions")
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="submissions")
    split = models.CharField(max_length=60, blank=True)
    digest = models.CharField(max_length=64)
    created_by = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["system", "release", "split", "digest"], name="submission_files_once"
            ),
            models.CheckConstraint(condition=~Q(digest=""), name="submission_has_a_digest"),
        ]

    def __str__(self) -> str:
        return f"{self.system} on {self.release.version}"


class SubmissionFile(models.Model):
    """One run of a system: its file as it was submitted, and what was noted as it was read."""

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="files")
    run = models.PositiveIntegerField()
    name = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    storage = models.CharField(max_length=300)
    items_missing = models.PositiveIntegerField(default=0)
    notes = models.JSONField(default=list)

    class Meta:
        ordering = ["submission", "run"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "run"], name="submissionfile_run_unique"),
            models.CheckConstraint(condition=Q(run__gte=1), name="submissionfile_run_from_one"),
            models.CheckConstraint(
                condition=~Q(sha256="") & ~Q(storage="") & ~Q(name=""), name="submissionfile_is_stored"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Evaluation(Job):
    """All runs of a submission scored by one method. What was asked for never changes; a done one is sealed.

    `parameters` has what else shapes the figures, such as encoder, prompt and model; `parameters_digest`
    covers these, threshold, scope, replicates and seed. `figures` is what `scores.json` has of it,
    `headline` the few figures of the list of systems. `reason` is the code of why there are none. A model
    that gave no answer last did so at `unanswered_at`: what is asked of it after that is asked anew.
    """

    class State(models.TextChoices):
        QUEUED = "queued", gettext_lazy("waiting for a worker")
        RUNNING = "running", gettext_lazy("being scored")
        DONE = "done", gettext_lazy("done")
        FAILED = "failed", gettext_lazy("stopped by an error")
        CANCELLED = "cancelled", gettext_lazy("cancelled")

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="evaluations")
    method = models.CharField(max_length=40)
    threshold = models.FloatField(null=True)
    scope = models.CharField(max_length=8, blank=True)
    replicates = models.PositiveIntegerField(default=1000)
    seed = models.PositiveBigIntegerField(default=1)
    parameters = models.JSONField(default=dict)
    parameters_digest = models.CharField(max_length=64)
    engine = models.PositiveIntegerField()
    release_digest = models.CharField(max_length=64)
    state = models.CharField(max_length=9, choices=State, default=State.QUEUED)
    figures = models.JSONField(null=True, default=None)
    headline = models.JSONField(null=True, default=None)
    reason = models.CharField(max_length=40, blank=True)
    unanswered_at = models.DateTimeField(null=True)
    member = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta(Job.Meta):
        ordering = ["-id"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["submission", "method", "parameters_digest", "engine"], name="evaluation_once"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "done", "failed", "cancelled"]),
                name="evaluation_state_known",
            ),
            models.CheckConstraint(
                condition=Q(
                    state="done",
                    figures__isnull=False,
                    headline__isnull=False,
                    finished_at__isnull=False,
                    reason="",
                )
                | (
                    ~Q(state="done")
                    & Q(figures__isnull=True, headline__isnull=True, finished_at__isnull=True)
                ),
                name="evaluation_done_has_figures",
            ),
            models.CheckConstraint(
                condition=~Q(method="") & ~Q(parameters_digest="") & ~Q(release_digest=""),
                name="evaluation_says_how",
            ),
            models.CheckConstraint(condition=Q(engine__gte=1), name="evaluation_engine_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.method} ({self.state})"

    @property
    def items(self) -> int:
        """How many items the score is about, 0 until there is one."""
        return int((self.headline or {}).get("items", 0))


class Answer(models.Model):
    """A question of a system, or a pair of item and type that was decided yes or answered, as it was scored.

    `position` is the place of the item in its split, `place` that of the unit in its item; `unit` is the
    code of the type or the number of the question. `label` is that of the question, or the verdict on the
    pair; `is_right` is empty for a pair that was not decided. `start` and `end` are where the words stand in
    the text. `references` are the spans people chose (`gold` and `disagreement`), or the best reference.
    """

    class Verdict(models.TextChoices):
        """What a FOCUS answer is; a question has one of the three published labels, or NAE, instead."""

        HIT = "hit", gettext_lazy("right")
        MISSED = "missed", gettext_lazy("missed")
        EXTRA = "extra", gettext_lazy("not there")
        UNDECIDED = "undecided", gettext_lazy("not decided")

    # No index of its own: the first of the others serves it, and there are many rows to store.
    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.PROTECT, related_name="answers", db_index=False
    )
    run = models.PositiveIntegerField()
    item = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    unit = models.CharField(max_length=40)
    place = models.PositiveIntegerField()
    given = models.TextField(blank=True)
    start = models.PositiveIntegerField(null=True)
    end = models.PositiveIntegerField(null=True)
    references = models.JSONField(default=dict)
    similarity = models.FloatField(null=True)
    label = models.CharField(max_length=24)
    is_right = models.BooleanField(null=True)

    class Meta:
        ordering = ["evaluation", "run", "position", "place"]
        constraints = [
            models.UniqueConstraint(
                fields=["evaluation", "run", "position", "place"], name="answer_place_unique"
            ),
            models.CheckConstraint(condition=Q(run__gte=1), name="answer_run_from_one"),
            models.CheckConstraint(condition=~Q(label=""), name="answer_has_a_label"),
            models.CheckConstraint(
                condition=Q(start__isnull=True, end__isnull=True) | Q(start__lt=F("end")),
                name="answer_span_not_empty",
            ),
        ]
        indexes = [
            models.Index(fields=["evaluation", "run", "label", "position", "place"], name="answer_by_label"),
            models.Index(
                fields=["evaluation", "run", "is_right", "position", "place"], name="answer_by_right"
            ),
            models.Index(fields=["evaluation", "run", "unit", "position", "place"], name="answer_by_unit"),
            models.Index(
                fields=["evaluation", "run", "position", "place"],
                condition=Q(start__isnull=True) & ~Q(given=""),
                name="answer_without_place",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item} {self.unit}: {self.label}"


class JudgeAnswer(models.Model):
    """What a language model answered about a question, whole, as it came; triggers keep it for good.

    `model` is as the endpoint names it; the evaluation's parameters have it as it was asked for. `problem`
    says why there is nothing to read: the endpoint refused the question, or repeated its key.
    """

    evaluation = models.ForeignKey(Evaluation, on_delete=models.PROTECT, related_name="judge_answers")
    run = models.PositiveIntegerField()
    item = models.CharField(max_length=200)
    question = models.PositiveIntegerField()
    prompt_sha256 = models.CharField(max_length=64)
    raw = models.TextField(blank=True)
    model = models.CharField(max_length=200, blank=True)
    ending = models.CharField(max_length=100, blank=True)
    problem = models.CharField(max_length=40, blank=True)
    reason = models.CharField(max_length=300, blank=True)
    tries = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["evaluation", "run", "item", "question"], name="judgeanswer_asked_once"
            ),
            models.CheckConstraint(condition=Q(run__gte=1), name="judgeanswer_run_from_one"),
            models.CheckConstraint(condition=Q(tries__gte=1), name="judgeanswer_was_asked"),
            models.CheckConstraint(condition=~Q(prompt_sha256=""), name="judgeanswer_names_its_prompt"),
        ]

    def __str__(self) -> str:
        return f"{self.item} {self.question}"


class ErrorTag(models.Model):
    """A word of a project's own list of kinds of errors."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="error_tags")
    word = models.CharField(max_length=80)
    word_key = models.TextField()
    created_by = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["project", "id"]
        constraints = [
            models.UniqueConstraint(fields=["project", "word_key"], name="errortag_word_unique"),
            models.CheckConstraint(condition=not_blank("word"), name="errortag_word_not_blank"),
        ]

    def __str__(self) -> str:
        return self.word


class TaggedAnswer(models.Model):
    """A lead's word on one answer of a submission, by run, item and unit, whatever method scored it."""

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="tagged_answers")
    run = models.PositiveIntegerField()
    item = models.CharField(max_length=200)
    unit = models.CharField(max_length=40)
    tag = models.ForeignKey(ErrorTag, on_delete=models.PROTECT, related_name="answers")
    member = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "run", "item", "unit", "tag"], name="taggedanswer_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item} {self.unit}: {self.tag}"


class Matching(models.Model):
    """A matching round that was made of submissions for a release, whose references it offers."""

    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="of_systems")
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="matchings")

    class Meta:
        ordering = ["round"]

    def __str__(self) -> str:
        return f"{self.round} of {self.release.version}"


class Candidate(models.Model):
    """Where a candidate question is from: a question of a run. Whoever judges it never learns that."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="candidates")
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="candidates")
    run = models.PositiveIntegerField()
    number = models.PositiveIntegerField()

    class Meta:
        ordering = ["question", "submission", "run"]
        constraints = [
            models.UniqueConstraint("question", "submission", "run", "number", name="candidate_once"),
        ]

    def __str__(self) -> str:
        return f"{self.question_id}: {self.submission_id}"
