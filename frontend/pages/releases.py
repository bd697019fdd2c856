"""Releases: choose what goes in, see how much it is, have it built, download it."""

from collections import Counter
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods
from django_htmx.http import HttpResponseClientRefresh

from annotation.errors import NotFound, Refused
from annotation.models import Membership, Project, Protocol, Round
from exports.formats.exchange import FORMATS
from exports.models import Release
from exports.parameters import Parameters, sizes_from_words
from exports.previewing import release_preview
from exports.records import selection_read
from exports.refinements import refinements_current
from exports.tasks import release_start
from frontend.pages.changes import changes_context
from frontend.pages.common import lead_or_refuse, page_of, posted, project_page

WORKING = {Release.State.QUEUED, Release.State.RUNNING}

SPLITS = [
    ("field", gettext_lazy("As imported (the items' split)")),
    ("none", gettext_lazy("No splits: one file")),
    ("round", gettext_lazy("By the first round an item was drawn into")),
    ("topic", gettext_lazy("By topic")),
    ("seed", gettext_lazy("By chance, with a seed")),
    ("balanced", gettext_lazy("CQs-Gen: the items with the most balanced labels to test")),
]


class ReleaseForm(forms.Form):
    """What goes into a release, and how it is cut."""

    version = forms.CharField(
        max_length=40,
        label=gettext_lazy("Version"),
        help_text=gettext_lazy("As in 1.0. It never changes again."),
    )
    rounds = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label=gettext_lazy("Rounds"),
        help_text=gettext_lazy(
            "Closed rounds, without training rounds. All ticked also takes in labels published "
            "with an imported file."
        ),
    )
    split_by = forms.ChoiceField(choices=SPLITS, label=gettext_lazy("Splits"))
    split_sizes = forms.CharField(
        required=False,
        label=gettext_lazy("Sizes of the splits"),
        help_text=gettext_lazy(
            "By chance: shares, as in train=0.8 test=0.2. Balanced: the number of test items, test=34."
        ),
    )
    seed = forms.IntegerField(
        min_value=0, max_value=2**63 - 1, initial=0, label=gettext_lazy("Seed of the split")
    )
    withheld = forms.CharField(
        required=False,
        label=gettext_lazy("Withhold the labels of"),
        help_text=gettext_lazy("Names of splits, separated by commas. Their labels stay with you."),
    )
    adjudicated_only = forms.BooleanField(
        required=False, label=gettext_lazy("Only what a lead decided, nothing by majority")
    )
    edited_questions = forms.BooleanField(
        required=False, label=gettext_lazy("Edited questions in place of invalid ones")
    )
    refined_questions = forms.BooleanField(
        required=False,
        label=gettext_lazy("Refined questions beside the template ones"),
        help_text=gettext_lazy("Those that a language model put into other words and no lead rejected."),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        closed = project.rounds.filter(status=Round.Status.CLOSED).exclude(purpose=Round.Purpose.TRAINING)
        names = list(closed.order_by("number").values_list("name", flat=True))
        rounds: Any = self.fields["rounds"]
        rounds.choices = [(name, name) for name in names]
        rounds.initial = names
        if project.protocol == Protocol.FOCUS:
            del self.fields["edited_questions"]
            split_by: Any = self.fields["split_by"]
            split_by.choices = SPLITS[:-1]
        if not names:
            del self.fields["rounds"]
        if not refinements_current(project).exists():
            del self.fields["refined_questions"]

    def chosen(self) -> dict[str, Any]:
        """Return the choices as `Parameters.from_json` reads them. Raises ParameterError."""
        given = dict(self.cleaned_data)
        given.pop("version")
        rounds = given.pop("rounds", [])
        field: Any = self.fields.get("rounds")
        every = field is None or len(rounds) == len(field.choices)
        return {
            **given,
            "rounds": None if every else rounds,
            "split_sizes": sizes_from_words(given["split_sizes"].split()),
            "withheld": [name.strip() for name in given["withheld"].split(",") if name.strip()],
        }


class ContentsForm(forms.Form):
    """Which files come along, and what the data card says."""

    judgements = forms.BooleanField(
        required=False, initial=True, label=gettext_lazy("The raw judgements, by pseudonym")
    )
    comments = forms.BooleanField(required=False, label=gettext_lazy("Annotators' comments among them"))
    agreement = forms.BooleanField(required=False, initial=True, label=gettext_lazy("The agreement reports"))
    without_texts = forms.BooleanField(
        required=False,
        label=gettext_lazy("No texts: ids, offsets, labels and hashes only"),
        help_text=gettext_lazy("For sources whose texts may not be passed on."),
    )
    exchange = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        required=False,
        choices=[(format.key, format.label) for format in FORMATS],
        label=gettext_lazy("Also in the form of"),
    )
    licence = forms.CharField(required=False, max_length=200, label=gettext_lazy("Licence"))
    authors = forms.CharField(required=False, max_length=1000, label=gettext_lazy("Authors"))
    citation = forms.CharField(
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3}),
        label=gettext_lazy("Citation"),
    )
    contact = forms.CharField(required=False, max_length=200, label=gettext_lazy("Contact"))
    published = forms.CharField(
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        label=gettext_lazy("Published on"),
        help_text=gettext_lazy("The day that the data card and the citation name."),
    )

    def chosen(self) -> dict[str, Any]:
        """Return the choices as `Parameters.from_json` reads them."""
        given = dict(self.cleaned_data)
        return {"texts": not given.pop("without_texts"), **given}


@login_required
@require_http_methods(["GET", "POST"])
def releases(request: HttpRequest, slug: str) -> HttpResponse:
    """List the releases; preview the counts of the next one, or have it built."""
    member = lead_or_refuse(request, slug)
    project = member.project
    form = ReleaseForm(posted(request), project=project)
    contents = ContentsForm(posted(request), initial={"licence": project.licence, "contact": project.contact})
    preview = None
    if request.method == "POST" and form.is_valid() and contents.is_valid():
        try:
            parameters = Parameters.from_json({**form.chosen(), **contents.chosen()})
            if request.POST.get("act") == "build":
                return _start(request, member, form.cleaned_data["version"], parameters)
            preview = release_preview(selection_read(project, parameters))
        except Refused as refusal:
            _show(refusal, form, contents)
    return project_page(
        request,
        "releases.html",
        member,
        tab="releases",
        form=form,
        contents=contents,
        preview=preview,
        page=page_of(request, project.releases.select_related("member").order_by("-id"), 20),
        refinable=project.protocol == Protocol.FOCUS,
        refining=bool(settings.LLM_ENDPOINTS) or "refined_questions" in form.fields,
    )


@login_required
@require_GET
def release(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Show a release: how far it is, then its files, counts and digest."""
    member = lead_or_refuse(request, slug)
    found = release_of(member, version)
    return project_page(
        request,
        "release.html",
        member,
        tab="releases",
        release=found,
        working=found.state in WORKING,
        archive=next((file for file in found.files if file["archive"]), None),
        files=[file for file in found.files if not file["archive"]],
        files_inside=any(file["internal"] for file in found.files),
        facts=release_facts(found),
        file_route="api-release-file",
        **(changes_context(request, found, public=False) if found.state == Release.State.DONE else {}),
    )


@login_required
@require_GET
def release_progress(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Return the progress alone while the release is built; reload the page when it is not any more."""
    found = release_of(lead_or_refuse(request, slug), version)
    if found.state not in WORKING:
        return HttpResponseClientRefresh()
    return render(request, "frontend/_release_progress.html", {"release": found, "project": found.project})


def _start(request: HttpRequest, member: Membership, version: str, parameters: Parameters) -> HttpResponse:
    # What the worker would refuse only later is refused here, beside its field.
    release_preview(selection_read(member.project, parameters))
    found = release_start(project=member.project, version=version, parameters=parameters, by=member)
    if found.state == Release.State.DONE:
        messages.info(
            request,
            gettext("Release %(version)s is there already, from the same judgements and choices.")
            % {"version": version},
        )
    return redirect("release", member.project.slug, version)


def _show(refusal: Refused, *both: forms.Form) -> None:
    """Put what was refused beside its fields, and what belongs to no field above the form."""
    shown = False
    for field, message in refusal.errors.items():
        for form in both:
            if field in form.fields:
                form.add_error(field, message)
                shown = True
    if not shown:
        both[0].add_error(None, refusal.message)


def release_of(member: Membership, version: str) -> Release:
    """Return a release of the member's project by its version. Raises NotFound."""
    found = member.project.releases.select_related("project", "member").filter(version=version).first()
    if found is None:
        raise NotFound(gettext("There is no release %(version)s in this project.") % {"version": version})
    return found


def release_facts(found: Release, *, public: bool = False) -> list[tuple[str, int]]:
    """Return the counts that people ask for, in words; in public only those about what is in the files."""
    n = Counter(found.counts)
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
    return [(text, n[key]) for key, text in words.items() if n[key]]
