"""Import items, with questions where the file has them."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.importing.formats.item_formats import FORMATS
from annotation.importing.formats.item_table import KNOWN
from annotation.importing.items import items_import
from annotation.management.script import ImportCommand


class Command(ImportCommand):
    help = "Import a file of items (and questions) into a project; docs/importing.md describes the formats."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--format", default="", help=f"{', '.join(FORMATS)}; recognised where absent")
        parser.add_argument(
            "--origin", default="", help="who wrote the questions, where the file does not say"
        )

        parser.add_argument(
            "--correct",
            action="store_true",
            help="take over topic, split, source and licence of items that are there already, while no "
            "release has them",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self.bring_in(
            items_import,
            options,
            KNOWN,
            format=options["format"],
            origin=options["origin"],
            correct=options["correct"],
        )
