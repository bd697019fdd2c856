"""The large project that bench/lead.py asks for pages: the same rows for the same seed."""

import random
from typing import Any

BATCH = 2000
CODES = ("CTX", "TOP")
DISPUTED_EVERY = 5
DECIDED_EVERY = 10 * DISPUTED_EVERY
DISCUSSED_EVERY = 20 * DISPUTED_EVERY
LOG_ENTRIES = 20_000


def fill(slug: str, n_items: int, n_annotators: int) -> None:
    """Store the project: an open round that shares all items out and is half judged, and a closed one.

    One unit in five of the closed round is disputed, some are decided and discussed. The open round opens
    last: it tells a filled project from one whose filling was stopped.
    """
    from django.contrib.auth.models import User
    from django.utils import timezone

    from agreement.models import AgreementReport
    from annotation.database_rules import TRIGGERS, lifted_triggers
    from annotation.models import Import, Membership, ProjectEvent, Round
    from annotation.projects import member_add, project_create
    from annotation.rounds import round_create

    rng = random.Random(0)
    lea = User.objects.create_user("lea")
    project = project_create(slug=slug, codebook="context_sufficiency", user=lea)
    Membership.objects.filter(user=lea).update(is_annotator=False)
    lead = Membership.objects.get(user=lea)
    members = [
        member_add(project=project, user=User.objects.create_user(f"annotator{place}"))
        for place in range(n_annotators)
    ]
    brought_by = Import.objects.create(
        project=project, file_name="x", file_sha256="0" * 64, format="table", state="done"
    )
    running = round_create(project=project, overlap=1)
    closed = round_create(project=project, overlap=2)
    report = AgreementReport.objects.create(
        round=closed,
        parameters={"live": False},
        parameters_sha256="0" * 64,
        state="done",
        figures={"annotators": [{"pseudonym": member.pseudonym} for member in members]},
        computed_at=timezone.now(),
        digest="0" * 64,
        judgements_sha256="0" * 64,
    )
    with lifted_triggers(TRIGGERS):
        for first in range(0, n_items, BATCH):
            items = _items(project, brought_by, range(first, min(n_items, first + BATCH)))
            _running(running, items, first, members, rng)
            _closed(closed, report, items, first, members, lead, rng)
    ProjectEvent.objects.bulk_create(
        (
            ProjectEvent(
                project=project,
                member=lead,
                action="unit decided" if number % 10 else "items drawn",
                details={"round": running.name} if not number % 500 else {"item": f"B-{number}"},
            )
            for number in range(LOG_ENTRIES)
        ),
        batch_size=BATCH,
    )
    now = timezone.now()
    Round.objects.filter(pk=closed.pk).update(status="closed", opened_at=now, closed_at=now)
    Round.objects.filter(pk=running.pk).update(status="open", opened_at=now)


def _items(project: Any, brought_by: Any, numbers: range) -> list[Any]:
    from annotation.models import Item

    texts = [f"text {number} " + "and so it goes on and on " * 12 for number in numbers]
    return Item.objects.bulk_create(
        Item(
            project=project,
            brought_by=brought_by,
            external_id=f"B-{number}",
            text=text,
            text_length=len(text),
            topic=f"topic {number % 40}",
            source="bench",
        )
        for number, text in zip(numbers, texts, strict=True)
    )


def _assigned(round: Any, items: list[Any], first: int, members: list[Any], shift: int) -> list[Any]:
    from annotation.models import Assignment

    return Assignment.objects.bulk_create(
        Assignment(
            round=round,
            item=item,
            member=members[(first + place + shift) % len(members)],
            position=first + place + shift * 10_000_000,
        )
        for place, item in enumerate(items)
    )


def _judgement(assignment: Any, code: str, applicable: bool) -> Any:
    from annotation.models import TypeAnnotation

    return TypeAnnotation(
        assignment=assignment,
        type_code=code,
        span_required=False,
        text_length=assignment.item.text_length,
        applicable=applicable,
        active_seconds=9,
    )


def _draw(round: Any, items: list[Any], first: int) -> None:
    from annotation.models import RoundItem

    RoundItem.objects.bulk_create(
        RoundItem(round=round, item=item, position=first + place) for place, item in enumerate(items)
    )


def _running(round: Any, items: list[Any], first: int, members: list[Any], rng: random.Random) -> None:
    from annotation.models import TypeAnnotation

    _draw(round, items, first)
    assigned = _assigned(round, items, first, members, 0)
    TypeAnnotation.objects.bulk_create(
        _judgement(assignment, code, rng.random() < 0.5)
        for assignment in assigned
        # Half of each annotator's texts, whatever their number of annotators.
        if assignment.position // len(members) % 2
        for code in CODES
    )


def _closed(
    round: Any,
    report: Any,
    items: list[Any],
    first: int,
    members: list[Any],
    lead: Any,
    rng: random.Random,
) -> None:
    from agreement.models import DisputedUnit
    from annotation.models import Comment, Resolution, TypeAnnotation

    _draw(round, items, first)
    disputed = items[::DISPUTED_EVERY]
    for shift, said in ((0, True), (1, False)):
        assigned = _assigned(round, disputed, first, members, shift)
        TypeAnnotation.objects.bulk_create(_judgement(one, "CTX", said) for one in assigned)
    DisputedUnit.objects.bulk_create(
        DisputedUnit(
            report=report,
            item=item,
            type_code="CTX",
            why="undecided",
            votes=[["no", 1], ["yes", 1]],
            disputed=rng.random(),
        )
        for item in disputed
    )
    Resolution.objects.bulk_create(
        Resolution(
            item=item,
            type_code="CTX",
            applicable=True,
            source="adjudicated",
            why="because",
            member=lead,
            codebook=round.codebook,
        )
        for item in items[::DECIDED_EVERY]
    )
    Comment.objects.bulk_create(
        Comment(round=round, item=item, type_code="CTX", member=lead, text="What do you think?")
        for item in items[::DISCUSSED_EVERY]
        for _ in range(2)
    )
