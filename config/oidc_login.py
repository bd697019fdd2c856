"""The form for whoever comes from an OpenID Connect server and has to choose a name."""

from allauth.socialaccount import forms

from config.login import OneAddress


class SignupForm(OneAddress, forms.SignupForm):  # type: ignore[misc]  # allauth has no types
    pass
