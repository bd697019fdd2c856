"""The candidate questions of an item: keep, edit or drop them, fill a scheme, and make questions."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from annotation.models import Item, Membership
from assist.api.candidates import item_of
from assist.candidates.proposals import (
    filling_questions,
    is_preselected,
    proposals_decide,
    proposals_near,
    questions_make,
)
from assist.candidates.scheme_file import key_of
from assist.candidates.schemes import catalogue, filling_confirm, scheme_questions, schemes_of
from assist.models import ProposedQuestion, Scheme, SchemeFilling
from assist.reading.model_answers import is_in_text
from core.errors import Refused
from frontend.decorators import login_required
from frontend.pages.common import lead_or_403, number_in, project_page

State = ProposedQuestion.State


@login_required
@require_http_methods(["GET", "POST"])
def candidates(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """Show the candidate questions of an item beside its text, near repeats together."""
    member = lead_or_403(request, slug)
    item = item_of(member, item_id)
    known = catalogue()
    if request.method == "POST":
        try:
            _act(request, member, item)
        except Refused as refusal:
            messages.error(request, refusal.message)
        else:
            return redirect("item_candidates", slug, item.pk)
    groups = proposals_near(list(item.proposed_questions.all()))
    chosen = known.get(key_of(request.GET.get("scheme", "")))
    proposed = item.scheme_fillings.filter(confirmed_at=None).select_related("scheme", "answer")
    return project_page(
        request,
        "assistants/candidates.html",
        member,
        tab="assistants",
        item=item,
        groups=[[(row, is_preselected(row, group)) for row in group.proposals] for group in groups],
        waiting=any(row.state == State.WAITING for group in groups for row in group.proposals),
        kept=item.proposed_questions.filter(state=State.KEPT, question=None).count(),
        of_item=schemes_of(item, known),
        schemes=list(Scheme.objects.all()),
        chosen=chosen,
        **(_filling(request, item, chosen) if chosen else {}),
        proposed=[
            (
                filling,
                [
                    (slot, words, slot in (filling.answer.found or {}).get("not_in_text", []))
                    for slot, words in filling.slots.items()
                ],
                scheme_questions(filling.scheme, filling.slots),
            )
            for filling in proposed
            if filling.answer is not None
        ],
    )


def _filling(request: HttpRequest, item: Item, scheme: Scheme) -> dict[str, Any]:
    """Return what the form of a scheme shows: the words of each slot, if the text lacks them, questions."""
    slots = {slot: request.POST.get(slot, "") for slot in scheme.slots}
    return {
        "filled": [(slot, words, not is_in_text(words, item.text)) for slot, words in slots.items()],
        "filled_questions": scheme_questions(scheme, slots),
        "fill_data": {"text": item.text, "questions": scheme.questions, "letters": True},
    }


def _act(request: HttpRequest, member: Membership, item: Item) -> None:
    """Do what a lead pressed. Raises Refused."""
    act = request.POST.get("act", "")
    if act == "decide":
        proposals_decide(item=item, decisions=_decisions(request, item), by=member)
        messages.success(request, gettext("The candidate questions are decided."))
    elif act == "fill":
        scheme = Scheme.objects.filter(pk=number_in(request.POST.get("scheme"))).first()
        if scheme is None:
            raise Refused("invalid", gettext("Choose a scheme."))
        slots = {slot: request.POST.get(slot, "") for slot in scheme.slots}
        number = number_in(request.POST.get("filling"))
        proposed: Any = SchemeFilling.objects.filter(item=item, confirmed_at=None, pk=number).first()
        filling_questions(
            filling_confirm(item=item, scheme=scheme, slots=slots, by=member, proposed=proposed)
        )
        messages.success(request, gettext("The scheme’s questions wait with the others."))
    elif act == "make":
        made = questions_make(
            project=member.project, items=[item.pk], seed=number_in(request.POST.get("seed")), by=member
        )
        words = ngettext("%(n)s question was made.", "%(n)s questions were made.", made)
        messages.success(request, words % {"n": made})


def _decisions(request: HttpRequest, item: Item) -> dict[int, tuple[str, str]]:
    found: dict[int, tuple[str, str]] = {}
    for row in item.proposed_questions.filter(question=None):
        state = request.POST.get(f"state-{row.pk}", "")
        if state in (State.KEPT, State.DROPPED):
            found[row.pk] = state, request.POST.get(f"text-{row.pk}", "").strip()
    return found
