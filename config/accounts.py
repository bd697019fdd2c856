"""Who may make an account, under which name, and how often a password may be tried."""

import logging
import time
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.auth_backends import AuthenticationBackend
from allauth.core.internal import ratelimit
from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext, ngettext

from annotation.accounts import address_as_stored, as_stored, find_account, key_of, refuse_taken_name
from core.errors import Refused

logger = logging.getLogger(__name__)

COUNTED = {"app": "allauth.account", "action": "login_failed"}


class AccountBackend(AuthenticationBackend):  # type: ignore[misc]  # allauth has no types
    """Finds an account by the one rule for names of accounts."""

    def _authenticate_by_username(self, username: str, password: str) -> Any:
        return self._check_password(find_account(username), password)

    def _authenticate_by_email(self, email: str, password: str) -> Any:
        return super()._authenticate_by_email(address_as_stored(email), password)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Accounts come by invitation unless ELENCHUS_OPEN_SIGNUP says otherwise.

    Wrong passwords are counted by account and address together, so that nobody is locked out by what others
    try, and generously by address, behind which a whole course may log in.
    """

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return settings.OPEN_SIGNUP

    def clean_username(self, username: str, shallow: bool = False) -> str:
        username = super().clean_username(as_stored(username), shallow=True)
        if not shallow:
            refuse_taken_name(username)
        return username

    def clean_email(self, email: str) -> str:
        return str(super().clean_email(address_as_stored(email)))

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a letter; where the mail server does not take it, say so in place of failing."""
        try:
            super().send_mail(template_prefix, email, context)
        except (SMTPException, OSError) as error:
            logger.warning("a letter to an account could not be sent: %s", type(error).__name__)
            told = gettext(
                "The letter could not be sent: the mail server does not take it. Try again later, or ask "
                "whoever runs the site for a new password."
            )
            raise Refused("unavailable", told) from error

    def generate_unique_username(self, txts: list[str | None], regex: str | None = None) -> str:
        """Return a name that no account has, for whoever comes from an OpenID Connect server."""
        name = as_stored(super().generate_unique_username(txts, regex))
        longest = 140  # of the 150 that a name may have, which leaves room for the number
        tried, number = name, 1
        while find_account(tried) is not None:
            number += 1
            tried = f"{name[:longest]}{number}"
        return tried

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Refuse a further try where too many were wrong.

        allauth counts each try as a wrong one before it checks the password and takes that back afterwards:
        of a process that is killed in between, or whose database is down, a right one would stay counted.
        """
        key = self._get_login_attempts_cache_key(request, **credentials)
        if not ratelimit.consume(request, **COUNTED, key=key, dry_run=True):
            code = self.validation_error("too_many_login_attempts").code
            raise ValidationError(try_again(request, "login_failed", key), code=code)

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Count a wrong password."""
        ratelimit.consume(request, **COUNTED, key=self._get_login_attempts_cache_key(request, **credentials))

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        login = key_of(credentials.get("email") or credentials.get("username") or "")
        return f"{login} {ratelimit.get_ip(request)}"


def try_again(request: HttpRequest, action: str, key: str) -> str:
    """Say when there is room again under the limits of an action."""
    wait = 1.0
    for rate in ratelimit.get_rates(app="allauth.account", action=action):
        counted = ratelimit.get_cache_key(request, app="allauth.account", action=action, rate=rate, key=key)
        times = cache.get(counted, [])
        if len(times) >= rate.amount:
            wait = max(wait, times[rate.amount - 1] + rate.duration - time.time())
    if wait <= 60:
        seconds = int(wait) + 1
        return ngettext(
            "Too many wrong passwords. Try again in %(n)s second.",
            "Too many wrong passwords. Try again in %(n)s seconds.",
            seconds,
        ) % {"n": seconds}
    minutes = int(wait // 60) + 1
    return gettext(
        "Too many wrong passwords. Try again in %(n)s minutes, or ask whoever runs the site for a new one."
    ) % {"n": minutes}
