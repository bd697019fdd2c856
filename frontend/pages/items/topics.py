"""Topics of the items: looked for by a worker, shown by words and texts, named and applied by a lead."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods
from django_htmx.http import HttpResponseClientRefresh

from annotation.models import Membership
from assist.models import TopicModel
from assist.tasks import topics_start
from assist.topics.suggesting import (
    MOST_SEED,
    topics_apply,
    topics_cancel,
    topics_newest,
    topics_or_404,
    topics_shown,
)
from assist.topics.word_counts import LEAST, MOST, is_installed
from core.errors import Refused
from core.jobs import WORKING
from frontend.decorators import login_required
from frontend.pages.common import lead_or_403, number_in, posted, project_page, show_refusal
from frontend.pages.jobs import job_progress, topics_job_shown


class TopicsForm(forms.Form):
    """How many topics are looked for, and how."""

    topics = forms.IntegerField(
        min_value=LEAST, max_value=MOST, initial=7, label=gettext_lazy("How many topics")
    )
    method = forms.ChoiceField(
        choices=TopicModel.Method.choices,
        label=gettext_lazy("Method"),
        help_text=gettext_lazy(
            "Both count words. NMF finds parts that add up and is quick; LDA finds mixtures and takes "
            "minutes for 10,000 texts."
        ),
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=MOST_SEED,
        initial=1,
        label=gettext_lazy("Seed"),
        help_text=gettext_lazy("The same seed finds the same topics in the same texts."),
    )


@login_required
@require_http_methods(["GET", "POST"])
def topics(request: HttpRequest, slug: str) -> HttpResponse:
    """Look for topics, read what was found, name and apply it."""
    member = lead_or_403(request, slug)
    act = request.POST.get("act", "")
    newest = topics_newest(member.project)
    initial = {"topics": newest.topics, "method": newest.method, "seed": newest.seed} if newest else None
    form = TopicsForm(posted(request) if act == "find" else None, initial=initial)
    if request.method == "POST":
        try:
            if act == "find" and form.is_valid():
                topics_start(project=member.project, by=member, **form.cleaned_data)
                return redirect("items_topics", slug)
            if act == "cancel" and newest is not None:
                topics_cancel(model=newest)
                return redirect("items_topics", slug)
            if act == "apply":
                _apply(request, member)
                return redirect("items_topics", slug)
        except Refused as refusal:
            if act == "find":
                show_refusal(refusal, form)
            else:
                messages.error(request, refusal.message)
                return redirect("items_topics", slug)
    working = newest is not None and newest.state in WORKING
    return project_page(
        request,
        "items/topics.html",
        member,
        tab="items",
        form=form,
        model=newest,
        job=topics_job_shown(newest) if newest is not None and working else None,
        found=topics_shown(newest) if newest is not None and newest.state == "done" else [],
        is_installed=is_installed(),
    )


@login_required
@require_GET
def topics_progress(request: HttpRequest, slug: str) -> HttpResponse:
    """Answer the page, which asks time and again while topics are looked for."""
    newest = topics_newest(lead_or_403(request, slug).project)
    if newest is None or newest.state not in WORKING:
        return HttpResponseClientRefresh()
    return job_progress(request, topics_job_shown(newest))


def _apply(request: HttpRequest, member: Membership) -> None:
    model = topics_or_404(member.project, number_in(request.POST.get("model")))
    names: list[str] = [request.POST.get(f"name-{number}", "") for number in range(1, model.topics + 1)]
    changed, kept = topics_apply(model=model, names=names, by=member)
    told: Any = ngettext("%(n)s item has a new topic.", "%(n)s items have a new topic.", changed)
    messages.success(request, told % {"n": f"{changed:,}"})
    if kept:
        held = ngettext(
            "%(n)s item stays as it is, since a round or a release has it.",
            "%(n)s items stay as they are, since a round or a release has them.",
            kept,
        )
        messages.warning(request, held % {"n": f"{kept:,}"})
