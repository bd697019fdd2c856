"""Take the second factor away from somebody who lost their device and their recovery codes."""

from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.accounts import find_account


class Command(BaseCommand):
    """Delete an account's authenticators: its password alone opens it again, until a new device is set up."""

    help = "Let an account log in by its password again, whose device and recovery codes are lost."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="user name of the account")

    def handle(self, *, name: str, **options: Any) -> None:
        if not settings.TWO_FACTOR:
            raise CommandError("Two-factor log-in is off here: see ELENCHUS_TWO_FACTOR.")
        account = find_account(name)
        if account is None:
            raise CommandError(f"There is no account {name!r}.")
        model: Any = apps.get_model  # the table is there only where this log-in is on
        count, _ = model("mfa", "Authenticator").objects.filter(user=account).delete()
        if not count:
            raise CommandError(f"The account {name!r} has no second factor.")
        self.stdout.write(f"{name} logs in by password alone now. Have them set up a new device soon.")
