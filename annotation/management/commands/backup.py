"""Write everything into one archive: python manage.py backup FILE"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.backups import backup_make
from annotation.management.script import ScriptCommand


class Command(ScriptCommand):
    help = (
        "Write all tables and stored files into one archive, while people go on working. manage.py restore "
        "brings it back, on SQLite or PostgreSQL. It holds texts, judgements, accounts and password hashes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a new file, such as elenchus-2026-11-29.zip")

    def handle(self, *args: Any, **options: Any) -> None:
        made = backup_make(Path(options["file"]))
        self.stdout.write(
            f"{options['file']}: {made.rows} rows and {made.files} files, {made.size} bytes, as of "
            f"{made.made_at:%Y-%m-%d %H:%M:%S} UTC."
        )
