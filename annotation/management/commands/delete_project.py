"""Have a project deleted in seven days: python manage.py delete_project SLUG --confirm SLUG"""

from typing import Any

from django.core.management.base import CommandParser

from annotation.management.script import ScriptCommand
from annotation.projects.deletion import project_deletion_ask, project_deletion_take_back


class Command(ScriptCommand):
    help = (
        "Have a project deleted, with everything in it, seven days from now. Until then it is archived, and "
        "--keep or any of its leads takes that back."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the project's short name")
        act = parser.add_mutually_exclusive_group(required=True)
        act.add_argument("--confirm", metavar="SLUG", help="the short name again")
        act.add_argument("--keep", action="store_true", help="keep a project that waits to be deleted")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        if options["keep"]:
            project_deletion_take_back(project=project, member=None)
            self.stdout.write(f"{project.slug} is kept. It stays archived until a lead restores it.")
            return
        project_deletion_ask(project=project, member=None, typed=options["confirm"])
        self.stdout.write(
            f"{project.slug} is archived now and deleted on {project.deletion_due_at:%Y-%m-%d}."
        )
