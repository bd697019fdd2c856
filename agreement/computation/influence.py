"""The life of the figures without each annotator: asked for on a finished report, computed by a worker.

See docs/decisions/agreement.md.
"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from agreement.computation.influence_figures import influence_figures
from agreement.models import AgreementReport, InfluenceFigures
from agreement.report.loading import judgements_of
from annotation.access import kept_from
from annotation.models import Membership
from core.errors import Refused
from core.gc import gc_relaxed
from core.jobs import ATTEMPTS, Lease, requeue, sweep

State = InfluenceFigures.State

STOPPED = f"The worker stopped {ATTEMPTS} times before the figures were done (killed, or out of memory)."
CHANGED = "The judgements have changed since the report was computed: compute it again, then ask again."


def influence_request(*, report: AgreementReport) -> InfluenceFigures:
    """Return the figures of a finished report: done, under way, or newly queued; failed ones again.

    Raises Refused for a live report, which tells nothing of single annotators.
    """
    if report.parameters["live"]:
        raise Refused(
            "round_not_closed",
            gettext("While a round is open nothing is told of single annotators. Close it, then ask again."),
        )
    influence, _ = InfluenceFigures.objects.get_or_create(report=report)
    if influence.state == State.FAILED:
        requeue(InfluenceFigures.objects.filter(pk=influence.pk))
    influence.refresh_from_db()
    return influence


def influence_current(report: AgreementReport) -> InfluenceFigures | None:
    """Return what was asked for of a report, or None."""
    return InfluenceFigures.objects.filter(report=report).first()


def influence_readable(influence: InfluenceFigures, member: Membership) -> dict[str, Any]:
    """Return the result for a member: without the fields of the items while an open round asks about them."""
    kept = kept_from(member, influence.report.round)
    return {**influence.result, "fields": []} if kept else influence.result


@gc_relaxed()
def influence_compute(*, influence_id: int) -> None:
    """Compute the figures if they can be claimed; what stands in their way is stored."""
    if lease := Lease.claim(InfluenceFigures.objects.filter(id=influence_id)):
        with lease.working(f"influence {influence_id}"):
            _compute(influence_id, lease)


def _compute(influence_id: int, lease: Lease) -> None:
    related = ("report__round__project", "report__round__codebook")
    report = InfluenceFigures.objects.select_related(*related).get(id=influence_id).report
    judgements = judgements_of(report)
    if judgements.digest() != report.judgements_sha256:
        lease.fail(CHANGED)
        return
    lease.finish(result=influence_figures(judgements, report.parameters, heartbeat=lease.renew))


def influence_sweep() -> list[int]:
    """Return the rows to send to a worker again; give up those that stopped ATTEMPTS times."""
    return sweep(InfluenceFigures.objects.all(), stopped=STOPPED).again
