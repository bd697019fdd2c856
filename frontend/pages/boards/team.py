"""Handing in: a team's own pages on a board."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from boards.figures.feedback import AFTER_THE_CLOSE, NOT_BETTER
from boards.life.boards import public_board_or_404, team_member_of
from boards.life.checking import upload_check
from boards.life.entries import (
    counted,
    entry_describe,
    entry_of_team_or_404,
    entry_withdraw,
    left_for,
)
from boards.life.placings import place_in_the_queue
from boards.life.shown import Row, team_rows
from boards.life.teams import (
    find_invitation,
    invitation_accept,
    team_create,
    team_invite,
    team_or_refuse,
    team_rename,
)
from boards.life.versions import version_or_404
from boards.models import Board, Team
from boards.tasks import entry_start, standing_follow
from core.errors import Refused
from core.jobs import WORKING
from frontend.decorators import login_required
from frontend.forms.boards import DescribedForm, HandInForm, TeamForm
from frontend.middleware import refusals_as_notices
from frontend.pages.boards.board import board_context, row_shown
from frontend.pages.common import posted, show_refusal
from frontend.pages.people.invitations import SignUpForm
from scoring.systems.submissions import FilesRefused, HandedIn


@login_required
@require_http_methods(["GET", "POST"])
def hand_in(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Make a team, have a file checked, hand it in: faults stand on the page and cost nothing."""
    board = public_board_or_404(slug, name, request.user)
    member = team_member_of(board, request.user)
    if member is None:
        return _team_first(request, board)
    form = HandInForm(posted(request), request.FILES or None, initial={"may_be_shown": True})
    refusal: FilesRefused | None = None
    if request.method == "POST" and form.is_valid():
        try:
            return _handed_in(request, board, member.team, form)
        except FilesRefused as refused:
            refusal = refused
            form.add_error("runs", refused.message)
        except Refused as refused:
            show_refusal(refused, form)
    left_today, left = left_for(member.team, timezone.now().date())
    return render(
        request,
        "frontend/boards/hand_in.html",
        {
            **board_context(request, board, version_or_404(board)),
            "form": form,
            "refusal": refusal,
            "left_today": left_today,
            "left": left,
        },
    )


def _team_first(request: HttpRequest, board: Board) -> HttpResponse:
    form = TeamForm(posted(request))
    if request.method == "POST" and form.is_valid():
        try:
            team_create(board=board, name=form.cleaned_data["team"], user=request.user)
        except Refused as refused:
            show_refusal(refused, form)
        else:
            return redirect("board_hand_in", board.project.slug, board.name)
    context = board_context(request, board, version_or_404(board))
    return render(request, "frontend/boards/team_new.html", {**context, "form": form})


def _handed_in(request: HttpRequest, board: Board, team: Team, form: HandInForm) -> HttpResponse:
    given = form.cleaned_data
    files = [HandedIn(file.name, file.read()) for file in given["runs"]]
    address = (board.project.slug, board.name)
    if request.POST.get("act") == "check":
        upload_check(team=team, version=version_or_404(board), files=files)
        messages.success(request, gettext("No fault was found: choose the file once more to hand it in."))
        return redirect("board_hand_in", *address)
    entry_start(
        board=board,
        user=request.user,
        files=files,
        **{key: given[key] for key in ("name", "line", "link", "trained_on_validation", "may_be_shown")},
    )
    messages.success(request, gettext("It is handed in, and waits to be scored."))
    return redirect("board_team", *address)


@login_required
@require_http_methods(["GET", "POST"])
def team(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show a team what it handed in and what came of it; rename the team, or make a link into it."""
    board = public_board_or_404(slug, name, request.user)
    own = team_or_refuse(board, request.user)
    form = TeamForm(posted(request) if "team" in request.POST else None, initial={"team": own.name})
    link = ""
    if request.method == "POST" and "team" in request.POST and form.is_valid():
        try:
            team_rename(team=own, name=form.cleaned_data["team"], user=request.user)
        except Refused as refused:
            show_refusal(refused, form)
        else:
            return redirect("board_team", slug, name)
    elif request.method == "POST" and "invite" in request.POST:
        token = team_invite(team=own, user=request.user)[1]
        link = request.build_absolute_uri(reverse("board_join", args=[token]))
    day, in_all = counted(own, timezone.now().date())
    return render(
        request,
        "frontend/boards/team.html",
        {
            **board_context(request, board, version_or_404(board)),
            **_entries(board, own),
            "form": form,
            "link": link,
            "members": [one.user.get_username() for one in own.members.select_related("user")],
            "handed_in_today": day,
            "handed_in": in_all,
        },
    )


@login_required
@require_GET
def team_progress(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Answer the team's page, which asks time and again while something is scored."""
    board = public_board_or_404(slug, name, request.user)
    own = team_or_refuse(board, request.user)
    context = {"board": board, "project": board.project, "team": own, **_entries(board, own)}
    return render(request, "frontend/boards/_entries.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def entry(request: HttpRequest, slug: str, name: str, entry_id: int) -> HttpResponse:
    """Describe one's own submission in other words, keep it private, or withdraw it."""
    board = public_board_or_404(slug, name, request.user)
    found = entry_of_team_or_404(team_or_refuse(board, request.user), entry_id)
    names = ("name", "line", "link", "may_be_shown")
    form = DescribedForm(posted(request), initial={key: getattr(found, key) for key in names})
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            entry_describe(entry=found, user=request.user, **{key: given[key] for key in names})
        except Refused as refused:
            show_refusal(refused, form)
        else:
            standing_follow(found)
            messages.success(request, gettext("The description is kept."))
            return redirect("board_team", slug, name)
    context = board_context(request, board, version_or_404(board))
    return render(request, "frontend/boards/entry.html", {**context, "entry": found, "form": form})


@login_required
@require_POST
def withdraw(request: HttpRequest, slug: str, name: str, entry_id: int) -> HttpResponse:
    """Take one's own submission off the board."""
    board = public_board_or_404(slug, name, request.user)
    found = entry_of_team_or_404(team_or_refuse(board, request.user), entry_id)
    with refusals_as_notices(request):
        entry_withdraw(entry=found, user=request.user)
        standing_follow(found)
        messages.success(
            request, gettext("“%(name)s” is withdrawn. It counts all the same.") % {"name": found.name}
        )
    return redirect("board_team", slug, name)


@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Show what a link is for, then accept it with this account or a new one."""
    invitation = find_invitation(token)
    sign_up = None if request.user.is_authenticated else SignUpForm(posted(request))
    if sign_up is not None:
        del sign_up.fields["background"]
    problem = ""
    if request.method == "POST" and (sign_up is None or sign_up.is_valid()):
        try:
            # An account is made only together with its place on the board.
            with transaction.atomic():
                user = sign_up.save() if sign_up else request.user
                invitation_accept(token=token, user=user)
        except Refused as refused:
            problem = refused.message
        else:
            if sign_up:
                login(request, sign_up.instance, backend="config.accounts.AccountBackend")
            return redirect("board_hand_in", invitation.board.project.slug, invitation.board.name)
    return render(
        request,
        "frontend/boards/join.html",
        {"invitation": invitation, "board": invitation.board, "form": sign_up, "problem": problem},
    )


def _entries(board: Board, own: Team) -> dict[str, Any]:
    rows = team_rows(board, version_or_404(board), own)
    return {
        "entries": [_shown(row) for row in rows],
        "working": any(row.placing.state in WORKING for row in rows),
    }


def _shown(row: Row) -> dict[str, Any]:
    placing = row.placing
    shown: dict[str, Any] = {"entry": row.entry, "state": placing.state, "words": "", "row": None}
    if placing.state in WORKING:
        shown["words"] = gettext("waits to be scored, number %(n)s in the queue") % {
            "n": place_in_the_queue(placing)
        }
        if placing.state == "running":
            shown["words"] = gettext("is being scored")
    elif placing.state != "done":
        shown["words"] = (
            gettext("could not be scored on our side: it does not count, and the organisers see why")
            if row.entry.slot is None
            else gettext("could not be scored for this version of the board; it still counts")
        )
    elif row.figures is not None:
        shown["row"] = row_shown(row)
    else:
        shown["words"] = {
            AFTER_THE_CLOSE: gettext("scored; figures are shown when the board is closed"),
            NOT_BETTER: gettext("not better than your best by more than chance"),
            None: gettext("scored; what is shown of it waits for your submission before it"),
        }[row.why]
    return shown
