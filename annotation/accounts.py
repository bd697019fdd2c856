"""The one rule for what names an account, at every door: sign-up, invitation, log-in, admin, command line.

Names and e-mail addresses that differ in case, width or the way letters are composed are one. The receivers
keep the rule for whoever stores an account, whatever form or command it came by; two at once meet the unique
columns of AccountName.
"""

import unicodedata
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from annotation.models import AccountName


def as_stored(text: str) -> str:
    """Return an identifier in the form in which it is stored: wide and decomposed letters are the usual ones.

    >>> as_stored(" \\uff21da ")
    'Ada'
    """
    return unicodedata.normalize("NFKC", text).strip()


def address_as_stored(email: str) -> str:
    """Return an e-mail address as it is stored: the log-in and the password reset look for small letters."""
    return as_stored(email).lower()


def key_of(text: str) -> str:
    """Return what is equal for identifiers that name the same account.

    >>> key_of("\\uff21DA") == key_of("ada"), key_of("Stra\\xdfe") == key_of("STRASSE")
    (True, True)
    """
    return as_stored(as_stored(text).casefold())


def find_account(name: str) -> Any:
    """Return the account of a user name, or None; of accounts older than the rule the exact name first."""
    users = get_user_model().objects
    return (
        users.filter(username=as_stored(name)).first()
        or users.filter(username=name).first()
        or users.filter(pk__in=AccountName.objects.filter(name_key=key_of(name)).values("user")).first()
    )


def refuse_taken_name(name: str, *, but: Any = None) -> None:
    """Raise ValidationError where another account has this user name, or it as its e-mail address."""
    if _others(but).filter(name_key=key_of(name)).exists() or _is_address_of_another(name, but):
        raise ValidationError(
            gettext(
                "An account has this user name already; capitals and small letters are one. Choose another."
            ),
            code="taken",
        )


def refuse_taken_email(email: str, *, but: Any = None) -> None:
    """Raise ValidationError where another account has this e-mail address, or it as its user name."""
    key = key_of(email)
    if key and (_others(but).filter(email_key=key).exists() or _others(but).filter(name_key=key).exists()):
        raise ValidationError(
            gettext("An account has this e-mail address already. Log in with it, or leave the address out."),
            code="taken",
        )


def check_account(sender: Any, instance: Any, raw: bool = False, **options: Any) -> None:
    """Before an account is stored: refuse a new name or address that another one has."""
    fields = options.get("update_fields")
    if raw or (fields is not None and not {"username", "email"} & set(fields)):
        return
    before = sender.objects.filter(pk=instance.pk).values("username", "email").first() or {}
    if instance.username != before.get("username"):
        instance.username = as_stored(instance.username)
        refuse_taken_name(instance.username, but=instance)
    if instance.email and instance.email != before.get("email"):
        instance.email = address_as_stored(instance.email)
        refuse_taken_email(instance.email, but=instance)


def store_account_name(sender: Any, instance: Any, created: bool, **options: Any) -> None:
    """After an account is stored: keep its keys. An account that another was faster for is taken back."""
    fields = options.get("update_fields")
    if fields is not None and not {"username", "email"} & set(fields):
        return
    name, email = key_of(instance.username), key_of(instance.email or "")
    others = _others(instance)
    try:
        with transaction.atomic():
            AccountName.objects.update_or_create(
                user_id=instance.pk,
                defaults={
                    "name_key": None if others.filter(name_key=name).exists() else name,
                    "email_key": None if not email or others.filter(email_key=email).exists() else email,
                },
            )
    except IntegrityError:
        if not created:
            raise
        instance.delete()
        refuse_taken_name(instance.username)
        refuse_taken_email(instance.email)
        raise


def _others(but: Any) -> Any:
    names = AccountName.objects.all()
    return names if but is None or but.pk is None else names.exclude(user=but.pk)


def _is_address_of_another(name: str, but: Any) -> bool:
    found: bool = _others(but).filter(email_key=key_of(name)).exists()
    return found
