"""The page behind an invitation link: take part with an account, or make one."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.contrib.auth import get_user_model, login
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.accounts import address_as_stored, as_stored, refuse_taken_email, refuse_taken_name
from annotation.limits import characters
from annotation.projects.invitations import find_invitation, invitation_accept, invitation_adds_nothing
from core.errors import Refused
from frontend.pages.common import posted


class BackgroundForm(forms.Form):
    background = forms.CharField(
        required=False,
        max_length=characters("membership", "background"),
        widget=forms.Textarea(attrs={"rows": 3}),
        label=gettext_lazy("About you, for the dataset’s data card (optional)"),
        help_text=gettext_lazy(
            "For example: master’s student of linguistics, first language Spanish. "
            "It is printed without your name."
        ),
    )


if TYPE_CHECKING:
    CreationForm = BaseUserCreationForm[User]
else:
    CreationForm = BaseUserCreationForm


class SignUpForm(BackgroundForm, CreationForm):
    field_order = ["username", "email", "password1", "password2", "background"]

    class Meta(BaseUserCreationForm.Meta):
        model = get_user_model()
        fields = ("username", "email")
        labels = {"email": gettext_lazy("E-mail address (optional)")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # On a phone the keyboard would lie over what the invitation says.
        del self.fields["username"].widget.attrs["autofocus"]

    def clean_username(self) -> str:
        name = as_stored(self.cleaned_data["username"])
        refuse_taken_name(name)
        return name

    def clean_email(self) -> str:
        email = address_as_stored(self.cleaned_data["email"])
        refuse_taken_email(email)
        return email

    def validate_password_for_user(self, user: Any, password_field_name: str = "password1") -> None:
        """Say what is wrong with a password beside the password, not beside its repetition."""
        super().validate_password_for_user(user, password_field_name)  # type: ignore[misc]


@never_cache
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Show what the invitation is for, then accept it with this account or a new one."""
    invitation = find_invitation(token)
    already = invitation_adds_nothing(invitation, request.user)
    if already is not None:
        told = gettext("You take part in this project already, as %(name)s. The invitation is still unused.")
        messages.info(request, told % {"name": already.pseudonym})
        return redirect("project", invitation.project.slug)
    sign_up = None if request.user.is_authenticated else SignUpForm(posted(request))
    form: forms.BaseForm = sign_up or BackgroundForm(posted(request))
    if request.method == "POST" and form.is_valid():
        try:
            # An account is made only together with its place in the project.
            with transaction.atomic():
                user = sign_up.save() if sign_up else request.user
                member = invitation_accept(token=token, user=user, background=form.cleaned_data["background"])
        except Refused as refusal:
            form.add_error(None, refusal.message)
        else:
            if sign_up:
                login(request, sign_up.instance, backend="config.accounts.AccountBackend")
            told = gettext("You take part in %(project)s, as %(name)s.")
            messages.success(request, told % {"project": member.project.name, "name": member.pseudonym})
            return redirect("project", member.project.slug)
    return render(
        request, "frontend/people/join.html", {"invitation": invitation, "form": form, "token": token}
    )
