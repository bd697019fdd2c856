"""Django's command, with the one rule for names of accounts."""

from django.contrib.auth.management.commands import createsuperuser

from annotation.accounts import as_stored


class Command(createsuperuser.Command):
    def _validate_username(self, username: str, verbose_field_name: str, database: str) -> str | None:
        """Check a name in the form in which it will be stored; the account itself says if it is taken."""
        refusal: str | None = super()._validate_username(  # type: ignore[misc]
            as_stored(username or ""), verbose_field_name, database
        )
        return refusal
