"""How far the annotators of each released round agreed: the round's report as JSON, CSV and a LaTeX table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agreement.conditions import conditions_csv
from agreement.models import AgreementReport
from agreement.parameters import parameters_clean
from agreement.reading import judgements_read, texts_read
from agreement.report import report_build
from agreement.reports import report_out_of_date
from agreement.tables import figures_csv, latex_table
from annotation.models import Round
from exports.records import RoundRow, Selection

PARAMETERS = {**parameters_clean(), "live": False}


def agreement_write(
    selection: Selection, directory: Path, *, alive: Callable[[], None]
) -> list[tuple[RoundRow, dict[str, Any]]]:
    """Write the report of every chosen round below `agreement/` and return the figures of each.

    `rounds.json` and `rounds.csv` say under what conditions one round can be compared with the one before.

    Where the worker has computed the report already its figures are taken, else they are computed here: they
    are the same, so the release does not depend on whether a worker was there. `alive` is called meanwhile,
    since that of a large round takes longer than a lease.
    """
    found = []
    for row in selection.rounds:
        figures = _figures(
            selection.project.rounds.select_related("project", "codebook").get(pk=row.pk), alive
        )
        folder = directory / "agreement"
        folder.mkdir(exist_ok=True)
        stem = f"round-{row.number}"
        text = json.dumps(figures, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
        (folder / f"{stem}.json").write_bytes(text.encode())
        (folder / f"{stem}.csv").write_bytes(figures_csv(figures).encode())
        (folder / f"{stem}.tex").write_bytes(latex_table(figures).encode())
        found.append((row, figures))
    if found:
        conditions = selection.round_conditions
        text = json.dumps(conditions, ensure_ascii=False, indent=2) + "\n"
        (directory / "agreement" / "rounds.json").write_bytes(text.encode())
        (directory / "agreement" / "rounds.csv").write_bytes(conditions_csv(conditions).encode())
    return found


def _figures(round: Round, alive: Callable[[], None]) -> dict[str, Any]:
    reports = AgreementReport.objects.filter(round=round, state=AgreementReport.State.DONE)
    for report in reports.order_by("-id"):
        if report.parameters == PARAMETERS and not report_out_of_date(report, round):
            return report.figures
    built = report_build(
        judgements_read(round), PARAMETERS, texts=texts_read, progress=lambda done, total: alive()
    )
    return built.figures
