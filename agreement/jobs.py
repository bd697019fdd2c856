"""The life of a report's row: claimed, computed, stored, found again when a worker dies.

A claim is a conditional update that writes a fresh attempt token and a lease. Every later write checks the
token, so that of two workers on one report only the one that holds the claim can store anything. Nothing is
computed inside a transaction; spans and units are stored in batches that stay unseen until the row is `done`.
"""

from __future__ import annotations

import logging
import traceback
import uuid
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.db.models import F, Q
from django.utils import timezone

from agreement.before import round_before
from agreement.canonical import sha256_of
from agreement.changes import round_change, types_in_both
from agreement.encoders import Encoder, MissingEncoder, encoder_label, encoder_or_missing
from agreement.judgements import RoundJudgements
from agreement.models import AgreementReport, ConsensusSpan, DisputedUnit
from agreement.reading import judgements_read, judgements_stamp, texts_read
from agreement.report import REPORT_VERSION, RoundReport, report_build

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=10)
PATIENCE = timedelta(minutes=1)
"""How long a report may wait for a worker before the sweep sends it again."""

ATTEMPTS = 3
BATCH = 1_000

State = AgreementReport.State


class ClaimLost(Exception):
    """Another worker took the report over; this one stores nothing more."""


def report_claim(*, report_id: int) -> str | None:
    """Claim a waiting report, or one whose lease ran out. Return the attempt token, None if taken."""
    now, token = timezone.now(), uuid.uuid4().hex
    claimable = Q(state=State.QUEUED) | Q(state=State.RUNNING, lease_until__lt=now)
    claimed = AgreementReport.objects.filter(claimable, id=report_id).update(
        state=State.RUNNING,
        attempt=token,
        attempts=F("attempts") + 1,
        lease_until=now + LEASE,
        progress_done=0,
        progress_total=0,
    )
    return token if claimed else None


def report_compute(*, report_id: int) -> bool:
    """Compute a report if it can be claimed, and store it whole. Return whether it is done by this call.

    An error is stored with its place in the code, without its message: that could quote a judgement.
    """
    token = report_claim(report_id=report_id)
    if token is None:
        return False
    try:
        _compute(report_id, token)
    except ClaimLost:
        logger.warning("report %s was taken over by another worker", report_id)
        return False
    except Exception as error:
        place = _place(error)
        logger.error("report %s failed: %s", report_id, place)
        AgreementReport.objects.filter(id=report_id, attempt=token, state=State.RUNNING).update(
            state=State.FAILED, error=place, lease_until=None
        )
        return False
    return True


def report_sweep() -> list[int]:
    """Return the reports to send to a worker again; give up on those that stopped ATTEMPTS times.

    They were queued while the broker was down, or their worker died and its lease ran out.
    """
    now = timezone.now()
    left = Q(state=State.QUEUED, enqueued_at__lt=now - PATIENCE) | Q(state=State.RUNNING, lease_until__lt=now)
    AgreementReport.objects.filter(left, attempts__gte=ATTEMPTS).update(
        state=State.FAILED,
        lease_until=None,
        error=f"The worker stopped {ATTEMPTS} times before the report was done (killed, or out of memory).",
    )
    found = list(AgreementReport.objects.filter(left).order_by("id").values_list("id", flat=True))
    AgreementReport.objects.filter(id__in=found, state=State.QUEUED).update(enqueued_at=now)
    return found


def _compute(report_id: int, token: str) -> None:
    report = AgreementReport.objects.select_related("round__project", "round__codebook").get(id=report_id)
    stamp = judgements_stamp(report.round)  # before reading: a change in between makes the report outdated
    judgements = judgements_read(report.round)
    judgements_sha256 = judgements.digest()
    encoder = _encoder(report.parameters)
    digest = report_digest(judgements_sha256, report.parameters, encoder)
    same = AgreementReport.objects.filter(round=report.round, digest=digest, state=State.DONE)
    if same.update(stamp=stamp):
        AgreementReport.objects.filter(id=report_id, attempt=token).delete()
        return

    def progress(done: int, total: int) -> None:
        _write(report_id, token, progress_done=done, progress_total=total)

    built = report_build(judgements, report.parameters, texts=texts_read, progress=progress, encoder=encoder)
    change = _change(report, judgements, alive=partial(_write, report_id, token))
    _store_parts(report_id, token, built)
    _write(
        report_id,
        token,
        state=State.DONE,
        lease_until=None,
        error="",
        computed_at=timezone.now(),
        code_version=REPORT_VERSION,
        stamp=stamp,
        judgements_sha256=judgements_sha256,
        digest=digest,
        figures=built.figures,
        change=change,
    )
    if report.parameters["live"]:
        # Nobody cites a live report: each new one takes the place of those before.
        outlived = AgreementReport.objects.filter(round=report.round, parameters__live=True, state=State.DONE)
        outlived.exclude(id=report_id).delete()


def _change(
    report: AgreementReport, judgements: RoundJudgements, *, alive: Callable[[], None]
) -> dict[str, Any]:
    """Return the change against the round before; nothing where there is none or the round is open."""
    before = None if report.parameters["live"] else round_before(report.round)
    if before is None:
        return {}
    earlier = judgements_read(before)
    codes = types_in_both(earlier, judgements)
    return {
        **({} if codes is None else {"types": codes}),
        "round": before.number,
        "name": before.name,
        "guideline": before.codebook.version,
        "judgements_sha256": earlier.digest(),
        "sections": round_change(earlier, judgements, report.parameters, alive=alive),
    }


def report_digest(
    judgements_sha256: str, parameters: dict[str, Any], encoder: Encoder | MissingEncoder | None = None
) -> str:
    """Return the SHA-256 that covers judgements, parameters, code version and the encoder, if any."""
    covered: list[Any] = [judgements_sha256, parameters, REPORT_VERSION]
    return sha256_of([*covered, encoder.to_json()] if encoder else covered)


def _encoder(parameters: dict[str, Any]) -> Encoder | MissingEncoder | None:
    """Return the encoder that the report was asked to use; a worker may be set up otherwise than the web."""
    name = parameters.get("encoder")
    if name is None:
        return None
    here = settings.ENCODER
    if not here or encoder_label(here) != name:
        return MissingEncoder(name, "ELENCHUS_ENCODER of the worker names another encoder")
    return encoder_or_missing(here)


def _write(report_id: int, token: str, **values: Any) -> None:
    """Write to the claimed row and renew the lease; raise ClaimLost where the claim is another's."""
    values = {"lease_until": timezone.now() + LEASE, **values}
    held = AgreementReport.objects.filter(id=report_id, attempt=token, state=State.RUNNING)
    if not held.update(**values):
        raise ClaimLost


def _store_parts(report_id: int, token: str, built: RoundReport) -> None:
    for model, rows in ((ConsensusSpan, built.spans), (DisputedUnit, built.units)):
        _forget_parts(report_id, token, model)
        _store_rows(report_id, token, model, rows)


def _forget_parts(report_id: int, token: str, model: type[models.Model]) -> None:
    """Delete what an earlier attempt left behind, a batch a transaction."""
    while True:
        with transaction.atomic():
            _write(report_id, token)
            ids = list(
                model._default_manager.filter(report_id=report_id).values_list("id", flat=True)[:BATCH]
            )
            model._default_manager.filter(id__in=ids).delete()
        if len(ids) < BATCH:
            return


def _store_rows(
    report_id: int, token: str, model: type[models.Model], rows: Sequence[dict[str, Any]]
) -> None:
    for first in range(0, len(rows), BATCH):
        with transaction.atomic():
            _write(report_id, token)
            model._default_manager.bulk_create(
                model(report_id=report_id, **row) for row in rows[first : first + BATCH]
            )


def _place(error: Exception) -> str:
    """Say what kind of error it was and where in our code, without its message."""
    base = Path(settings.BASE_DIR)
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(base) and "site-packages" not in frame.filename
    ]
    if not frames:
        return type(error).__name__
    last = frames[-1]
    return (
        f"{type(error).__name__} in {Path(last.filename).relative_to(base)}, line {last.lineno} ({last.name})"
    )
