"""A lead's side of boards: making, opening, closing and hiding them, and what was handed in."""

from __future__ import annotations

import tempfile
from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.models import Membership
from boards.life.boards import board_edit, board_or_404, board_switch
from boards.life.entries import entry_hide, entry_or_404, entry_show, same_files
from boards.life.export import board_export, export_name
from boards.life.shown import lead_places, lead_rows_of
from boards.life.teams import board_invitation_revoke, board_invite
from boards.life.versions import (
    ahead_of,
    learnable_of,
    ranking_of,
    release_to_rank_by,
    version_now,
    version_or_404,
)
from boards.models import Board
from boards.tasks import board_start, placing_start_again, standing_follow, version_start
from core.errors import NotFound, Refused
from core.jobs import WORKING
from exports.models import Release
from frontend.decorators import login_required
from frontend.forms.boards import (
    BoardForm,
    HideForm,
    InviteForm,
    SettingsForm,
    VersionForm,
    chosen_now,
    settings_of,
)
from frontend.middleware import refusals_as_notices
from frontend.pages.boards.board import row_shown
from frontend.pages.common import lead_or_403, number_in, page_of, posted, project_page, show_refusal

PAGE_SIZE = 50
_FIRST = {"feedback": "better", "entrance": "invited", "per_day": 1, "in_all": 10, "most_runs": 1}


@login_required
@require_GET
def boards(request: HttpRequest, slug: str) -> HttpResponse:
    """List the boards of a project."""
    member = lead_or_403(request, slug)
    return project_page(
        request,
        "boards/boards.html",
        member,
        tab="boards",
        boards=list(member.project.boards.annotate(handed_in=Count("entries")).order_by("title")),
        releases=member.project.releases.filter(state=Release.State.DONE).exists(),
    )


@login_required
@require_http_methods(["GET", "POST"])
def board_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a board with its first version; nobody sees it until it is opened."""
    member = lead_or_403(request, slug)
    form = BoardForm(posted(request), project=member.project, initial=_FIRST)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            board_start(
                project=member.project,
                name=given["name"],
                ranking=_ranking(member, form),
                by=member,
                **{key: given[key] for key in SettingsForm.base_fields},
            )
        except Refused as refused:
            show_refusal(refused, form)
        else:
            return redirect("lead_board", slug, given["name"])
    return project_page(
        request,
        "boards/board_form.html",
        member,
        tab="boards",
        form=form,
        heading=gettext("New board"),
        act=gettext("Make the board"),
        lede=gettext("Leads alone see it until you open it."),
    )


@login_required
@require_GET
def board(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show a lead all that was handed in with its exact figures, and what can be done."""
    member = lead_or_403(request, slug)
    found = board_or_404(member.project, name)
    if version_now(found) is None:
        return redirect("lead_board_version", slug, name)
    version = version_or_404(found, number_in(request.GET.get("version")) or None)
    page = page_of(request, lead_places(version), PAGE_SIZE)
    token = request.session.pop("board_link", "")
    return project_page(
        request,
        "boards/lead_board.html",
        member,
        tab="boards",
        board=found,
        version=version,
        versions=list(found.versions.order_by("-number").values_list("number", flat=True)),
        page=page,
        rows=[
            {"placing": row.placing, "entry": row.entry, "shown": row_shown(row) if row.figures else None}
            for row in lead_rows_of(version, list(page))
        ],
        working=version.placings.filter(state__in=WORKING).count(),
        teams=found.teams.count(),
        same=same_files(found),
        bits=learnable_of(found, version),
        ahead=ahead_of(found, version),
        invite=InviteForm(),
        invitations=found.invitations.filter(team__isnull=True, revoked_at__isnull=True),
        link=request.build_absolute_uri(reverse("board_join", args=[token])) if token else "",
        public=request.build_absolute_uri(reverse("board", args=[slug, name])),
    )


@login_required
@require_http_methods(["GET", "POST"])
def board_settings(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Change what shapes a board."""
    member = lead_or_403(request, slug)
    found = board_or_404(member.project, name)
    form = SettingsForm(posted(request), initial=settings_of(found))
    if request.method == "POST" and form.is_valid():
        try:
            board_edit(board=found, by=member, **form.cleaned_data)
        except Refused as refused:
            show_refusal(refused, form)
        else:
            messages.success(request, gettext("The settings are kept."))
            return redirect("lead_board", slug, name)
    return project_page(
        request,
        "boards/board_form.html",
        member,
        tab="boards",
        board=found,
        form=form,
        heading=gettext("Settings of the board"),
        act=gettext("Keep the settings"),
        lede=gettext(
            "They hold from now on; the log has what was changed. More feedback cannot be taken back."
        ),
    )


@login_required
@require_http_methods(["GET", "POST"])
def board_version(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Rank by another release, split, method or threshold: all stored files are scored again."""
    member = lead_or_403(request, slug)
    found = board_or_404(member.project, name)
    form = VersionForm(posted(request), project=member.project, initial=chosen_now(found))
    before = version_now(found)
    if request.method == "POST" and form.is_valid():
        try:
            made = version_start(board=found, by=member, **{**ranking_of(before), **_ranking(member, form)})
        except Refused as refused:
            show_refusal(refused, form)
        else:
            messages.success(
                request, gettext("Version %(n)s: all files are scored for it.") % {"n": made.number}
            )
            return redirect("lead_board", slug, name)
    return project_page(
        request,
        "boards/board_form.html",
        member,
        tab="boards",
        board=found,
        form=form,
        heading=gettext("New version of the board"),
        act=gettext("Make version %(n)s") % {"n": before.number + 1 if before else 1},
        lede=gettext("Rank by another release, split, method or threshold.")
        if before
        else gettext("The board ranks by nothing yet: choose the release, the split and the method."),
        effects=_effects_of_a_version(found),
        back=reverse("lead_board", args=[slug, name]),
    )


@login_required
@require_POST
def switch(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Open, close or hide a board."""
    member = lead_or_403(request, slug)
    found = board_or_404(member.project, name)
    state = request.POST.get("state", "")
    if state not in Board.State.values:
        raise NotFound(gettext("There is no such state of a board."))
    with refusals_as_notices(request):
        board_switch(board=found, state=state, by=member)
    return redirect("lead_board", slug, name)


@login_required
@require_POST
def invite(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Make a link into the board, or make one worthless."""
    member = lead_or_403(request, slug)
    found = board_or_404(member.project, name)
    with refusals_as_notices(request):
        if "revoke" in request.POST:
            chosen = found.invitations.filter(pk=number_in(request.POST["revoke"])).first()
            if chosen is not None:
                board_invitation_revoke(invitation=chosen, by=member)
        else:
            request.session["board_link"] = board_invite(
                board=found, by=member, note=request.POST.get("note", "")
            )[1]
    return redirect("lead_board", slug, name)


@login_required
@require_http_methods(["GET", "POST"])
def hide(request: HttpRequest, slug: str, name: str, entry_id: int) -> HttpResponse:
    """Take a submission off the board with a reason."""
    member = lead_or_403(request, slug)
    found = entry_or_404(board_or_404(member.project, name), entry_id)
    form = HideForm(posted(request))
    if request.method == "POST" and form.is_valid():
        try:
            entry_hide(entry=found, reason=form.cleaned_data["reason"], by=member)
        except Refused as refused:
            show_refusal(refused, form)
        else:
            standing_follow(found)
            return redirect("lead_board", slug, name)
    return project_page(
        request,
        "confirm.html",
        member,
        tab="boards",
        heading=gettext("Hide “%(name)s”") % {"name": found.name},
        effects=[
            gettext("It stands on the board no more; its team reads why."),
            gettext("It still counts among the submissions of its team. You can show it again."),
        ],
        form=form,
        act=gettext("Hide it"),
        danger=True,
        back=reverse("lead_board", args=[slug, name]),
    )


@login_required
@require_POST
def show(request: HttpRequest, slug: str, name: str, entry_id: int) -> HttpResponse:
    """Put a hidden submission back, or have one scored again that failed."""
    member = lead_or_403(request, slug)
    found = entry_or_404(board_or_404(member.project, name), entry_id)
    with refusals_as_notices(request):
        if "again" in request.POST:
            for placing in found.placings.filter(state="failed"):
                placing_start_again(placing)
        else:
            entry_show(entry=found, by=member)
            standing_follow(found)
    return redirect("lead_board", slug, name)


@login_required
@require_POST
def export(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """Send a version of a board as a ZIP."""
    member = lead_or_403(request, slug)
    found = board_or_404(member.project, name)
    version = version_or_404(found, number_in(request.POST.get("version")) or None)
    out = tempfile.TemporaryFile()  # noqa: SIM115  # the response closes it
    board_export(board=found, version=version, out=out, internal="internal" in request.POST, by=member)
    out.seek(0)
    return FileResponse(out, as_attachment=True, filename=export_name(found, version))


def _effects_of_a_version(board: Board) -> list[str]:
    """Return what a new version will do, in sentences."""
    entries, now = board.entries.count(), version_now(board)
    told = ngettext(
        "The one submission is scored again, by a worker.",
        "All %(n)s submissions are scored again, by workers.",
        entries,
    )
    effects = [told % {"n": entries} if entries else gettext("Nothing was handed in yet to be scored again.")]
    effects.append(
        gettext("The board shows the new version at once; a system stands on it as soon as it is scored.")
    )
    if now is not None:
        told = gettext("Version %(n)s stays readable, with the figures it had.")
        effects.append(told % {"n": now.number})
    effects.append(gettext("It cannot be taken back: to rank as before, make one more version."))
    return effects


def _ranking(member: Membership, form: Any) -> dict[str, Any]:
    version, split = form.release_and_split()
    return {"release": release_to_rank_by(member.project, version), "split": split, **form.asked()}
