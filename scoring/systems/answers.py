"""An evaluation's answers as a page asks for them: by run, label, type, right or wrong, and tag."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils.translation import gettext

from annotation.models import Project
from core.cache import cached
from core.errors import NotFound
from scoring.models import Answer, Evaluation, TaggedAnswer


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which answers to show; what is empty lets all through."""

    run: int = 1
    label: str = ""
    unit: str = ""
    right: bool | None = None
    no_place: bool = False
    tag: int = 0


def answers_wanted(evaluation: Evaluation, wanted: Wanted) -> QuerySet[Answer]:
    """Return the answers in the order of the items; an index serves each filter."""
    rows = Answer.objects.filter(evaluation=evaluation, run=wanted.run)
    if wanted.label:
        rows = rows.filter(label=wanted.label)
    if wanted.unit:
        rows = rows.filter(unit=wanted.unit)
    if wanted.right is not None:
        rows = rows.filter(is_right=wanted.right)
    if wanted.no_place:
        rows = rows.filter(start__isnull=True).exclude(given="")
    if wanted.tag:
        tagged = TaggedAnswer.objects.filter(
            submission=evaluation.submission_id,
            run=wanted.run,
            item=OuterRef("item"),
            unit=OuterRef("unit"),
            tag=wanted.tag,
        )
        rows = rows.filter(Exists(tagged))
    return rows.order_by("position", "place")


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """How many answers of a run there are of each kind."""

    labels: Counter[str]
    units: Counter[str]
    right: int
    wrong: int
    no_place: int

    @property
    def total(self) -> int:
        return self.labels.total()


def answer_counts(evaluation: Evaluation, run: int) -> AnswerCounts:
    """Count the answers of a run of an evaluation that is done; they never change."""

    def count() -> AnswerCounts:
        rows = Answer.objects.filter(evaluation=evaluation, run=run).order_by()
        labels: Counter[str] = Counter()
        units: Counter[str] = Counter()
        sides: Counter[bool | None] = Counter()
        grouped = rows.values_list("label", "unit", "is_right").annotate(n=Count("pk"))
        for label, unit, is_right, n in grouped:
            labels[label] += n
            units[unit] += n
            sides[is_right] += n
        no_place = rows.filter(start__isnull=True).exclude(given="").count()
        return AnswerCounts(labels, units, sides[True], sides[False], no_place)

    return cached(f"scored-answers-{evaluation.pk}-{run}-{evaluation.parameters_digest[:12]}", count)


def answer_or_404(project: Project, evaluation: Evaluation, answer_id: int) -> Answer:
    """Return an answer of an evaluation. Raises NotFound."""
    found = (
        Answer.objects.filter(evaluation=evaluation, pk=answer_id)
        .select_related("evaluation__submission__system__project")
        .first()
    )
    if found is None or found.evaluation.submission.system.project_id != project.pk:
        raise NotFound(gettext("There is no such answer in this evaluation."))
    return found
