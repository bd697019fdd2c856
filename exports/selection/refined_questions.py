"""Stored refinements as releases and pages read them. Nothing here asks a model anything."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, NotRequired, TypedDict, cast

from django.db.models import Exists, OuterRef, QuerySet

from annotation.codebooks.definition import AnnotationType
from annotation.codebooks.exemplar_questions import question_from_exemplar
from annotation.models import Project
from exports.models import QuestionRefinement
from exports.selection.decisions import FinalType

State = QuestionRefinement.State
_SPAN = ("item", "type_code", "start", "end")
SpanKey = tuple[str, int, int]
"""A type's code with the span's start and end: what a refinement of an item is about."""


class Refined(NamedTuple):
    """A question in other words, with the number of its run and who answered when."""

    question: str
    run: int
    model: str
    answered_at: datetime
    template: str
    text_sha256: str
    rejected: bool


def read_refinements(project: Project, within: tuple[int, int]) -> dict[int, dict[SpanKey, Refined]]:
    """Return the newest refinement of each span of the items with these keys, rejected ones too."""
    rows = (
        QuestionRefinement.objects.filter(run__project=project, item__id__range=within, state=State.REFINED)
        .select_related("run")
        .defer("run__prompt", "run__sources")
    )
    found: dict[int, dict[SpanKey, Refined]] = defaultdict(dict)
    for row in rows.order_by("pk").iterator():
        found[row.item_id][row.type_code, row.start, row.end] = Refined(
            row.question,
            row.run.number,
            row.model or row.run.model,
            row.answered_at,
            row.question_template,
            row.text_sha256,
            row.rejected_at is not None,
        )
    return found


def refined_of(
    text: str,
    types: Iterable[AnnotationType],
    decided: Mapping[str, FinalType],
    stored: Mapping[SpanKey, Refined],
) -> dict[SpanKey, Refined]:
    """Return the refinements that stand for a question of this text's gold spans.

    Those that a lead rejected do not, nor those of another text or of another wording of the exemplar.
    """
    sha256 = text_sha256(text)
    return {
        key: found
        for kind in types
        if kind.exemplar
        for span in (decided[kind.code].gold if kind.code in decided else ())
        if (found := stored.get(key := (kind.code, span.start, span.end)))
        and not found.rejected
        and found.text_sha256 == sha256
        and found.template == question_from_exemplar(kind.exemplar, text[span.start : span.end])
    }


def text_sha256(text: str) -> str:
    """Return the hash that says which text a question was about."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(slots=True)
class RunUse:
    """What a release has of one run: how many questions, of which models, answered when."""

    questions: int = 0
    models: set[str] = field(default_factory=set)
    days: set[str] = field(default_factory=set)

    def add(self, found: Refined) -> None:
        self.questions += 1
        self.models.add(found.model)
        self.days.add(found.answered_at.date().isoformat())


class RunFacts(TypedDict):
    """A run of a language model that brought refined questions of a release; one of the limits is there."""

    run: int
    endpoint: str
    model: str
    answered_as: list[str]
    first_day: str
    last_day: str
    temperature: float | None
    seed: int | None
    max_tokens: NotRequired[int]
    max_completion_tokens: NotRequired[int]
    questions: int
    prompt: str


def provenance(project: Project, uses: Mapping[int, RunUse]) -> list[RunFacts]:
    """Return how the refined questions of a release came to be, run by run, as plain JSON."""
    runs = {run.number: run for run in project.refinement_runs.filter(number__in=list(uses))}
    found = [
        {
            "run": number,
            "endpoint": runs[number].host,
            "model": runs[number].model,
            "answered_as": sorted(uses[number].models),
            "first_day": min(uses[number].days),
            "last_day": max(uses[number].days),
            "temperature": runs[number].temperature,
            "seed": runs[number].seed,
            runs[number].tokens_field: runs[number].max_tokens,
            "questions": uses[number].questions,
            "prompt": runs[number].prompt,
        }
        for number in sorted(uses)
    ]
    return cast(list[RunFacts], found)  # the name of the limit is the endpoint's


def refinements_of(project: Project) -> QuerySet[QuestionRefinement]:
    """Return what every run of the project brought, with what a page shows of it."""
    return QuestionRefinement.objects.filter(run__project=project).select_related(
        "run", "item", "rejected_by"
    )


def refinements_current(project: Project) -> QuerySet[QuestionRefinement]:
    """Return the refined questions that no later run has replaced, rejected ones too."""
    later = _later().filter(state=State.REFINED)
    return refinements_of(project).filter(~Exists(later), state=State.REFINED)


def refinements_missing(project: Project) -> QuerySet[QuestionRefinement]:
    """Return the last try of each question that has no refined one of any run."""
    same = {name: OuterRef(name) for name in _SPAN}
    answered = QuestionRefinement.objects.filter(**same, state=State.REFINED)
    return refinements_of(project).filter(~Exists(_later()), ~Exists(answered))


def _later() -> QuerySet[QuestionRefinement]:
    return QuestionRefinement.objects.filter(
        **{name: OuterRef(name) for name in _SPAN}, pk__gt=OuterRef("pk")
    )
