"""Boards: who hands in for which split of a release, how often, what came of it, and what may be told."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy

from annotation.models import Membership, Project
from annotation.models.constraints import not_blank
from core.jobs import Job
from exports.models import Release
from scoring.models import Evaluation, Submission, System

MOST_CHECKS = 60
"""Uploads that a team may have checked in an hour."""


class Board(models.Model):
    """A page of a release on which systems are ranked. `name` stands in its address, `title` above it.

    `per_day` and `in_all` are the entries that count of a team, a day in UTC and altogether, `most_runs` the
    files of one entry.
    """

    class State(models.TextChoices):
        HIDDEN = "hidden", gettext_lazy("hidden: leads alone see it")
        OPEN = "open", gettext_lazy("open")
        CLOSED = "closed", gettext_lazy("closed: it can be read, and takes nothing")

    class Feedback(models.TextChoices):
        FULL = "full", gettext_lazy("full: the score at once")
        ROUNDED = "rounded", gettext_lazy("rounded: to the step of one item")
        BETTER = (
            "better",
            gettext_lazy("better: a score only where it beats the team’s best by more than chance"),
        )
        AFTER_CLOSE = "after_close", gettext_lazy("after the close: nothing before")

    class Entrance(models.TextChoices):
        INVITED = "invited", gettext_lazy("whoever has an invitation of the board")
        ANYONE = "anyone", gettext_lazy("anybody with an account")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="boards")
    name = models.SlugField(max_length=60)
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.HIDDEN)
    feedback = models.CharField(max_length=12, choices=Feedback, default=Feedback.BETTER)
    entrance = models.CharField(max_length=8, choices=Entrance, default=Entrance.INVITED)
    per_day = models.PositiveIntegerField(default=1)
    in_all = models.PositiveIntegerField(default=10)
    most_runs = models.PositiveIntegerField(default=1)
    closes_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["project", "name"]
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="board_name_unique"),
            models.CheckConstraint(condition=not_blank("title"), name="board_title_not_blank"),
            models.CheckConstraint(
                condition=Q(state__in=["hidden", "open", "closed"]), name="board_state_known"
            ),
            models.CheckConstraint(
                condition=Q(feedback__in=["full", "rounded", "better", "after_close"]),
                name="board_feedback_known",
            ),
            models.CheckConstraint(
                condition=Q(entrance__in=["invited", "anyone"]), name="board_entrance_known"
            ),
            models.CheckConstraint(
                condition=Q(per_day__gte=1, in_all__gte=1, in_all__lte=1000, per_day__lte=F("in_all")),
                name="board_limits_fit",
            ),
            models.CheckConstraint(condition=Q(most_runs__gte=1, most_runs__lte=20), name="board_runs_fit"),
        ]

    def __str__(self) -> str:
        return f"{self.project.slug}/{self.name}"

    def is_over(self, now: datetime | None = None) -> bool:
        """Return whether nothing is taken any more and what waited for the close may be told."""
        passed = self.closes_at is not None and self.closes_at <= (now or timezone.now())
        return self.state == self.State.CLOSED or (self.state == self.State.OPEN and passed)

    @property
    def takes_entries(self) -> bool:
        return self.state == self.State.OPEN and not self.is_over()


class BoardVersion(Job):
    """What a board ranked by at one time: release, split and methods; done once its trivial rows are there.

    `methods` are names with thresholds, the first of which ranks. `facts` counts items and labels; they are
    those of the page, and no reference is among them.
    """

    board = models.ForeignKey(Board, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="board_versions")
    split = models.CharField(max_length=60, blank=True)
    methods = models.JSONField()
    scope = models.CharField(max_length=8, blank=True)
    replicates = models.PositiveIntegerField(default=1000)
    seed = models.PositiveBigIntegerField(default=1)
    engine = models.PositiveIntegerField()
    facts = models.JSONField(default=dict)
    trivial = models.JSONField(null=True, default=None)
    created_by = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(Job.Meta):
        ordering = ["board", "number"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["board", "number"], name="boardversion_number_unique"),
            models.CheckConstraint(condition=Q(number__gte=1), name="boardversion_from_one"),
            models.CheckConstraint(
                condition=~Q(state="done") | Q(trivial__isnull=False), name="boardversion_done_has_rows"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.board} version {self.number}"


class Team(models.Model):
    """People who hand in together. `name_key` is what names have in common that look alike."""

    board = models.ForeignKey(Board, on_delete=models.PROTECT, related_name="teams")
    name = models.CharField(max_length=100)
    name_key = models.TextField()
    system = models.ForeignKey(System, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["board", "name_key"]
        constraints = [
            models.UniqueConstraint(fields=["board", "name_key"], name="team_name_unique"),
            models.CheckConstraint(condition=not_blank("name"), name="team_name_not_blank"),
        ]

    def __str__(self) -> str:
        return self.name


class TeamMember(models.Model):
    """A person in a team: in one team of a board, since limits are those of a team."""

    board = models.ForeignKey(Board, on_delete=models.PROTECT, related_name="+")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["board", "user"], name="teammember_one_team_a_board"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class BoardInvitation(models.Model):
    """A link into a board, or into a team of it; it works once."""

    board = models.ForeignKey(Board, on_delete=models.PROTECT, related_name="invitations")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, null=True, related_name="invitations")
    token_sha256 = models.CharField(max_length=64, unique=True)
    note = models.CharField(max_length=200, blank=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(used_at__isnull=True, used_by__isnull=True)
                | Q(used_at__isnull=False, used_by__isnull=False),
                name="boardinvitation_used_by_somebody",
            ),
        ]

    def __str__(self) -> str:
        return f"invitation {self.pk} of {self.board}"


class UploadCheck(models.Model):
    """One upload of a team that was checked. `slot` counts within the clock hour, which keeps the limit."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="checks")
    hour = models.DateTimeField()
    slot = models.PositiveIntegerField()

    class Meta:
        ordering = ["team", "hour", "slot"]
        constraints = [
            models.UniqueConstraint(fields=["team", "hour", "slot"], name="uploadcheck_slot_once"),
            models.CheckConstraint(
                condition=Q(slot__gte=1, slot__lte=MOST_CHECKS), name="uploadcheck_within_the_limit"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.team_id} {self.hour:%H}h {self.slot}"


class Entry(models.Model):
    """A system's files as a team handed them in; triggers keep them, and the limits.

    `slot` and `day_slot` are the places that it takes of those in all and of those of its `day` (UTC): each
    is there once, which is what keeps two requests at once within the limits. An evaluation that failed on
    the server's side gives them back. `version` is that of the board at the time.
    """

    board = models.ForeignKey(Board, on_delete=models.PROTECT, related_name="entries")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="entries")
    version = models.ForeignKey(BoardVersion, on_delete=models.PROTECT, related_name="+")
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="board_entries")
    digest = models.CharField(max_length=64)
    day = models.DateField()
    slot = models.PositiveIntegerField(null=True)
    day_slot = models.PositiveIntegerField(null=True)
    name = models.CharField(max_length=100)
    line = models.CharField(max_length=200, blank=True)
    link = models.CharField(max_length=500, blank=True)
    trained_on_validation = models.BooleanField()
    may_be_shown = models.BooleanField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True)
    hidden_at = models.DateTimeField(null=True)
    hidden_reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["team", "digest"], name="entry_files_once"),
            models.UniqueConstraint(fields=["team", "slot"], name="entry_slot_once"),
            models.UniqueConstraint(fields=["team", "day", "day_slot"], name="entry_day_slot_once"),
            models.CheckConstraint(
                condition=Q(slot__isnull=True, day_slot__isnull=True) | Q(slot__gte=1, day_slot__gte=1),
                name="entry_slots_together",
            ),
            models.CheckConstraint(condition=not_blank("name"), name="entry_name_not_blank"),
            models.CheckConstraint(
                condition=Q(link="") | Q(link__startswith="https://") | Q(link__startswith="http://"),
                name="entry_link_is_of_the_web",
            ),
            models.CheckConstraint(
                condition=Q(hidden_at__isnull=True) | not_blank("hidden_reason"),
                name="entry_hidden_for_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.team_id}"


class Placing(Job):
    """An entry scored for a version of the board: evaluations by its methods, then the figures of its row.

    `figures` are exact: `boards.figures.feedback` says what of them may be told. `is_better` is set once, in
    the order of the team's entries: whether the score beat the team's best by more than chance.
    """

    version = models.ForeignKey(BoardVersion, on_delete=models.PROTECT, related_name="placings")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="placings")
    evaluation = models.ForeignKey(Evaluation, on_delete=models.PROTECT, null=True, related_name="+")
    figures = models.JSONField(null=True, default=None)
    finished_at = models.DateTimeField(null=True)
    is_better = models.BooleanField(null=True)
    compared_with = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+")
    is_apart = models.BooleanField(null=True)

    class Meta(Job.Meta):
        ordering = ["id"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["version", "entry"], name="placing_once"),
            models.CheckConstraint(
                condition=Q(state="done", evaluation__isnull=False, figures__isnull=False)
                & Q(finished_at__isnull=False)
                | ~Q(state="done") & Q(figures__isnull=True, finished_at__isnull=True),
                name="placing_done_has_figures",
            ),
        ]
        indexes = [models.Index(fields=["state", "id"], name="placing_queue")]

    def __str__(self) -> str:
        return f"{self.entry_id} in version {self.version_id} ({self.state})"


class FrontPage(models.Model):
    """What strangers read first about this installation, in a lead's words; the newest row is shown."""

    created_at = models.DateTimeField(auto_now_add=True)
    text = models.TextField(blank=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.text[:50]
