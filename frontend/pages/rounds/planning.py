"""Planning a round: anew, or after an earlier one on the same items."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from annotation.limits import characters
from annotation.models import Codebook, Membership, Project, Protocol, Round
from annotation.rounds.lifecycle import round_create
from annotation.tasks import round_draw_or_send
from core.errors import Refused
from frontend.decorators import login_required
from frontend.pages.common import lead_or_403, number_in, posted, project_page, show_refusal
from frontend.pages.rounds.study_size import study_size_form


class RoundForm(forms.Form):
    """What a round is, before any text is in it."""

    name = forms.CharField(max_length=characters("round", "name"), required=False, label=gettext_lazy("Name"))
    purpose = forms.ChoiceField(
        choices=[(value, gettext_lazy(label)) for value, label in Round.Purpose.choices],
        initial=Round.Purpose.CALIBRATION,
        label=gettext_lazy("Purpose"),
        help_text=gettext_lazy(
            "Calibration: blind until closed, then discussed. Main: the dataset itself. "
            "Training: the key is shown after each answer; left out of releases."
        ),
    )
    pass_mark = forms.IntegerField(
        min_value=1,
        max_value=100,
        required=False,
        label=gettext_lazy("Pass mark"),
        help_text=gettext_lazy(
            "For training: the percent of first answers that have to be those of the key. Left "
            "empty, nobody passes or fails."
        ),
    )
    codebook = forms.ModelChoiceField(
        queryset=Codebook.objects.none(), label=gettext_lazy("Codebook"), empty_label=None
    )
    types = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("Types"),
        help_text=gettext_lazy(
            "What annotators are asked, and what the report is about. Where not each text is asked all of "
            "them, say so on the round’s page, by a field of the texts or by a file."
        ),
        error_messages={"required": gettext_lazy("Choose at least one type.")},
    )
    items_of = forms.ModelChoiceField(queryset=Round.objects.none(), required=False, widget=forms.HiddenInput)
    overlap = forms.IntegerField(
        min_value=1,
        max_value=1000,
        initial=2,
        label=gettext_lazy("Annotators for each text"),
        help_text=gettext_lazy("The overlap. Agreement needs at least 2."),
    )
    order = forms.ChoiceField(
        choices=[(value, gettext_lazy(label)) for value, label in Round.Order.choices],
        label=gettext_lazy("Order of work"),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        versions = project.codebooks.order_by("-version")
        field = cast(Any, self.fields["codebook"])
        field.queryset, field.initial = versions, versions.first()
        field.label_from_instance = lambda codebook: (
            gettext("Version %(version)s") % {"version": codebook.version}
        )
        cast(Any, self.fields["items_of"]).queryset = project.rounds.filter(matching=False)
        # An older version may have types that the newest lacks.
        types = {t["code"]: t["name"] for one in versions for t in one.definition.get("types") or ()}
        cast(Any, self.fields["types"]).choices = [(code, f"{code} {name}") for code, name in types.items()]
        self.fields["types"].initial = list(types)
        if not types:
            del self.fields["types"]
        number = (project.rounds.order_by("-number").values_list("number", flat=True).first() or 0) + 1
        self.fields["name"].help_text = gettext("Left empty, it is called Round %(number)s.") % {
            "number": number
        }
        if project.protocol != Protocol.FOCUS:
            # The order of types has no meaning where the units are questions of one text.
            del self.fields["order"]

    def clean_types(self) -> list[str] | None:
        """Return the chosen types; None for all, which fits every version of the codebook."""
        chosen = self.cleaned_data["types"]
        return None if len(chosen) == len(cast(Any, self.fields["types"]).choices) else chosen


class RareRoundForm(forms.Form):
    """What most rounds leave as it is."""

    due_on = forms.DateField(
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        label=gettext_lazy("Due date"),
        help_text=gettext_lazy("Annotators see it. Nothing closes by itself."),
    )
    shuffled = forms.BooleanField(required=False, label=gettext_lazy("Shuffle the texts for each annotator"))
    seed = forms.IntegerField(
        min_value=-(2**63),
        max_value=2**63 - 1,
        initial=0,
        label=gettext_lazy("Seed"),
        help_text=gettext_lazy(
            "Drives the draw, the assignment and the shuffling: the same seed gives the same round."
        ),
    )
    content_warning = forms.CharField(
        required=False,
        max_length=characters("round", "content_warning"),
        widget=forms.Textarea(attrs={"rows": 2}),
        label=gettext_lazy("Content warning"),
        help_text=gettext_lazy("Shown before the first text, for example: the texts contain hate speech."),
    )
    repeats = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=0,
        required=False,
        label=gettext_lazy("Hidden repeats for each annotator"),
        help_text=gettext_lazy(
            "So many of an annotator's own texts come again later in the round, unmarked, at least ten texts "
            "after the first time. The report then shows how far annotators agree with themselves; nothing "
            "else counts the second answers. Not in training."
        ),
    )
    live_agreement = forms.BooleanField(
        required=False,
        label=gettext_lazy("Live agreement"),
        help_text=gettext_lazy(
            "Compute agreement while the round is open, as aggregates only. Whoever annotates in "
            "the round never sees it. It cannot be switched on later."
        ),
    )

    def clean_repeats(self) -> int:
        return self.cleaned_data["repeats"] or 0


@login_required
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest, slug: str) -> HttpResponse:
    """Plan a round: it starts as a draft, and drawing its items comes next."""
    member = lead_or_403(request, slug)
    earlier = _earlier(request, member)
    initial, rare_initial = _as_before(request, earlier)
    form = RoundForm(posted(request), project=member.project, initial=initial)
    rare = RareRoundForm(posted(request), initial=rare_initial)
    if request.method == "POST" and form.is_valid() and rare.is_valid():
        try:
            items_of = form.cleaned_data.pop("items_of")
            created = round_create(
                project=member.project, member=member, **form.cleaned_data, **rare.cleaned_data
            )
            if items_of:
                round_draw_or_send(created, member=member, items_of=items_of)
        except Refused as refusal:
            show_refusal(refusal, form, rare)
        else:
            if items_of:
                names = {"name": created.name, "earlier": items_of.name}
                told = gettext(
                    "%(name)s is planned, on the items of %(earlier)s. Open it when you are ready."
                )
                messages.success(request, told % names)
                return redirect("round", slug, created.number)
            messages.success(
                request, gettext("%(name)s is planned. Draw its items now.") % {"name": created.name}
            )
            return redirect("round_draw", slug, created.number)
    return project_page(
        request,
        "rounds/new.html",
        member,
        tab="project",
        form=form,
        rare=rare,
        earlier=earlier,
        size=None if earlier else study_size_form(),
    )


def _earlier(request: HttpRequest, member: Membership) -> Round | None:
    """Return the round whose items the new one is about, where the address names one."""
    number = number_in(request.GET.get("items_of"))
    return member.project.rounds.select_related("codebook", "project").filter(number=number).first()


def _as_before(request: HttpRequest, earlier: Round | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the two forms begin with: as the earlier round was, but for what the address names."""
    if earlier is None:
        return {}, {}
    named = earlier.project.codebooks.filter(version=number_in(request.GET.get("version"))).first()
    shared = {name: getattr(earlier, name) for name in ("purpose", "overlap", "order")}
    types = request.GET.getlist("types")
    begin = {
        **shared,
        "items_of": earlier,
        **({"codebook": named} if named else {}),
        **({"types": types} if types else {}),
    }
    rare = ("shuffled", "seed", "content_warning", "repeats", "live_agreement")
    return begin, {name: getattr(earlier, name) for name in rare}
