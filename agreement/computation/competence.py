"""The life of an estimate of competence: asked for on a finished report, computed by a worker, stored whole.

See docs/decisions/agreement.md.
"""

from __future__ import annotations

import zlib

from django.utils.translation import gettext

from agreement.competence.crowd_models import NOT_INSTALLED
from agreement.competence.figures import competence_figures
from agreement.models import AgreementReport, CompetenceEstimate
from agreement.report.loading import judgements_of
from core.errors import Refused
from core.gc import gc_relaxed
from core.jobs import ATTEMPTS, Lease, requeue, sweep

State = CompetenceEstimate.State

STOPPED = f"The worker stopped {ATTEMPTS} times before competence was computed (killed, or out of memory)."
CHANGED = "The judgements have changed since the report was computed: compute it again, then ask again."


def competence_request(*, report: AgreementReport) -> CompetenceEstimate:
    """Return the estimate of a finished report: done, under way, or newly queued.

    One that failed, or that no worker could make because the extra was missing, is queued again. Raises
    Refused for a live report, which tells nothing of single annotators.
    """
    if report.parameters["live"]:
        raise Refused(
            "round_not_closed",
            gettext("While a round is open nothing is told of single annotators. Close it, then ask again."),
        )
    estimate, _ = CompetenceEstimate.objects.get_or_create(report=report)
    if estimate.state == State.FAILED:
        requeue(CompetenceEstimate.objects.filter(pk=estimate.pk))
    elif estimate.state == State.DONE and is_without_library(estimate):
        CompetenceEstimate.objects.filter(pk=estimate.pk, state=State.DONE).update(
            state=State.QUEUED, attempts=0, result=None
        )
    estimate.refresh_from_db()
    return estimate


def competence_current(report: AgreementReport) -> CompetenceEstimate | None:
    """Return what was asked for of a report's annotators, without the posteriors, or None."""
    return CompetenceEstimate.objects.filter(report=report).defer("posteriors").first()


def is_without_library(estimate: CompetenceEstimate) -> bool:
    """Say whether a table was left out because crowd-kit is not installed."""
    return any(section["reason"] == NOT_INSTALLED for section in (estimate.result or {}).get("sections", []))


def posteriors_text(estimate: CompetenceEstimate) -> str:
    """Return the posteriors of all units as CSV."""
    return zlib.decompress(bytes(estimate.posteriors)).decode()


@gc_relaxed()
def competence_compute(*, estimate_id: int) -> None:
    """Compute an estimate if it can be claimed; what stands in its way is stored."""
    if lease := Lease.claim(CompetenceEstimate.objects.filter(id=estimate_id)):
        with lease.working(f"competence {estimate_id}"):
            _compute(estimate_id, lease)


def _compute(estimate_id: int, lease: Lease) -> None:
    estimate = CompetenceEstimate.objects.select_related(
        "report__round__project", "report__round__codebook"
    ).get(id=estimate_id)
    report = estimate.report
    judgements = judgements_of(report)
    if judgements.digest() != report.judgements_sha256:
        lease.fail(CHANGED)
        return
    result, posteriors = competence_figures(judgements, seed=report.parameters["seed"], heartbeat=lease.renew)
    lease.finish(result=result, posteriors=zlib.compress(posteriors.encode()))


def competence_sweep() -> list[int]:
    """Return the estimates to send to a worker again; give up those that stopped ATTEMPTS times."""
    return sweep(CompetenceEstimate.objects.all(), stopped=STOPPED).again
