"""Import the key of a training round."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.importing.files.tabular import columns_from_words
from annotation.importing.formats.judgement_table import KEY_COLUMNS
from annotation.management.script import ScriptCommand, add_map_argument
from annotation.training.key import key_import
from core.errors import NotFound


class Command(ScriptCommand):
    help = "Read the key of a draft training round from a file of judgements; comment says why."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("file", type=Path)
        parser.add_argument("--round", required=True, help="the training round's name")
        add_map_argument(parser, "item=Nr")
        parser.add_argument("--skip-invalid", action="store_true", help="store the rows that keep the rules")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        found = project.rounds.filter(name=options["round"]).first()
        if found is None:
            raise NotFound(f"There is no round “{options['round']}” in {project.slug}.")
        path: Path = options["file"]
        refused_path = Path(f"{path.stem}.refused.csv")
        report = key_import(
            found,
            path,
            skip_invalid=options["skip_invalid"],
            refused_path=refused_path if options["skip_invalid"] else None,
            columns=columns_from_words(options["map"], KEY_COLUMNS),
        )
        self.finish(report, refused_path)
