"""Candidate questions that wait for a lead: collected from answers and schemes, kept, edited or dropped.

What is kept becomes the item's questions in a random order, which says nothing of where a question is from.

See docs/decisions/assistants.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from typing import NamedTuple

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from annotation.access import refuse_archived
from annotation.limits import LIMITS, unfit
from annotation.models import (
    Import,
    Item,
    Membership,
    Project,
    ProjectEvent,
    Protocol,
    Question,
    RoundQuestion,
)
from assist.candidates.near_repeats import near_groups
from assist.candidates.schemes import catalogue, filling_propose, scheme_questions
from assist.models import AssistAnswer, AssistRun, ProposedQuestion, SchemeFilling
from assist.reading.model_answers import words_of
from assist.runs.results import answers_of
from core.cache import cached
from core.canonical_json import sha256_of
from core.errors import Refused
from core.texts import is_blank, sentence, storable

THEORY = "theory"
"""Where a question from a scheme is from, as the published files say."""

FORMAT = "assist"
"""The format of the import that made questions come with."""

_FAR = 1_000_000
"""Where questions stand for a moment while their places change: two never have the same one."""

State = ProposedQuestion.State

_ORDER = (State.KEPT, State.WAITING, State.DROPPED)


class Group(NamedTuple):
    """Proposed questions of an item that nearly repeat each other; the first is preselected."""

    proposals: tuple[ProposedQuestion, ...]

    @property
    def first(self) -> ProposedQuestion:
        return self.proposals[0]


def proposals_collect(run: AssistRun) -> int:
    """Store what the answers of a run propose, each once: questions or words for schemes; return how many.

    Raises Refused for another task, and in an archived project.
    """
    refuse_archived(run.project)
    if run.task in ("questions", "slots"):
        with transaction.atomic():
            Project.objects.select_for_update().get(pk=run.project_id)
            return _questions_of(run) if run.task == "questions" else _fillings_of(run)
    raise Refused("invalid", gettext("Run %(number)s proposes no questions.") % {"number": run.number})


def _fillings_of(run: AssistRun) -> int:
    known = catalogue()
    fresh = answers_of(run).filter(state="usable", fillings=None)
    return sum(filling_propose(answer, known) is not None for answer in fresh.iterator(chunk_size=500))


def _questions_of(run: AssistRun) -> int:
    """Store the questions of a run's answers under the ids of the published files."""
    made = 0
    fresh = answers_of(run).filter(state="usable", proposed=None).iterator(chunk_size=500)
    while answers := list(islice(fresh, 500)):
        there: dict[int, set[str]] = {answer.item_id: set() for answer in answers}
        named = ProposedQuestion.objects.filter(item__in=there).values_list("item", "external_id")
        for item, external_id in named:
            there[item].add(external_id)
        rows = [row for answer in answers for row in _proposed_by(answer, run, there[answer.item_id])]
        made += len(ProposedQuestion.objects.bulk_create(rows))
    return made


def _proposed_by(answer: AssistAnswer, run: AssistRun, there: set[str]) -> Iterator[ProposedQuestion]:
    """Yield the questions of an answer; their ids are added to those that are there."""
    item, origin = answer.item, run.model[:200]
    base = f"{item.external_id}_LLM_{item.source}_D_{run.model.replace('/', '_')}"
    for number, text in enumerate(answer.found["questions"] if answer.found else ()):
        external_id = f"{base}_{number}_{answer.variant}"
        if external_id in there:  # another recipe of the same model
            external_id = f"{external_id}_{run.number}"
        if external_id not in there and not unfit(text, LIMITS["question"]["text"]):
            there.add(external_id)
            yield ProposedQuestion(
                item=item, external_id=external_id, origin=origin, text=text, answer=answer
            )


def filling_questions(filling: SchemeFilling) -> list[ProposedQuestion]:
    """Store the questions of a scheme that a person confirmed, once. Raises Refused before that."""
    if filling.confirmed_at is None:
        raise Refused("not_ready", gettext("Confirm the words of the scheme first."))
    there = list(filling.proposed.all())
    if there:
        return there
    with transaction.atomic():
        item = Item.objects.select_for_update().get(pk=filling.item_id)
        first = item.proposed_questions.filter(filling__isnull=False).count()
        return ProposedQuestion.objects.bulk_create(
            ProposedQuestion(
                item=item,
                external_id=f"{item.external_id}_T__{first + number}",
                origin=THEORY,
                text=storable(text),
                filling=filling,
            )
            for number, text in enumerate(scheme_questions(filling.scheme, filling.slots))
        )


def proposals_near(proposals: Sequence[ProposedQuestion]) -> list[Group]:
    """Group the questions of one item that nearly repeat each other: the same words, or chrF above 80.

    The first of a group is one that a person kept, else one that waits, else one that was dropped. What
    was grouped is kept under the words in their order, so that a page that is opened again has it at once.
    """
    rows, words = _in_order(proposals)
    groups = cached(f"assist-near:{sha256_of(words)}", lambda: near_groups(words))
    return [Group(tuple(rows[place] for place in group)) for group in groups]


def _in_order(proposals: Iterable[ProposedQuestion]) -> tuple[list[ProposedQuestion], list[str]]:
    rows = sorted(proposals, key=lambda found: (_ORDER.index(found.state), found.pk))
    return rows, [row.words for row in rows]


def is_preselected(row: ProposedQuestion, group: Group) -> bool:
    """Return whether a page ticks a question: one that was kept, and of those that wait the first."""
    return row.state == State.KEPT or (row.state == State.WAITING and row is group.first)


def proposals_decide(
    *, item: Item, decisions: Mapping[int, tuple[str, str]], by: Membership | None = None
) -> None:
    """Keep or drop proposed questions of an item: by key, the state and the words as a lead edited them.

    Raises Refused with a message for each wrong one; nothing is stored then.
    """
    refuse_archived(item.project)
    rows = {row.pk: row for row in item.proposed_questions.all()}
    errors: dict[str, str] = {}
    for pk, (state, words) in decisions.items():
        row = rows.get(pk)
        if row is None or state not in State.values:
            errors[str(pk)] = gettext("There is no such question on this item.")
        elif row.question_id is not None:
            if state != State.KEPT or (words and words != row.words):
                errors[str(pk)] = gettext("This is a question of the item by now, and stays as it is.")
        elif words and (problem := unfit(words, LIMITS["question"]["text"])):
            errors[str(pk)] = sentence(problem)
    if errors:
        raise Refused("invalid", " ".join(errors.values()), errors=errors)
    with transaction.atomic():
        for pk, (state, words) in decisions.items():
            row = rows[pk]
            if row.question_id is not None:
                continue
            row.state = state
            row.edited = "" if is_blank(words) or words == row.text else words.strip()
            row.decided_at, row.decided_by = timezone.now(), by
            row.save(update_fields=["state", "edited", "decided_at", "decided_by"])


def keep_proposals(
    *, project: Project, items: Iterable[int] | None = None, which: str = "all", by: Membership | None = None
) -> int:
    """Keep the waiting questions of items, all or of near repeats the preselected one; return how many.

    The others of a group are dropped, and stay on record.
    """
    refuse_archived(project)
    waiting = ProposedQuestion.objects.filter(item__project=project, state=State.WAITING)
    if items is not None:
        waiting = waiting.filter(item__in=items)
    now = timezone.now()
    decided = {"decided_at": now, "decided_by": by}
    if which == "all":
        return waiting.update(state=State.KEPT, **decided)
    kept = 0
    for item in list(waiting.order_by().values_list("item", flat=True).distinct()):
        rows, words = _in_order(ProposedQuestion.objects.filter(item=item).exclude(state=State.DROPPED))
        for group in near_groups(words):
            for row in (rows[place] for place in group):
                if row.state == State.WAITING:
                    state = State.KEPT if row is rows[group[0]] else State.DROPPED
                    ProposedQuestion.objects.filter(pk=row.pk).update(state=state, **decided)
                    kept += state == State.KEPT
    return kept


def questions_make(
    *, project: Project, items: Iterable[int] | None = None, seed: int = 0, by: Membership | None = None
) -> int:
    """Make questions of what was kept, in a random order within each item; return how many.

    Each keeps its published id and where it is from, which annotators never see. A question in the same
    words that an item has already is not made a second time: what was kept of it is dropped.
    """
    refuse_archived(project)
    if project.protocol != Protocol.CQS_GEN:
        raise Refused("invalid", gettext("Only a project of CQs-Gen has questions."))
    kept = ProposedQuestion.objects.filter(item__project=project, state=State.KEPT, question=None)
    if items is not None:
        kept = kept.filter(item__in=items)
    made = 0
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        by_item, repeats = _fresh(kept)
        ProposedQuestion.objects.filter(pk__in=repeats).update(state=State.DROPPED)
        if not by_item:
            return 0
        brought = Import.objects.create(
            project=project,
            member=by,
            file_name=gettext("Questions made here"),
            file_sha256=sha256_of(
                [[row.external_id, row.words] for rows in by_item.values() for row in rows]
            ),
            format=FORMAT,
            state=Import.State.DONE,
        )
        for item, rows in by_item.items():
            made += _made_of(item, rows, brought, seed)
        ProjectEvent.objects.create(
            project=project,
            member=by,
            action="questions made",
            details={"questions": made, "items": len(by_item), "seed": seed},
        )
    return made


def _fresh(kept: QuerySet[ProposedQuestion]) -> tuple[dict[int, list[ProposedQuestion]], list[int]]:
    """Return what was kept by item, and those whose words the item has already, or twice among them."""
    by_item: dict[int, list[ProposedQuestion]] = {}
    for row in kept.select_related("item").order_by("item", "external_id"):
        by_item.setdefault(row.item_id, []).append(row)
    there: dict[int, set[tuple[str, ...]]] = {}
    for item, text in Question.objects.filter(item__in=by_item).values_list("item", "text"):
        there.setdefault(item, set()).add(words_of(text))
    fresh: dict[int, list[ProposedQuestion]] = {}
    repeats = []
    for item, rows in by_item.items():
        seen = there.setdefault(item, set())
        for row in rows:
            if words_of(row.words) in seen:
                repeats.append(row.pk)
            else:
                seen.add(words_of(row.words))
                fresh.setdefault(item, []).append(row)
    return fresh, repeats


def _made_of(item: int, fresh: list[ProposedQuestion], brought: Import, seed: int) -> int:
    last = Question.objects.filter(item=item).aggregate(last=Max("position"))["last"] or 0
    made = [
        Question(
            item_id=item, brought_by=brought, external_id=row.external_id, text=row.words, origin=row.origin
        )
        for row in fresh
    ]
    # Those made before are put in order anew, while no round has them: what came later would stand last.
    before = list(Question.objects.filter(item=item, brought_by__format=FORMAT))
    if RoundQuestion.objects.filter(question__item=item).exists():
        before = []
    places = [*(row.position for row in before), *range(last + 1, last + 1 + len(made))]
    Random(f"{seed}:{fresh[0].item.external_id}").shuffle(places)
    for question, place in zip(before, places, strict=False):
        Question.objects.filter(pk=question.pk).update(position=_FAR + place)
    for question, place in zip(made, places[len(before) :], strict=True):
        question.position = _FAR + place
    Question.objects.bulk_create(made)
    moved = Question.objects.filter(item=item, position__gt=_FAR)
    for question in moved:
        Question.objects.filter(pk=question.pk).update(position=question.position - _FAR)
    for row, question in zip(fresh, made, strict=True):
        ProposedQuestion.objects.filter(pk=row.pk).update(question=question)
    return len(fresh)
