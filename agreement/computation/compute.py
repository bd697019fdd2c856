"""The life of a report's row: claimed, computed, stored, found again when a worker dies (core.jobs).

Nothing is computed inside a transaction. A report with little to do is computed by the task that claims it;
one with much to do is split into parts (agreement.computation.parts), and assembled by who claims it after
the last.

See docs/decisions/agreement.md.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from django.db import models, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from agreement.computation.parts import STOPPED, EncodersDiffer, load_parts, part_keys
from agreement.models import AgreementReport, ConsensusSpan, DisputedUnit, ReportPart
from agreement.report.assembly import REPORT_VERSION, RoundReport, assemble_report, build_report
from agreement.report.comparison import change_against
from agreement.report.digest import encoder_of, report_digest
from agreement.report.figures import ChangeFigures
from agreement.report.judgements import RoundJudgements
from agreement.report.loading import judgements_of, judgements_stamp, read_texts
from annotation.codebooks.definition import FOCUS
from core.failure import error_place
from core.gc import gc_relaxed
from core.jobs import ClaimLost, Lease, sweep

BATCH = 1_000

State = AgreementReport.State


def store_rows(report_id: int, lease: Lease, built: RoundReport) -> None:
    """Replace what an earlier attempt stored; raises ClaimLost where another worker took over."""
    for model, rows in ((ConsensusSpan, built.spans), (DisputedUnit, built.units)):
        _forget(report_id, lease, model)
        _store(report_id, lease, model, rows)


def _forget(report_id: int, lease: Lease, model: type[models.Model]) -> None:
    """Delete what an earlier attempt left behind, a batch a transaction."""
    while True:
        with transaction.atomic():
            lease.renew()
            ids = list(
                model._default_manager.filter(report_id=report_id).values_list("id", flat=True)[:BATCH]
            )
            model._default_manager.filter(id__in=ids).delete()
        if len(ids) < BATCH:
            return


def _store(report_id: int, lease: Lease, model: type[models.Model], rows: Sequence[dict[str, Any]]) -> None:
    for first in range(0, len(rows), BATCH):
        with transaction.atomic():
            lease.renew()
            model._default_manager.bulk_create(
                model(report_id=report_id, **row) for row in rows[first : first + BATCH]
            )


logger = logging.getLogger(__name__)

IN_PARTS_FROM = 1_000_000
"""Judgements x types from which on a report is computed in parts: some ten seconds of one worker."""


def report_claim(*, report_id: int) -> Lease | None:
    """Claim a report that waits, that lost its worker, or all of whose parts are done; None if there is none.

    The last of its parts to be done is found here: whoever asks then gets the claim, once.
    """
    return Lease.claim(AgreementReport.objects.filter(id=report_id), or_where=_all_parts_done())


def _all_parts_done() -> Q:
    return Q(state=State.IN_PARTS) & ~Q(id__in=_unfinished_parts().values("report_id"))


def _unfinished_parts() -> QuerySet[ReportPart]:
    return ReportPart.objects.exclude(state=ReportPart.State.DONE)


def report_compute(*, report_id: int) -> str:
    """Compute a report if it can be claimed, and store it whole.

    Return `done` if it is done by this call, `in_parts` if it was split into its parts, else "". An error
    is stored with its place in the code.
    """
    lease = report_claim(report_id=report_id)
    if lease is None:
        return ""
    try:
        with lease.kept():
            return _compute(report_id, lease)
    except ClaimLost:
        logger.warning("report %s was taken over by another worker", report_id)
    except Exception as error:
        what = str(error) if isinstance(error, EncodersDiffer) else error_place(error)
        logger.error("report %s failed: %s", report_id, what)
        lease.fail(what)
    return ""


def report_sweep() -> list[int]:
    """Return the reports to send to a worker again; give up on those that stopped ATTEMPTS times.

    They were queued while the broker was down, their worker died and its lease ran out, or the worker of
    their last part died before it could go on.
    """
    return sweep(AgreementReport.objects.all(), stopped=STOPPED, or_where=_all_parts_done()).again


@gc_relaxed()
def _compute(report_id: int, lease: Lease) -> str:
    report = AgreementReport.objects.select_related("round__project", "round__codebook").get(id=report_id)
    if report.code_version == REPORT_VERSION and report.parts.exists():
        return _assemble(report, lease)
    report.parts.all().delete()  # of older code
    lease.progress(0, 0)
    stamp = judgements_stamp(report.round)  # before reading: a change in between makes the report outdated
    judgements = judgements_of(report)
    judgements_sha256 = judgements.digest()
    encoder = encoder_of(report.parameters)
    digest = report_digest(judgements_sha256, report.parameters, encoder)
    same = AgreementReport.objects.filter(round=report.round, digest=digest, state=State.DONE)
    if same.update(stamp=stamp):
        AgreementReport.objects.filter(id=report_id, lease_token=lease.token).delete()
        return State.DONE
    origin = {
        "stamp": stamp,
        "judgements_sha256": judgements_sha256,
        "digest": digest,
        "code_version": REPORT_VERSION,
    }
    if _is_large(report, judgements):
        _split(report, lease, judgements, origin)
        return State.IN_PARTS

    built = build_report(
        judgements, report.parameters, texts=read_texts, progress=lease.progress, encoder=encoder
    )
    change = change_against(report, judgements, heartbeat=lease.renew)
    store_rows(report_id, lease, built)
    _finish(lease, built, change, origin)
    if report.parameters["live"]:
        # Nobody cites a live report: each new one takes the place of those before.
        outlived = AgreementReport.objects.filter(round=report.round, parameters__live=True, state=State.DONE)
        outlived.exclude(id=report_id).delete()
    return State.DONE


def _is_large(report: AgreementReport, judgements: RoundJudgements) -> bool:
    """Whether parts pay. A live report never has any: its judgements change while it is computed."""
    if judgements.protocol != FOCUS or report.parameters["live"]:
        return False
    return judgements.n_judgements * len(judgements.types) >= IN_PARTS_FROM


def _split(
    report: AgreementReport, lease: Lease, judgements: RoundJudgements, origin: dict[str, Any]
) -> None:
    """Write the parts and give the report up until they are done; `attempts` counts anew for the assembly."""
    keys = part_keys(report, judgements)
    with transaction.atomic():
        ReportPart.objects.bulk_create(
            ReportPart(report=report, key=key, position=position) for position, key in enumerate(keys)
        )
        lease.renew(
            **origin,
            state=State.IN_PARTS,
            lease_token="",
            attempts=0,
            lease_until=None,
            progress_done=0,
            progress_total=len(keys) + 1,
        )


def _assemble(report: AgreementReport, lease: Lease) -> str:
    parts = report.parts.count()
    lease.progress(parts, parts + 1)
    pooled, types, encoder, change = load_parts(report)
    built = assemble_report(pooled, types, encoder)
    store_rows(report.id, lease, built)
    with transaction.atomic():
        _finish(lease, built, change, {})
        report.parts.all().delete()
    return State.DONE


def _finish(lease: Lease, built: RoundReport, change: ChangeFigures, origin: dict[str, Any]) -> None:
    lease.finish(
        **origin,
        computed_at=timezone.now(),
        progress_done=F("progress_total"),
        figures=built.figures,
        change=change,
    )
