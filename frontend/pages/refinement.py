"""Refined questions: what would be sent where, the run at work, each template with its refined question."""

import json
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRefresh

from annotation import access
from annotation.codebooks.definition import Codebook
from annotation.models import Membership, Project
from core.errors import Refused
from core.jobs import WORKING
from exports.models import RefinementRun
from exports.refinement.candidates import (
    QuestionCounts,
    count_sendable,
    question_example,
    refinable_selection,
)
from exports.refinement.parameters import RefinementChoices, refinement_choices
from exports.refinement.prompt import fill_prompt
from exports.refinement.runs import (
    outcomes,
    refined_reject,
    refined_restore,
    refinement_cancel,
    refinement_of,
    run_or_404,
    why_not_refined,
)
from exports.selection.refined_questions import refinements_current, refinements_missing
from exports.selection.selection import Selection
from exports.tasks import counting_start, refinement_start
from frontend.decorators import login_required
from frontend.forms.refinement import ConfirmForm, PromptForm, RareRefinementForm, RefinementForm
from frontend.middleware import refusals_as_notices
from frontend.pages.common import lead_or_403, page_of, posted, project_page, show_refusal
from frontend.pages.jobs import job_progress, refinement_shown

State = RefinementRun.State

PAIRS = 20
RUNS_SHOWN = 10


@login_required
@require_http_methods(["GET", "POST"])
def refinements(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the run at work and the pairs; count what a new run would ask, or start it."""
    member = lead_or_403(request, slug)
    project = member.project
    selection = refinable_selection(project)
    runs = list(project.refinement_runs.select_related("member").order_by("-number")[:RUNS_SHOWN])
    newest = runs[0] if runs else None
    without, reason = why_not_refined(newest) if newest and newest.state == State.DONE else (0, "")
    before = _as_before(newest)
    form = RefinementForm(posted(request), selection=selection, initial=before)
    prompt = PromptForm(posted(request), initial=before)
    rare = RareRefinementForm(posted(request), initial=before)
    starting = request.POST.get("act") == "start"
    confirm = ConfirmForm(request.POST if starting else None)
    counted, counting, example = None, False, None
    if request.method == "POST":
        valid = all([form.is_valid(), prompt.is_valid(), rare.is_valid()])
        try:
            # Also where a field is wrong already: what is wrong with the others is told with it.
            choices = refinement_choices({**form.chosen(), **prompt.cleaned_data, **rare.cleaned_data})
            if valid and starting and confirm.is_valid():
                return _start(request, member, choices)
            counted = _counted(selection, choices) if valid else None
            counting = valid and counted is None
            example = _example(selection, choices) if counted and counted.asked else None
        except Refused as refusal:
            if refusal.code == "taken":  # the form is not there while a run works
                messages.error(request, refusal.message)
                return redirect("refinements", slug)
            show_refusal(refusal, form, prompt, rare)
    return project_page(
        request,
        "refinement/refinements.html",
        member,
        tab="releases",
        endpoints=settings.LLM_ENDPOINTS,
        form=form,
        prompt=prompt,
        rare=rare,
        confirm=confirm,
        counted=counted,
        counting=counting,
        example=example,
        minutes=_minutes(counted, rare),
        host=urlsplit(form.cleaned_data["endpoint"]).netloc if counted else "",
        newest=newest,
        without=without,
        reason=reason,
        working=newest is not None and newest.state in WORKING,
        shown=refinement_shown(newest) if newest is not None and newest.state in WORKING else None,
        runs=[(run, outcomes(run)) for run in runs],
        **_pairs(request, member),
    )


@login_required
@require_GET
def refinement_progress(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Return the progress alone while a run works; reload the page when it does not any more."""
    run = run_or_404(lead_or_403(request, slug).project, number)
    if run.state not in WORKING:
        return HttpResponseClientRefresh()
    return job_progress(request, refinement_shown(run))


@login_required
@require_POST
def cancel(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Cancel a run."""
    member = lead_or_403(request, slug)
    with refusals_as_notices(request):
        refinement_cancel(run=run_or_404(member.project, number), by=member)
        messages.success(request, gettext("The run is cancelled. What was answered until then is kept."))
    return redirect("refinements", slug)


@login_required
@require_POST
def reject(request: HttpRequest, slug: str, refinement_id: int) -> HttpResponse:
    """Reject a refined question."""
    member = lead_or_403(request, slug)
    with refusals_as_notices(request):
        refined_reject(refinement=refinement_of(member, refinement_id), by=member)
        messages.success(
            request, gettext("Rejected: in releases to come the template question stands alone.")
        )
    return _back_to_the_pairs(request, slug)


@login_required
@require_POST
def restore(request: HttpRequest, slug: str, refinement_id: int) -> HttpResponse:
    """Take the rejection of a refined question back."""
    member = lead_or_403(request, slug)
    with refusals_as_notices(request):
        refined_restore(refinement=refinement_of(member, refinement_id), by=member)
        messages.success(request, gettext("The refined question stands again."))
    return _back_to_the_pairs(request, slug)


def _start(request: HttpRequest, member: Membership, choices: RefinementChoices) -> HttpResponse:
    refinement_start(project=member.project, choices=choices, texts_may_leave=True, by=member)
    return redirect("refinements", member.project.slug)


def _counted(selection: Selection, choices: RefinementChoices) -> QuestionCounts | None:
    """Return what the run would ask; None while a worker counts the questions of a large project."""
    table = counting_start(selection)
    if table is None:
        return None
    return count_sendable(
        table,
        sources=choices.sources,
        again=choices.again,
        max_questions=choices.max_questions,
        splits_left_out=choices.splits_left_out,
    )


def _example(selection: Selection, choices: RefinementChoices) -> tuple[str, str] | None:
    """Return the first prompt that would be sent, and the id of its item."""
    found = question_example(selection, choices)
    return (fill_prompt(choices.prompt, found), found.external_id) if found else None


def _minutes(counted: QuestionCounts | None, rare: RareRefinementForm) -> int:
    """Return how many minutes a run takes at the least."""
    return -(-counted.asked // rare.cleaned_data["per_minute"]) if counted else 0


def _as_before(run: RefinementRun | None) -> dict[str, Any]:
    """Return what the last run chose, as the forms show it."""
    if run is None:
        return {}
    names = [*RefinementForm.base_fields, *PromptForm.base_fields, *RareRefinementForm.base_fields]
    kept = {name: getattr(run, name) for name in names if name not in ("again", "sources")}
    return {**kept, "sources": [json.dumps(pair) for pair in run.sources]}


def _pairs(request: HttpRequest, member: Membership) -> dict[str, Any]:
    """Return the pairs that ?show= asks for, a page of them, with the number of each kind."""
    project = member.project
    current = access.readable(refinements_current(project), member)
    kinds = {
        "standing": (gettext("Refined"), current.filter(rejected_at=None)),
        "rejected": (gettext("Rejected"), current.exclude(rejected_at=None)),
        "missing": (
            gettext("Without an answer to use"),
            access.readable(refinements_missing(project), member),
        ),
    }
    show = request.GET.get("show", "")
    show = show if show in kinds else "standing"
    page = page_of(request, kinds[show][1].order_by("item_id", "type_code", "start"), PAIRS)
    names = _type_names(project)
    for row in page.object_list:
        row.type_name, row.hue = names.get(row.type_code, (row.type_code, ""))
    return {
        "page": page,
        "show": show,
        "query": f"show={show}",
        "kinds": [(key, words, rows.count()) for key, (words, rows) in kinds.items()],
    }


def _type_names(project: Project) -> dict[str, tuple[str, str]]:
    """Return name and hue of each type of the newest codebook."""
    newest = project.codebooks.order_by("-version").first()
    if newest is None:
        return {}
    codebook = Codebook.from_json(newest.definition)
    hues = {group.key: group.hue for group in codebook.groups}
    return {kind.code: (kind.name, hues.get(kind.group or "", "")) for kind in codebook.types}


def _back_to_the_pairs(request: HttpRequest, slug: str) -> HttpResponse:
    query = request.GET.urlencode()
    return redirect(f"{reverse('refinements', args=[slug])}{'?' if query else ''}{query}#pairs")
