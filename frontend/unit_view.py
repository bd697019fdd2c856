"""One unit of a closed round ready to be shown: the text in pieces, the answers, and the sides to take."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language, gettext

from agreement.adjudication.answers import Answer, picked, read_answers
from agreement.display.highlighting import Segment, segments
from agreement.models import AgreementReport
from annotation.codebooks.definition import Codebook as Definition
from annotation.codebooks.definition import Group
from annotation.codebooks.translations import codebook_in
from annotation.judging.recording import Unit
from annotation.models import Item, Question, Resolution, Round
from annotation.protocols.matching import MATCHED
from annotation.rounds.asked_types import asked_of_item
from core.errors import NotFound

PATTERNS = 6
"""Kinds of underline in the stylesheet; with more annotators they repeat, and the name tells."""


@dataclass(frozen=True, slots=True)
class Side:
    """One answer that a lead can take: what the form sends, what it says, and who gave it."""

    value: str
    label: str
    quote: str
    who: tuple[str, ...]
    gold: bool = False


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """An annotator's answer beside the number of the underline that marks its span."""

    answer: Answer
    name: str
    pattern: int


@dataclass(frozen=True, slots=True)
class UnitShown:
    """A unit with its text cut where spans begin and end.

    `pieces` are (segment, patterns under it, pseudonyms whose spans start there, its offset in code points).
    """

    item: Item
    question: Question | None
    unit: Unit
    name: str
    exemplar: str
    description: str
    group: Group | None
    needs_span: bool
    pieces: list[tuple[Segment, tuple[int, ...], list[str], int]]
    answers: list[ShownAnswer]
    sides: list[Side]
    rows: int


def unit_key(type_code: str, question_id: int | None) -> str:
    """Return how a unit is named in an address: its type's code, or its question's number."""
    return type_code or str(question_id)


def unit_of(round: Round, item_id: int, key: str) -> tuple[Item, Unit]:
    """Return the item and unit of an address. Raises NotFound for what the round does not have."""
    item = round.items.filter(pk=item_id).first()
    if item is None:
        raise NotFound(gettext("This text is not part of the round."))
    if key.isdecimal():
        if not round.round_questions.filter(question=int(key[:18]), question__item=item).exists():
            raise NotFound(gettext("This question is not part of the round."))
        return item, Unit("", int(key[:18]))
    if key not in asked_of_item(round, item.pk):
        raise NotFound(gettext("The round does not ask a type “%(code)s” of this text.") % {"code": key})
    return item, Unit(key)


def unit_shown(round: Round, report: AgreementReport | None, item: Item, unit: Unit) -> UnitShown:
    """Return a unit with everybody's answers; consensus spans come from the report where there is one."""
    definition = codebook_in(Definition.from_json(round.codebook.definition), get_language() or "")
    key = (item.pk, unit.type_code, unit.question_id)
    answers = sorted(read_answers(round, [key]).get(key, []), key=lambda answer: answer.member_id)
    entry = definition.type(unit.type_code) if unit.type_code else None
    spans = [
        (place, answer.start, answer.end)
        for place, answer in enumerate(answers)
        if answer.start is not None and answer.end is not None
    ]
    pieces, place = [], 0
    for segment in segments(item.text, spans):
        patterns = tuple(who % PATTERNS for who in segment.by)
        pieces.append((segment, patterns, [answers[who].pseudonym for who in segment.starts], place))
        place += len(segment.text)
    names = _names(definition)
    return UnitShown(
        item=item,
        question=Question.objects.filter(pk=unit.question_id).first() if unit.question_id else None,
        unit=unit,
        name=entry.name if entry else "",
        exemplar=(entry.exemplar or "") if entry else "",
        description=entry.description if entry else "",
        group=next((group for group in definition.groups if entry and group.key == entry.group), None),
        needs_span=bool(entry and entry.span),
        pieces=pieces,
        answers=[
            ShownAnswer(answer, _said(answer, names), place % PATTERNS)
            for place, answer in enumerate(answers)
        ],
        sides=_type_sides(report, item, unit, answers, bool(entry and entry.span))
        if entry
        else _reference_sides(round, item, unit, answers) + _question_sides(definition, answers),
        rows=min(len(answers), PATTERNS) or 1,
    )


def resolution_text(resolution: Resolution, definition: Definition) -> str:
    """Return what was decided, in words."""
    if resolution.reference is not None:
        return same_as(resolution.reference.text)
    if resolution.label:
        names = _names(definition)
        reason = f": {names.get(resolution.reason, resolution.reason)}" if resolution.reason else ""
        return f"{names.get(resolution.label, resolution.label)}{reason}"
    text = resolution.item.text
    quotes = ", ".join(f"“{text[start:end]}”" for start, end in resolution.spans)
    yes = gettext("Yes")
    return gettext("No") if not resolution.applicable else f"{yes}: {quotes}" if quotes else yes


def _names(definition: Definition) -> dict[str, str]:
    return {
        "yes": gettext("Yes"),
        "no": gettext("No"),
        "?": gettext("Cannot judge"),
        **{label.code: label.name for label in definition.labels},
        **{reason.code: reason.name for reason in definition.reasons},
    }


def same_as(reference: str) -> str:
    """Say that a question asks the same as a reference."""
    return gettext("asks the same as “%(reference)s”") % {"reference": reference}


def _said(answer: Answer, names: dict[str, str]) -> str:
    if answer.reference:
        return same_as(answer.reference)
    name = names.get(answer.answer, answer.answer)
    return f"{name}: {names.get(answer.reason, answer.reason)}" if answer.reason else name


def _type_sides(
    report: AgreementReport | None, item: Item, unit: Unit, answers: list[Answer], span: bool
) -> list[Side]:
    said_no = tuple(answer.pseudonym for answer in answers if answer.answer == "no")
    said_yes = tuple(answer.pseudonym for answer in answers if answer.answer == "yes")
    sides = [Side("no", gettext("No"), "", said_no)]
    if not span:
        return [*sides, Side("yes", gettext("Yes"), "", said_yes)]
    by_member = {answer.member_id: answer.pseudonym for answer in answers}
    found = (
        list(report.consensus_spans.filter(item=item, type_code=unit.type_code).order_by("start", "end"))
        if report
        else []
    )
    for one in sorted(found, key=lambda one: (-one.support, one.start, one.end)):
        who = tuple(by_member[pk] for pk in one.members if pk in by_member)
        sides.append(
            Side(f"yes:{one.start}-{one.end}", gettext("Yes"), one.text, who, gold=one.kind == "gold")
        )
    gold = [one for one in found if one.kind == "gold"]
    if len(gold) > 1:
        value = "yes:" + ",".join(f"{one.start}-{one.end}" for one in gold)
        sides.append(
            Side(value, gettext("Yes, with all gold spans"), " … ".join(one.text for one in gold), ())
        )
    return sides


def _reference_sides(round: Round, item: Item, unit: Unit, answers: list[Answer]) -> list[Side]:
    """Return the references that a matching round offers for a question, those that were picked first."""
    offered = round.match_references.filter(item=item).exclude(left_out__question=unit.question_id)
    sides = [
        Side(
            f"{MATCHED}:{reference.pk}",
            gettext("Asks the same as"),
            reference.text,
            tuple(answer.pseudonym for answer in answers if answer.answer == picked(reference.place)),
        )
        for reference in offered.order_by("place")
    ]
    return sorted(sides, key=lambda side: -len(side.who))


def _question_sides(definition: Definition, answers: list[Answer]) -> list[Side]:
    names = _names(definition)
    codes = [
        (label.code, reason.code if reason else "")
        for label in definition.labels
        for reason in (definition.reasons if label.code == "IN" else [None])
    ]
    return [
        Side(
            f"{label}:{reason}",
            f"{names[label]}: {names[reason]}" if reason else names[label],
            "",
            tuple(
                answer.pseudonym
                for answer in answers
                if (answer.answer, answer.reason or "") == (label, reason)
            ),
        )
        for label, reason in codes
    ]


def spans_of_side(value: str) -> tuple[tuple[int, int], ...]:
    """Return the spans that a side's value carries: yes:10-31,40-52."""
    _, _, listed = value.partition(":")
    pairs = [part.split("-") for part in listed.split(",") if part]
    return tuple((int(start[:9]), int(end[:9])) for start, end in pairs if (start + end).isdecimal())


def json_of(shown: UnitShown) -> dict[str, Any]:
    """Return what the page's script needs to move a span: the text as stored, and the question."""
    return {"text": shown.item.text, "exemplar": shown.exemplar}
