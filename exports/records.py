"""Stored judgements, their consensus and the resolutions, as one record an item: read in batches, then pure.

Items come in the order they were imported. Whatever decides about bytes is sorted here and not in the
database, whose collations differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext

from agreement.before import rounds_conditions
from annotation.codebooks.definition import Codebook
from annotation.models import (
    Import,
    Item,
    Project,
    Protocol,
    Question,
    Resolution,
    Round,
    RoundItem,
)
from exports.deciding import (
    UNJUDGED,
    Judgement,
    QuestionDecision,
    Resolved,
    TypeDecision,
    decide_question,
    decide_type,
    latest,
)
from exports.parameters import ParameterError, Parameters
from exports.refinements import Refined, SpanKey, refined_of, refinements_read
from exports.stored import ItemRow, QuestionRow, judgements_read, questions_read, resolutions_read

BATCH = 1000
"""Items in memory at a time, with everything that hangs on them."""


class RoundRow(NamedTuple):
    """A chosen round; `types` are those it asked where it did not ask all of its codebook.

    `overlap` is the number of annotators of each of its items.
    """

    pk: int
    number: int
    name: str
    purpose: str
    codebook_version: int
    imported: bool
    reopened: bool
    types: tuple[str, ...] = ()
    overlap: int = 0


@dataclass(frozen=True)
class Selection:
    """What a release is made from: the project's chosen rounds, and whose names stand for whom.

    `codebook` is the newest among those of the rounds, or the project's newest where no round is chosen.
    `members` are the pseudonyms, by membership.
    """

    project: Project
    parameters: Parameters
    rounds: tuple[RoundRow, ...]
    codebook: Codebook
    codebook_version: int
    members: dict[int, str]

    @cached_property
    def typology(self) -> bool:
        return self.project.protocol == Protocol.FOCUS

    @cached_property
    def type_codes(self) -> tuple[str, ...]:
        return tuple(kind.code for kind in self.codebook.types)

    @cached_property
    def span_types(self) -> frozenset[str]:
        return frozenset(kind.code for kind in self.codebook.types if kind.span)

    @cached_property
    def earlier_guidelines(self) -> tuple[int, ...]:
        """The versions of the codebook, before the newest, under which chosen rounds were annotated."""
        versions = {row.codebook_version for row in self.rounds}
        return tuple(sorted(versions - {self.codebook_version}))

    @cached_property
    def round_conditions(self) -> list[dict[str, Any]]:
        """What sets each chosen round apart from the chosen one before it that asked the same, in order."""
        return rounds_conditions(self.project, [row.pk for row in self.rounds])

    @cached_property
    def round_of(self) -> dict[int, RoundRow]:
        return {row.pk: row for row in self.rounds}


@dataclass(slots=True)
class ItemRecord:
    """One item with all that the chosen rounds say about it.

    `judgements` are all that were made, `counted` marks the latest of each annotator by its place among them.
    `refined` are the reworded questions of its gold spans, where the release takes them in.
    """

    item: ItemRow
    questions: list[QuestionRow] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)
    counted: list[bool] = field(default_factory=list)
    resolutions: dict[str | int, Resolved] = field(default_factory=dict)
    types: dict[str, TypeDecision] = field(default_factory=dict)
    answers: dict[int, QuestionDecision] = field(default_factory=dict)
    refined: dict[SpanKey, Refined] = field(default_factory=dict)


def selection_read(project: Project, parameters: Parameters) -> Selection:
    """Find the rounds that the parameters name. Raises ParameterError for one that cannot be released."""
    if parameters.refined_questions and project.protocol != Protocol.FOCUS:
        raise ParameterError(
            [gettext("refined_questions: only gold spans have questions that could be refined")]
        )
    rounds = list(project.rounds.select_related("codebook").order_by("number"))
    importing = [row.name for row in rounds if row.is_importing]
    if importing:
        problem = gettext("judgements are being imported into %(names)s: wait until that has ended")
        raise ParameterError(["rounds: " + problem % {"names": ", ".join(importing)}])
    if parameters.rounds is None:
        chosen = [row for row in rounds if not _why_not(row)]
    else:
        by_name = {row.name: row for row in rounds}
        problems = [
            f"rounds: {name!r} {reason}"
            for name in parameters.rounds
            if (
                reason := _why_not(by_name[name])
                if name in by_name
                else gettext("is no round of this project")
            )
        ]
        if problems:
            raise ParameterError(problems)
        chosen = sorted((by_name[name] for name in parameters.rounds), key=lambda row: row.number)
    codebooks = [row.codebook for row in chosen] or list(project.codebooks.all())
    if not codebooks:
        raise ParameterError([gettext("the project has no codebook")])
    codebook = max(codebooks, key=lambda row: row.version)
    return Selection(
        project=project,
        parameters=parameters,
        rounds=tuple(
            RoundRow(
                row.pk,
                row.number,
                row.name,
                row.purpose,
                row.codebook.version,
                row.imported,
                row.reopened_at is not None,
                row.type_codes if row.types else (),
                row.overlap,
            )
            for row in chosen
        ),
        codebook=Codebook.from_json(codebook.definition),
        codebook_version=codebook.version,
        members=dict(project.memberships.values_list("pk", "pseudonym")),
    )


def _why_not(row: Round) -> str:
    if row.purpose == Round.Purpose.TRAINING:
        return gettext("is a training round: its judgements were made with feedback")
    if row.status != Round.Status.CLOSED:
        return gettext("is %(status)s: only closed rounds are released") % {"status": row.status}
    return ""


def items_chosen(selection: Selection) -> QuerySet[Item]:
    """Return the items of a release: those of the chosen rounds, never the withdrawn ones.

    Where no rounds are named it also has the items whose labels were published with a file, and items of
    CQs-Gen without any question, which is how the published test set is given.
    """
    project, rounds = selection.project, [row.pk for row in selection.rounds]
    of_item = Q(item=OuterRef("pk"))
    wanted = Q(Exists(RoundItem.objects.filter(of_item, round__in=rounds)))
    if selection.parameters.rounds is None:
        wanted |= Q(Exists(Resolution.objects.filter(of_item, source=Resolution.Source.IMPORTED)))
        if not selection.typology:
            wanted |= ~Q(Exists(Question.objects.filter(of_item)))
    return items_present(project).filter(wanted)


def items_present(project: Project) -> QuerySet[Item]:
    """Return the items that a release could have."""
    return project.items.filter(withdrawn_at=None, brought_by__state=Import.State.DONE)


def records_read(selection: Selection) -> Iterator[ItemRecord]:
    """Yield the record of every item of the release in import order, a batch in memory at a time."""
    items = items_chosen(selection).order_by("pk").values_list(*ItemRow._fields)
    last = 0
    while batch := [ItemRow(*row) for row in items.filter(pk__gt=last)[:BATCH]]:
        last = batch[-1].pk
        yield from _batch_records(selection, batch)


def _batch_records(selection: Selection, batch: list[ItemRow]) -> Iterator[ItemRecord]:
    records = {item.pk: ItemRecord(item) for item in batch}
    within = batch[0].pk, batch[-1].pk
    if not selection.typology:
        for question in questions_read(selection, within):
            if question.item in records:
                records[question.item].questions.append(question)
    for resolved in resolutions_read(selection, within):
        if resolved.item in records:
            records[resolved.item].resolutions[resolved.unit] = resolved
    for judgement in judgements_read(selection, within):
        if judgement.item in records:
            records[judgement.item].judgements.append(judgement)
    unit_order: dict[str | int, int] = {
        kind.code: place for place, kind in enumerate(selection.codebook.types)
    }
    numbers = {row.pk: row.number for row in selection.rounds}
    refined = refinements_read(selection.project, within) if selection.parameters.refined_questions else {}
    for record in records.values():
        if not selection.typology:
            record.questions.sort(key=lambda question: question.position)
            unit_order = {question.pk: place for place, question in enumerate(record.questions)}
        _judgements_sort(record, unit_order, numbers)
        _decide(record, selection, numbers)
        if stored := refined.get(record.item.pk):
            record.refined = refined_of(record.item.text, selection.codebook.types, record.types, stored)
        yield record


def _judgements_sort(record: ItemRecord, unit_order: dict[Any, int], numbers: dict[int, int]) -> None:
    last = len(unit_order)
    record.judgements.sort(
        key=lambda row: (
            unit_order.get(row.unit, last),
            str(row.unit) if row.unit not in unit_order else "",
            numbers[row.round],
            row.annotator,
        )
    )


def _decide(record: ItemRecord, selection: Selection, numbers: dict[int, int]) -> None:
    parameters = selection.parameters
    record.counted = latest(record.judgements, numbers)
    voting: dict[str | int, list[Judgement]] = defaultdict(list)
    for judgement, counted in zip(record.judgements, record.counted, strict=True):
        if counted and judgement.answer is not None:
            voting[judgement.unit].append(judgement)
    only = parameters.adjudicated_only
    record.types = dict.fromkeys(selection.type_codes, UNJUDGED)
    for code in record.types.keys() & (voting.keys() | record.resolutions.keys()):
        record.types[code] = decide_type(
            record.item.text,
            voting.get(code, ()),
            record.resolutions.get(code),
            jaccard=parameters.jaccard,
            adjudicated_only=only,
        )
    for question in record.questions:
        record.answers[question.pk] = decide_question(
            voting.get(question.pk, ()), record.resolutions.get(question.pk), adjudicated_only=only
        )
