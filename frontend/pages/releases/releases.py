"""Releases: choose what goes in, see how much it is, have it built, download it."""

from collections import Counter
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRefresh

from annotation.models import Membership, Project, Protocol
from annotation.projects.projects import guideline_html
from core.errors import NotFound, Refused
from core.jobs import WORKING
from exports.documentation.citation import card_body
from exports.files.raw_judgements import rounds_exported
from exports.models import Release
from exports.releases.claim import release_cancel, release_cancellation
from exports.releases.preview import release_preview
from exports.releases.publication import public_facts, tells_too_much
from exports.selection.parameters import Parameters
from exports.selection.selection import read_selection
from exports.tasks import release_start
from frontend.decorators import login_required
from frontend.forms.releases import ContentsForm, ReleaseForm, choices_as_before
from frontend.middleware import refusals_as_notices
from frontend.pages.common import lead_or_403, page_of, posted, project_page, show_refusal
from frontend.pages.jobs import job_progress, release_shown
from frontend.pages.releases.comparison import changes_context, choices_of

ASKED_AGAIN = (Release.State.FAILED, Release.State.CANCELLED)
"""From these states a version is asked for again, with its choices."""


@login_required
@require_http_methods(["GET", "POST"])
def releases(request: HttpRequest, slug: str) -> HttpResponse:
    """List the releases; preview the counts of the next one, or have it built."""
    member = lead_or_403(request, slug)
    project = member.project
    building = request.POST.get("act") == "build"
    before = _as_before(request, project)
    form = ReleaseForm(posted(request), project=project, building=building, initial=before)
    contents = ContentsForm(posted(request), initial=before, project=member.project)
    preview = None
    if request.method == "POST" and form.is_valid() and contents.is_valid():
        try:
            parameters = Parameters.from_json({**form.chosen(), **contents.chosen()})
            if building:
                return _start(request, member, form.cleaned_data["version"], parameters)
            preview = release_preview(read_selection(project, parameters))
        except Refused as refusal:
            show_refusal(refusal, form, contents)
    return project_page(
        request,
        "releases/releases.html",
        member,
        tab="releases",
        form=form,
        contents=contents,
        choices_of=before["choices_of"] if request.method == "GET" else "",
        preview=preview,
        problems=_problems(form, contents),
        page=page_of(request, project.releases.select_related("member").order_by("-id"), 20),
        closed=rounds_exported(project).exists(),
        refinable=project.protocol == Protocol.FOCUS,
        refining=bool(settings.LLM_ENDPOINTS) or "refined_questions" in form.fields,
    )


@login_required
@require_GET
def release(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Show a release: how far it is, then its files, counts and digest."""
    member = lead_or_403(request, slug)
    found = release_of(member, version)
    there = [] if found.taken_down_at else found.files
    return project_page(
        request,
        "releases/release.html",
        member,
        tab="releases",
        release=found,
        working=found.state in WORKING,
        shown=release_shown(found) if found.state in WORKING else None,
        cancelled=release_cancellation(found) if found.state == Release.State.CANCELLED else None,
        archive=next((file for file in there if file["archive"]), None),
        files=[file for file in there if not file["archive"]],
        files_inside=any(file["internal"] for file in found.files),
        facts=release_facts(found),
        digest=found.digest,
        too_much=tells_too_much(found),
        choices=choices_of(found),
        card=guideline_html(card_body(found.card)),
        file_route="api-release-file",
        **(
            changes_context(request, found, public=False, member=member)
            if found.state == Release.State.DONE and not found.taken_down_at
            else {}
        ),
    )


@login_required
@require_GET
def release_progress(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Return the progress alone while the release is built; reload the page when it is not any more."""
    found = release_of(lead_or_403(request, slug), version)
    if found.state not in WORKING:
        return HttpResponseClientRefresh()
    return job_progress(request, release_shown(found))


@login_required
@require_POST
def cancel(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Cancel a release that waits or is being built."""
    member = lead_or_403(request, slug)
    with refusals_as_notices(request):
        release_cancel(release=release_of(member, version), by=member)
    return redirect("release", slug, version)


def _as_before(request: HttpRequest, project: Project) -> dict[str, Any]:
    """Return what the forms begin with: the choices of the newest release, or of the one to try again."""
    again = project.releases.filter(version=request.GET.get("again", ""), state__in=ASKED_AGAIN).first()
    before = again or project.releases.order_by("-enqueued_at", "-id").first()
    kept = choices_as_before(before) if before is not None else {}
    return {
        **kept,
        "version": again.version if again is not None else "",
        "licence": kept.get("licence") or project.licence,
        "contact": kept.get("contact") or project.contact,
        "choices_of": before.version if before is not None else "",
    }


def _problems(*both: forms.Form) -> list[tuple[str, str, str]]:
    """Return what stands in the way beside the counts: the field's label and address, and the words."""
    found = []
    for form in both:
        for name, errors in form.errors.items():
            field = form[name] if name in form.fields else None
            label, address = (str(field.label), field.auto_id) if field is not None else ("", "")
            found += [(label, address, str(error)) for error in errors]
    return found


def _start(request: HttpRequest, member: Membership, version: str, parameters: Parameters) -> HttpResponse:
    # What the worker would refuse only later is refused here, beside its field.
    release_preview(read_selection(member.project, parameters))
    found = release_start(project=member.project, version=version, parameters=parameters, by=member)
    if found.state == Release.State.DONE:
        messages.info(
            request,
            gettext("Release %(version)s is there already, from the same judgements and choices.")
            % {"version": version},
        )
    return redirect("release", member.project.slug, version)


def release_of(member: Membership, version: str) -> Release:
    """Return a release of the member's project by its version. Raises NotFound."""
    found = member.project.releases.select_related("project", "member").filter(version=version).first()
    if found is None:
        raise NotFound(gettext("There is no release %(version)s in this project.") % {"version": version})
    return found


def release_facts(found: Release, *, public: bool = False) -> list[tuple[str, int]]:
    """Return the counts that people ask for, in words; in public only those about what is in the files."""
    n = Counter(public_facts(found)[1] if public else found.counts)
    words = {
        "items": ngettext("released item", "released items", n["items"]),
        "items_left_out": ngettext(
            "item of the project left out", "items of the project left out", n["items_left_out"]
        ),
        "questions_written": ngettext(
            "question with a label", "questions with a label", n["questions_written"]
        ),
        "undecided_questions": ngettext(
            "question without a decided label, left out",
            "questions without a decided label, left out",
            n["undecided_questions"],
        ),
        "judgements": ngettext("judgement", "judgements", n["judgements"]),
        "judgements_counted": gettext("of them the latest of their annotator"),
        "cannot_judge": gettext("“cannot judge”"),
        "judgements_after_reopening": gettext("made after a reopening"),
        "adjudicated": ngettext("unit decided by a lead", "units decided by a lead", n["adjudicated"]),
        "published_labels_outvoted": ngettext(
            "published label judged again, where the votes decide",
            "published labels judged again, where the votes decide",
            n["published_labels_outvoted"],
        ),
        "published_labels": ngettext(
            "label published with an imported file",
            "labels published with an imported file",
            n["published_labels"],
        ),
        "gold_spans": ngettext("gold span", "gold spans", n["gold_spans"]),
        "questions_refined": gettext("of their questions also refined by a language model"),
        "disagreement_spans": ngettext("disagreement span", "disagreement spans", n["disagreement_spans"]),
        "undecided_types": ngettext(
            "type without a majority", "types without a majority", n["undecided_types"]
        ),
        "yes_without_gold_span": ngettext(
            "type decided yes without a gold span",
            "types decided yes without a gold span",
            n["yes_without_gold_span"],
        ),
        "edits_without_a_pick": ngettext(
            "edited question that waits for a lead",
            "edited questions that wait for a lead",
            n["edits_without_a_pick"],
        ),
    }
    if public:
        del words["items_left_out"]
    if n["judgements_counted"] == n["judgements"]:
        del words["judgements_counted"]
    return [(text, n[key]) for key, text in words.items() if n[key]]
