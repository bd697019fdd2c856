"""Handing in what a run of a baseline answered: a submission of a system for a release."""

from __future__ import annotations

from django.utils.translation import gettext

from annotation.models import Membership
from assist.models import AssistRun
from assist.runs.results import submission_bytes
from core.errors import NotFound, Refused
from exports.models import Release
from scoring.models import Submission
from scoring.systems.submissions import HandedIn, submission_create
from scoring.systems.systems import system_create, system_named


def run_hand_in(
    *, run: AssistRun, version: str, system: str = "", by: Membership | None = None
) -> Submission:
    """Hand what a run answered in for a release, as the system of this name; by default that of its model.

    Raises Refused for a run that has not come to its end, and with every fault where the file is refused.
    """
    if run.state != AssistRun.State.DONE:
        raise Refused("not_ready", gettext("Run %(number)s is not done.") % {"number": run.number})
    release = Release.objects.filter(project=run.project, version=version).first()
    if release is None:
        raise NotFound(gettext("There is no release %(version)s in this project.") % {"version": version})
    name = system or run.model
    known = system_named(run.project, name) or system_create(
        project=run.project,
        name=name,
        description=gettext("Run %(number)s of %(task)s by %(model)s")
        % {"number": run.number, "task": run.task, "model": run.model},
        by=by,
    )
    files = [HandedIn(f"{run.task}-run-{run.number}.json", submission_bytes(run))]
    return submission_create(system=known, release=release, files=files, by=by)
