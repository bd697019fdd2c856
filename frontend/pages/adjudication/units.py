"""One unit of a closed round: everybody's answers, the discussion, and the lead's decision."""

from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_GET, require_POST

from agreement.adjudication.queue import queue_claim_next
from agreement.models import AgreementReport, DisputedUnit
from annotation import access
from annotation.adjudication.adjudication import (
    ResolutionInput,
    claim_of_another,
    resolution_current,
    resolution_decide,
    resolution_history,
    resolution_undo,
    unit_release,
)
from annotation.adjudication.discussion import comment_add, discussion_allowed, thread_of
from annotation.codebooks.definition import Codebook as Definition
from annotation.codebooks.translations import codebook_in
from annotation.judging.recording import Unit
from annotation.models import Comment, Item, Membership, Round
from annotation.protocols.matching import MATCHED
from core.errors import Refused
from frontend.decorators import login_required
from frontend.middleware import refusals_as_notices
from frontend.pages.adjudication.disagreements import closed_round_report, filtered_units
from frontend.pages.common import lead_or_403, project_page
from frontend.unit_view import json_of, resolution_text, spans_of_side, unit_key, unit_of, unit_shown


@login_required
@require_GET
def unit(request: HttpRequest, slug: str, number: int, item_id: int, key: str) -> HttpResponse:
    """Show a unit; annotators of the round read and discuss, leads decide as well."""
    member = access.member_or_404(request.user, slug)
    round = access.round_or_404(member, number)
    discussion_allowed(round=round, member=member)
    access.refuse_while_judging(member, [item_id])
    item, asked = unit_of(round, item_id, key)
    report = closed_round_report(round)
    return _page(request, member, round, report, item, asked, {})


def _page(
    request: HttpRequest,
    member: Membership,
    round: Round,
    report: AgreementReport | None,
    item: Item,
    asked: Unit,
    given: dict[str, Any],
    refused: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    shown = unit_shown(round, report, item, asked)
    definition = codebook_in(Definition.from_json(round.codebook.definition), get_language() or "")
    current = resolution_current(item, asked)
    before, after = _neighbours(request, report, member, item, asked) if member.is_lead else (None, None)
    return project_page(
        request,
        "adjudication/unit.html",
        member,
        status=status,
        tab="disagreements" if member.is_lead else "project",
        round=round,
        shown=shown,
        key=unit_key(asked.type_code, asked.question_id),
        script=json_of(shown),
        thread=thread_of(round=round, item=item, unit=asked, member=member),
        current=current,
        current_words=resolution_text(current, definition) if current else "",
        history=[
            (resolution, resolution_text(resolution, definition))
            for resolution in resolution_history(item, asked)
        ]
        if member.is_lead
        else [],
        taken=claim_of_another(item, asked, member) if member.is_lead else None,
        newest=member.project.codebooks.latest("version"),
        before=before,
        after=after,
        filters=request.GET.urlencode(),
        given=given,
        refused=refused,
    )


def _neighbours(
    request: HttpRequest, report: AgreementReport | None, member: Membership, item: Item, asked: Unit
) -> tuple[str | None, str | None]:
    """Return the addresses of the units before and after in the list that the lead came from."""
    if report is None:
        return None, None
    here = report.disputed_units.filter(
        item=item, type_code=asked.type_code, question=asked.question_id
    ).first()
    if here is None:
        return None, None
    units = filtered_units(report, member, request.GET)
    earlier = Q(disputed__gt=here.disputed) | Q(disputed=here.disputed, pk__lt=here.pk)
    later = Q(disputed__lt=here.disputed) | Q(disputed=here.disputed, pk__gt=here.pk)
    before = units.filter(earlier).order_by("disputed", "-id").first()
    after = units.filter(later).first()
    query = f"?{request.GET.urlencode()}" if request.GET else ""
    return (
        _address(report.round, before) + query if before else None,
        _address(report.round, after) + query if after else None,
    )


def _address(round: Round, found: DisputedUnit) -> str:
    key = unit_key(found.type_code, found.question_id)
    return reverse("unit", args=[round.project.slug, round.number, found.item_id, key])


@login_required
@require_POST
def unit_decide(request: HttpRequest, slug: str, number: int, item_id: int, key: str) -> HttpResponse:
    """Store the lead's decision; then the next unit that waits, if the lead works through the queue."""
    member = lead_or_403(request, slug)
    round = access.round_or_404(member, number)
    access.refuse_while_judging(member, [item_id])
    report = closed_round_report(round)
    item, asked = unit_of(round, item_id, key)
    seen = request.POST.get("seen", "")
    try:
        resolution_decide(
            item=item,
            unit=asked,
            member=member,
            codebook=round.codebook,
            given=_resolution_input(request, item, asked),
            seen=int(seen[:18]) if seen.isdecimal() else None,
        )
    except Refused as refusal:
        if refusal.code not in ("invalid", "claimed", "stale"):
            raise
        messages.error(request, refusal.message)
        return _page(request, member, round, report, item, asked, request.POST.dict(), status=409)
    messages.success(request, gettext("%(item)s is decided.") % {"item": item.external_id})
    if "and_next" in request.POST and report is not None:
        following = queue_claim_next(report, member)
        if following is not None:
            return redirect(_address(round, following))
        messages.info(request, gettext("Nothing is left to decide in this round."))
        return redirect("round_disagreements", slug, number)
    return redirect("unit", slug, number, item_id, key)


def _resolution_input(request: HttpRequest, item: Item, asked: Unit) -> ResolutionInput:
    side = request.POST.get("side", "")
    shared: dict[str, Any] = {
        "why": request.POST.get("why", ""),
        "in_guideline": "in_guideline" in request.POST,
    }
    if asked.question_id is not None:
        label, _, reason = side.partition(":")
        if label == MATCHED:
            reference = int(reason[:18]) if reason.isdecimal() else 0
            return ResolutionInput(label=label, reference=reference, **shared)
        edited = request.POST.get("edited_question", "") if label == "IN" else ""
        return ResolutionInput(label=label, reason=reason, edited_question=edited.strip(), **shared)
    if side == "other":
        return ResolutionInput(applicable=True, spans=_other_span(request, item), **shared)
    applicable = {"yes": True, "no": False}.get(side.partition(":")[0])
    return ResolutionInput(applicable=applicable, spans=spans_of_side(side), **shared)


def _other_span(request: HttpRequest, item: Item) -> tuple[tuple[int, int], ...]:
    """Return the span that the script measured, else the one place where the given words stand."""
    start, end = request.POST.get("start", ""), request.POST.get("end", "")
    if start.isdecimal() and end.isdecimal():
        return ((int(start[:9]), int(end[:9])),)
    words = request.POST.get("words", "")
    if not words:
        return ()
    places = item.text.count(words)
    if places != 1:
        raise Refused(
            "invalid",
            gettext("These words stand %(n)s times in the text: give words that stand there exactly once.")
            % {"n": places},
        )
    at = item.text.index(words)
    return ((at, at + len(words)),)


@login_required
@require_POST
def unit_undo(request: HttpRequest, slug: str, number: int, item_id: int, key: str) -> HttpResponse:
    """Take the current decision back."""
    member = lead_or_403(request, slug)
    round = access.round_or_404(member, number)
    access.refuse_while_judging(member, [item_id])
    item, asked = unit_of(round, item_id, key)
    seen = request.POST.get("seen", "")
    with refusals_as_notices(request):
        restored = resolution_undo(
            item=item, unit=asked, member=member, seen=int(seen[:18]) if seen.isdecimal() else 0
        )
        told = (
            gettext("The decision is undone: the one before holds again.")
            if restored
            else gettext("The decision is undone: the unit waits again.")
        )
        messages.success(request, told)
    return redirect("unit", slug, number, item_id, key)


@login_required
@require_POST
def unit_skip(request: HttpRequest, slug: str, number: int, item_id: int, key: str) -> HttpResponse:
    """Give the claim back and return to the list, where another lead may take the unit."""
    member = lead_or_403(request, slug)
    round = access.round_or_404(member, number)
    item, asked = unit_of(round, item_id, key)
    unit_release(item=item, unit=asked, member=member)
    return redirect("round_disagreements", slug, number)


@login_required
@require_POST
def unit_comment(request: HttpRequest, slug: str, number: int, item_id: int, key: str) -> HttpResponse:
    """Add to the thread of a unit, settle it or open it again."""
    member = access.member_or_404(request.user, slug)
    round = access.round_or_404(member, number)
    discussion_allowed(round=round, member=member)
    access.refuse_while_judging(member, [item_id])
    item, asked = unit_of(round, item_id, key)
    act, text = request.POST.get("act", Comment.Act.SAY), request.POST.get("text", "")
    try:
        comment_add(
            round=round,
            item=item,
            unit=asked,
            member=member,
            text=text,
            act=act if act in Comment.Act.values else Comment.Act.SAY,
        )
    except Refused as refusal:
        if refusal.code != "invalid":
            raise
        report, refused = closed_round_report(round), {"said": text, "problem": refusal.message}
        return _page(request, member, round, report, item, asked, {}, refused=refused, status=422)
    return redirect(reverse("unit", args=[slug, number, item_id, key]) + "#thread")
