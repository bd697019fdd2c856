"""Store the spans and units of a report in batches, which nobody reads before the report is `done`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import models, transaction

from agreement.claims import report_write
from agreement.models import ConsensusSpan, DisputedUnit
from agreement.report import RoundReport

BATCH = 1_000


def rows_store(report_id: int, token: str, built: RoundReport) -> None:
    """Replace what an earlier attempt stored; raises ClaimLost where another worker took over."""
    for model, rows in ((ConsensusSpan, built.spans), (DisputedUnit, built.units)):
        _forget(report_id, token, model)
        _store(report_id, token, model, rows)


def _forget(report_id: int, token: str, model: type[models.Model]) -> None:
    """Delete what an earlier attempt left behind, a batch a transaction."""
    while True:
        with transaction.atomic():
            report_write(report_id, token)
            ids = list(
                model._default_manager.filter(report_id=report_id).values_list("id", flat=True)[:BATCH]
            )
            model._default_manager.filter(id__in=ids).delete()
        if len(ids) < BATCH:
            return


def _store(report_id: int, token: str, model: type[models.Model], rows: Sequence[dict[str, Any]]) -> None:
    for first in range(0, len(rows), BATCH):
        with transaction.atomic():
            report_write(report_id, token)
            model._default_manager.bulk_create(
                model(report_id=report_id, **row) for row in rows[first : first + BATCH]
            )
