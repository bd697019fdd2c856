"""Write a board as a ZIP: manage.py export_board SLUG NAME OUT.zip [--board-version N] [--internal]"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.script import ScriptCommand
from boards.life.boards import board_or_404
from boards.life.export import board_export
from boards.life.versions import version_or_404


class Command(ScriptCommand):
    help = "Write a board as a ZIP from which every figure can be made again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the project's short name")
        parser.add_argument("name", help="the board's name, as in its address")
        parser.add_argument("out", type=Path, help="the ZIP to write")
        parser.add_argument("--board-version", type=int, metavar="N", help="an older version of the board")
        parser.add_argument(
            "--internal", action="store_true", help="with the release and its withheld references"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        board = board_or_404(self.project(options["slug"]), options["name"])
        version = version_or_404(board, options["board_version"])
        try:
            with options["out"].open("wb") as out:
                board_export(board=board, version=version, out=out, internal=options["internal"])
        except OSError as problem:
            raise CommandError(f"{options['out']}: cannot be written: {problem.strerror}") from None
        self.stdout.write(f"{board.title}, version {version.number}, is in {options['out']}.")
