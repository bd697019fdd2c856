"""Runs of language models with what they answered, schemes of argument, and proposed questions."""

from urllib.parse import urlsplit

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy

from annotation.models import Item, Membership, Project, Question, Round
from annotation.models.constraints import not_blank
from core.jobs import Job


class TokensField(models.TextChoices):
    """What an endpoint calls the limit on the tokens of an answer."""

    MAX_TOKENS = "max_tokens", "max_tokens"
    MAX_COMPLETION_TOKENS = "max_completion_tokens", "max_completion_tokens"


class ModelRun(Job):
    """One pass of a language model over texts of a project.

    Everything that shapes an answer is written down when the run is asked for and never changes; the key of
    the endpoint is not among it. `sources` are the pairs of source and licence whose texts may be sent.
    """

    class State(models.TextChoices):
        QUEUED = "queued", gettext_lazy("waiting for a worker")
        RUNNING = "running", gettext_lazy("asking")
        DONE = "done", gettext_lazy("done")
        FAILED = "failed", gettext_lazy("stopped by an error")
        CANCELLED = "cancelled", gettext_lazy("cancelled")

    TokensField = TokensField

    number = models.PositiveIntegerField()
    member = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")
    endpoint = models.CharField(max_length=500)
    model = models.CharField(max_length=200)
    temperature = models.FloatField(null=True)
    seed = models.BigIntegerField(null=True)
    tokens_field = models.CharField(max_length=24, choices=TokensField, default=TokensField.MAX_TOKENS)
    max_tokens = models.PositiveIntegerField()
    timeout = models.PositiveIntegerField()
    per_minute = models.PositiveIntegerField()
    again = models.BooleanField(default=False)
    sources = models.JSONField()
    state = models.CharField(max_length=9, choices=State, default=State.QUEUED)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta(Job.Meta):
        abstract = True
        ordering = ["project", "-number"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["project", "number"], name="%(class)s_number_unique"),
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(state__in=["queued", "running"]),
                name="%(class)s_one_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "done", "failed", "cancelled"]),
                name="%(class)s_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running"], finished_at__isnull=True)
                | Q(state__in=["done", "failed", "cancelled"], finished_at__isnull=False),
                name="%(class)s_finished_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"Run {self.number} ({self.state})"

    @property
    def host(self) -> str:
        """The endpoint as releases name it."""
        return urlsplit(self.endpoint).netloc


class AssistRun(ModelRun):
    """A run of a task other than refining: what is asked about which items, and how much it may cost.

    `prompts` has the prompt of each variant of the task and `fixed` what is the same in all of them, such as
    the examples; `recipes` what an answer is kept under, for each (task, prompt, model, temperature, seed).
    `examples` are items by external id with the answer shown. `items` are external ids, null for all.

    `requests` and `tokens` are what the endpoint was asked and counted so far, over all workers; `reserved`
    is what a request under way may still cost: it stays counted where its worker died. `applied_at` says
    since when a context filter marks items that it found insufficient (`FilteredItem`).
    """

    class Stop(models.TextChoices):
        BUDGET = "budget", gettext_lazy("the budget")
        ENDPOINT = "endpoint", gettext_lazy("the endpoint")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="assist_runs")
    task = models.CharField(max_length=40)
    prompts = models.JSONField()
    fixed = models.JSONField(default=dict)
    recipes = models.JSONField()
    examples = models.JSONField(default=list)
    items = models.JSONField(null=True)
    options = models.JSONField(default=dict)
    budget_requests = models.PositiveIntegerField(null=True)
    budget_tokens = models.PositiveBigIntegerField(null=True)
    requests = models.PositiveIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0)
    reserved = models.PositiveBigIntegerField(default=0)
    stopped_by = models.CharField(max_length=8, choices=Stop, blank=True)
    applied_at = models.DateTimeField(null=True)

    class Meta(ModelRun.Meta):
        constraints = [
            *ModelRun.Meta.constraints,
            models.CheckConstraint(
                condition=Q(budget_requests__isnull=True) | Q(budget_requests__gt=0),
                name="assistrun_budget_of_requests",
            ),
            models.CheckConstraint(
                condition=Q(budget_tokens__isnull=True) | Q(budget_tokens__gt=0),
                name="assistrun_budget_of_tokens",
            ),
            models.CheckConstraint(
                condition=Q(budget_requests__isnull=True) | Q(requests__lte=F("budget_requests")),
                name="assistrun_within_its_requests",
            ),
        ]


class AssistAnswer(models.Model):
    """What a model answered about one unit: an item, or an item and a variant such as a scheme.

    One answer for a recipe and a unit is kept and never asked for again, unless a run says `again`.
    `found` is what was read out of it, `problem` why nothing could be. An answer never changes once it came.
    """

    class State(models.TextChoices):
        USABLE = "usable", gettext_lazy("usable")
        UNUSABLE = "unusable", gettext_lazy("not usable")
        UNANSWERED = "unanswered", gettext_lazy("no answer")

    run = models.ForeignKey(AssistRun, on_delete=models.PROTECT, related_name="answers")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="assist_answers")
    variant = models.CharField(max_length=80, blank=True)
    recipe_sha256 = models.CharField(max_length=64)
    unit_sha256 = models.CharField(max_length=64)
    prompt_sha256 = models.CharField(max_length=64)
    again = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=State)
    raw = models.TextField(blank=True)
    found = models.JSONField(null=True)
    label = models.CharField(max_length=40, blank=True)
    problem = models.CharField(max_length=40, blank=True)
    reason = models.CharField(max_length=300, blank=True)
    ending = models.CharField(max_length=100, blank=True)
    model = models.CharField(max_length=200, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True)
    completion_tokens = models.PositiveIntegerField(null=True)
    seconds = models.FloatField(default=0)
    tries = models.PositiveIntegerField()
    answered_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["recipe_sha256", "label", "item"], name="assistanswer_label"),
            models.Index(fields=["recipe_sha256", "unit_sha256", "id"], name="assistanswer_unit"),
            models.Index(fields=["run", "state", "problem"], name="assistanswer_outcome"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["run", "item", "variant"], name="assistanswer_once_a_run"),
            models.UniqueConstraint(
                fields=["recipe_sha256", "unit_sha256"],
                condition=Q(again=False) & ~Q(state="unanswered"),
                name="assistanswer_asked_once",
            ),
            models.CheckConstraint(
                condition=Q(state="usable", problem="", found__isnull=False)
                | Q(state__in=["unusable", "unanswered"], found__isnull=True, label="") & ~Q(problem=""),
                name="assistanswer_found_or_problem",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.variant or 'answer'} ({self.state})"


class ContextCheck(models.Model):
    """A round in which people look at a sample of what a context filter passed and refused, blind to it.

    The numbers are of that day: how many texts there were of either kind and how many of them were drawn.
    """

    run = models.ForeignKey(AssistRun, on_delete=models.PROTECT, related_name="checks")
    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="context_check")
    seed = models.BigIntegerField()
    passed = models.JSONField()
    refused = models.JSONField()
    passed_total = models.PositiveIntegerField()
    refused_total = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"check of run {self.run_id}"


class FilteredItem(models.Model):
    """An item that a lead marked as filtered: a context filter found its text insufficient.

    New rounds leave it out unless they are told otherwise; what has the item keeps it. A mark never changes;
    taking it back deletes it, and the log of the project has both.
    """

    item = models.OneToOneField(Item, on_delete=models.PROTECT, related_name="filtered")
    run = models.ForeignKey(AssistRun, on_delete=models.PROTECT, related_name="filtered_items")
    answer = models.OneToOneField(AssistAnswer, on_delete=models.PROTECT, related_name="+")
    marked_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"item {self.item_id} by run {self.run_id}"


class Scheme(models.Model):
    """A scheme of argument: a form with slots such as `<eventA>`, and the critical questions about it."""

    code = models.CharField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    aliases = models.JSONField(default=list)
    slots = models.JSONField()
    premises = models.JSONField()
    conclusion = models.TextField()
    questions = models.JSONField()

    class Meta:
        ordering = ["name", "id"]
        constraints = [models.CheckConstraint(condition=not_blank("name"), name="scheme_name_not_blank")]

    def __str__(self) -> str:
        return self.name


class SchemeFilling(models.Model):
    """A scheme on an item with words for its slots: proposed by a model, or confirmed by a lead."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="scheme_fillings")
    scheme = models.ForeignKey(Scheme, on_delete=models.PROTECT, related_name="fillings")
    slots = models.JSONField()
    answer = models.ForeignKey(AssistAnswer, on_delete=models.PROTECT, null=True, related_name="fillings")
    confirmed_at = models.DateTimeField(null=True)
    confirmed_by = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(answer__isnull=False) | Q(confirmed_at__isnull=False),
                name="schemefilling_proposed_or_confirmed",
            )
        ]

    def __str__(self) -> str:
        return f"{self.scheme_id} on {self.item_id}"


class ProposedQuestion(models.Model):
    """A question about an item that waits for a lead, who keeps or drops it; where from is in `origin`.

    `text` is as it came and never changes, `edited` what a lead made of it. Dropped ones stay on record.
    `question` is the item's question that was made of it.
    """

    class State(models.TextChoices):
        WAITING = "waiting", gettext_lazy("waiting")
        KEPT = "kept", gettext_lazy("kept")
        DROPPED = "dropped", gettext_lazy("dropped")

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="proposed_questions")
    external_id = models.CharField(max_length=500)
    origin = models.CharField(max_length=200)
    text = models.TextField()
    edited = models.TextField(blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    answer = models.ForeignKey(AssistAnswer, on_delete=models.PROTECT, null=True, related_name="proposed")
    filling = models.ForeignKey(SchemeFilling, on_delete=models.PROTECT, null=True, related_name="proposed")
    question = models.OneToOneField(Question, on_delete=models.PROTECT, null=True, related_name="proposed")
    decided_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["item", "id"]
        constraints = [
            models.UniqueConstraint(fields=["item", "external_id"], name="proposedquestion_id_unique"),
            models.CheckConstraint(condition=not_blank("text"), name="proposedquestion_text_not_blank"),
            models.CheckConstraint(
                condition=Q(question__isnull=True) | Q(state="kept"), name="proposedquestion_made_of_kept"
            ),
        ]

    def __str__(self) -> str:
        return self.external_id

    @property
    def words(self) -> str:
        """The question as it would be asked."""
        return self.edited or self.text


class TopicModel(Job):
    """Topics that were looked for in all texts of a project, by which method, how many, from which seed.

    `result` has ten words and five items of each topic, `placed` the topic of each item by key. `names` is
    what a lead called them when they were applied.
    """

    class Method(models.TextChoices):
        NMF = "nmf", "NMF"
        LDA = "lda", "LDA"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="topic_models")
    member = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")
    method = models.CharField(max_length=3, choices=Method, default=Method.NMF)
    topics = models.PositiveIntegerField()
    seed = models.PositiveBigIntegerField(default=1)
    result = models.JSONField(null=True, default=None)
    placed = models.JSONField(null=True, default=None)
    names = models.JSONField(default=list)
    applied_at = models.DateTimeField(null=True)
    applied_by = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(Job.Meta):
        ordering = ["project", "-id"]
        constraints = [
            *Job.Meta.constraints,
            models.CheckConstraint(condition=Q(topics__gte=2, topics__lte=50), name="topicmodel_topics_fit"),
            models.CheckConstraint(condition=Q(method__in=["lda", "nmf"]), name="topicmodel_method_known"),
            models.CheckConstraint(
                condition=~Q(state="done") | Q(result__isnull=False, placed__isnull=False),
                name="topicmodel_done_has_topics",
            ),
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(state__in=["queued", "running"]),
                name="topicmodel_one_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.topics} topics of {self.project_id} ({self.state})"
