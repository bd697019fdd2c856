"""How accounts are told apart."""

from django.conf import settings
from django.db import models


class AccountName(models.Model):
    """The user name and e-mail address of an account without what people do not see (`annotation.accounts`).

    Empty where an account from before this rule looks like another one, or has no address.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    name_key = models.TextField(unique=True, null=True)
    email_key = models.TextField(unique=True, null=True)

    def __str__(self) -> str:
        return f"{self.user_id}"
