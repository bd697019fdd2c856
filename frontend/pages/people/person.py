"""One person of a project: roles, background, leaving, and reassigning what they have not finished."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from annotation.limits import characters
from annotation.models import Membership, Round
from annotation.projects.erasure import erasure_effects, member_erase
from annotation.projects.members import member_deactivate, member_edit, member_reactivate
from core.errors import NotFound, Refused
from frontend.decorators import login_required
from frontend.middleware import refusals_as_notices
from frontend.pages.common import lead_or_403, posted, project_page
from frontend.pages.people.people import RolesField


class PersonForm(forms.Form):
    roles = RolesField(label=gettext_lazy("Roles"))
    background = forms.CharField(
        required=False,
        max_length=characters("membership", "background"),
        widget=forms.Textarea(attrs={"rows": 3}),
        label=gettext_lazy("Background for the data card"),
        help_text=gettext_lazy(
            "What readers of the dataset should know, without naming the person: training, first "
            "language, pay."
        ),
    )


def target_of(member: Membership, person_id: int) -> Membership:
    found = member.project.memberships.select_related("user", "project").filter(pk=person_id).first()
    if found is None:
        raise NotFound(gettext("There is no such person in this project."))
    return found


@login_required
@require_http_methods(["GET", "POST"])
def person(request: HttpRequest, slug: str, person_id: int) -> HttpResponse:
    """Show one person: roles, background, open rounds; change roles and background."""
    member = lead_or_403(request, slug)
    target = target_of(member, person_id)
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
        request, "people/person.html", member, tab="people", target=target, form=form, open_rounds=rounds
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
    member = lead_or_403(request, slug)
    target = target_of(member, person_id)
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
    member = lead_or_403(request, slug)
    target = target_of(member, person_id)
    with refusals_as_notices(request):
        member_reactivate(target=target, member=member)
        messages.success(
            request, gettext("%(pseudonym)s takes part again.") % {"pseudonym": target.pseudonym}
        )
    return redirect("person", slug, person_id)


class EraseForm(forms.Form):
    typed = forms.CharField(label=gettext_lazy("Type their name in this project to confirm"), max_length=40)


@login_required
@require_http_methods(["GET", "POST"])
def person_erase(request: HttpRequest, slug: str, person_id: int) -> HttpResponse:
    """Say what erasing a person does, then do it once their pseudonym is typed."""
    member = lead_or_403(request, slug)
    target = target_of(member, person_id)
    form = EraseForm(posted(request))
    name = {"pseudonym": target.pseudonym}
    if request.method == "POST" and form.is_valid():
        if form.cleaned_data["typed"].strip() != target.pseudonym:
            form.add_error("typed", gettext("That is not the name: type %(pseudonym)s.") % name)
        else:
            try:
                member_erase(target=target, member=member)
            except Refused as refusal:
                form.add_error("typed", refusal.message)
            else:
                messages.success(request, gettext("Who %(pseudonym)s was is erased.") % name)
                return redirect("home") if target.pk == member.pk else redirect("person", slug, person_id)
    return project_page(
        request,
        "confirm.html",
        member,
        tab="people",
        heading=gettext("Erase who %(pseudonym)s is") % name,
        effects=erasure_effects(target),
        act=gettext("Erase who %(pseudonym)s is") % name,
        danger=True,
        back=reverse("person", args=[slug, person_id]),
        form=form,
    )
