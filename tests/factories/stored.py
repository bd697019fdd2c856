"""Rounds with judgements, written straight through the models: what a report starts from."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone

from annotation.codebooks.toml_reader import load_shipped
from annotation.models import (
    Assignment,
    Codebook,
    Import,
    Item,
    Membership,
    Project,
    Question,
    QuestionAnnotation,
    Round,
    RoundItem,
    RoundQuestion,
    TypeAnnotation,
)

Span = tuple[int, int]
Answer = bool | Span | str | None
"""True or False, the span of a yes, None for undecided, "?" for cannot judge."""


def store_project(codebook: str = "focus", slug: str = "study") -> Project:
    shipped = load_shipped(codebook)
    project = Project.objects.create(slug=slug, name=slug.title(), protocol=shipped.protocol)
    Codebook.objects.create(
        project=project, version=1, source=f"# {codebook}", definition=shipped.to_json(), guideline="Read."
    )
    return project


def store_items(project: Project, texts: Mapping[str, str], **fields: Any) -> dict[str, Item]:
    brought_by = Import.objects.create(project=project, file_name="f", format="table", state="done")
    return {
        external_id: Item.objects.create(
            project=project,
            brought_by=brought_by,
            external_id=external_id,
            text=text,
            text_length=len(text),
            **fields,
        )
        for external_id, text in texts.items()
    }


def store_members(project: Project, names: Sequence[str]) -> dict[str, Membership]:
    return {
        name: Membership.objects.get_or_create(
            project=project, pseudonym=name, defaults={"is_annotator": True}
        )[0]
        for name in names
    }


def store_round(project: Project, items: Sequence[Item], **fields: Any) -> Round:
    number = project.rounds.count() + 1
    round = Round.objects.create(
        project=project,
        number=number,
        name=f"Round {number}",
        codebook=project.codebooks.latest("version"),
        **fields,
    )
    RoundItem.objects.bulk_create(
        RoundItem(round=round, item=item, position=position) for position, item in enumerate(items)
    )
    RoundQuestion.objects.bulk_create(
        RoundQuestion(round=round, question=question)
        for question in Question.objects.filter(item__in=items).order_by("item_id", "position")
    )
    return round


def open_stored(round: Round) -> Round:
    round.status, round.opened_at = Round.Status.OPEN, timezone.now()
    round.save()
    return round


def close_stored(round: Round) -> Round:
    round.opened_at = round.opened_at or timezone.now()
    round.status, round.closed_at = Round.Status.CLOSED, timezone.now()
    round.save()
    return round


def store_answers(
    round: Round,
    item: Item,
    member: Membership,
    answers: Mapping[str, Answer],
    *,
    seconds: int = 10,
    repeat: bool = False,
    **fields: Any,
) -> list[TypeAnnotation]:
    """Store the answers of one member about one item, by type code."""
    assignment, _ = Assignment.objects.get_or_create(
        round=round,
        item=item,
        member=member,
        repeat=repeat,
        defaults={"position": Assignment.objects.filter(round=round, member=member).count()},
    )
    spans = {entry["code"]: entry["span"] for entry in round.codebook.definition["types"]}
    return TypeAnnotation.objects.bulk_create(
        _type_row(assignment, item, code, answer, spans[code], seconds, fields)
        for code, answer in answers.items()
    )


def _type_row(
    assignment: Assignment,
    item: Item,
    code: str,
    answer: Answer,
    span_required: bool,
    seconds: int,
    fields: dict[str, Any],
) -> TypeAnnotation:
    row = TypeAnnotation(
        assignment=assignment,
        type_code=code,
        span_required=span_required,
        text_length=item.text_length,
        active_seconds=seconds,
        **fields,
    )
    if answer == "?":
        row.cannot_judge, row.comment = True, "broken text"
    elif isinstance(answer, tuple):
        row.applicable, (row.start, row.end) = True, answer
        row.quote = item.text[row.start : row.end]
    else:
        row.applicable = answer
    return row


def store_questions(item: Item, texts: Sequence[str]) -> list[Question]:
    return Question.objects.bulk_create(
        Question(item=item, brought_by=item.brought_by, position=position, external_id=position, text=text)
        for position, text in enumerate(texts)
    )


def store_label(
    round: Round,
    question: Question,
    member: Membership,
    label: str | None,
    reason: str = "",
    *,
    repeat: bool = False,
    **fields: Any,
) -> QuestionAnnotation:
    """Store one label; an Unhelpful one gets the comment it needs."""
    assignment, _ = Assignment.objects.get_or_create(
        round=round,
        item=question.item,
        member=member,
        repeat=repeat,
        defaults={"position": Assignment.objects.filter(round=round, member=member).count()},
    )
    return QuestionAnnotation.objects.create(
        assignment=assignment,
        question=question,
        label=label,
        reason=reason,
        comment="well known" if label == "UN" else "",
        **fields,
    )
