"""A round against the one before: how agreement moved, with what changed in the guideline beside it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from agreement.computation.requests import ReportHidden, report_current, report_visible
from agreement.display.cells import Notes
from agreement.display.tables import CHANGE_HEADERS, change_table
from agreement.models import AgreementReport
from agreement.report.conditions import conditions_words, read_conditions
from annotation import access
from annotation.codebooks.definition import Codebook as Definition
from annotation.codebooks.diff import codebook_changes, types_touched
from annotation.models import Round
from annotation.rounds.editing import set_discussed_before
from frontend.decorators import login_required
from frontend.middleware import refusals_as_notices
from frontend.pages.common import lead_or_403, project_page

STATED = {"": None, "yes": True, "no": False}
"""What a lead can say of a discussion in between, as the form sends it."""


@login_required
@require_http_methods(["GET", "POST"])
def round_change(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show what moved since the round before; where no report says it, the agreement page says why.

    Sent, it keeps what the lead says of a discussion in between.
    """
    member = lead_or_403(request, slug)
    round = access.round_or_404(member, number)
    try:
        report_visible(member=member, round=round)
    except ReportHidden:
        return redirect("agreement", slug, number)
    current = report_current(round=round)
    if current.report is None or not current.report.change:
        messages.info(request, gettext("The change is not computed yet. Compute the report, then come back."))
        return redirect("agreement", slug, number)
    if request.method == "POST":
        said = request.POST.get("discussed", "")
        if said in STATED:
            with refusals_as_notices(request):
                set_discussed_before(round, by=member, discussed=STATED[said])
        return redirect("round_change", slug, number)
    return project_page(
        request,
        "agreement/round_change.html",
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
    conditions = read_conditions(before, round)
    rows = change_table(report.figures, report.change, notes)
    return {
        "before": before,
        "conditions": conditions_words(conditions),
        "again_after_discussion": conditions.again_after_discussion,
        "discussed": next(name for name, value in STATED.items() if value is round.discussed_before),
        "discussed_choices": [
            ("", gettext("not said")),
            ("yes", gettext("yes")),
            ("no", gettext("no")),
        ],
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
