"""One person of a project: roles, background, leaving, and handing on what they have not finished."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from annotation.errors import NotFound, Refused
from annotation.models import Membership, Round
from annotation.people import member_deactivate, member_edit, member_reactivate
from annotation.reassigning import round_reassign, unfinished_texts
from frontend.pages.common import lead_or_refuse, posted, project_page
from frontend.pages.people import RolesField
from frontend.refusals import refusals_as_notices


class PersonForm(forms.Form):
    roles = RolesField(label=gettext_lazy("Roles"))
    background = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        label=gettext_lazy("Background for the data card"),
        help_text=gettext_lazy(
            "What readers of the dataset should know, without naming the person: training, first "
            "language, pay."
        ),
    )


def _target(member: Membership, person_id: int) -> Membership:
    found = member.project.memberships.select_related("user", "project").filter(pk=person_id).first()
    if found is None:
        raise NotFound(gettext("There is no such person in this project."))
    return found


@login_required
@require_http_methods(["GET", "POST"])
def person(request: HttpRequest, slug: str, person_id: int) -> HttpResponse:
    """Show one person: roles, background, open rounds; change roles and background."""
    member = lead_or_refuse(request, slug)
    target = _target(member, person_id)
    now = {
        "roles": [
            role for role, has in (("annotator", target.is_annotator), ("lead", target.is_lead)) if has
        ],
        "background": target.background,
    }
    form = PersonForm(posted(request), initial=now)
    if request.method == "POST" and form.is_valid():
        roles = form.cleaned_data["roles"]
        try:
            member_edit(
                target=target,
                member=member,
                is_lead="lead" in roles,
                is_annotator="annotator" in roles,
                background=form.cleaned_data["background"],
            )
        except Refused as refusal:
            form.add_error("roles", refusal.message)
        else:
            messages.success(request, gettext("%(pseudonym)s is saved.") % {"pseudonym": target.pseudonym})
            return redirect("person", slug, person_id)
    rounds = member.project.rounds.filter(
        status=Round.Status.OPEN, assignments__member=target, assignments__released_at__isnull=True
    ).distinct()
    return project_page(
        request, "person.html", member, tab="people", target=target, form=form, open_rounds=rounds
    )


class LeavingForm(forms.Form):
    judgements = forms.ChoiceField(
        widget=forms.RadioSelect,
        initial="keep",
        label=gettext_lazy("Their judgements"),
        choices=[
            ("keep", gettext_lazy("stay in figures and releases")),
            (
                "leave_out",
                gettext_lazy(
                    "are left out of figures and releases from now on (they withdraw from the study)"
                ),
            ),
        ],
    )


@login_required
@require_http_methods(["GET", "POST"])
def person_deactivate(request: HttpRequest, slug: str, person_id: int) -> HttpResponse:
    """Say what deactivating does, then do it."""
    member = lead_or_refuse(request, slug)
    target = _target(member, person_id)
    form = LeavingForm(posted(request))
    if request.method == "POST" and form.is_valid():
        with refusals_as_notices(request):
            member_deactivate(
                target=target, member=member, leave_out=form.cleaned_data["judgements"] == "leave_out"
            )
            messages.success(
                request,
                gettext("%(pseudonym)s is deactivated. Their open texts can be reassigned.")
                % {"pseudonym": target.pseudonym},
            )
        return redirect("person", slug, person_id)
    return project_page(
        request,
        "confirm.html",
        member,
        tab="people",
        heading=gettext("Deactivate %(pseudonym)s") % {"pseudonym": target.pseudonym},
        effects=[
            gettext("They can no longer open the project; their account stays."),
            gettext("Nothing they judged is deleted, and releases made so far stay as they are."),
            gettext("You can reactivate them at any time."),
        ],
        act=gettext("Deactivate %(pseudonym)s") % {"pseudonym": target.pseudonym},
        danger=True,
        back=reverse("person", args=[slug, person_id]),
        form=form,
    )


@login_required
@require_POST
def person_reactivate(request: HttpRequest, slug: str, person_id: int) -> HttpResponse:
    """Let a deactivated person in again."""
    member = lead_or_refuse(request, slug)
    target = _target(member, person_id)
    with refusals_as_notices(request):
        member_reactivate(target=target, member=member)
        messages.success(
            request, gettext("%(pseudonym)s takes part again.") % {"pseudonym": target.pseudonym}
        )
    return redirect("person", slug, person_id)


class TakersForm(forms.Form):
    takers = forms.ModelMultipleChoiceField(
        queryset=Membership.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("Who takes them"),
    )

    def __init__(self, *args: Any, takers: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = cast(Any, self.fields["takers"])
        field.queryset = field.initial = takers
        field.label_from_instance = lambda one: f"{one.pseudonym} ({one.user or gettext('no account')})"


@login_required
@require_http_methods(["GET", "POST"])
def person_reassign(request: HttpRequest, slug: str, person_id: int, number: int) -> HttpResponse:
    """Hand on the texts of an open round that a person has not finished."""
    member = lead_or_refuse(request, slug)
    target = _target(member, person_id)
    found = member.project.rounds.select_related("codebook").filter(number=number).first()
    if found is None:
        raise NotFound(gettext("There is no round %(number)s in this project.") % {"number": number})
    takers = (
        member.project.memberships.filter(is_annotator=True, is_active=True)
        .exclude(pk=target.pk)
        .exclude(user=None)
        .select_related("user")
    )
    form = TakersForm(posted(request), takers=takers)
    if request.method == "POST" and form.is_valid():
        with refusals_as_notices(request):
            result = round_reassign(
                round=found, target=target, members=list(form.cleaned_data["takers"]), member=member
            )
            messages.success(
                request,
                gettext("%(moved)s texts of %(name)s are reassigned.")
                % {"moved": f"{result.moved:,}", "name": found.name},
            )
            if result.left_over:
                messages.warning(
                    request,
                    gettext("%(left_over)s texts stay with %(pseudonym)s: everybody chosen has them already.")
                    % {"left_over": f"{result.left_over:,}", "pseudonym": target.pseudonym},
                )
        return redirect("round", slug, number)
    return project_page(
        request,
        "confirm.html",
        member,
        tab="people",
        heading=gettext("Reassign %(pseudonym)s’s texts of %(name)s")
        % {"pseudonym": target.pseudonym, "name": found.name},
        effects=[
            gettext(
                "%(n)s texts are not finished; each goes, whole, to the chosen annotator with the "
                "fewest texts who does not have it yet."
            )
            % {"n": f"{len(unfinished_texts(found, target)):,}"},
            gettext("What %(pseudonym)s decided stays and counts.") % {"pseudonym": target.pseudonym},
        ],
        act=gettext("Reassign these texts"),
        back=reverse("round", args=[slug, number]),
        form=form,
    )
