"""One evaluation: how far it is, then its figures, and these as files."""

import json
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRefresh

from annotation.models import Membership
from core.errors import NotFound
from core.jobs import WORKING
from exports.releases.reader_access import refuse_release_while_judging
from frontend.decorators import login_required
from frontend.middleware import refusals_as_notices
from frontend.pages.boards.entry_names import entry_names
from frontend.pages.common import lead_or_403, number_in, project_page
from frontend.pages.jobs import evaluation_shown, job_progress
from frontend.pages.systems.question_figures import questions_shown, thresholds_shown
from frontend.pages.systems.shown import method_said, parameters_said
from frontend.pages.systems.trivial import trivial_shown, why_no_trivial
from frontend.pages.systems.type_figures import types_shown
from scoring.evaluation.evaluate import Evaluation as Scored
from scoring.evaluation.outputs import TABLES, scores_file
from scoring.models import Evaluation
from scoring.systems.error_tags import tag_shares
from scoring.systems.evaluations import can_score_again, evaluation_cancel, evaluation_or_404
from scoring.tasks import evaluation_start_again


def evaluation_of(
    request: HttpRequest, slug: str, evaluation_id: int, *, with_figures: bool = True
) -> tuple[Membership, Evaluation]:
    """Return the asking lead and an evaluation whose texts they do not judge now."""
    member = lead_or_403(request, slug)
    found = evaluation_or_404(member.project, evaluation_id, with_figures=with_figures)
    refuse_release_while_judging(found.submission.release, member)
    return member, found


def run_of(request: HttpRequest, evaluation: Evaluation) -> int:
    """Return the run that the address asks for, the first where it asks for none that there is."""
    asked = number_in(request.GET.get("run"))
    there = evaluation.submission.files.filter(run=asked).exists()
    return asked if there else 1


@login_required
@require_GET
def evaluation(request: HttpRequest, slug: str, evaluation_id: int) -> HttpResponse:
    """Show an evaluation: its progress, why it has no figures, or its figures."""
    member, found = evaluation_of(request, slug, evaluation_id)
    submission = found.submission
    run = run_of(request, found)
    context: dict[str, Any] = {}
    if found.state == Evaluation.State.DONE:
        context = {**_figures_shown(found, run), "shares": tag_shares(submission, run)}
    files = list(submission.files.order_by("run"))
    others = submission.evaluations.exclude(pk=found.pk).defer("figures").order_by("-pk")[:20]
    return project_page(
        request,
        "systems/evaluation.html",
        member,
        tab="systems",
        evaluation=found,
        submission=submission,
        system=submission.system,
        entry_name=entry_names([submission.pk]).get(submission.pk, ""),
        method=method_said(found),
        parameters=parameters_said(found),
        people=found.parameters.get("people"),
        files=files,
        notes_of_files=[(file, file.notes) for file in files if file.notes],
        others=[(one, method_said(one)) for one in others],
        again=can_score_again(found),
        working=found.state in WORKING,
        shown=evaluation_shown(found) if found.state in WORKING else None,
        downloads=_KINDS,
        **context,
    )


def _figures_shown(evaluation: Evaluation, run: int) -> dict[str, Any]:
    """Return what the page of an evaluation that is done shows of one of its runs."""
    scores: dict[str, Any] = evaluation.figures or {}
    found = next((row for row in scores["evaluations"] if row["run"] == run), scores["evaluations"][0])
    figures: dict[str, Any] = found["figures"]
    together = {row["figure"]: row for row in scores["together"]}
    trivial = trivial_shown(scores, evaluation.scope)
    common = {
        "scores": scores,
        "runs": scores["runs"],
        "run": run,
        "together": bool(together),
        "trivial": trivial,
        "trivial_why": why_no_trivial(trivial),
    }
    if scores["protocol"] == "focus":
        return {**common, **types_shown(evaluation, figures, together)}
    return {**common, **questions_shown(evaluation, figures, together), "thresholds": thresholds_shown(found)}


@login_required
@require_GET
def evaluation_progress(request: HttpRequest, slug: str, evaluation_id: int) -> HttpResponse:
    """Return the progress alone while it is scored; reload the page when it is not any more."""
    _, found = evaluation_of(request, slug, evaluation_id)
    if found.state not in WORKING:
        return HttpResponseClientRefresh()
    return job_progress(request, evaluation_shown(found))


@login_required
@require_POST
def cancel(request: HttpRequest, slug: str, evaluation_id: int) -> HttpResponse:
    """Cancel an evaluation that waits or runs."""
    member, found = evaluation_of(request, slug, evaluation_id)
    with refusals_as_notices(request):
        evaluation_cancel(evaluation=found, by=member)
    return redirect("evaluation", slug, evaluation_id)


@login_required
@require_POST
def again(request: HttpRequest, slug: str, evaluation_id: int) -> HttpResponse:
    """Score the same files again by the version and the encoder of now."""
    member, found = evaluation_of(request, slug, evaluation_id)
    with refusals_as_notices(request):
        made = evaluation_start_again(evaluation=found, by=member)
        if made.pk != found.pk:
            messages.info(
                request, gettext("It is scored again; the figures from before stay where they are.")
            )
        return redirect("evaluation", slug, made.pk)
    return redirect("evaluation", slug, evaluation_id)


@login_required
@require_GET
def evaluation_file(request: HttpRequest, slug: str, evaluation_id: int, name: str) -> HttpResponse:
    """Send the figures as JSON, CSV or LaTeX, or the answers as JSON Lines."""
    _, found = evaluation_of(request, slug, evaluation_id)
    if (
        found.state != Evaluation.State.DONE
        or found.figures is None
        or name not in (*TABLES, "answers.jsonl")
    ):
        raise NotFound(gettext("There is no such file of this evaluation."))
    if name == "answers.jsonl":
        text = "".join(
            json.dumps(row, ensure_ascii=False) + "\n" for row in found.answers.values(*_COLUMNS).iterator()
        )
    else:
        text = scores_file(Scored(found.figures), name)
    response = HttpResponse(text, content_type=f"{_KINDS[name]}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{slug}-{found.pk}-{name}"'
    return response


_COLUMNS = (
    *("run", "item", "unit", "label", "is_right", "given", "start", "end"),
    *("references", "similarity"),
)
_KINDS = {
    "scores.json": "application/json",
    "scores.csv": "text/csv",
    "scores.tex": "application/x-tex",
    "answers.jsonl": "application/x-ndjson",
}
