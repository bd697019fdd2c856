"""The Celery side of imports, screening, drawing and opening rounds: ids in, one use case, nothing else."""

import logging
from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Any

from celery import Task, shared_task
from django.conf import settings
from django.utils import translation

from annotation.importing import screening, staging
from annotation.importing import uploads as uploading
from annotation.items import item_stretches
from annotation.models import Membership, Project, Round, Upload
from annotation.projects import deletion
from annotation.rounds import drawing as round_drawing
from annotation.rounds import opening
from annotation.rounds.sampling import drawn_items
from annotation.rounds.suggestions import SuggestionChoice
from core.dispatch import send, send_after_commit, send_or_run
from core.errors import Refused

logger = logging.getLogger(__name__)


@shared_task(name="annotation.check_upload")
def check_upload(upload_id: int, language: str | None = None, at_once: bool = False) -> bool:
    """Look through an uploaded file without storing anything; reasons are told in the lead's language."""
    with translation.override(language or settings.LANGUAGE_CODE):
        return uploading.upload_check(upload_id=upload_id, at_once=at_once)


@shared_task(name="annotation.import_upload")
def import_upload(upload_id: int, language: str | None = None, at_once: bool = False) -> bool:
    """Import an uploaded file; reasons are told in the lead's language."""
    with translation.override(language or settings.LANGUAGE_CODE):
        return uploading.upload_import(upload_id=upload_id, at_once=at_once)


@shared_task(name="annotation.sweep_imports")
def sweep_imports() -> None:
    """Take away what imports have staged whose worker died, and send the uploads that wait or lost theirs."""
    staging.imports_sweep()
    for upload in uploading.uploads_sweep():
        send(_task_of(upload), upload.pk, upload.language)


def _task_of(upload: Upload) -> "Task[Any, Any]":
    return check_upload if upload.work == Upload.Work.CHECK else import_upload


def run_or_send(upload: Upload) -> None:
    """Do what an upload waits for at once for a small file, else, or where it turns out to be long, send it
    to a worker.
    """
    task = _task_of(upload)
    if upload.size <= uploading.AT_ONCE_BYTES and task(upload.pk, upload.language, at_once=True):
        return
    send_after_commit(task, upload.pk, upload.language)


@shared_task(name="annotation.count_screening")
def count_screening(project_id: int) -> None:
    """Count the screening result of a large project."""
    screening.screening_count(Project.objects.get(pk=project_id))


def screening_count_or_send(project: Project) -> None:
    """Have a worker count a screening result; asking again soon changes nothing."""
    if screening.screening_kept(project).request_once():
        send_or_run(count_screening, project.pk)


@shared_task(name="annotation.find_stretches")
def find_stretches(project_id: int) -> None:
    """Find which items of a large project can have a word of one or two letters."""
    item_stretches.find_stretches(Project.objects.get(pk=project_id))


def find_stretches_or_send(project: Project) -> None:
    """Have a worker find them where nobody has since the last import; asking again soon changes nothing."""
    if not item_stretches.has_many_items(project):
        return
    kept = item_stretches.stretches_kept(project)
    _, holds = kept.last()
    if not holds and kept.request_once():
        send(find_stretches, project.pk)  # without a broker texts are read one by one as before


@shared_task(name="annotation.draw_round")
def draw_round(round_id: int, claim: str, options: dict[str, Any], by: int | None) -> None:
    """Draw items into a claimed round; nothing where the claim went stale and another took it over."""
    round = Round.objects.select_related("project", "codebook").get(pk=round_id)
    if "items_of" in options:
        options = {**options, "items_of": Round.objects.get(pk=options["items_of"])}
    member = round.project.memberships.get(pk=by) if by else None
    try:
        round_drawing.draw_run(round, datetime.fromisoformat(claim), options, member=member)
    except Refused as refusal:
        logger.warning("no items were drawn into round %s: %s", round_id, refusal.code)


def round_draw_or_send(round: Round, *, member: Membership | None = None, **options: Any) -> int:
    """Draw few items at once, and have a worker draw many: the round `is_drawing` meanwhile; return how many.

    Raises Refused as `round_drawing.round_draw` does. Where the broker cannot be reached all are drawn here.
    """
    drawn = drawn_items(round, **options)
    is_large = len(drawn) > round_drawing.AT_ONCE
    claim = round_drawing.draw_claim(round, len(drawn), waits=is_large)
    here = partial(round_drawing.draw_run, round, claim, options, drawn=drawn, member=member)
    if is_large:
        sent = {key: value for key, value in options.items() if value is not None}
        if "items_of" in sent:
            sent["items_of"] = sent["items_of"].pk
        arguments = (round.pk, claim.isoformat(), sent, member.pk if member else None)
        send_or_run(draw_round, *arguments, here=here)
        return len(drawn)
    return here()


@shared_task(name="annotation.open_round")
def open_round(round_id: int, claim: str, members: list[int], by: int | None) -> None:
    """Open a claimed round; nothing where the claim went stale and another opening took it over."""
    round = Round.objects.select_related("project", "codebook").get(pk=round_id)
    known = {one.pk: one for one in round.project.memberships.all()}
    taking_part = [known[pk] for pk in members]
    try:
        opening.opening_run(
            round, datetime.fromisoformat(claim), members=taking_part, by=known[by] if by else None
        )
    except Refused as refusal:
        logger.warning("round %s was not opened: %s", round_id, refusal.code)


def round_open_or_send(
    round: Round,
    *,
    members: Iterable[Membership] | None = None,
    by: Membership | None = None,
    suggestions: SuggestionChoice | None = None,
) -> Round:
    """Open a small round at once, and have a worker open a large one: it `is_opening` meanwhile.

    Raises Refused as `opening.round_open` does. Where the broker cannot be reached a large one opens here.
    """
    if not opening.is_large(round):
        return opening.round_open(round, members=members, by=by, suggestions=suggestions)
    taking_part = opening.annotators_of(round, members)
    claim = opening.opening_claim(round, taking_part, waits=True, suggestions=suggestions)
    arguments = (round.pk, claim.isoformat(), [member.pk for member in taking_part], by.pk if by else None)
    here = partial(opening.opening_run, round, claim, members=taking_part, by=by)
    send_or_run(open_round, *arguments, here=here)
    return round


@shared_task(name="annotation.delete_projects")
def delete_projects() -> None:
    """Delete the projects whose seven days are over."""
    deletion.projects_delete_due()
