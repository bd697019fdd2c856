"""Write all that is stored of a person into a ZIP: python manage.py export_person ACCOUNT FILE"""

from typing import Any

from django.core.management.base import CommandParser

from annotation.management.script import ScriptCommand
from annotation.projects.own_data import own_data_write
from core.errors import Refused


class Command(ScriptCommand):
    help = (
        "Write all that is stored of a person into a ZIP, as JSON and CSV: what they can download themselves."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("account", help="user name of the account")
        parser.add_argument("file", help="a new file, such as ada.zip")

    def handle(self, *args: Any, **options: Any) -> None:
        user = self.account(options["account"])
        try:
            with open(options["file"], "xb") as stream:
                own_data_write(user, stream)
        except OSError as error:
            raise Refused(
                "not_written", f"{options['file']} could not be written: {error.strerror}."
            ) from error
        self.stdout.write(f"{options['file']} has all that is stored of {options['account']}.")
