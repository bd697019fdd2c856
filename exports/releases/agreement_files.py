"""How far the annotators of each released round agreed: the round's report as JSON, CSV and a LaTeX table."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from agreement.computation.requests import report_finished, report_out_of_date
from agreement.display.csv_latex import figures_csv, latex_table
from agreement.models import AgreementReport
from agreement.report.assembly import build_report
from agreement.report.conditions import conditions_csv
from agreement.report.figures import ReportFigures, RoundConditions
from agreement.report.judgements import RoundJudgements
from agreement.report.loading import read_judgements, read_texts
from agreement.report.parameters import clean_parameters
from annotation.models import Round
from exports.disclosure.disclosure import Disclosure, texts_of
from exports.files.outputs import INTERNAL
from exports.selection.selection import RoundRow, Selection

PARAMETERS = {**clean_parameters(), "live": False}


Agreement = list[tuple[RoundRow, ReportFigures]]


def write_agreement(
    selection: Selection,
    disclosure: Disclosure,
    conditions: Sequence[RoundConditions],
    directory: Path,
    *,
    heartbeat: Callable[[], None],
) -> Agreement:
    """Write the report of every chosen round below `agreement/` and return the figures of each.

    Of a round with withheld items the report is made without them, and the whole one goes below `internal/`.
    A round of which too few items are left has none. `rounds.json` and `rounds.csv` say under what conditions
    one round can be compared with the one before, withheld items aside. `heartbeat` is called meanwhile,
    since the report of a large round takes longer than a lease.
    """
    found = []
    for row in selection.rounds:
        round = selection.project.rounds.select_related("project", "codebook").get(pk=row.pk)
        drawn = round.round_items.order_by().values_list("item_id", flat=True)
        withheld = disclosure.withheld_among(drawn)
        if withheld:
            _write(directory / INTERNAL / "agreement", row.number, _figures(round, heartbeat))

        def report(judgements: RoundJudgements | None, round: Round = round) -> ReportFigures:
            return _figures(round, heartbeat, judgements)

        told = disclosure.round_figures(partial(_read, round), withheld, report)
        if told is not None:
            found.append((row, told))
    disclosure = disclosure.knowing(lambda: texts_of(selection), [figures for _, figures in found])
    found = [(row, disclosure.texts_out.cleaned(figures)) for row, figures in found]
    for row, figures in found:
        _write(directory / "agreement", row.number, figures)
    if found:
        text = json.dumps(conditions, ensure_ascii=False, indent=2) + "\n"
        (directory / "agreement" / "rounds.json").write_bytes(text.encode())
        (directory / "agreement" / "rounds.csv").write_bytes(conditions_csv(conditions).encode())
    return found


def _read(round: Round, without: Collection[int]) -> RoundJudgements:
    return read_judgements(round, without=without, cluster=_parameters(round).get("cluster"))


def _parameters(round: Round) -> dict[str, Any]:
    """Return what the figures of a round are computed with: its report's cluster, and the defaults."""
    shown = report_finished(round)
    cluster = shown.parameters.get("cluster") if shown else None
    return PARAMETERS | {"cluster": cluster} if cluster else PARAMETERS


def _write(folder: Path, number: int, figures: ReportFigures) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(figures, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    (folder / f"round-{number}.json").write_bytes(text.encode())
    (folder / f"round-{number}.csv").write_bytes(figures_csv(figures).encode())
    (folder / f"round-{number}.tex").write_bytes(latex_table(figures).encode())


def _figures(
    round: Round, heartbeat: Callable[[], None], judgements: RoundJudgements | None = None
) -> ReportFigures:
    """Return the report of these judgements, or of all of the round.

    Where the worker has computed that already its figures are taken, else they are computed here: they are
    the same, so the release does not depend on whether a worker was there.
    """
    parameters = _parameters(round)
    if judgements is None:
        reports = AgreementReport.objects.filter(round=round, state=AgreementReport.State.DONE)
        for report in reports.order_by("-id"):
            if report.parameters == parameters and not report_out_of_date(report, round):
                found: ReportFigures = report.figures
                return found
        judgements = read_judgements(round, cluster=parameters.get("cluster"))
    built = build_report(judgements, parameters, texts=read_texts, progress=lambda done, total: heartbeat())
    return built.figures
