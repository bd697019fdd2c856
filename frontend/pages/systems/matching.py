"""Matching rounds: made of submissions, scored by what people decided, new questions made references."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.limits import characters
from annotation.models import Project, Protocol
from core.errors import NotFound, Refused
from frontend.decorators import login_required
from frontend.middleware import refusals_as_notices
from frontend.pages.boards.entry_names import entry_names
from frontend.pages.common import lead_or_403, posted, project_page, show_refusal
from frontend.pages.rounds.lifecycle import lead_and_round
from scoring.evaluation.questions import BY_PEOPLE
from scoring.models import Submission
from scoring.systems.choices import MOST_SEED, read_choices
from scoring.systems.matching_rounds import MOST_OVERLAP, matching_make
from scoring.systems.new_references import references_add
from scoring.tasks import evaluation_start

MOST_SHOWN = 100


class MatchingForm(forms.Form):
    """What a matching round is made of."""

    submissions = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("Questions of"),
        help_text=gettext_lazy("For one release: references differ between releases."),
        error_messages={"required": gettext_lazy("Choose at least one submission.")},
    )
    name = forms.CharField(
        required=False,
        max_length=characters("round", "name"),
        label=gettext_lazy("Name"),
        help_text=gettext_lazy("Annotators read it: name no system in it. Empty: Matching 1, 2 and so on."),
    )
    overlap = forms.IntegerField(
        min_value=1, max_value=MOST_OVERLAP, initial=2, label=gettext_lazy("Annotators for each text")
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=MOST_SEED,
        initial=0,
        label=gettext_lazy("Seed"),
        help_text=gettext_lazy("Of the order of questions, and of the references for each annotator."),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.found = {
            str(one.pk): one
            for one in Submission.objects.filter(system__project=project)
            .select_related("system__project", "release__project")
            .order_by("-pk")[:MOST_SHOWN]
        }
        entries = entry_names(one.pk for one in self.found.values())
        self.fields["submissions"].choices = [  # type: ignore[attr-defined]
            (key, _name_of(one, entries.get(one.pk, ""))) for key, one in self.found.items()
        ]

    def chosen(self) -> list[Submission]:
        """Return the submissions chosen, oldest first."""
        keys = sorted(self.cleaned_data["submissions"], key=int)
        return [self.found[key] for key in keys]


def _name_of(submission: Submission, entry: str) -> str:
    """Return what tells a submission from others: a system has several, those of a board have a name each."""
    handed_in = date_format(localtime(submission.created_at), gettext("j M Y, H:i T"))
    named = (submission.system.name, entry, submission.release.version, submission.split, handed_in)
    return " · ".join(part for part in named if part)


@login_required
@require_http_methods(["GET", "POST"])
def matching_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a draft matching round of the submissions that a lead chooses."""
    member = lead_or_403(request, slug)
    if member.project.protocol != Protocol.CQS_GEN:
        raise NotFound(gettext("Only questions are matched with references: this project judges types."))
    form = MatchingForm(posted(request), project=member.project)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            made = matching_make(
                submissions=form.chosen(),
                name=given["name"],
                overlap=given["overlap"],
                seed=given["seed"],
                by=member,
            )
        except Refused as refused:
            show_refusal(refused, form)
        else:
            told = ngettext(
                "%(n)s question is asked, of %(all)s handed in: identical ones once.",
                "%(n)s questions are asked, of %(all)s handed in: identical ones once.",
                made.asked,
            )
            messages.success(request, told % {"n": made.asked, "all": made.handed_in})
            if made.without:
                left = gettext("%(n)s are about items without references, and are not asked.")
                messages.info(request, left % {"n": made.without})
            return redirect("round", slug, made.round.number)
    return project_page(request, "systems/matching_new.html", member, tab="systems", form=form)


@login_required
@require_POST
def matching_score(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Have every submission of a closed matching round scored by what people decided."""
    member, round = lead_and_round(request, slug, number)
    submissions = Submission.objects.filter(candidates__question__round_questions__round=round).distinct()
    with refusals_as_notices(request):
        for submission in submissions.select_related("system__project", "release__project"):
            for asked in read_choices(member.project, methods=list(BY_PEOPLE)):
                evaluation_start(submission=submission, asked=asked, by=member)
        return redirect("systems", slug)
    return redirect("round", slug, number)


@login_required
@require_POST
def matching_references(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Make references of the new questions of a closed matching round."""
    member, round = lead_and_round(request, slug, number)
    with refusals_as_notices(request):
        n = references_add(round=round, by=member)
        told = ngettext(
            "%(n)s new question is a reference of the next release.",
            "%(n)s new questions are references of the next release.",
            n,
        )
        messages.success(request, told % {"n": n})
    return redirect("round", slug, number)
