"""Delete what has had its time: ended sessions, old uploads and reports, files without a row."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from operations.prune import prune


class Command(BaseCommand):
    """Do now what beat has done once a day."""

    help = "Delete ended sessions, old uploads, refused rows and reports, and files that no row names."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="say what would go, and delete nothing")

    def handle(self, *, dry_run: bool, **options: Any) -> None:
        verb = "would go" if dry_run else "deleted"
        for found in prune(dry_run=dry_run):
            self.stdout.write(f"{found.count:>7} {found.what} {verb}")
