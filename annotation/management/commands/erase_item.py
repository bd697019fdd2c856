"""Erase a text for good: python manage.py erase_item SLUG ID --confirm ID"""

from typing import Any

from django.core.management.base import CommandParser

from annotation.items.erasure import item_erase
from annotation.management.script import ScriptCommand
from core.errors import NotFound


class Command(ScriptCommand):
    help = (
        "Erase the text of an item and all that quotes it, as the law may ask. Releases that have it lose "
        "their files. Nobody can take this back."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the project's short name")
        parser.add_argument("id", help="the item's id, as in its file")
        parser.add_argument("--confirm", required=True, metavar="ID", help="the id again")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        item = project.items.filter(external_id=options["id"]).first()
        if item is None:
            raise NotFound(f"There is no item “{options['id']}” in {project.slug}.")
        item_erase(item=item, member=None, typed=options["confirm"])
        event = project.events.filter(action="item erased").latest("id")
        taken_down = ", ".join(event.details["releases"]) or "none"
        self.stdout.write(f"Erased {options['id']}. Releases that lost their files: {taken_down}.")
