"""Who may make an account."""

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):
    """Accounts come by invitation unless ELENCHUS_OPEN_SIGNUP says otherwise."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return settings.OPEN_SIGNUP
