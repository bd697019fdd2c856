"""Making a matching round: candidate questions of systems, with the references to match them with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from django.db import transaction
from django.db.models import Max

from annotation.models import (
    Import,
    MatchReference,
    Membership,
    Project,
    Question,
    ReferenceLeftOut,
    Round,
    RoundItem,
    RoundQuestion,
)
from annotation.rounds.draft_claim import round_log
from annotation.rounds.lifecycle import round_create

MATCHING = "matching"
"""The format of the import that a matching round's candidates came with."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """The words of a question, and the places of the references that are not offered for it."""

    text: str
    left_out: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class MatchItem:
    """One item of a matching round: the texts of its references in file order, and its candidates."""

    item: int
    references: Sequence[str]
    candidates: Sequence[Candidate]


def matching_round_create(
    *,
    project: Project,
    items: Sequence[MatchItem],
    digest: str,
    name: str = "",
    overlap: int = 2,
    seed: int = 0,
    by: Membership | None = None,
) -> tuple[Round, list[list[Question]]]:
    """Create a draft matching round; return it, and each item's questions in the order of its candidates.

    `digest` is the SHA-256 of what the candidates are from. Within an item they are asked in a random order,
    so that nothing tells which of them belong together.
    """
    with transaction.atomic():
        number = project.rounds.filter(matching=True).count() + 1
        made = round_create(
            project=project,
            name=name or _free_name(project, number),
            purpose=Round.Purpose.MAIN,
            overlap=overlap,
            seed=seed,
            shuffled=True,
            matching=True,
            member=by,
        )
        brought_by = Import.objects.create(
            project=project,
            member=by,
            file_name=made.name,
            file_sha256=digest,
            format=MATCHING,
            state=Import.State.DONE,
        )
        RoundItem.objects.bulk_create(
            RoundItem(round=made, item_id=found.item, position=position)
            for position, found in enumerate(items, start=1)
        )
        questions = list(_questions(brought_by, items, seed))
        Question.objects.bulk_create(question for of_item in questions for question in of_item)
        RoundQuestion.objects.bulk_create(
            RoundQuestion(round=made, question=question) for of_item in questions for question in of_item
        )
        _add_references(made, items, questions)
        Round.objects.filter(pk=made.pk).update(draw={"matching": True, "seed": seed})
        made.refresh_from_db()
        round_log(made, by, "items drawn", items=len(items))
    return made, questions


def _free_name(project: Project, number: int) -> str:
    while project.rounds.filter(name=f"Matching {number}").exists():
        number += 1
    return f"Matching {number}"


def _questions(brought_by: Import, items: Sequence[MatchItem], seed: int) -> Iterator[list[Question]]:
    keys = [found.item for found in items]
    last = dict(
        Question.objects.filter(item__in=keys).order_by().values_list("item").annotate(Max("position"))
    )
    for at, found in enumerate(items):
        places = list(range(1, len(found.candidates) + 1))
        Random(f"{seed}:{at}").shuffle(places)
        yield [
            Question(
                item_id=found.item,
                brought_by=brought_by,
                position=last.get(found.item, 0) + place,
                external_id=None,
                text=candidate.text,
                candidate=True,
            )
            for candidate, place in zip(found.candidates, places, strict=True)
        ]


def _add_references(made: Round, items: Sequence[MatchItem], questions: Sequence[Sequence[Question]]) -> None:
    rows = [
        [
            MatchReference(round=made, item_id=found.item, place=place, text=text)
            for place, text in enumerate(found.references)
        ]
        for found in items
    ]
    MatchReference.objects.bulk_create(row for of_item in rows for row in of_item)
    ReferenceLeftOut.objects.bulk_create(
        ReferenceLeftOut(reference=references[place], question=question)
        for found, references, of_item in zip(items, rows, questions, strict=True)
        for candidate, question in zip(found.candidates, of_item, strict=True)
        for place in sorted(candidate.left_out)
    )


def matching_draft_empty(made: Round) -> None:
    """Take away what a draft matching round was made of, within the caller's transaction."""
    questions = Question.objects.filter(round_questions__round=made, candidate=True)
    brought = set(questions.values_list("brought_by", flat=True))
    keys = list(questions.values_list("pk", flat=True))
    ReferenceLeftOut.objects.filter(reference__round=made).delete()
    MatchReference.objects.filter(round=made).delete()
    RoundQuestion.objects.filter(round=made).delete()
    Question.objects.filter(pk__in=keys).delete()
    Import.objects.filter(pk__in=brought).update(state=Import.State.UNDONE)
