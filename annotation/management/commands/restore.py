"""Bring an archive back into an empty installation: python manage.py restore FILE"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.management.script import ScriptCommand
from core.backups.restore import backup_restore


class Command(ScriptCommand):
    help = (
        "Restore what manage.py backup wrote into a database that is empty, of SQLite or PostgreSQL. All of "
        "it is checked before anything changes, and compared afterwards. Stop web server and workers first."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="the archive")

    def handle(self, *args: Any, **options: Any) -> None:
        manifest = backup_restore(Path(options["file"]), told=self.stdout.write)
        self.stdout.write(
            f"Restored {manifest.rows} rows in {len(manifest.tables)} tables and {len(manifest.files)} "
            f"files as they were at {manifest.made_at}; every table and file was compared with the archive."
        )
