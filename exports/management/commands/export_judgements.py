"""Write the judgements of closed rounds, without a release: python manage.py export_judgements SLUG"""

import uuid
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.management.script import ScriptCommand
from core.errors import Refused
from exports.files.raw_judgements import FORMATS, Format, judgements_export


class Command(ScriptCommand):
    help = "Write the judgements of closed rounds by pseudonym, one a row: to a file, or to standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the project's short name")
        parser.add_argument(
            "--round", type=int, metavar="N", help="one closed round; all but training rounds where absent"
        )
        parser.add_argument("--format", choices=FORMATS, help="default: what FILE ends with, else csv")
        parser.add_argument("--out", type=Path, metavar="FILE", help="replaced where it exists already")

    def handle(self, *args: Any, **options: Any) -> None:
        out: Path | None = options["out"]
        by_name: Format = "jsonl" if out is not None and out.suffix == ".jsonl" else "csv"
        pieces = judgements_export(
            project=self.project(options["slug"]),
            format=options["format"] or by_name,
            number=options["round"],
        )
        if out is None:
            for piece in pieces:
                self.stdout.write(piece.decode(), ending="")
            return
        # Beside it, then in its place: half a file never has the name that was asked for.
        beside = out.with_name(f".{out.name}.{uuid.uuid4().hex[:8]}")
        try:
            with beside.open("xb") as file:
                file.writelines(pieces)
            beside.replace(out)
        except OSError as error:
            raise Refused("not_written", f"{out} could not be written: {error.strerror or error}.") from error
        finally:
            beside.unlink(missing_ok=True)
