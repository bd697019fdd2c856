"""Judgements of a study: answers, recorded as people record them or stored at once, and what leads decide."""

from collections.abc import Mapping
from itertools import count

from annotation.judging.recording import Recorded, Unit, judgement_record
from annotation.models import Item, Membership, Question, Resolution, Round, TypeAnnotation
from tests.factories.projects import Study
from tests.factories.rounds import assignment_of, close, focus_study

TYPES = ("OSP", "TC", "IE", "BS", "VAT", "OG", "QCE", "CF", "LE", "WE")
NO = {"applicable": False}
USEFUL = {"label": "USE"}
UNHELPFUL = {"label": "UN", "comment": "The text answers it."}

_numbers = count(1)


def yes(item: Item, quote: str, **more) -> dict:
    """Return the answer “yes, and this is the span”."""
    start = item.text.index(quote)
    return {"applicable": True, "start": start, "end": start + len(quote), "quote": quote, **more}


def invalid(reason: str = "BR", edited: str = "") -> dict:
    """Return the answer Invalid with a reason."""
    return {"label": "IN", "reason": reason, **({"edited_question": edited} if edited else {})}


def record(
    round: Round, member: Membership, item: Item, unit: str | Question, answer: dict | None, **options
) -> Recorded:
    """Record one judgement as the member, over whatever revision is stored, under a fresh event id."""
    assignment = assignment_of(round, member, item, repeat=options.pop("repeat", False))
    if isinstance(unit, Question):
        asked, row = Unit(question_id=unit.pk), assignment.question_annotations.filter(question=unit).first()
    else:
        asked, row = Unit(type_code=unit), assignment.type_annotations.filter(type_code=unit).first()
    return judgement_record(
        member=member,
        round_number=round.number,
        assignment_id=assignment.pk,
        unit=asked,
        answer=answer,
        base_revision=options.pop("base_revision", row.revision if row else 0),
        client_event_id=options.pop("event_id", f"event-{next(_numbers)}"),
        **options,
    )


def judge(made: Study, item: Item, answers: Mapping[str, list[dict | None]]) -> None:
    """Store one answer an annotator for each type; the types not named are "no" to everybody.

    Rows go in at once, without the events of the use case: hundreds of judgements a test would take too long.
    """
    rows = []
    for code in TYPES:
        for member, answer in zip(made.annotators, answers.get(code, [NO] * 9), strict=False):
            if answer is not None:
                rows.append(
                    TypeAnnotation(
                        assignment=assignment_of(made.round, member, item),
                        type_code=code,
                        span_required=True,
                        text_length=item.text_length,
                        **answer,
                    )
                )
    TypeAnnotation.objects.bulk_create(rows)


def judge_question(made: Study, question: Question, answers: list[dict | None]) -> None:
    """Record one answer an annotator for a question."""
    for member, answer in zip(made.annotators, answers, strict=False):
        if answer is not None:
            record(made.round, member, question.item, question, answer)


def judged(items: int = 2) -> Study:
    """Return a closed round of items, each decided a "yes" to Vague or Ambiguous Terms with one gold span."""
    made = focus_study(annotators=2, items=items)
    for item in made.items:
        judge(made, item, {"VAT": [yes(item, item.text[:11])] * 2})
    close(made)
    return made


def adjudicate(made: Study, item: Item, code: str, applicable: bool, *spans: tuple[int, int]) -> Resolution:
    """Store a lead's decision about one type."""
    return Resolution.objects.create(
        item=item,
        type_code=code,
        applicable=applicable,
        spans=[list(span) for span in spans],
        source="adjudicated",
        member=made.lead,
        why="We talked it over.",
    )
