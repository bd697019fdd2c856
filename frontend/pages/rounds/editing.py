"""Changing a planned or open round, and deleting a draft."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from annotation.limits import characters
from annotation.models import Round
from annotation.rounds.editing import draft_delete, fields_to_edit, round_edit
from core.errors import Refused
from frontend.decorators import login_required
from frontend.middleware import refusals_as_notices
from frontend.pages.common import posted, project_page, show_refusal
from frontend.pages.rounds.lifecycle import lead_and_round
from frontend.pages.rounds.planning import RareRoundForm, RoundForm


class TypedRoundForm(forms.Form):
    typed = forms.CharField(
        label=gettext_lazy("Type the round's name to confirm"), max_length=characters("round", "name")
    )


@login_required
@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Change what can still be changed of a round."""
    member, round = lead_and_round(request, slug, number)
    fields = fields_to_edit(round)
    if not fields:
        told = gettext("%(name)s is %(status)s: nothing of it can be changed any more.")
        raise Refused("not_ready", told % {"name": round.name, "status": round.status_word})
    initial = {name: getattr(round, name) for name in fields}
    form = RoundForm(posted(request), project=member.project, initial=initial)
    rare = RareRoundForm(posted(request), initial=initial)
    for part in (form, rare):
        for name in set(part.fields) - set(fields):
            del part.fields[name]
    if "name" in form.fields:
        form.fields["name"].required, form.fields["name"].help_text = True, ""
    if "pass_mark" in form.fields:
        form.fields["pass_mark"].help_text = gettext(
            "The percent of first answers that have to be those of the key. Left empty, nobody passes or "
            "fails."
        )
    if request.method == "POST" and form.is_valid() and rare.is_valid():
        try:
            round_edit(round, by=member, **form.cleaned_data, **rare.cleaned_data)
        except Refused as refusal:
            show_refusal(refusal, form, rare)
        else:
            messages.success(request, gettext("%(name)s is saved.") % {"name": round.name})
            return redirect("round", slug, number)
    return project_page(request, "rounds/edit.html", member, tab="project", round=round, form=form, rare=rare)


@login_required
@require_http_methods(["GET", "POST"])
def delete(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Delete a draft after its name was typed."""
    member, round = lead_and_round(request, slug, number)
    if round.status != Round.Status.DRAFT or round.imported:
        told = gettext("%(name)s is %(status)s: only a draft can be deleted.")
        raise Refused("round_not_draft", told % {"name": round.name, "status": round.status_word})
    form = TypedRoundForm(posted(request))
    if request.method == "POST" and form.is_valid():
        if form.cleaned_data["typed"].strip() != round.name:
            form.add_error("typed", gettext("That is not its name: type %(name)s.") % {"name": round.name})
        else:
            name = round.name
            with refusals_as_notices(request):
                draft_delete(round, by=member)
                messages.success(request, gettext("The draft %(name)s is deleted.") % {"name": name})
            return redirect("project", slug)
    return project_page(
        request,
        "confirm.html",
        member,
        tab="project",
        heading=gettext("Delete the draft %(name)s") % {"name": round.name},
        effects=[
            gettext("The draft goes, with what was drawn into it and its key. It cannot be brought back."),
            gettext("Its items stay in the project, and nothing was judged in it."),
        ],
        act=gettext("Delete the draft %(name)s") % {"name": round.name},
        danger=True,
        back=reverse("round", args=[slug, number]),
        form=form,
    )
