"""The admin pages of accounts, which keep the one rule for their names too."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import User

from annotation.accounts import address_as_stored, as_stored, refuse_taken_email, refuse_taken_name

if TYPE_CHECKING:
    CreationForm = AdminUserCreationForm[User]
    ChangeForm = UserChangeForm[User]
    AdminOfAccounts = UserAdmin[User]
else:
    CreationForm, ChangeForm, AdminOfAccounts = AdminUserCreationForm, UserChangeForm, UserAdmin


class OneName:
    """Says beside the field that another account has the name or the address."""

    cleaned_data: dict[str, Any]
    instance: Any

    def clean_username(self) -> str:
        name = as_stored(self.cleaned_data["username"])
        if "username" in self.changed_data:  # type: ignore[attr-defined]
            refuse_taken_name(name, but=self.instance)
        return name

    def clean_email(self) -> str:
        email = address_as_stored(self.cleaned_data["email"])
        if "email" in self.changed_data:  # type: ignore[attr-defined]
            refuse_taken_email(email, but=self.instance)
        return email


class AccountCreationForm(OneName, CreationForm):
    pass


class AccountChangeForm(OneName, ChangeForm):
    pass


admin.site.unregister(get_user_model())


@admin.register(get_user_model())
class AccountAdmin(AdminOfAccounts):
    add_form = AccountCreationForm
    form = AccountChangeForm
