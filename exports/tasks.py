"""The Celery side of releases and refinements: send work when the transaction is over, and do it by id.

A broker that is down never makes a request fail: the row stays queued and the sweep sends it later.
"""

from __future__ import annotations

from celery import shared_task

from annotation.models import Membership, Project
from core.cache import Asked
from core.dispatch import send, send_after_commit
from exports.models import RefinementRun, Release
from exports.refinement import candidates as question_counts
from exports.refinement import runs as refining
from exports.refinement import worker as refinement_work
from exports.refinement.candidates import QuestionTable, refinable_selection
from exports.refinement.parameters import RefinementChoices
from exports.releases import lifecycle as releases
from exports.releases.comparison import changes_between
from exports.selection.parameters import Parameters
from exports.selection.selection import Selection


@shared_task(name="exports.build_release")
def build_release(release_id: int) -> None:
    """Build a release."""
    releases.release_run(release_id=release_id)


@shared_task(name="exports.sweep_releases")
def sweep_releases() -> None:
    """Send what waits for too long or lost its worker."""
    for release_id in releases.release_sweep():
        send(build_release, release_id)


@shared_task(name="exports.refine_questions")
def refine_questions(run_id: int) -> None:
    """Work on a run of refinements for some minutes, and send the rest of it to the queue again."""
    if refinement_work.refinement_work(run_id=run_id):
        send(refine_questions, run_id)


@shared_task(name="exports.sweep_refinements")
def sweep_refinements() -> None:
    """Send the runs that wait for too long or lost their worker."""
    for run_id in refining.refinement_sweep():
        send(refine_questions, run_id)


@shared_task(name="exports.compare_releases")
def compare_releases(before_id: int, after_id: int) -> None:
    """Store how a release differs from one before it."""
    before, after = (Release.objects.get(pk=release_id) for release_id in (before_id, after_id))
    with _comparison(before_id, after_id).at_work():
        changes_between(before, after)


def comparison_start(before: Release, after: Release) -> None:
    """Have a worker compare two finished releases; asking again soon changes nothing."""
    if _comparison(before.pk, after.pk).first():
        send(compare_releases, before.pk, after.pk)


def _comparison(before_id: int, after_id: int) -> Asked:
    return Asked(f"releases-compared-{before_id}-{after_id}")


@shared_task(name="exports.count_questions")
def count_questions(project_id: int) -> None:
    """Count the questions of a project for those who are about to start a run of refinements."""
    question_counts.compute_question_table(refinable_selection(Project.objects.get(pk=project_id)))


def counting_start(selection: Selection) -> QuestionTable | None:
    """Return how many questions each source has; None while a worker counts them, which is asked for here."""
    table = question_counts.table_known(selection)
    if table is None and question_counts.table_kept(selection).request_once():
        send(count_questions, selection.project.pk)
    return table


def release_start(
    *, project: Project, version: str, parameters: Parameters, by: Membership | None = None
) -> Release:
    """Do `releases.release_request` and send the release to a worker once the transaction is over."""
    release = releases.release_request(project=project, version=version, parameters=parameters, by=by)
    if release.state == Release.State.QUEUED:
        send_after_commit(build_release, release.pk)
    return release


def refinement_start(
    *,
    project: Project,
    choices: RefinementChoices,
    texts_may_leave: bool,
    by: Membership | None = None,
) -> RefinementRun:
    """Do `refining.refinement_request` and send the run to a worker once the transaction is over."""
    run = refining.refinement_request(
        project=project, choices=choices, texts_may_leave=texts_may_leave, by=by
    )
    send_after_commit(refine_questions, run.pk)
    return run
