"""The Celery side of reports: send work when the transaction is over, and do it by id.

A broker that is down never makes a request fail: the row stays queued and the sweep sends it later.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from celery import shared_task

from agreement.computation import competence as estimates
from agreement.computation import compute as jobs
from agreement.computation import crosscheck as crosschecks
from agreement.computation import influence as influences
from agreement.computation import parts
from agreement.computation import requests as reports
from agreement.models import AgreementReport, CompetenceEstimate, InfluenceFigures
from annotation.models import Round
from core.dispatch import send, send_after_commit


@shared_task(name="agreement.compute_report")
def compute_report(report_id: int) -> None:
    """Compute a report, then have it checked; a large one is sent on in parts."""
    outcome = jobs.report_compute(report_id=report_id)
    if outcome == AgreementReport.State.DONE:
        send(crosscheck_report, report_id)
    elif outcome == AgreementReport.State.IN_PARTS:
        for part_id in parts.parts_waiting(report_id):
            send(compute_part, part_id)


@shared_task(name="agreement.compute_part")
def compute_part(part_id: int) -> None:
    """Compute a part of a report, and after the last one the report; results are ignored, so no chord."""
    report_id = parts.part_compute(part_id=part_id)
    if report_id is not None:
        compute_report(report_id)


@shared_task(name="agreement.crosscheck_report", bind=True)
def crosscheck_report(task: Any, report_id: int) -> None:
    """Compute the figures of a finished report again by other libraries and note whether they agree."""
    if task.request.is_eager or task.request.called_directly:
        crosschecks.report_crosscheck(report_id=report_id)
    else:
        crosschecks.report_crosscheck_apart(report_id=report_id)


@shared_task(name="agreement.compute_competence")
def compute_competence(estimate_id: int) -> None:
    """Compute the competence of a report's annotators."""
    estimates.competence_compute(estimate_id=estimate_id)


@shared_task(name="agreement.compute_influence")
def compute_influence(influence_id: int) -> None:
    """Compute a report's figures without each annotator and by field."""
    influences.influence_compute(influence_id=influence_id)


@shared_task(name="agreement.sweep_reports")
def sweep_reports() -> None:
    """Send what waits for too long or lost its worker."""
    for report_id in jobs.report_sweep():
        send(compute_report, report_id)
    for part_id in parts.parts_sweep():
        send(compute_part, part_id)
    for report_id in crosschecks.crosscheck_sweep():
        send(crosscheck_report, report_id)
    for estimate_id in estimates.competence_sweep():
        send(compute_competence, estimate_id)
    for influence_id in influences.influence_sweep():
        send(compute_influence, influence_id)


@shared_task(name="agreement.refresh_live_reports")
def refresh_live_reports() -> None:
    """Ask for a new report of each open round with live agreement that has changed."""
    for round in reports.live_reports_due():
        report_start(round=round)


def report_start(*, round: Round, parameters: Mapping[str, Any] | None = None) -> AgreementReport:
    """Request a report and send it to a worker once the transaction is over. See `reports.report_request`."""
    report = reports.report_request(round=round, parameters=parameters)
    if report.state == AgreementReport.State.QUEUED:
        send_after_commit(compute_report, report.id)
    return report


def competence_start(*, report: AgreementReport) -> CompetenceEstimate:
    """Ask for the competence of a report's annotators. See `estimates.competence_request`."""
    estimate = estimates.competence_request(report=report)
    if estimate.state == CompetenceEstimate.State.QUEUED:
        send_after_commit(compute_competence, estimate.id)
    return estimate


def influence_start(*, report: AgreementReport) -> InfluenceFigures:
    """Ask for a report's figures without each annotator. See `influences.influence_request`."""
    influence = influences.influence_request(report=report)
    if influence.state == InfluenceFigures.State.QUEUED:
        send_after_commit(compute_influence, influence.id)
    return influence


def report_start_on_closing(*, round: Round, **_signal: Any) -> None:
    """Receive `annotation.signals.round_closed`: the row is written with the closing, or not at all."""
    report_start(round=round)
