"""Assistants: what would be sent where, the runs of a project, and what came of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_http_methods
from django_htmx.http import HttpResponseClientRefresh

from annotation.access import readable, refuse_while_judging
from annotation.models import Membership, Project, Protocol, Question
from assist.candidates.proposals import proposals_collect
from assist.filtering.checking import context_check_figures, context_check_make
from assist.filtering.marking import filter_mark, filter_take_back, marks_of
from assist.filtering.votes import criterion_of
from assist.models import AssistAnswer, AssistRun, ProposedQuestion
from assist.runs.judgement_file import judgements_bytes
from assist.runs.kinds import KINDS, kind_named
from assist.runs.parameters import RunChoices, run_choices
from assist.runs.results import (
    answers_in_order,
    answers_of,
    answers_shown,
    outcomes,
    problems,
    submission_bytes,
)
from assist.runs.runs import is_at_work, run_cancel, run_or_404, run_preview
from assist.tasks import run_start, run_start_again
from core.errors import Refused
from exports.models import Release
from frontend.decorators import login_required
from frontend.forms.assistants import (
    AskingForm,
    AssistForm,
    DrawForm,
    HandInForm,
    RareAskingForm,
    ResumeForm,
)
from frontend.forms.refinement import ConfirmForm
from frontend.middleware import refusals_as_notices
from frontend.pages.assistants.filtered import filtered_context
from frontend.pages.assistants.words import problem_said, state_said
from frontend.pages.common import lead_or_403, posted, project_page, show_refusal
from frontend.pages.jobs import assist_shown, job_progress
from scoring.baselines.label_task import QUESTION_LABELS
from scoring.baselines.submission import run_hand_in

RUNS_SHOWN = 30
WAITING_SHOWN = 50


@login_required
@require_http_methods(["GET", "POST"])
def assistants(request: HttpRequest, slug: str) -> HttpResponse:
    """List the runs; say what a new one would send, or start it."""
    member = lead_or_403(request, slug)
    project = member.project
    form = AssistForm(posted(request), project=project)
    asking, rare = AskingForm(posted(request)), RareAskingForm(posted(request))
    starting = request.POST.get("act") == "start"
    confirm = ConfirmForm(request.POST if starting else None)
    preview: dict[str, Any] | None = None
    if request.method == "POST":
        valid = all([form.is_valid(), asking.is_valid(), rare.is_valid()])
        try:
            # Also where a field is wrong already: what is wrong with the others is told with it.
            choices = run_choices(project, {**form.chosen(), **asking.chosen(), **rare.chosen()})
            if valid and starting and confirm.is_valid():
                return _start(request, member, choices)
            preview = run_preview(project=project, choices=choices) if valid else None
        except Refused as refusal:
            if refusal.code == "taken":
                messages.error(request, refusal.message)
                return redirect("assistants", slug)
            show_refusal(refusal, form, asking, rare)
    runs = list(project.assist_runs.select_related("member").order_by("-number")[:RUNS_SHOWN])
    return project_page(
        request,
        "assistants/assistants.html",
        member,
        tab="assistants",
        endpoints=settings.LLM_ENDPOINTS,
        form=form,
        asking=asking,
        rare=rare,
        confirm=confirm,
        preview=preview,
        host=urlsplit(form.cleaned_data["endpoint"]).netloc if preview else "",
        runs=[
            (run, KINDS[run.task].title if run.task in KINDS else run.task, state_said(run), outcomes(run))
            for run in runs
        ],
        waiting=_waiting(project, member),
    )


@login_required
@require_http_methods(["GET", "POST"])
def assistant_run(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show a run and what came of it; cancel or resume it, and do what may follow."""
    member = lead_or_403(request, slug)
    run = run_or_404(member.project, number)
    kind = kind_named(run.task)
    act = request.POST.get("act", "")
    resume = ResumeForm(request.POST if act == "resume" else None, run=run)
    draw = DrawForm(request.POST if act == "draw" else None)
    built = member.project.releases.filter(state=Release.State.DONE).order_by("-pk")
    versions = list(built.values_list("version", flat=True))
    hand_in = HandInForm(
        request.POST if act == "hand_in" else None, versions=versions, initial={"system": run.model}
    )
    forms = {"resume": resume, "draw": draw, "hand_in": hand_in}
    if request.method == "POST" and (act not in forms or forms[act].is_valid()):
        try:
            return _act(request, member, run, act, forms)
        except Refused as refusal:
            if act in forms:
                show_refusal(refusal, forms[act])
            else:
                messages.error(request, refusal.message)
    checks = list(run.checks.select_related("round", "run__project"))
    return project_page(
        request,
        "assistants/run.html",
        member,
        tab="assistants",
        run=run,
        kind=kind,
        # A template would call what the task has for it.
        answers_units=kind.suggest is not None,
        answers_as_system=kind.entry is not None,
        proposes=run.task in ("questions", "slots"),
        working=is_at_work(run),
        shown=assist_shown(run) if is_at_work(run) else None,
        of=outcomes(run),
        state=state_said(run),
        problems=[(problem_said(problem), n) for problem, n in problems(run).items()],
        resume=resume,
        draw=draw,
        hand_in=hand_in,
        versions=versions,
        checks=[(check, context_check_figures(check)) for check in checks],
        can_draw=run.task == "context" and bool(criterion_of(member.project)),
        answers=_first_answers(run, member) if run.task != "context" else [],
        **({**filtered_context(run, member), "marks": marks_of(run)} if run.task == "context" else {}),
    )


def _first_answers(run: AssistRun, member: Membership) -> list[tuple[AssistAnswer, str, str]]:
    """Return the first answers of a run, each with the question it is about and why it is not usable."""
    shown = answers_in_order(answers_shown(run, member)[:20])
    asked = [int(one.variant) for one in shown] if run.task == QUESTION_LABELS.name else []
    texts = dict(Question.objects.filter(pk__in=asked).values_list("pk", "text"))
    return [
        (one, texts.get(int(one.variant), "") if asked else "", problem_said(one.problem)) for one in shown
    ]


@login_required
@require_GET
def assistant_progress(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Return the progress alone while a run works; reload the page when it does not any more."""
    run = run_or_404(lead_or_403(request, slug).project, number)
    if not is_at_work(run):
        return HttpResponseClientRefresh()
    return job_progress(request, assist_shown(run))


@login_required
@require_GET
def assistant_submission(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Hand out the answers of a baseline as a system's file."""
    return _answers_file(request, slug, number, submission_bytes, "json", "application/json")


@login_required
@require_GET
def assistant_judgements(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Hand out the answers of a run as judgements of an annotator, to be imported."""
    return _answers_file(request, slug, number, judgements_bytes, "csv", "text/csv; charset=utf-8")


def _answers_file(
    request: HttpRequest,
    slug: str,
    number: int,
    bytes_of: Callable[[AssistRun], bytes],
    ending: str,
    content_type: str,
) -> HttpResponse:
    member = lead_or_403(request, slug)
    run = run_or_404(member.project, number)
    refuse_while_judging(member, answers_of(run).values("item"))
    response = HttpResponse(bytes_of(run), content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{run.task}-run-{run.number}.{ending}"'
    return response


def _start(request: HttpRequest, member: Membership, choices: RunChoices) -> HttpResponse:
    run = run_start(project=member.project, choices=choices, by=member)
    messages.success(request, gettext("Run %(number)s is asked for.") % {"number": run.number})
    return redirect("assistant_run", member.project.slug, run.number)


def _act(
    request: HttpRequest, member: Membership, run: AssistRun, act: str, forms: dict[str, Any]
) -> HttpResponse:
    """Do one thing with a run. Raises Refused."""
    slug = member.project.slug
    given = forms[act].cleaned_data if act in forms else {}
    if act == "cancel":
        with refusals_as_notices(request):
            run_cancel(run=run, by=member)
            messages.success(request, gettext("The run is cancelled. What was answered until then is kept."))
    elif act == "resume":
        run_start_again(run=run, by=member, **given)
        messages.success(request, gettext("The run goes on."))
    elif act == "draw":
        check = context_check_make(run=run, by=member, **given)
        return redirect("round", slug, check.round.number)
    elif act == "mark":
        n = filter_mark(run=run, by=member)
        words = ngettext("%(n)s item is marked as filtered.", "%(n)s items are marked as filtered.", n)
        messages.success(request, words % {"n": f"{n:,}"})
    elif act == "take_back":
        n = filter_take_back(run=run, by=member)
        words = ngettext("%(n)s item is not filtered any more.", "%(n)s items are not filtered any more.", n)
        messages.success(request, words % {"n": f"{n:,}"})
    elif act == "collect":
        n = proposals_collect(run)
        words = ngettext("%(n)s was taken in.", "%(n)s were taken in.", n)
        messages.success(request, words % {"n": n})
        return redirect("assistants", slug)
    elif act == "hand_in":
        submission = run_hand_in(run=run, by=member, **given)
        return redirect("system", slug, submission.system_id)
    return redirect("assistant_run", slug, run.number)


def _waiting(project: Project, member: Membership) -> list[tuple[int, str, int]]:
    """Return the first items with candidate questions that wait, and how many."""
    if project.protocol != Protocol.CQS_GEN:
        return []
    rows = readable(
        ProposedQuestion.objects.filter(item__project=project, state=ProposedQuestion.State.WAITING), member
    )
    found: dict[tuple[int, str], int] = {}
    for item, name in rows.order_by("item").values_list("item", "item__external_id")[: WAITING_SHOWN * 40]:
        found[item, name] = found.get((item, name), 0) + 1
    return [(item, name, n) for (item, name), n in list(found.items())[:WAITING_SHOWN]]
