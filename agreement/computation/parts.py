"""The parts of a large report: one for each type, one that needs all types, one for the change.

Each is a row that a worker claims like a report. What a part reads is checked against the stamp of the
report, so that all are of the same judgements; where they changed in between the report starts anew.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from agreement.models import AgreementReport, ReportPart
from agreement.report.assembly import REPORT_VERSION, PooledPart, build_pooled, type_figures
from agreement.report.comparison import change_against, has_change
from agreement.report.digest import encoder_of, report_digest
from agreement.report.figures import ChangeFigures
from agreement.report.judgements import RoundJudgements
from agreement.report.loading import judgements_of, judgements_stamp, read_frame, read_texts
from agreement.report.per_type import TypePart, find_types
from agreement.report.span_sums import SpanSums
from agreement.spans.encoders import Encoder, MissingEncoder
from core.failure import error_place
from core.gc import gc_relaxed
from core.jobs import ATTEMPTS, ClaimLost, Lease, sweep

logger = logging.getLogger(__name__)

STOPPED = f"The worker stopped {ATTEMPTS} times before the report was done (killed, or out of memory)."
TYPE, POOLED, CHANGE = "type:", "pooled", "change"

State = AgreementReport.State
Result = tuple[dict[str, Any], bytes]


class EncodersDiffer(Exception):
    """The workers of one report are set up with different encoders, or one could not load it."""

    def __init__(self) -> None:
        super().__init__("The workers are not set up with the same encoder, or one could not load it.")


class JudgementsChanged(Exception):
    """The judgements, or the program, are no longer those that the report was begun with."""


def part_keys(report: AgreementReport, judgements: RoundJudgements) -> list[str]:
    """Return the parts of a report, what takes longest first."""
    change = [CHANGE] if has_change(report) else []
    return [POOLED, *change, *(f"{TYPE}{kind.code}" for kind in judgements.types)]


def parts_waiting(report_id: int) -> list[int]:
    """Return the parts of a report that no worker has taken."""
    waiting = ReportPart.objects.filter(
        report_id=report_id, report__state=State.IN_PARTS, state=ReportPart.State.QUEUED
    )
    return list(waiting.values_list("id", flat=True))


def part_compute(*, part_id: int) -> int | None:
    """Compute a part if it can be claimed.

    Return its report if the part is done or the report has to start anew: whoever called then tries to claim
    the report.
    """
    lease = Lease.claim(_of_reports_in_parts().filter(id=part_id))
    if lease is None:
        return None
    part = ReportPart.objects.select_related("report__round__project", "report__round__codebook").get(
        id=part_id
    )
    try:
        with lease.kept():
            result, resampled = _result(part, heartbeat=lease.renew)
            _finish(part, lease, result, resampled)
    except ClaimLost:
        logger.warning("part %s was taken over by another worker", part_id)
        return None
    except JudgementsChanged:
        _start_anew(part.report_id)
    except Exception as error:
        what = str(error) if isinstance(error, EncodersDiffer) else error_place(error)
        logger.error("part %s of report %s failed: %s", part.key, part.report_id, what)
        _fail(part.report_id, what)
        return None
    return part.report_id


def parts_sweep() -> list[int]:
    """Return the parts to send to a worker again; give up the report of one that stopped ATTEMPTS times."""
    swept = sweep(_of_reports_in_parts(), stopped=STOPPED)
    for report_id in ReportPart.objects.filter(id__in=[part for part, _ in swept.given_up]).values_list(
        "report_id", flat=True
    ):
        _fail(report_id, STOPPED)
    return swept.again


def load_parts(
    report: AgreementReport,
) -> tuple[PooledPart, list[TypePart], Encoder | MissingEncoder | None, ChangeFigures]:
    """Return what the parts of a report found, the types in the order of the codebook, and the change."""
    parts = {part.key: part for part in report.parts.all()}
    pooled = PooledPart(**parts[POOLED].result)
    types = [_load_type(part) for key, part in parts.items() if key.startswith(TYPE)]
    change: ChangeFigures = parts[CHANGE].result if CHANGE in parts else {}
    return pooled, types, _encoder(report), change


def _encoder(report: AgreementReport) -> Encoder | MissingEncoder | None:
    """Return the encoder the report was begun with; raise EncodersDiffer where this worker has another."""
    encoder = encoder_of(report.parameters)
    if report_digest(report.judgements_sha256, report.parameters, encoder) != report.digest:
        raise EncodersDiffer
    return encoder


def _of_reports_in_parts() -> QuerySet[ReportPart]:
    # By a subquery, not a join: Django would move every condition of an update into the subquery of a join,
    # where PostgreSQL does not look at them again after waiting for another's lock.
    return ReportPart.objects.filter(
        report_id__in=AgreementReport.objects.filter(state=State.IN_PARTS).values("id")
    )


def _finish(part: ReportPart, lease: Lease, result: dict[str, Any], resampled: bytes) -> None:
    with transaction.atomic():
        lease.finish(result=result, resampled=resampled)
        AgreementReport.objects.filter(id=part.report_id, state=State.IN_PARTS).update(
            progress_done=F("progress_done") + 1
        )


def _start_anew(report_id: int) -> None:
    """Queue the report again, without its parts."""
    with transaction.atomic():
        again = AgreementReport.objects.filter(id=report_id, state=State.IN_PARTS)
        if again.update(
            state=State.QUEUED, enqueued_at=timezone.now(), attempts=0, progress_done=0, progress_total=0
        ):
            ReportPart.objects.filter(report_id=report_id).delete()


def _fail(report_id: int, error: str) -> None:
    with transaction.atomic():
        failed = AgreementReport.objects.filter(id=report_id, state=State.IN_PARTS)
        if failed.update(state=State.FAILED, error=error):
            ReportPart.objects.filter(report_id=report_id).delete()


@gc_relaxed()
def _result(part: ReportPart, *, heartbeat: Callable[[], None]) -> Result:
    report = part.report
    if report.code_version != REPORT_VERSION or judgements_stamp(report.round) != report.stamp:
        raise JudgementsChanged
    code = part.key.removeprefix(TYPE) if part.key.startswith(TYPE) else None
    judgements = judgements_of(report, types=None if code is None else [code])
    frame = read_frame(report.round, judgements.items)
    if judgements_stamp(report.round) != report.stamp:
        raise JudgementsChanged
    heartbeat()
    if part.key == CHANGE:
        return dict(change_against(report, judgements, heartbeat=heartbeat)), b""
    if code is None:
        pooled = build_pooled(judgements, report.parameters, texts=read_texts, heartbeat=heartbeat)
        return asdict(pooled), b""
    index = next(at for at, kind in enumerate(judgements.types) if kind.code == code)
    found = find_types(
        judgements,
        [index],
        report.parameters,
        texts=read_texts,
        frame=frame,
        encoder=_encoder(report),
        heartbeat=heartbeat,
    )[index]
    found.section = type_figures(judgements, index, report.parameters)
    return _store_type(found)


def _store_type(found: TypePart) -> Result:
    resampled = found.sums.resampled
    names = ("with_span", "n_cut", "spans", "units", "section")
    stored = {name: getattr(found, name) for name in names}
    return (
        {**stored, "sums": found.sums.to_json()},
        b"" if resampled is None else resampled.astype("<f8").tobytes(),
    )


def _load_type(part: ReportPart) -> TypePart:
    stored = part.result
    width = 2 * len(stored["sums"]["columns"])
    resampled = np.frombuffer(part.resampled, dtype="<f8").reshape(-1, width) if part.resampled else None
    return TypePart(**{**stored, "sums": SpanSums.from_json(stored["sums"], resampled)})
