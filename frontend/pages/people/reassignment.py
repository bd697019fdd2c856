"""Reassign what an annotator of an open round has not decided: whole texts, or units of chosen types."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from annotation.models import Membership, Round
from annotation.rounds.reassignment import Reassignment, round_reassign, unfinished_texts
from annotation.rounds.reassignment_by_type import round_reassign_types, undecided_counts
from core.errors import NotFound
from frontend.decorators import login_required
from frontend.middleware import refusals_as_notices
from frontend.pages.common import ChosenField, lead_or_403, posted, project_page
from frontend.pages.people.person import target_of

WHOLE, BY_TYPE = "texts", "types"


class ReassignForm(forms.Form):
    """What is reassigned, and to whom. In rounds that ask questions whole texts are."""

    what = forms.ChoiceField(
        widget=forms.RadioSelect,
        initial=WHOLE,
        label=gettext_lazy("What"),
        choices=[
            (WHOLE, gettext_lazy("Whole texts that are not finished")),
            (BY_TYPE, gettext_lazy("What is undecided of some types")),
        ],
    )
    types = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label=gettext_lazy("Types"),
        help_text=gettext_lazy("In brackets, in how many texts the type is undecided."),
    )
    takers = ChosenField(
        queryset=Membership.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("Who takes them"),
    )

    def __init__(self, *args: Any, takers: Any, types: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = cast(Any, self.fields["takers"])
        field.queryset = field.initial = takers
        field.label_from_instance = lambda one: f"{one.pseudonym} ({one.user or gettext('no account')})"
        cast(Any, self.fields["types"]).choices = types
        if not types:
            del self.fields["what"], self.fields["types"]

    @property
    def by_type(self) -> bool:
        return self.cleaned_data.get("what") == BY_TYPE

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if self.by_type and not given.get("types") and "types" not in self.errors:
            self.add_error("types", gettext("Choose at least one type."))
        return given


@login_required
@require_http_methods(["GET", "POST"])
def person_reassign(request: HttpRequest, slug: str, person_id: int, number: int) -> HttpResponse:
    """Say what a person has not decided in an open round, and reassign what the lead chooses of it."""
    member = lead_or_403(request, slug)
    target = target_of(member, person_id)
    round = member.project.rounds.select_related("codebook", "project").filter(number=number).first()
    if round is None:
        raise NotFound(gettext("There is no round %(number)s in this project.") % {"number": number})
    takers = (
        member.project.memberships.filter(is_annotator=True, is_active=True)
        .exclude(pk=target.pk)
        .exclude(user=None)
        .select_related("user")
    )
    form = ReassignForm(posted(request), takers=takers, types=_types(round, target))
    if request.method == "POST" and form.is_valid():
        with refusals_as_notices(request):
            _tell(request, round, target, form.by_type, _reassign(round, target, member, form))
        return redirect("round", slug, number)
    return project_page(
        request,
        "confirm.html",
        member,
        tab="people",
        heading=gettext("Reassign %(name)s’s texts of %(round)s")
        % {"name": target.pseudonym, "round": round.name},
        effects=_effects(round, target, by_types="types" in form.fields),
        act=gettext("Reassign these"),
        back=reverse("round", args=[slug, number]),
        form=form,
    )


def _reassign(round: Round, target: Membership, member: Membership, form: ReassignForm) -> Reassignment:
    takers = list(form.cleaned_data["takers"])
    if form.by_type:
        types = form.cleaned_data["types"]
        return round_reassign_types(round=round, target=target, types=types, members=takers, member=member)
    return round_reassign(round=round, target=target, members=takers, member=member)


def _types(round: Round, target: Membership) -> list[tuple[str, str]]:
    """Return the round's types that the person has something undecided of, with how many texts."""
    left = undecided_counts(round, target)
    names = {entry["code"]: entry["name"] for entry in round.codebook.definition.get("types") or ()}
    return [(code, f"{code} {names[code]} ({left[code]:,})") for code in round.type_codes if left[code]]


def _effects(round: Round, target: Membership, *, by_types: bool) -> list[str]:
    n = unfinished_texts(round, target).count()
    effects = [
        ngettext(
            "%(n)s text is not finished; given away whole, it goes to the chosen annotator with the fewest "
            "texts who does not have it yet.",
            "%(n)s texts are not finished; given away whole, each goes to the chosen annotator with the "
            "fewest texts who does not have it yet.",
            n,
        )
        % {"n": f"{n:,}"}
    ]
    if by_types:
        effects.append(
            gettext(
                "By type, what is undecided of the types goes, text by text, to the chosen annotator who is "
                "asked least and not asked it yet; the other types stay."
            )
        )
    return [*effects, gettext("What %(name)s decided stays and counts.") % {"name": target.pseudonym}]


def _tell(
    request: HttpRequest, round: Round, target: Membership, by_type: bool, result: Reassignment
) -> None:
    names = {"round": round.name, "name": target.pseudonym}
    moved, left = {**names, "n": f"{result.moved:,}"}, {**names, "n": f"{result.left_over:,}"}
    if by_type:
        told = ngettext(
            "%(n)s unit of %(round)s is reassigned.", "%(n)s units of %(round)s are reassigned.", result.moved
        )
        stays = ngettext(
            "%(n)s unit stays with %(name)s: everybody chosen was asked it.",
            "%(n)s units stay with %(name)s: everybody chosen was asked them.",
            result.left_over,
        )
    else:
        told = ngettext(
            "%(n)s text of %(round)s is reassigned.", "%(n)s texts of %(round)s are reassigned.", result.moved
        )
        stays = ngettext(
            "%(n)s text stays with %(name)s: everybody chosen has it already.",
            "%(n)s texts stay with %(name)s: everybody chosen has them already.",
            result.left_over,
        )
    messages.success(request, told % moved)
    if result.left_over:
        messages.warning(request, stays % left)
