"""Rounds of annotation: what was drawn, who judges it, and when it closed."""

from collections.abc import Iterable, Sequence

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from annotation.models.constraints import not_blank
from annotation.models.items import Item, Question
from annotation.models.project import Codebook, Membership, Project
from core.jobs import LEASE

CLAIM_STALE_AFTER = LEASE


def types_named(text: str | None, among: Sequence[str]) -> tuple[str, ...]:
    """Return those of the type codes `among` that a stored text of codes names; without a text all.

    >>> types_named("WE LE", ["LE", "CQ", "WE"]), types_named(None, ["LE", "CQ"])
    (('LE', 'WE'), ('LE', 'CQ'))
    """
    if text is None:
        return tuple(among)
    named = text.split()
    return tuple(code for code in among if code in named)


def types_text(codes: Iterable[str], among: Sequence[str]) -> str | None:
    """Return the text that names these codes of `among`: None where they are all of them.

    >>> types_text(["WE", "LE"], ["LE", "CQ", "WE"]), types_text(["CQ", "LE"], ["LE", "CQ"])
    ('LE WE', None)
    """
    chosen = set(codes)
    if chosen.issuperset(among):
        return None
    return " ".join(code for code in among if code in chosen)


class Round(models.Model):
    """One pass over drawn items under one version of the codebook.

    `types` names the types that the round asks, apart by spaces; without it, all of the codebook. `asked`
    says how it was chosen which of them each item is asked (`annotation.rounds.asked_types`); empty where
    every item is asked all of them. `pass_mark` is the percent of answers that agree with the key of a
    training round. `claimed_at` is the last sign of life of the work on a draft that `claimed_for` names:
    see `annotation.rounds.draft_claim`. What was drawn counts only once nothing is drawn any more.
    `imported` marks a round whose judgements were made elsewhere: it is open only while more are brought in.
    `seed` drives the draw, the assignment and the shuffling; the same seed gives the same round. `repeats`
    is how many of their own texts each annotator is to meet again, unmarked, later in the round.
    `discussed_before` is whether a lead says that texts of the round before were discussed before this one.
    A `matching` round asks which reference each candidate question asks the same as (`MatchReference`).
    `suggestions` says for which units annotators are shown what a model answered (`Suggestion`): none, a
    random half, or all; `suggestion_run` and `suggestion_model` say which run of the assistants it is from.
    """

    class Purpose(models.TextChoices):
        TRAINING = "training", "Training"
        CALIBRATION = "calibration", "Calibration"
        MAIN = "main", "Main"

    class Order(models.TextChoices):
        BY_ARGUMENT = "by_argument", "All types of one text, then the next text"
        BY_TYPE = "by_type", "One type through all texts, then the next type"

    class Status(models.TextChoices):
        DRAFT = "draft", "Draft"
        OPEN = "open", "Open"
        CLOSED = "closed", "Closed"

    class Shown(models.TextChoices):
        HALF = "half", gettext_lazy("half of the units, at random")
        ALL = "all", gettext_lazy("all units")

    class Work(models.TextChoices):
        OPENING = "opening", gettext_lazy("being opened")
        DRAWING = "drawing", gettext_lazy("being drawn")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=120)
    purpose = models.CharField(max_length=12, choices=Purpose, default=Purpose.CALIBRATION)
    codebook = models.ForeignKey(Codebook, on_delete=models.PROTECT, related_name="rounds")
    types = models.TextField(null=True, blank=True)
    asked = models.JSONField(default=dict, blank=True)
    overlap = models.PositiveIntegerField(default=2)
    order = models.CharField(max_length=12, choices=Order, default=Order.BY_ARGUMENT)
    shuffled = models.BooleanField(default=False)
    seed = models.BigIntegerField(default=0)
    draw = models.JSONField(default=dict, blank=True)
    content_warning = models.TextField(blank=True)
    live_agreement = models.BooleanField(default=False)
    imported = models.BooleanField(default=False)
    matching = models.BooleanField(default=False)
    suggestions = models.CharField(max_length=4, choices=Shown, blank=True)
    suggestion_run = models.PositiveIntegerField(null=True, blank=True)
    suggestion_model = models.CharField(max_length=200, blank=True)
    status = models.CharField(max_length=8, choices=Status, default=Status.DRAFT)
    claimed_for = models.CharField(max_length=8, choices=Work, blank=True, editable=False)
    claimed_at = models.DateTimeField(null=True, blank=True, editable=False)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    reopened_at = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    due_on = models.DateField(null=True, blank=True)
    pass_mark = models.PositiveSmallIntegerField(null=True, blank=True)
    repeats = models.PositiveSmallIntegerField(default=0)
    discussed_before = models.BooleanField(null=True, blank=True)
    items = models.ManyToManyField(Item, through="RoundItem", related_name="rounds")

    class Meta:
        ordering = ["project", "number"]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="round_number_unique"),
            models.UniqueConstraint(fields=["project", "name"], name="round_name_unique"),
            models.CheckConstraint(condition=not_blank("name"), name="round_name_not_blank"),
            models.CheckConstraint(condition=Q(number__gte=1), name="round_number_positive"),
            models.CheckConstraint(condition=Q(overlap__gte=1), name="round_overlap_positive"),
            models.CheckConstraint(
                condition=Q(status__in=["draft", "open", "closed"]), name="round_status_known"
            ),
            models.CheckConstraint(
                condition=Q(purpose__in=["training", "calibration", "main"]), name="round_purpose_known"
            ),
            models.CheckConstraint(
                condition=Q(order__in=["by_argument", "by_type"]), name="round_order_known"
            ),
            models.CheckConstraint(
                condition=Q(claimed_for__in=["", "opening", "drawing"]), name="round_work_known"
            ),
            models.CheckConstraint(
                condition=Q(pass_mark__isnull=True) | Q(pass_mark__lte=100, purpose="training"),
                name="round_pass_mark_percent_in_training",
            ),
            models.CheckConstraint(
                condition=Q(repeats=0) | (~Q(purpose="training") & Q(imported=False)),
                name="round_repeats_not_in_training",
            ),
            models.CheckConstraint(
                condition=Q(matching=False) | (~Q(purpose="training") & Q(imported=False)),
                name="round_matching_not_in_training",
            ),
            models.CheckConstraint(
                condition=Q(suggestions="", suggestion_run__isnull=True, suggestion_model="")
                | Q(
                    suggestions__in=["half", "all"],
                    suggestion_run__isnull=False,
                    purpose__in=["training", "main"],
                    imported=False,
                    matching=False,
                ),
                name="round_suggestions_in_training_or_main",
            ),
            models.CheckConstraint(
                condition=Q(status="draft", closed_at__isnull=True)
                | Q(status="open", opened_at__isnull=False, closed_at__isnull=True)
                | Q(status="closed", closed_at__isnull=False),
                name="round_times_fit_status",
            ),
            models.CheckConstraint(
                condition=Q(paused_at__isnull=True) | Q(status="open"), name="round_paused_only_while_open"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_claimed(self) -> bool:
        """Whether the draft is being worked on right now: nothing about it can be changed meanwhile."""
        return (
            self.status == self.Status.DRAFT
            and self.claimed_at is not None
            and self.claimed_at > timezone.now() - CLAIM_STALE_AFTER
        )

    @property
    def is_opening(self) -> bool:
        return self.is_claimed and self.claimed_for == self.Work.OPENING

    @property
    def is_drawing(self) -> bool:
        return self.is_claimed and self.claimed_for == self.Work.DRAWING

    @property
    def is_half_drawn(self) -> bool:
        """Whether drawing items stopped before it was done: they have to be drawn again."""
        return self.claimed_for == self.Work.DRAWING and not self.is_claimed

    @property
    def is_importing(self) -> bool:
        """Whether judgements are being brought into a round that has some already: it is blind meanwhile."""
        return self.imported and self.status == self.Status.OPEN

    @property
    def drawn(self) -> "models.QuerySet[RoundItem]":
        """The items of the round: none as long as not all are drawn."""
        rows = RoundItem.objects.filter(round=self)
        return rows.none() if self.claimed_for == self.Work.DRAWING else rows

    @property
    def type_codes(self) -> tuple[str, ...]:
        """The types that the round asks, in the codebook's order; none where it asks questions."""
        return types_named(
            self.types, [entry["code"] for entry in self.codebook.definition.get("types") or ()]
        )

    @property
    def status_word(self) -> str:
        """The status as it stands inside a sentence, in the reader's language."""
        return gettext(self.get_status_display()).lower()


class RoundItem(models.Model):
    """An item drawn into a round; frozen when the round opens.

    `types` names the types that the round asks of this item, apart by spaces; without it, all of the round.
    """

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="round_items")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="round_items")
    position = models.PositiveIntegerField()
    types = models.TextField(null=True, blank=True)

    class Meta:
        ordering = ["round", "position"]
        indexes = [
            # A trigger asks it whether another item is asked the same; few kinds, counted here.
            models.Index(
                fields=["round", "types"], condition=Q(types__isnull=False), name="rounditem_by_types"
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["round", "item"], name="rounditem_item_unique"),
            models.UniqueConstraint(fields=["round", "position"], name="rounditem_position_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.round_id}:{self.item_id}"


class RoundQuestion(models.Model):
    """A question that a round asks about one of its items; frozen when the round opens."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="round_questions")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="round_questions")

    class Meta:
        ordering = ["round", "question"]
        constraints = [
            models.UniqueConstraint(fields=["round", "question"], name="roundquestion_question_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.round_id}:{self.question_id}"


class Assignment(models.Model):
    """An item that a member judges in a round, at the member's own position.

    `types` names the types that the member is asked, apart by spaces; without it, all of the round. Of an
    item that the round asks some types only it always names them.

    `questions` (how many the round asks about the item), `decided` (units), `active_seconds` and `judged_at`
    (of the last judgement) are counted by the triggers of `annotation.database.counters`; no code writes
    them.

    A `repeat` asks the member about an item again, without saying so. What is judged in it serves agreement
    with oneself alone: it is no vote, and nothing else may count it.
    """

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="assignments")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="assignments")
    member = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="assignments")
    position = models.PositiveIntegerField()
    types = models.TextField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    released_at = models.DateTimeField(null=True, blank=True)
    repeat = models.BooleanField(default=False)
    questions = models.PositiveIntegerField(default=0, editable=False)
    decided = models.PositiveIntegerField(default=0, editable=False)
    active_seconds = models.PositiveIntegerField(default=0, editable=False)
    judged_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ["round", "member", "position"]
        indexes = [
            # The progress of a round is read from this alone.
            models.Index(
                fields=[
                    "round",
                    "member",
                    "types",
                    "item",
                    "questions",
                    "decided",
                    "active_seconds",
                    "judged_at",
                ],
                condition=Q(released_at__isnull=True),
                name="assignment_progress",
            ),
            # Few assignments name their types; progress counts those apart without reading the others.
            models.Index(
                fields=["round", "member"], condition=Q(types__isnull=False), name="assignment_by_types"
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["round", "item", "member", "repeat"], name="assignment_unique"),
            models.UniqueConstraint(
                fields=["round", "member", "position"], name="assignment_position_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.round_id}:{self.item_id}:{self.member_id}"


class RoundProgress(models.Model):
    """What one annotator has and did in one round, counted by the triggers of `annotation.database.counters`.

    `texts` (assignments), `questions`, `decided` (units) and `active_seconds` are those of assignments that
    ask all types of the round and were not reassigned; the few that name their types are counted when asked
    for. `judged_at` is the time of the last judgement. `judgements`, `revisions` (their sum) and `late` (how
    many came after a reopening) are of all judgements: together they change whenever one of these does.
    """

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="progress")
    member = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="+")
    texts = models.PositiveIntegerField()
    questions = models.PositiveIntegerField()
    decided = models.PositiveIntegerField()
    active_seconds = models.PositiveBigIntegerField()
    judged_at = models.DateTimeField(null=True)
    judgements = models.PositiveIntegerField()
    revisions = models.PositiveBigIntegerField()
    late = models.PositiveIntegerField()

    class Meta:
        ordering = ["round", "member"]
        constraints = [models.UniqueConstraint(fields=["round", "member"], name="roundprogress_unique")]

    def __str__(self) -> str:
        return f"{self.round_id}:{self.member_id}"
