"""What is stored of a round's agreement: the report, and what it decided about spans and units.

The row of a report is the truth about its job: Celery only carries its id. A report that is not `done`
is never shown, and neither are the spans and units that hang on it.
"""

from typing import Any

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length

from annotation.models import Item, Question, Round
from core.jobs import Job


class AgreementReport(Job):
    """The figures of one round, computed from the judgements that `judgements_sha256` names.

    `digest` covers judgements, parameters and code version; it is empty until the judgements are read.
    `stamp` is a cheap sign of change: equal stamps mean equal judgements, different ones mean "look closer".
    `change` holds the differences against the round before and names the judgements of both it came from.
    A report with much to do is `in_parts` while the workers are at its ReportParts; nobody holds the report
    itself then.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "waiting for a worker"
        RUNNING = "running", "being computed"
        IN_PARTS = "in_parts", "being computed in parts"
        DONE = "done", "computed"
        FAILED = "failed", "failed"

    class Crosscheck(models.TextChoices):
        UNCHECKED = "unchecked", "not checked"
        AGREES = "agrees", "checked by a second implementation"
        PARTLY = "partly", "checked in part by a second implementation"
        DIFFERS = "differs", "a second implementation differs"

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="agreement_reports")
    parameters = models.JSONField()
    parameters_sha256 = models.CharField(max_length=64)
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    requested_at = models.DateTimeField(auto_now_add=True)
    computed_at = models.DateTimeField(null=True)
    code_version = models.PositiveIntegerField(default=0)
    stamp = models.CharField(max_length=120, blank=True)
    judgements_sha256 = models.CharField(max_length=64, blank=True)
    digest = models.CharField(max_length=64, blank=True)
    # Null only until the report is done, which a constraint below keeps: not None to those who read it.
    figures: "models.JSONField[Any, Any]" = models.JSONField(null=True)
    change = models.JSONField(default=dict)
    crosscheck = models.CharField(max_length=9, choices=Crosscheck, default=Crosscheck.UNCHECKED)
    crosscheck_result = models.JSONField(default=dict)
    crosscheck_attempts = models.PositiveIntegerField(default=0)

    class Meta(Job.Meta):
        ordering = ["-id"]
        constraints = [
            *Job.Meta.constraints,
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "in_parts", "done", "failed"]),
                name="report_state_known",
            ),
            models.CheckConstraint(
                condition=~Q(state="done")
                | (
                    Q(figures__isnull=False, computed_at__isnull=False)
                    & ~Q(digest="")
                    & ~Q(judgements_sha256="")
                ),
                name="report_done_is_whole",
            ),
            models.CheckConstraint(
                condition=Q(crosscheck="unchecked")
                | (Q(crosscheck__in=["agrees", "partly", "differs"]) & Q(state="done")),
                name="report_crosscheck_of_done",
            ),
            models.UniqueConstraint(
                fields=["round", "parameters_sha256"],
                condition=Q(state__in=["queued", "running", "in_parts"]),
                name="report_one_pending",
            ),
            models.UniqueConstraint(
                fields=["round", "digest"], condition=Q(state="done"), name="report_one_per_digest"
            ),
        ]

    def __str__(self) -> str:
        return f"round {self.round_id}: {self.state}"


class ReportPart(Job):
    """A part of a report that one worker computes: one type, what needs all types, or the change.

    Gone once the report is done. `result` is what the part found, as plain data;
    `resampled` the sums of its spans in each resample, little-endian floats, too many to write as text.
    """

    report = models.ForeignKey(AgreementReport, on_delete=models.CASCADE, related_name="parts")
    key = models.CharField(max_length=16)
    position = models.PositiveIntegerField()
    result: "models.JSONField[Any, Any]" = models.JSONField(null=True)
    resampled = models.BinaryField(default=b"")

    class Meta(Job.Meta):
        ordering = ["report", "position"]
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["report", "key"], name="part_once"),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "done", "failed"]), name="part_state_known"
            ),
            models.CheckConstraint(
                condition=Q(state="done", result__isnull=False) | (~Q(state="done") & Q(result__isnull=True)),
                name="part_done_has_result",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.report_id}, {self.key}: {self.state}"


class CompetenceEstimate(Job):
    """Annotators' competence and a posterior for each unit of a finished report, computed when asked for.

    `result` has the annotators of each table as plain data; `posteriors` is the CSV of all units, compressed.
    """

    report = models.OneToOneField(AgreementReport, on_delete=models.CASCADE, related_name="competence")
    result: "models.JSONField[Any, Any]" = models.JSONField(null=True)
    posteriors = models.BinaryField(default=b"")

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "done", "failed"]), name="competence_state_known"
            ),
            models.CheckConstraint(
                condition=~Q(state="done") | Q(result__isnull=False), name="competence_done_has_result"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.report_id}, competence: {self.state}"


class InfluenceFigures(Job):
    """The figures of a finished report without each annotator and by field, computed when asked for.

    `result` is what `agreement.computation.influence_figures` gives, as plain data.
    """

    report = models.OneToOneField(AgreementReport, on_delete=models.CASCADE, related_name="influence")
    result: "models.JSONField[Any, Any]" = models.JSONField(null=True)

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "done", "failed"]), name="influence_state_known"
            ),
            models.CheckConstraint(
                condition=~Q(state="done") | Q(result__isnull=False), name="influence_done_has_result"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.report_id}, influence: {self.state}"


class ConsensusSpan(models.Model):
    """A span that two or more annotators chose (gold), or one alone (disagreement).

    `members` lists the ids of the memberships behind it; `start` and `end` are code points, half open.
    """

    class Kind(models.TextChoices):
        GOLD = "gold", "gold"
        DISAGREEMENT = "disagreement", "disagreement"

    report = models.ForeignKey(AgreementReport, on_delete=models.CASCADE, related_name="consensus_spans")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    type_code = models.CharField(max_length=8)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    text = models.TextField()
    support = models.PositiveIntegerField()
    kind = models.CharField(max_length=12, choices=Kind)
    members = models.JSONField()

    class Meta:
        ordering = ["item", "type_code", "start", "end"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="gold", support__gte=2) | Q(kind="disagreement", support=1),
                name="consensusspan_kind_fits_support",
            ),
            models.CheckConstraint(
                condition=Q(start__gte=0, end__gt=F("start")), name="consensusspan_not_empty"
            ),
            models.CheckConstraint(
                condition=Q(end=F("start") + Length(F("text"))), name="consensusspan_text_fits"
            ),
            models.UniqueConstraint(
                fields=["report", "item", "type_code", "start", "end"], name="consensusspan_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item_id}:{self.type_code} [{self.start}, {self.end})"


class DisputedUnit(models.Model):
    """One type of an item, or one question, on which the annotators were not of one mind.

    `why` says what an adjudicator has to decide; it is empty where the majority has settled the unit.
    `disputed` is between 0 and 1: see `agreement.spans.consensus.type_dispute`; for a settled unit it is the
    share of annotator pairs with different answers. `votes` are [answer, number] pairs, most votes first.
    """

    class Why(models.TextChoices):
        UNDECIDED = "undecided", "no majority"
        NO_GOLD_SPAN = "no_gold_span", "yes, but no span is shared"
        REASON_OPEN = "reason_open", "invalid, but the reason is open"
        SETTLED = "", "settled by the majority"

    report = models.ForeignKey(AgreementReport, on_delete=models.CASCADE, related_name="disputed_units")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    type_code = models.CharField(max_length=8, blank=True)
    question = models.ForeignKey(Question, on_delete=models.PROTECT, null=True, related_name="+")
    why = models.CharField(max_length=12, choices=Why, blank=True)
    votes = models.JSONField()
    disputed = models.FloatField()

    class Meta:
        ordering = ["-disputed", "id"]
        indexes = [
            models.Index(fields=["report", "-disputed", "id"], name="disputedunit_most_first"),
            models.Index(fields=["report", "type_code", "-disputed", "id"], name="disputedunit_of_type"),
            models.Index(fields=["report", "type_code", "votes", "why"], name="disputedunit_votes"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(question__isnull=False, type_code="")
                | (Q(question__isnull=True) & ~Q(type_code="")),
                name="disputedunit_one_unit",
            ),
            models.CheckConstraint(
                condition=Q(why__in=["", "undecided", "no_gold_span", "reason_open"]),
                name="disputedunit_why_known",
            ),
            models.CheckConstraint(condition=Q(disputed__gte=0, disputed__lte=1), name="disputedunit_share"),
            models.UniqueConstraint(
                fields=["report", "item", "type_code"],
                condition=Q(question__isnull=True),
                name="disputedunit_type_once",
            ),
            models.UniqueConstraint(
                fields=["report", "question"],
                condition=Q(question__isnull=False),
                name="disputedunit_question_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item_id}:{self.type_code or self.question_id}"
