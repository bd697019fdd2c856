"""The people of a project: who takes part, in which role, and whom to let in."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from annotation.limits import LIMITS, unfit
from annotation.models import Invitation, Membership
from annotation.projects.invitations import (
    MAX_AT_ONCE,
    MAX_DAYS,
    invitation_create,
    invitation_revoke,
    invitations_waiting,
)
from core.errors import NotFound
from frontend.decorators import login_required
from frontend.emails import mail_is_configured, send_invitation
from frontend.middleware import refusals_as_notices
from frontend.pages.common import lead_or_403, page_of, posted, project_page

ROLES = [
    ("annotator", gettext_lazy("Annotator: judges the texts of rounds they are in")),
    ("lead", gettext_lazy("Lead: imports, runs rounds, reads agreement, decides")),
]


class RolesField(forms.MultipleChoiceField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            choices=ROLES,
            widget=forms.CheckboxSelectMultiple,
            error_messages={
                "required": gettext_lazy("Choose what the person will be: annotator, lead or both.")
            },
            **kwargs,
        )


class InviteForm(forms.Form):
    notes = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3}),
        label=gettext_lazy("For whom, one a line"),
        help_text=gettext_lazy(
            "Names or e-mail addresses, so that you know whose link is whose. Each line gets a "
            "link of its own."
        ),
    )
    roles = RolesField(label=gettext_lazy("As"), initial=["annotator"])
    days = forms.IntegerField(
        min_value=1, max_value=MAX_DAYS, initial=14, label=gettext_lazy("Valid for how many days")
    )

    def clean_notes(self) -> list[str]:
        notes = [line.strip() for line in self.cleaned_data["notes"].splitlines() if line.strip()]
        if len(notes) > MAX_AT_ONCE:
            raise forms.ValidationError(
                gettext("At most %(max_at_once)s at once: %(n)s lines were given.")
                % {"max_at_once": MAX_AT_ONCE, "n": len(notes)}
            )
        for note in notes:
            if problem := unfit(note, LIMITS["invitation"]["note"]):
                raise forms.ValidationError(f"“{note[:40]}…”: {problem}")
        return notes


@login_required
@require_http_methods(["GET", "POST"])
def people(request: HttpRequest, slug: str) -> HttpResponse:
    """List the people; inviting shows the new links once, since only their digests are stored."""
    member = lead_or_403(request, slug)
    form = InviteForm(posted(request))
    links = []
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        with refusals_as_notices(request):
            for note in given["notes"]:
                links.append(_invited(request, member, note, given["roles"], given["days"]))
            form = InviteForm()
    members = member.project.memberships.select_related("user").order_by("-is_active", "id")
    return project_page(
        request,
        "people/people.html",
        member,
        tab="people",
        form=form,
        links=links,
        page=page_of(request, members),
        invitations=_waiting(member),
        mail=mail_is_configured(),
    )


def _invited(
    request: HttpRequest, member: Membership, note: str, roles: list[str], days: int
) -> dict[str, Any]:
    invitation, token = invitation_create(
        project=member.project,
        member=member,
        is_annotator="annotator" in roles,
        is_lead="lead" in roles,
        note=note,
        days=days,
    )
    url = request.build_absolute_uri(reverse("join", args=[token]))
    return {"invitation": invitation, "url": url, "sent": send_invitation(invitation, url)}


def _waiting(member: Membership) -> list[Invitation]:
    waiting = invitations_waiting(member.project)
    return list(waiting.select_related("invited_by").order_by("-id")[:MAX_AT_ONCE])


@login_required
@require_POST
def invitation_withdraw(request: HttpRequest, slug: str, invitation_id: int) -> HttpResponse:
    """Revoke an invitation that nobody has used."""
    member = lead_or_403(request, slug)
    invitation = member.project.invitations.filter(pk=invitation_id).first()
    if invitation is None:
        raise NotFound(gettext("There is no such invitation in this project."))
    with refusals_as_notices(request):
        invitation_revoke(invitation=invitation, member=member)
        messages.success(request, gettext("The invitation is revoked: its link no longer works."))
    return redirect("people", slug)
