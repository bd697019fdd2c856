"""Refined questions: what would be sent where, the run at work, each template with its refined question."""

import json
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRefresh

from annotation.codebooks.definition import Codebook
from annotation.errors import Refused
from annotation.models import Membership, Project
from exports.models import RefinementRun
from exports.records import Selection
from exports.refinable import QuestionCounts, questions_count, refinable_selection, sources_of
from exports.refinement_choices import LIMITS, TEMPERATURES, RefinementChoices, refinement_choices
from exports.refinements import refinements_current, refinements_missing
from exports.refining import (
    WORKING,
    outcomes,
    refined_reject,
    refined_restore,
    refinement_cancel,
    refinement_or_404,
    run_or_404,
)
from exports.rewording import DEFAULT_PROMPT
from exports.tasks import refinement_start
from frontend.pages.common import lead_or_refuse, page_of, posted, project_page
from frontend.refusals import refusals_as_notices

PAIRS = 20
RUNS_SHOWN = 10


def _default(choice: str) -> Any:
    return RefinementChoices.__dataclass_fields__[choice].default


def _whole(choice: str, label: Any, help_text: Any = "") -> forms.IntegerField:
    least, most = LIMITS[choice]
    return forms.IntegerField(
        min_value=least, max_value=most, initial=_default(choice), label=label, help_text=help_text
    )


class RefinementForm(forms.Form):
    """Whom to ask, about which texts, and how many questions."""

    endpoint = forms.ChoiceField(
        label=gettext_lazy("Endpoint"),
        help_text=gettext_lazy(
            "Those that this installation allows. Their keys are not kept in the project."
        ),
    )
    model = forms.CharField(
        max_length=200,
        label=gettext_lazy("Model"),
        help_text=gettext_lazy("Its name as the endpoint knows it. It stands in every release that uses it."),
    )
    sources = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("Sources whose texts may be sent"),
        help_text=gettext_lazy(
            "Tick only those whose terms allow it. Items of other sources and withdrawn ones are never sent."
        ),
        error_messages={"required": gettext_lazy("Tick at least one source whose texts may be sent.")},
    )
    max_questions = _whole("max_questions", gettext_lazy("Questions at most"))
    again = forms.BooleanField(
        required=False,
        label=gettext_lazy("Ask again about what is refined already"),
        help_text=gettext_lazy(
            "For another model or prompt. The newer answer then takes the older one’s place."
        ),
    )
    texts_may_leave = forms.BooleanField(
        label=gettext_lazy("The texts may leave this installation and go to the endpoint"),
        error_messages={"required": gettext_lazy("Confirm this before anything is sent.")},
    )

    def __init__(self, *args: Any, selection: Selection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        endpoints: Any = self.fields["endpoint"]
        endpoints.choices = [(url, url) for url in settings.LLM_ENDPOINTS]
        sources: Any = self.fields["sources"]
        sources.choices = [
            (json.dumps([source, licence]), _source_words(source, licence, items))
            for source, licence, items in sources_of(selection)
        ]

    def chosen(self) -> dict[str, Any]:
        """Return the choices as `refinement_choices` reads them."""
        given = dict(self.cleaned_data)
        given.pop("texts_may_leave", None)
        return {**given, "sources": [json.loads(pair) for pair in given["sources"]]}


class RareRefinementForm(forms.Form):
    """How to ask: what most runs leave as it is."""

    prompt = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 12, "class": "mono"}),
        initial=DEFAULT_PROMPT,
        strip=False,
        label=gettext_lazy("Prompt"),
        help_text=gettext_lazy(
            "{argument}, {span}, {type} and {question} are filled in; nothing else of the project is sent."
        ),
    )
    per_minute = _whole("per_minute", gettext_lazy("Questions a minute at most"))
    max_tokens = _whole(
        "max_tokens",
        gettext_lazy("Tokens an answer at most"),
        gettext_lazy("Models that think before they answer need some thousands."),
    )
    timeout = _whole("timeout", gettext_lazy("Seconds to wait for an answer"))
    temperature = forms.FloatField(
        required=False,
        min_value=TEMPERATURES[0],
        max_value=TEMPERATURES[1],
        initial=0,
        label=gettext_lazy("Temperature"),
        help_text=gettext_lazy("0 gives the most repeatable answers. Left empty it is not sent."),
    )
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=2**63 - 1,
        label=gettext_lazy("Seed"),
        help_text=gettext_lazy("Left empty it is not sent."),
    )
    tokens_field = forms.ChoiceField(
        choices=RefinementRun.TokensField.choices,
        label=gettext_lazy("Name of the limit of tokens"),
        help_text=gettext_lazy("Most endpoints know max_tokens; some newer models want the other."),
    )


@login_required
@require_http_methods(["GET", "POST"])
def refinements(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the run at work and the pairs; count what a new run would ask, or start it."""
    member = lead_or_refuse(request, slug)
    project = member.project
    selection = refinable_selection(project)
    runs = list(project.refinement_runs.select_related("member").order_by("-number")[:RUNS_SHOWN])
    newest = runs[0] if runs else None
    form = RefinementForm(posted(request), selection=selection, initial=_as_before(newest))
    rare = RareRefinementForm(posted(request), initial=_as_before(newest))
    counted = None
    if request.method == "POST":
        if request.POST.get("act") != "start":
            # Counting sends nothing, so it asks for no confirmation.
            form.fields["texts_may_leave"].required = False
        if form.is_valid() and rare.is_valid():
            try:
                choices = refinement_choices({**form.chosen(), **rare.cleaned_data})
                if request.POST.get("act") == "start":
                    return _start(request, member, choices)
                counted = _counted(selection, choices)
            except Refused as refusal:
                _show(refusal, form, rare)
    return project_page(
        request,
        "refinements.html",
        member,
        tab="releases",
        endpoints=settings.LLM_ENDPOINTS,
        form=form,
        rare=rare,
        counted=counted,
        minutes=_minutes(counted, rare),
        newest=newest,
        working=newest is not None and newest.state in WORKING,
        run=newest,
        runs=[(run, outcomes(run)) for run in runs],
        **_pairs(request, project),
    )


@login_required
@require_GET
def refinement_progress(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Return the progress alone while a run works; reload the page when it does not any more."""
    run = run_or_404(lead_or_refuse(request, slug).project, number)
    if run.state not in WORKING:
        return HttpResponseClientRefresh()
    return render(request, "frontend/_refinement_progress.html", {"run": run, "project": run.project})


@login_required
@require_POST
def cancel(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Cancel a run."""
    member = lead_or_refuse(request, slug)
    with refusals_as_notices(request):
        refinement_cancel(run=run_or_404(member.project, number), by=member)
        messages.success(request, gettext("The run is cancelled. What was answered until then is kept."))
    return redirect("refinements", slug)


@login_required
@require_POST
def reject(request: HttpRequest, slug: str, refinement_id: int) -> HttpResponse:
    """Reject a refined question."""
    member = lead_or_refuse(request, slug)
    with refusals_as_notices(request):
        refined_reject(refinement=refinement_or_404(member.project, refinement_id), by=member)
        messages.success(
            request, gettext("Rejected: in releases to come the template question stands alone.")
        )
    return _back_to_the_pairs(request, slug)


@login_required
@require_POST
def restore(request: HttpRequest, slug: str, refinement_id: int) -> HttpResponse:
    """Take the rejection of a refined question back."""
    member = lead_or_refuse(request, slug)
    with refusals_as_notices(request):
        refined_restore(refinement=refinement_or_404(member.project, refinement_id), by=member)
        messages.success(request, gettext("The refined question stands again."))
    return _back_to_the_pairs(request, slug)


def _start(request: HttpRequest, member: Membership, choices: RefinementChoices) -> HttpResponse:
    refinement_start(project=member.project, choices=choices, texts_may_leave=True, by=member)
    return redirect("refinements", member.project.slug)


def _counted(selection: Selection, choices: RefinementChoices) -> QuestionCounts:
    return questions_count(
        selection, sources=choices.sources, again=choices.again, max_questions=choices.max_questions
    )


def _minutes(counted: QuestionCounts | None, rare: RareRefinementForm) -> int:
    """Return how many minutes a run takes at the least."""
    return -(-counted.asked // rare.cleaned_data["per_minute"]) if counted else 0


def _as_before(run: RefinementRun | None) -> dict[str, Any]:
    """Return what the last run chose, as the forms show it; the confirmation is given anew each time."""
    if run is None:
        return {}
    names = [*RefinementForm.base_fields, *RareRefinementForm.base_fields]
    kept = {name: getattr(run, name) for name in names if name not in ("texts_may_leave", "again", "sources")}
    return {**kept, "sources": [json.dumps(pair) for pair in run.sources]}


def _show(refusal: Refused, form: RefinementForm, rare: RareRefinementForm) -> None:
    """Put what was refused beside its fields, and what belongs to no field above the form."""
    shown = False
    for field, message in refusal.errors.items():
        for either in (form, rare):
            if field in either.fields:
                either.add_error(field, message)
                shown = True
    if not shown:
        form.add_error(None, refusal.message)


def _pairs(request: HttpRequest, project: Project) -> dict[str, Any]:
    """Return the pairs that ?show= asks for, a page of them, with the number of each kind."""
    current = refinements_current(project)
    kinds = {
        "standing": (gettext("Refined"), current.filter(rejected_at=None)),
        "rejected": (gettext("Rejected"), current.exclude(rejected_at=None)),
        "missing": (gettext("Without an answer to use"), refinements_missing(project)),
    }
    show = request.GET.get("show", "")
    show = show if show in kinds else "standing"
    page = page_of(request, kinds[show][1].order_by("item_id", "type_code", "start"), PAIRS)
    names = _type_names(project)
    for row in page.object_list:
        row.type_name, row.hue = names.get(row.type_code, (row.type_code, ""))
    return {
        "page": page,
        "show": show,
        "query": f"show={show}",
        "kinds": [(key, words, rows.count()) for key, (words, rows) in kinds.items()],
    }


def _type_names(project: Project) -> dict[str, tuple[str, str]]:
    """Return name and hue of each type of the newest codebook."""
    newest = project.codebooks.order_by("-version").first()
    if newest is None:
        return {}
    codebook = Codebook.from_json(newest.definition)
    hues = {group.key: group.hue for group in codebook.groups}
    return {kind.code: (kind.name, hues.get(kind.group or "", "")) for kind in codebook.types}


def _source_words(source: str, licence: str, items: int) -> str:
    number = ngettext("%(n)s item", "%(n)s items", items) % {"n": items}
    terms = licence or gettext("terms not stated")
    return f"{source or gettext('source not stated')} · {terms} · {number}"


def _back_to_the_pairs(request: HttpRequest, slug: str) -> HttpResponse:
    query = request.GET.urlencode()
    return redirect(f"{reverse('refinements', args=[slug])}{'?' if query else ''}{query}#pairs")
