"""Create a project from a codebook."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.management.script import ScriptCommand
from annotation.projects.projects import project_create


class Command(ScriptCommand):
    help = "Create a project from a codebook: focus, cqs_gen, context_sufficiency or the path of a TOML file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the project's short name, as in campus-debates")
        parser.add_argument("--codebook", required=True, help="a shipped codebook's name or a TOML file")
        parser.add_argument("--name", default="", help="the name that people see")
        parser.add_argument("--lead", default="", help="user name of the account that leads it")

    def handle(self, *args: Any, **options: Any) -> None:
        user = self.account(options["lead"]) if options["lead"] else None
        project = project_create(
            slug=options["slug"], name=options["name"], codebook=options["codebook"], user=user
        )
        self.stdout.write(f"Created project {project.slug} ({project.get_protocol_display()}).")
        if user is None:
            self.stdout.write(
                f"Nobody leads it yet: manage.py add_member {project.slug} ACCOUNT --lead lets an account in."
            )
