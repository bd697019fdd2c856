"""One way in for page and API: files are checked, stored and asked to be scored, all of it or nothing."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from annotation.access import refuse_archived
from annotation.models import Membership
from core.lookalikes import seen_as
from exports.models import Release
from exports.releases.reader_access import refuse_release_while_judging
from scoring.models import Evaluation
from scoring.systems.choices import Asked
from scoring.systems.evaluations import evaluation_request
from scoring.systems.submissions import HandedIn, check_files, plain_name, store_submission
from scoring.systems.systems import system_create, system_named


def answers_hand_in(
    *,
    release: Release,
    system: str,
    files: Sequence[HandedIn],
    asked: Sequence[Asked],
    by: Membership,
    split: str | None = None,
    description: str = "",
    link: str = "",
) -> list[Evaluation]:
    """Return the evaluations asked for. The system is the one of this name, or a new one.

    Raises FilesRefused with every fault, and Refused for the rest; nothing is stored then.
    """
    project = release.project
    refuse_archived(project)
    refuse_release_while_judging(release, by)
    there = system_named(project, system)
    files = [HandedIn(plain_name(file.name), file.data) for file in files]
    read = check_files(release, files, split=split, system=there.name if there else seen_as(system))
    with transaction.atomic():
        known = there or system_create(
            project=project, name=system, description=description, link=link, by=by
        )
        submission = store_submission(system=known, release=release, files=files, read=read, by=by)
        return [evaluation_request(submission=submission, asked=one, by=by) for one in asked]
