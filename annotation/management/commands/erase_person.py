"""Erase an account and who it is in every project: python manage.py erase_person ACCOUNT"""

from typing import Any

from django.core.management.base import CommandParser

from annotation.management.script import ScriptCommand
from annotation.projects.erasure import account_erase


class Command(ScriptCommand):
    help = (
        "Erase an account: name, e-mail address, log-ins, invitations and comments go. What was judged "
        "stays under the pseudonym, unless its project promised that it goes too. Nobody can take this back."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("account", help="user name of the account")

    def handle(self, *args: Any, **options: Any) -> None:
        places = account_erase(user=self.account(options["account"]))
        self.stdout.write(f"Erased the account and its places in {places} projects.")
