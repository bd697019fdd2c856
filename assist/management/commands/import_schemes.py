"""Read a catalogue of schemes of argument: python manage.py import_schemes FILE"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.script import ROWS_REFUSED, ScriptCommand
from assist.candidates.scheme_file import SHIPPED, read_catalogue, store_schemes


class Command(ScriptCommand):
    help = (
        "Read a catalogue of schemes of argument, as JSON Lines or TOML: id, name, aliases, slots, form with "
        "premises and conclusion, questions. A scheme of a known id takes the new words. Where a row is "
        "refused nothing is stored, and the exit code is 2."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, nargs="?", default=SHIPPED, help="default: the one that ships")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        found = read_catalogue(path)
        if found.refused:
            for place, reason in found.refused[:50]:
                self.stderr.write(f"{path.name}: {place}: {reason}")
            rows = "1 row was" if len(found.refused) == 1 else f"{len(found.refused)} rows were"
            raise CommandError(f"{rows} refused; nothing was stored.", returncode=ROWS_REFUSED)
        new, changed = store_schemes(found)
        self.stdout.write(
            f"{path.name}: {len(found.schemes)} schemes: {new} new, {changed} changed, "
            f"{len(found.schemes) - new - changed} as they were"
        )
