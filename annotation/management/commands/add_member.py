"""Let an account take part in a project: python manage.py add_member SLUG ACCOUNT --lead ..."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.management.script import ScriptCommand
from annotation.projects.members import member_admit


class Command(ScriptCommand):
    help = (
        "Let an account lead or annotate a project, without an invitation; whoever takes part gets the role."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the project's short name")
        parser.add_argument("account", help="user name of the account")
        parser.add_argument("--lead", action="store_true", help="to lead it")
        parser.add_argument("--annotator", action="store_true", help="to annotate in it (as without --lead)")

    def handle(self, *args: Any, **options: Any) -> None:
        is_lead = options["lead"]
        member = member_admit(
            project=self.project(options["slug"]),
            user=self.account(options["account"]),
            is_lead=is_lead,
            is_annotator=options["annotator"] or not is_lead,
        )
        self.stdout.write(f"{options['account']} takes part in {options['slug']} as {member.pseudonym}.")
