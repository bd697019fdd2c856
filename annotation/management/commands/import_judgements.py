"""Import finished judgements: in long form, from Label Studio or from doccano."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.importing.judgement_formats import FORMATS
from annotation.importing.judgements_loader import judgements_import
from annotation.management.script import ScriptCommand


class Command(ScriptCommand):
    help = "Import judgements made elsewhere into a closed round; docs/importing.md describes the columns."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("file", type=Path)
        parser.add_argument("--round", required=True, help="the round's name; it is made if it is new")
        parser.add_argument(
            "--format", choices=FORMATS, help="the form of the file (told by its content; else long)"
        )
        parser.add_argument("--skip-invalid", action="store_true", help="store the rows that keep the rules")
        parser.add_argument("--dry-run", action="store_true", help="say what would happen, and store nothing")
        parser.add_argument("--refused", type=Path, help="where refused rows go (FILE.refused.csv)")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        refused_path = options["refused"] or Path(f"{path.stem}.refused.csv")
        report = judgements_import(
            project=self.project(options["slug"]),
            path=path,
            round_name=options["round"],
            format=options["format"],
            skip_invalid=options["skip_invalid"],
            dry_run=options["dry_run"],
            refused_path=refused_path if options["skip_invalid"] and not options["dry_run"] else None,
        )
        self.finish(report, refused_path, dry_run=options["dry_run"])
