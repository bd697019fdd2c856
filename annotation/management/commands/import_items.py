"""Import items, with questions where the file has them."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.importing.items_loader import items_import
from annotation.importing.recognise import FORMATS
from annotation.management.script import ScriptCommand


class Command(ScriptCommand):
    help = "Import a file of items (and questions) into a project; docs/importing.md describes the formats."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("file", type=Path)
        parser.add_argument("--format", default="", help=f"{', '.join(FORMATS)}; recognised where absent")
        parser.add_argument(
            "--origin", default="", help="who wrote the questions, where the file does not say"
        )
        parser.add_argument("--skip-invalid", action="store_true", help="store the rows that keep the rules")
        parser.add_argument("--dry-run", action="store_true", help="say what would happen, and store nothing")
        parser.add_argument("--refused", type=Path, help="where refused rows go (FILE.refused.csv)")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        refused_path = options["refused"] or Path(f"{path.stem}.refused.csv")
        report = items_import(
            project=self.project(options["slug"]),
            path=path,
            format=options["format"],
            origin=options["origin"],
            skip_invalid=options["skip_invalid"],
            dry_run=options["dry_run"],
            refused_path=refused_path if options["skip_invalid"] and not options["dry_run"] else None,
        )
        self.finish(report, refused_path, dry_run=options["dry_run"])
