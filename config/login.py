"""The log-in form in the words of the log-in inside the workspace."""

from typing import Any

from allauth.account import forms
from django.utils.translation import gettext_lazy


class LoginForm(forms.LoginForm):
    """allauth's form says its labels twice, and “Login” is no word for a name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = gettext_lazy("User name or e-mail")
        self.fields["remember"].label = gettext_lazy("Keep me logged in on this computer")
        for name in ("login", "password"):
            self.fields[name].widget.attrs.pop("placeholder", None)
