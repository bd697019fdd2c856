"""The change of a round's agreement against the closed round before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agreement.changes import round_change
from agreement.judgements import RoundJudgements
from agreement.models import AgreementReport
from agreement.reading import judgements_read
from annotation.models import Round


def round_before(round: Round) -> Round | None:
    """Return the closed round that came before this one in its project."""
    return (
        round.project.rounds.filter(status=Round.Status.CLOSED, number__lt=round.number)
        .exclude(purpose=Round.Purpose.TRAINING)
        .select_related("project", "codebook")
        .order_by("-number")
        .first()
    )


def has_change(report: AgreementReport) -> bool:
    """Whether the report is of a closed round that has another before it."""
    return not report.parameters["live"] and round_before(report.round) is not None


def change_against(
    report: AgreementReport, judgements: RoundJudgements, *, alive: Callable[[], None]
) -> dict[str, Any]:
    """Return the change against the round before; nothing where there is none or the round is open."""
    before = None if report.parameters["live"] else round_before(report.round)
    if before is None:
        return {}
    earlier = judgements_read(before)
    return {
        "round": before.number,
        "name": before.name,
        "guideline": before.codebook.version,
        "judgements_sha256": earlier.digest(),
        "sections": round_change(earlier, judgements, report.parameters, alive=alive),
    }
