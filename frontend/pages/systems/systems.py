"""The systems of a project: what each is worth, and handing in another one's files."""

from typing import Any

from django.contrib import messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_http_methods

from annotation.models import Membership, Project, Protocol
from boards.models import Team
from core.errors import Refused
from core.jobs import WORKING
from exports.models import Release
from frontend.decorators import login_required
from frontend.forms.systems import DescriptionForm, SystemForm, as_before
from frontend.pages.boards.entry_names import entry_names
from frontend.pages.common import (
    in_order,
    lead_or_403,
    number_in,
    page_of,
    posted,
    project_page,
    query_without_page,
    show_refusal,
)
from frontend.pages.systems.shown import Chip
from scoring.models import Evaluation
from scoring.systems.choices import read_choices
from scoring.systems.submissions import FilesRefused, HandedIn
from scoring.systems.systems import system_edit, system_or_404
from scoring.tasks import answers_start

PAGE_SIZE = 25

EXAMPLES = {
    Protocol.FOCUS: '{"A-17": {"fsq_types": ["Lacks Evidence"],\n          "spans": ["words of the text"]}}',
    Protocol.CQS_GEN: '{"CLINTON_1":\n  {"cqs": [{"id": 0, "cq": "…?"},\n           {"id": 1, "cq": "…?"},\n'
    '           {"id": 2, "cq": "…?"}]}}',
}


@login_required
@require_GET
def systems(request: HttpRequest, slug: str) -> HttpResponse:
    """List what was scored, newest first: all, what leads handed in, or what came in by one board."""
    member = lead_or_403(request, slug)
    keys = Evaluation.objects.filter(submission__system__project=member.project)
    chips, of_teams = _chips(request, member.project)
    if of_teams is not None:
        keys = keys.filter(of_teams)
    return project_page(
        request,
        "systems/systems.html",
        member,
        tab="systems",
        releases=member.project.releases.filter(state=Release.State.DONE).exists(),
        chips=chips,
        **evaluations_context(request, member, keys),
    )


def _chips(request: HttpRequest, project: Project) -> tuple[list[Chip], Q | None]:
    """Return the filters by who handed in, if anything came in by a board, and what the chosen one asks."""
    teams = Team.objects.filter(board__project=project, system__isnull=False)
    boards = list(
        project.boards.annotate(scored=Count("teams__system__submissions__evaluations"))
        .filter(scored__gt=0)
        .order_by("title", "pk")
    )
    if not boards:
        return [], None
    total = Evaluation.objects.filter(submission__system__project=project).count()
    wanted = next((board for board in boards if board.name == request.GET.get("board")), None)
    leads = wanted is None and request.GET.get("by") == "leads"
    of_leads = total - sum(board.scored for board in boards)
    chips = [
        Chip(gettext("all"), total, "?", wanted is None and not leads),
        Chip(gettext("handed in by leads"), of_leads, "?by=leads", leads),
        *(
            Chip(
                gettext("on the board %(title)s") % {"title": board.title},
                board.scored,
                f"?board={board.name}",
                board is wanted,
            )
            for board in boards
        ),
    ]
    if wanted is not None:
        return chips, Q(submission__system__in=teams.filter(board=wanted).values("system"))
    return chips, ~Q(submission__system__in=teams.values("system")) if leads else None


def evaluations_context(
    request: HttpRequest, member: Membership, keys: QuerySet[Evaluation]
) -> dict[str, Any]:
    """Return a page of evaluations, without their figures but the one that stands for each, and their names.

    A name is what a team called its files on a board, empty for others.
    """
    page = page_of(request, keys.order_by("-pk").values_list("pk", flat=True), PAGE_SIZE)
    rows = (
        Evaluation.objects.defer("figures")
        .select_related("submission__system", "submission__release")
        .annotate(runs=Count("submission__files"))
    )
    shown = in_order(list(page.object_list), rows)
    names = entry_names(one.submission_id for one in shown)
    return {
        "page": page,
        "query": query_without_page(request),
        "focus": member.project.protocol == Protocol.FOCUS,
        "evaluations": [(one, names.get(one.submission_id, "")) for one in shown],
        "comparable": sum(one.state == Evaluation.State.DONE for one in shown) > 1,
        "working": any(one.state in WORKING for one in shown),
    }


@login_required
@require_http_methods(["GET", "POST"])
def system_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a system's files: refuse them with every fault, or have them scored."""
    member = lead_or_403(request, slug)
    project = member.project
    before = project.systems.filter(pk=number_in(request.GET.get("system"))).first()
    form = SystemForm(
        posted(request), request.FILES or None, project=project, initial=as_before(before, project)
    )
    refusal: FilesRefused | None = None
    if request.method == "POST" and form.is_valid():
        try:
            return _hand_in(request, member, form)
        except FilesRefused as refused:
            refusal = refused
            form.add_error("runs", refused.message)
        except Refused as refused:
            show_refusal(refused, form)
    return project_page(
        request,
        "systems/system_new.html",
        member,
        tab="systems",
        form=form,
        refusal=refusal,
        example=EXAMPLES.get(Protocol(project.protocol), ""),
        releases=bool(form.fields["place"].choices),  # type: ignore[attr-defined]
    )


def _hand_in(request: HttpRequest, member: Membership, form: SystemForm) -> HttpResponse:
    version, split = form.release_and_split()
    release = member.project.releases.select_related("project").get(version=version)
    given = form.cleaned_data
    made = answers_start(
        release=release,
        system=given["name"],
        description=given["description"],
        link=given["link"],
        files=[HandedIn(file.name, file.read()) for file in given["runs"]],
        split=split or None,
        asked=read_choices(member.project, **form.asked()),
        by=member,
    )
    done = sum(one.state == Evaluation.State.DONE for one in made)
    if done:
        messages.info(
            request,
            ngettext(
                "These files were scored so before: here is what they are worth.",
                "These files were scored so before, by %(n)s methods.",
                done,
            )
            % {"n": done},
        )
    if len(made) == 1:
        return redirect("evaluation", member.project.slug, made[0].pk)
    return redirect("system", member.project.slug, made[0].submission.system_id)


@login_required
@require_http_methods(["GET", "POST"])
def system(request: HttpRequest, slug: str, system_id: int) -> HttpResponse:
    """Show a system and what it was scored for; its description can be mended."""
    member = lead_or_403(request, slug)
    found = system_or_404(member.project, system_id)
    initial = {"description": found.description, "link": found.link}
    form = DescriptionForm(posted(request), initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            system_edit(system=found, by=member, **form.cleaned_data)
        except Refused as refused:
            show_refusal(refused, form)
        else:
            messages.success(request, gettext("The description is kept."))
            return redirect("system", slug, system_id)
    return project_page(
        request,
        "systems/system.html",
        member,
        tab="systems",
        system=found,
        form=form,
        **evaluations_context(request, member, Evaluation.objects.filter(submission__system=found)),
    )
