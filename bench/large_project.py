"""The large project that bench/lead.py asks for pages: the same rows for the same seed."""

import random
from typing import Any

BATCH = 2000
CODES = ("CTX", "TOP")
DISPUTED_EVERY = 5
DECIDED_EVERY = 10 * DISPUTED_EVERY
DISCUSSED_EVERY = 20 * DISPUTED_EVERY
LOG_ENTRIES = 20_000
SMALL = 300
INVITATIONS = 200
IMPORTS = 200


def fill(slug: str, n_items: int, n_annotators: int) -> None:
    """Store the project: round 1, open, two annotators a text, half judged; round 2, closed, judged alike.

    One unit in ten of round 2 is disputed, some are decided and discussed; its report shows the figures of
    round 3, which has a few of the texts and is released. Round 4 is a draft with all items. Round 1 opens
    last: that tells a filled project from one whose filling was stopped.
    """
    from django.contrib.auth.models import User
    from django.utils import timezone

    from annotation.database.install import TRIGGERS, lifted_triggers
    from annotation.models import Import, Membership, ProjectEvent, Round
    from annotation.projects.projects import member_add, project_create
    from annotation.rounds.lifecycle import round_create

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
    running = round_create(project=project, overlap=2)
    closed = round_create(project=project, overlap=2)
    small = round_create(project=project, overlap=2)
    draft = round_create(project=project, overlap=2)
    report = _report(closed)
    with lifted_triggers(TRIGGERS):
        for first in range(0, n_items, BATCH):
            items = _items(project, brought_by, range(first, min(n_items, first + BATCH)))
            _running(running, items, first, members, rng)
            _closed(closed, items, first, members, rng)
            _disputed(closed, report, items, lead)
            _draw(draft, items, first)
            if not first:
                _closed(small, items[:SMALL], first, members, rng)
    _around(project, lead)
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
    Round.objects.filter(pk__in=[closed.pk, small.pk]).update(status="closed", opened_at=now, closed_at=now)
    _finish(report, small)
    Round.objects.filter(pk=running.pk).update(status="open", opened_at=now)


def _report(round: Any) -> Any:
    from django.utils import timezone

    from agreement.models import AgreementReport

    return AgreementReport.objects.create(
        round=round,
        parameters={"live": False},
        parameters_sha256="0" * 64,
        state="done",
        figures={},
        computed_at=timezone.now(),
        digest="0" * 64,
        judgements_sha256="0" * 64,
    )


def _finish(report: Any, small: Any) -> None:
    """Compute the report of the small round, show its figures as those of the large one, and release it."""
    from agreement.computation.compute import report_compute
    from agreement.computation.requests import report_request
    from agreement.models import AgreementReport
    from agreement.report.loading import judgements_stamp
    from exports.releases.lifecycle import release_build
    from exports.selection.parameters import Parameters

    small.refresh_from_db()
    computed = report_request(round=small)
    report_compute(report_id=computed.pk)
    computed.refresh_from_db()
    report.round.refresh_from_db()
    AgreementReport.objects.filter(pk=report.pk).update(
        figures=computed.figures,
        code_version=computed.code_version,
        parameters=computed.parameters,
        parameters_sha256=computed.parameters_sha256,
        stamp=judgements_stamp(report.round),
    )
    chosen = Parameters.from_json({"rounds": [small.name]})
    for version in ("1.0", "1.1"):
        release_build(project=small.project, version=version, parameters=chosen)
    small.project.releases.update(is_public=True)


def _around(project: Any, lead: Any) -> None:
    """Store invitations that wait, and files that were imported before."""
    from datetime import timedelta

    from django.utils import timezone

    from annotation.models import Import, Invitation

    Invitation.objects.bulk_create(
        Invitation(
            project=project,
            token_sha256=f"{number:064}",
            note=f"person {number}",
            invited_by=lead,
            expires_at=timezone.now() + timedelta(days=3650),
        )
        for number in range(INVITATIONS)
    )
    Import.objects.bulk_create(
        Import(
            project=project,
            member=lead,
            file_name=f"texts {number}.csv",
            file_sha256="0" * 64,
            format="table",
            state="done",
        )
        for number in range(IMPORTS)
    )


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
    for shift in (0, 1):
        assigned = _assigned(round, items, first, members, shift)
        TypeAnnotation.objects.bulk_create(
            _judgement(assignment, code, rng.random() < 0.5)
            for assignment in assigned
            # Half of each annotator's texts, whatever their number of annotators.
            if assignment.position // len(members) % 2
            for code in CODES
        )


def _closed(round: Any, items: list[Any], first: int, members: list[Any], rng: random.Random) -> None:
    """Have two annotators judge each item: of one mind but for one in so many."""
    from annotation.models import TypeAnnotation

    _draw(round, items, first)
    disputed = {(item.pk, "CTX") for item in items[::DISPUTED_EVERY]}
    said = {(item.pk, code): rng.random() < 0.5 for item in items for code in CODES}
    for shift in (0, 1):
        TypeAnnotation.objects.bulk_create(
            _judgement(one, code, said[one.item_id, code] != (shift == 1 and (one.item_id, code) in disputed))
            for one in _assigned(round, items, first, members, shift)
            for code in CODES
        )


def _disputed(round: Any, report: Any, items: list[Any], lead: Any) -> None:
    """Store what the report found, what was decided of it, and what was said about it."""
    from agreement.models import DisputedUnit
    from annotation.models import Comment, Resolution

    rng = random.Random(items[0].pk)
    DisputedUnit.objects.bulk_create(
        DisputedUnit(
            report=report,
            item=item,
            type_code="CTX",
            why="undecided",
            votes=[["no", 1], ["yes", 1]],
            disputed=rng.random(),
        )
        for item in items[::DISPUTED_EVERY]
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
