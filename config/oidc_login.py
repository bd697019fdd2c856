"""Log-in through an OpenID Connect server: who gets an account, and what is said where it does not work.

See docs/decisions/running.md.
"""

from typing import Any
from urllib.parse import urlsplit

import requests
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount import forms
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import gettext

from annotation.accounts import refuse_taken_email
from annotation.projects.invitations import find_invitation
from boards.life import teams
from config.login import OneAddress
from core.errors import NotAllowed, NotFound, Refused

SECONDS = 10.0
INVITATIONS = {"join": find_invitation, "board_join": teams.find_invitation}
"""The routes of invitations, with what finds one by its token."""


class SignupForm(OneAddress, forms.SignupForm):  # type: ignore[misc]  # allauth has no types
    pass


class ServerSession(requests.Session):
    """Speaks with the OpenID Connect server, and says so where that one does not answer."""

    def request(self, *given: Any, **options: Any) -> requests.Response:
        options.setdefault("timeout", SECONDS)
        try:
            return super().request(*given, **options)
        except requests.RequestException as error:
            told = gettext(
                "%(server)s does not answer, so nobody can log in through it just now. Try again later, or "
                "log in here with your name and password if your account has one."
            ) % {"server": settings.OIDC_NAME}
            raise Refused("unavailable", told) from error


class SocialAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Whoever that server lets in gets an account here, or those alone who come with an invitation, as
    ELENCHUS_OIDC_SIGNUP says; an account that is here already is never taken over.
    """

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return settings.OIDC_SIGNUP or is_invitation(sociallogin.state.get("next") or "")

    def get_requests_session(self) -> requests.Session:
        return ServerSession()

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Send whoever has an account with this address to log in with it and connect the two.

        Whoever has none and may not have one is told how to get it.
        """
        if sociallogin.is_existing or request.user.is_authenticated:
            return
        try:
            refuse_taken_email(sociallogin.user.email or "")
        except ValidationError:
            told = gettext(
                "An account here has your e-mail address already. Log in with its name and password, then "
                "connect it with %(server)s: after that either way leads to the same account."
            ) % {"server": settings.OIDC_NAME}
            messages.warning(request, told)
            raise ImmediateHttpResponse(redirect_to_login(reverse("socialaccount_connections"))) from None
        if not self.is_open_for_signup(request, sociallogin):
            told = gettext(
                "You have no account here yet, and only who is invited gets one. Open the link of your "
                "invitation, and log in with %(server)s from there."
            ) % {"server": settings.OIDC_NAME}
            raise NotAllowed(told)

    def on_authentication_error(self, request: HttpRequest, provider: Any, **what: Any) -> None:
        raise NotAllowed(
            gettext(
                "The log-in at %(server)s was not finished, or it does not let you in. Try again, or log in "
                "here with your name and password if your account has one."
            )
            % {"server": settings.OIDC_NAME}
        )


def is_invitation(address: str) -> bool:
    """Whether an address is that of an invitation which can be taken up."""
    try:
        found = resolve(urlsplit(address).path.removeprefix(settings.SITE_PATH))
        INVITATIONS[found.url_name or ""](found.kwargs["token"])
    except (Resolver404, KeyError, NotFound):
        return False
    return True
