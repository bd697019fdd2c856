"""The one door: the log-in form in the words of the log-in inside the workspace, for the admin pages too."""

from typing import Any

from allauth.account import forms
from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy
from django.views import i18n
from django.views.decorators.cache import never_cache

from annotation.accounts import refuse_taken_email
from core.errors import NotAllowed


class LoginForm(forms.LoginForm):  # type: ignore[misc]  # allauth has no types
    """allauth's form says its labels twice, and “Login” is no word for a name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = gettext_lazy("User name or e-mail")
        self.fields["remember"].label = gettext_lazy("Keep me logged in on this computer")
        for name in ("login", "password"):
            self.fields[name].widget.attrs.pop("placeholder", None)


class OneAddress:
    """Says that an e-mail address is taken, in place of a page about a letter that nobody gets."""

    account_already_exists = False

    def validate_unique_email(self, value: str) -> str:
        refuse_taken_email(value)
        return value


class SignupForm(OneAddress, forms.SignupForm):  # type: ignore[misc]  # allauth has no types
    pass


class AddEmailForm(forms.AddEmailForm):  # type: ignore[misc]  # allauth has no types
    def clean_email(self) -> str:
        email: str = super().clean_email()
        refuse_taken_email(email, but=self.user)
        return email


def set_language(request: HttpRequest) -> HttpResponse:
    """Do what Django does; from nowhere it leads to the root of the host, which may be another site's."""
    response: HttpResponse = i18n.set_language(request)
    if response.headers.get("Location") == "/":
        response.headers["Location"] = reverse("home")
    return response


@never_cache
def admin_login(request: HttpRequest, extra_context: Any = None) -> HttpResponse:
    """Send whoever wants the admin pages through the log-in of the site: there is no second one."""
    wanted = request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure()):
        wanted = reverse("admin:index")
    if admin.site.has_permission(request):
        return redirect(wanted)
    if request.user.is_authenticated:
        raise NotAllowed(
            gettext("The admin pages are for staff of this installation. Log in as one of them.")
        )
    return redirect_to_login(wanted)
