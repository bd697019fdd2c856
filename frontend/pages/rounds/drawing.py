"""From a planned round to an open one: drawing its items with a preview, and letting annotators in."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from annotation.models import Membership, Protocol, Round
from annotation.projects.change_sign import project_stamp
from annotation.rounds.asked_types import asked_units, asked_words
from annotation.rounds.sampling import draw_preview
from annotation.rounds.suggestions import SuggestionChoice
from annotation.tasks import round_draw_or_send, round_open_or_send
from assist.models import AssistRun
from assist.runs.suggestions import runs_suggesting
from core.cache import cached
from core.errors import Refused
from frontend.decorators import login_required
from frontend.middleware import refusals_as_notices
from frontend.pages.common import ChosenField, posted, project_page
from frontend.pages.project.project import filtered_there, items_there
from frontend.pages.rounds.lifecycle import lead_and_round
from frontend.pages.rounds.study_size import study_size_form
from frontend.training_view import training_context


class DrawForm(forms.Form):
    """How to draw. The same fields make the preview and the draw itself."""

    how = forms.ChoiceField(
        widget=forms.RadioSelect,
        initial="all",
        label=gettext_lazy("Which items"),
        choices=[
            ("all", gettext_lazy("All items")),
            ("sample", gettext_lazy("A random sample of items")),
            ("questions", gettext_lazy("Random items until there are enough questions")),
            ("picked", gettext_lazy("Items that I name")),
        ],
    )
    size = forms.IntegerField(min_value=1, required=False, label=gettext_lazy("Number of items"))
    questions = forms.IntegerField(min_value=1, required=False, label=gettext_lazy("Number of questions"))
    stratify_by = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Keep the shares of"),
        choices=[
            ("", gettext_lazy("nothing: purely random")),
            ("topic", gettext_lazy("each topic")),
            ("source", gettext_lazy("each source")),
        ],
        help_text=gettext_lazy(
            "For random draws: the sample has the topics or sources in the shares they have now."
        ),
    )
    picked = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        label=gettext_lazy("Item ids"),
        help_text=gettext_lazy("One a line, in the order in which they are to be judged."),
    )
    exclude_drawn = forms.BooleanField(
        required=False, label=gettext_lazy("Leave out items that another round has")
    )

    include_filtered = forms.BooleanField(
        required=False,
        label=gettext_lazy("Include filtered items"),
        help_text=gettext_lazy("Texts that a context filter found insufficient, and a lead marked."),
    )

    def __init__(self, *args: Any, round: Round, n_filtered: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not n_filtered:
            del self.fields["include_filtered"]
        if round.project.protocol != Protocol.CQS_GEN:
            del self.fields["questions"]
            how = cast(Any, self.fields["how"])
            how.choices = [choice for choice in how.choices if choice[0] != "questions"]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        needs = {"sample": "size", "questions": "questions", "picked": "picked"}.get(given.get("how", ""))
        if needs and not given.get(needs) and needs not in self.errors:
            self.add_error(needs, gettext("Fill this in for the draw you chose."))
        return given

    def options(self) -> dict[str, Any]:
        """Return the options of `round_draw` that the chosen way needs, and no others."""
        given = self.cleaned_data
        how = given["how"]
        random = how in ("sample", "questions")
        return {
            "size": given["size"] if how == "sample" else None,
            "questions": given["questions"] if how == "questions" else None,
            "stratify_by": given["stratify_by"] if random else "",
            "external_ids": given["picked"].splitlines() if how == "picked" else None,
            "exclude_drawn": given["exclude_drawn"],
            "include_filtered": given.get("include_filtered", False),
        }


@login_required
@require_http_methods(["GET", "POST"])
def draw(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Preview a draw (GET with its fields), then draw it (POST with the same ones)."""
    member, round = lead_and_round(request, slug, number)
    if round.status != Round.Status.DRAFT or round.is_claimed:
        messages.error(
            request,
            gettext("%(name)s is %(status)s: its items are frozen.")
            % {"name": round.name, "status": _state(round)},
        )
        return redirect("round", slug, number)
    asked = request.POST if request.method == "POST" else request.GET
    stamp = project_stamp(round.project)
    n_filtered = filtered_there(round.project, stamp)
    form = DrawForm(asked if "how" in asked else None, round=round, n_filtered=n_filtered)
    preview = None
    if form.is_bound and form.is_valid():
        options = form.options()
        if options["external_ids"] is not None:
            options["external_ids"] = [name.strip() for name in options["external_ids"] if name.strip()]
        try:
            if request.method == "POST":
                drawn = round_draw_or_send(round, member=member, **options)
                if not round.is_drawing:
                    messages.success(
                        request,
                        ngettext(
                            "%(drawn)s item is drawn into %(name)s.",
                            "%(drawn)s items are drawn into %(name)s.",
                            drawn,
                        )
                        % {"drawn": f"{drawn:,}", "name": round.name},
                    )
                return redirect("round", slug, number)
            preview = draw_preview(round, **options)
        except Refused as refusal:
            form.add_error(None, refusal.message)
    return project_page(
        request,
        "rounds/draw.html",
        member,
        tab="project",
        round=round,
        form=form,
        preview=preview,
        asked=asked_words(round.asked),
        n_drawn=cached(f"drawn:{round.pk}:{round.claimed_for}:{stamp}", round.drawn.count),
        n_items=items_there(round.project, stamp),
        n_filtered=n_filtered,
        size=study_size_form(round),
    )


def _state(round: Round) -> str:
    return str(Round.Work(round.claimed_for).label) if round.is_claimed else round.status_word


class SuggestionsForm(forms.Form):
    """Which run's answers annotators are shown, and where; none unless a lead picks one."""

    run = forms.TypedChoiceField(
        required=False, coerce=int, empty_value=None, label=gettext_lazy("What a language model answered")
    )
    shown = forms.ChoiceField(
        required=False,
        choices=[
            (Round.Shown.HALF, gettext_lazy("at half of the units, at random")),
            (Round.Shown.ALL, gettext_lazy("at all units")),
        ],
        initial=Round.Shown.HALF,
        label=gettext_lazy("Where it is shown"),
        help_text=gettext_lazy(
            "With half of the units without, the report has how far suggestions pull answers to themselves."
        ),
    )

    def __init__(self, *args: Any, runs: list[AssistRun], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast(Any, self.fields["run"]).choices = [
            ("", gettext("No suggestions")),
            *((run.number, gettext("Run %(number)s: %(model)s") % vars(run)) for run in runs),
        ]

    @property
    def choice(self) -> SuggestionChoice | None:
        """What was picked; None without suggestions."""
        run = self.cleaned_data.get("run")
        shown = self.cleaned_data.get("shown") or Round.Shown.HALF
        return SuggestionChoice(run, Round.Shown(shown)) if run else None


class AnnotatorsForm(forms.Form):
    annotators = ChosenField(
        queryset=Membership.objects.none(), required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, members: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast(Any, self.fields["annotators"]).queryset = members


@login_required
@require_http_methods(["GET", "POST"])
def open_round(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Choose who takes part, see each person's load, then open the round."""
    member, round = lead_and_round(request, slug, number)
    members = member.project.memberships.filter(is_annotator=True, is_active=True).select_related("user")
    asked = request.POST if request.method == "POST" else request.GET
    form = AnnotatorsForm(asked if "choose" in asked else None, members=members)
    suggestions = _suggestions_form(request, round)
    chosen = list(
        form.cleaned_data["annotators"] if form.is_bound and form.is_valid() else _expected(round, members)
    )
    if request.method == "POST" and form.is_valid() and (suggestions is None or suggestions.is_valid()):
        with refusals_as_notices(request):
            choice = suggestions.choice if suggestions else None
            opened = round_open_or_send(round, members=chosen, by=member, suggestions=choice)
            if opened.status == Round.Status.OPEN:
                messages.success(
                    request,
                    gettext("%(name)s is open: its annotators find it on their first page.")
                    % {"name": round.name},
                )
            return redirect("round", slug, number)
        return redirect("round_open", slug, number)
    if round.status != Round.Status.DRAFT or round.is_claimed:
        messages.error(
            request,
            gettext("%(name)s is %(status)s already.") % {"name": round.name, "status": _state(round)},
        )
        return redirect("round", slug, number)
    return project_page(
        request,
        "rounds/open.html",
        member,
        tab="project",
        round=round,
        members=members,
        chosen={one.pk for one in chosen},
        load=_load(round, len(chosen), len(members)),
        errors=form.errors.get("annotators"),
        suggestions=suggestions,
        key=training_context(round).get("key"),
        back=reverse("round", args=[slug, number]),
    )


def _suggestions_form(request: HttpRequest, round: Round) -> SuggestionsForm | None:
    """Return the form that switches suggestions on; None where the round can have none."""
    if round.matching or round.purpose == Round.Purpose.CALIBRATION:
        return None
    runs = runs_suggesting(round.project)
    return SuggestionsForm(posted(request), runs=runs) if runs else None


def _expected(round: Round, members: QuerySet[Membership]) -> QuerySet[Membership]:
    """Return who likely takes part: those of the round whose items it has, else all who do not lead."""
    before = members.filter(
        assignments__round__project=round.project, assignments__round__number=round.draw.get("items_of", 0)
    ).distinct()
    return before if before.exists() else members.filter(is_lead=False)


def _load(round: Round, n_chosen: int, n_members: int) -> dict[str, Any]:
    """Return what each annotator gets: texts, and judgements where every text asks for as many."""
    n_items = round.drawn.count()
    texts = -(-n_items * round.overlap // n_chosen) if n_chosen else 0
    n_units = asked_units(round)
    return {
        "items": n_items,
        "annotators": n_chosen,
        "texts": texts,
        "units": -(-n_units * round.overlap // n_chosen) if n_chosen else 0,
        "enough": n_chosen >= round.overlap,
        "missing": max(round.overlap - n_chosen, 0),
        "to_invite": max(round.overlap - n_members, 0),
    }
