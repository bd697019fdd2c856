"""Rounds as their lead runs them: follow, pause, close, reopen."""

from statistics import median
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import access
from annotation.limits import REOPENING_WHY
from annotation.models import Membership, ProjectEvent, Round
from annotation.rounds.asked_types import asked_units, asked_words
from annotation.rounds.drawing import drawing_progress
from annotation.rounds.editing import fields_to_edit
from annotation.rounds.lifecycle import round_close, round_pause, round_reopen, round_resume
from annotation.rounds.progress import MemberProgress, progress_of_round
from frontend.decorators import login_required
from frontend.matching_view import matching_context
from frontend.middleware import refusals_as_notices
from frontend.pages.common import lead_or_403, posted, project_page
from frontend.training_view import training_context

LOG_SHOWN = 10


def lead_and_round(request: HttpRequest, slug: str, number: int) -> tuple[Membership, Round]:
    """Return the asking lead and the round of the address."""
    member = lead_or_403(request, slug)
    return member, access.round_or_404(member, number)


@login_required
@require_GET
def detail(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show a round: its state and next act, progress without judgements, parameters, log."""
    member, round = lead_and_round(request, slug, number)
    return project_page(
        request,
        "rounds/round.html",
        member,
        tab="project",
        round=round,
        n_items=round.drawn.count(),
        annotators_a_text=_annotators_a_text(round),
        n_questions=0 if round.claimed_for == Round.Work.DRAWING else round.round_questions.count(),
        asked=asked_words(round.asked),
        n_judgements=asked_units(round) if round.type_codes else 0,
        newest=member.project.codebooks.latest("version"),
        events=_events(round),
        can_edit=bool(fields_to_edit(round)),
        work=_work(round),
        **_progress(round, member),
        **training_context(round),
        **matching_context(round),
    )


@login_required
@require_GET
def detail_progress(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Return the progress table alone, or how far drawing or opening is, as the page asks time and again."""
    member, round = lead_and_round(request, slug, number)
    if "work" in request.GET:
        work = _work(round)
        if work is None:
            return HttpResponse(headers={"HX-Refresh": "true"})
        context = {"project": member.project, "round": round, "work": work}
        return render(request, "frontend/rounds/_work.html", context)
    context = {"member": member, "project": member.project, "round": round, **_progress(round, member)}
    return render(request, "frontend/rounds/_progress.html", context)


def _annotators_a_text(round: Round) -> str:
    """Return by how many annotators each text is judged; elsewhere that was not planned, and may differ."""
    if not round.imported:
        return str(round.overlap)
    given = round.assignments.filter(repeat=False).order_by().values_list("item").annotate(n=Count("id"))
    numbers = sorted(n for _, n in given)
    if not numbers or numbers[0] == numbers[-1]:
        return str(numbers[0] if numbers else round.overlap)
    return gettext("median %(median)s, from %(least)s to %(most)s") % {
        "median": f"{median(numbers):g}",
        "least": numbers[0],
        "most": numbers[-1],
    }


def _work(round: Round) -> dict[str, int] | None:
    """Return how far drawing or opening a draft is, of how much; None where nobody works on it."""
    if round.is_drawing:
        return drawing_progress(round)
    if round.is_importing:
        return {"done": 0, "total": 0}
    if round.is_opening:
        return {"done": round.assignments.count(), "total": round.round_items.count() * round.overlap}
    return None


def _progress(round: Round, asking: Membership) -> dict[str, Any]:
    rows = [] if round.status == Round.Status.DRAFT else progress_of_round(round)
    return {
        "rows": rows,
        "decided_mine": any(row.decided for row in rows if row.member.pk == asking.pk),
        "decided": sum(row.decided for row in rows),
        "total": sum(row.total for row in rows),
    }


def _events(round: Round) -> list[ProjectEvent]:
    found = round.project.events.filter(details__round=round.name).select_related("member")
    return list(found.order_by("-id")[:LOG_SHOWN])


@login_required
@require_POST
def pause(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Pause an open round, or let a paused one go on, as the button says."""
    member, round = lead_and_round(request, slug, number)
    with refusals_as_notices(request):
        if request.POST.get("then") == "resume":
            round_resume(round, by=member)
            messages.success(request, gettext("%(name)s goes on.") % {"name": round.name})
        else:
            round_pause(round, by=member)
            messages.success(
                request,
                gettext("%(name)s is paused: what annotators decide is stored once it goes on.")
                % {"name": round.name},
            )
    return redirect("round", slug, number)


@login_required
@require_http_methods(["GET", "POST"])
def close(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Say what closing does and who is not done, then close."""
    member, round = lead_and_round(request, slug, number)
    if request.method == "POST":
        with refusals_as_notices(request):
            round_close(round, by=member)
            messages.success(
                request,
                gettext("%(name)s is closed. Its agreement report is being computed.") % {"name": round.name},
            )
        return redirect("round", slug, number)
    rows = progress_of_round(round)
    return project_page(
        request,
        "confirm.html",
        member,
        tab="project",
        heading=gettext("Close %(name)s") % {"name": round.name},
        warnings=_unfinished(rows),
        effects=[
            gettext("Annotators can change nothing in it any more."),
            gettext("Its agreement report is computed, with gold and disagreement spans."),
            gettext("Its judgements and comments become visible to you, and its comments to its annotators."),
            gettext(
                "Closing is final, unless a lead reopens the round with a reason; what is judged "
                "after that is left out of the coefficients."
            ),
        ],
        act=gettext("Close %(name)s") % {"name": round.name},
        back=reverse("round", args=[slug, number]),
    )


def _unfinished(rows: list[MemberProgress]) -> list[str]:
    behind = [row for row in rows if row.left]
    if not behind:
        return []
    left = sum(row.left for row in behind)
    names = ", ".join(
        gettext("%(pseudonym)s has %(left)s left")
        % {"pseudonym": row.member.pseudonym, "left": f"{row.left:,}"}
        for row in behind[:8]
    )
    if len(behind) > 8:
        names = gettext("%(names)s, and %(n)s others are not done") % {"names": names, "n": len(behind) - 8}
    return [
        ngettext(
            "%(left)s judgement is still missing: %(names)s. It will count as missing.",
            "%(left)s judgements are still missing: %(names)s. They will count as missing.",
            left,
        )
        % {"left": f"{left:,}", "names": names}
    ]


class ReasonForm(forms.Form):
    why = forms.CharField(
        max_length=REOPENING_WHY.characters,
        widget=forms.Textarea(attrs={"rows": 3}),
        label=gettext_lazy("Why? It is kept in the log."),
    )


@login_required
@require_http_methods(["GET", "POST"])
def reopen(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Say what reopening does, ask why, then reopen."""
    member, round = lead_and_round(request, slug, number)
    form = ReasonForm(posted(request))
    if request.method == "POST" and form.is_valid():
        with refusals_as_notices(request):
            round_reopen(round, why=form.cleaned_data["why"], by=member)
            messages.success(request, gettext("%(name)s is open again.") % {"name": round.name})
        return redirect("round", slug, number)
    return project_page(
        request,
        "confirm.html",
        member,
        tab="project",
        heading=gettext("Reopen %(name)s") % {"name": round.name},
        effects=[
            gettext("Its annotators can judge again what they had."),
            gettext(
                "What is judged from now on is marked and left out of all coefficients, because the "
                "judgements have been seen."
            ),
            gettext("Your reason stands in the project's log."),
        ],
        act=gettext("Reopen %(name)s") % {"name": round.name},
        back=reverse("round", args=[slug, number]),
        form=form,
    )
