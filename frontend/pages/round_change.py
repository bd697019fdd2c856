"""A round against the one before: how agreement moved, with what changed in the guideline beside it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from agreement.cells import Notes
from agreement.detail_tables import CHANGE_HEADERS, change_table
from agreement.models import AgreementReport
from agreement.reports import ReportHidden, report_current, report_visible
from annotation import access
from annotation.codebooks.comparing import codebook_changes, types_touched
from annotation.codebooks.definition import Codebook as Definition
from annotation.models import Round
from frontend.pages.common import lead_or_refuse, project_page
from frontend.signing_in import login_required


@login_required
@require_GET
def round_change(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show what moved since the round before; where no report says it, the agreement page says why."""
    member = lead_or_refuse(request, slug)
    round = access.round_or_404(member, number)
    try:
        report_visible(member=member, round=round)
    except ReportHidden:
        return redirect("agreement", slug, number)
    current = report_current(round=round)
    if current.report is None or not current.report.change:
        messages.info(request, gettext("The change is not computed yet. Compute the report, then come back."))
        return redirect("agreement", slug, number)
    return project_page(
        request,
        "round_change.html",
        member,
        tab="project",
        round=round,
        current=current,
        report=current.report,
        guideline=round.codebook.version,
        **_moved(round, current.report),
    )


def _moved(round: Round, report: AgreementReport) -> dict[str, Any]:
    before = round.project.rounds.select_related("codebook").get(number=report.change["round"])
    new = Definition.from_json(round.codebook.definition)
    changes = codebook_changes(Definition.from_json(before.codebook.definition), new)
    touched = types_touched(changes, new)
    notes = Notes("change")
    rows = change_table(report.figures, report.change, notes)
    return {
        "before": before,
        # Alpha comes first, so that a phone shows it.
        "change_heads": CHANGE_HEADERS[::-1],
        "change_rows": [
            {**row, "cells": row["cells"][::-1], "touched": row["code"] in touched} for row in rows
        ],
        "notes": {"change": notes},
        "changes": changes,
        "old": before.codebook,
        "new": round.codebook,
    }
