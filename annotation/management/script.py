"""What the commands for people who script have in common: where errors go, and exit codes."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError, ProgrammingError

from annotation.accounts import find_account
from annotation.codebooks.toml_reader import CodebookError
from annotation.importing.files.rows import FileError, counted
from annotation.importing.files.tabular import columns_from_words
from annotation.importing.staging import ImportReport
from annotation.models import Project
from core.errors import NotFound, Refused

ROWS_REFUSED = 2


class ScriptCommand(BaseCommand):
    """A command that calls one use case.

    Exit code 0: all that was asked for was done; 2: rows were refused; 1: anything else, with what to do
    on standard error.
    """

    _called_from_command_line: bool

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        if self._called_from_command_line:
            # argparse would exit with 2, which here means that rows were refused.
            parser.error = self._usage_error(parser)  # type: ignore[method-assign]
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except Refused as refusal:
            raise CommandError(_whole(refusal)) from refusal
        except (CodebookError, FileError) as problem:
            raise CommandError(str(problem)) from problem
        except (OperationalError, ProgrammingError) as problem:
            if "no such table" in str(problem) or "does not exist" in str(problem):
                raise CommandError("The database is not set up: run manage.py migrate first.") from problem
            raise

    def project(self, slug: str) -> Project:
        """Return the project of this short name. Raises NotFound saying how to make it."""
        found = Project.objects.filter(slug=slug).first()
        if found is None:
            raise NotFound(
                f"There is no project “{slug}”. Make it with manage.py create_project {slug} --codebook …"
            )
        return found

    def account(self, name: str) -> Any:
        """Return the account of this user name. Raises NotFound saying how to make it."""
        found = find_account(name)
        if found is None:
            raise NotFound(
                f"There is no account “{name}”. Accounts are made by an invitation, on the admin pages, or "
                "with manage.py createsuperuser."
            )
        return found

    def finish(self, report: ImportReport, refused_path: Path, *, dry_run: bool = False) -> None:
        """Print what an import did; exit with 2 where rows were refused."""
        for notice in report.notices:
            self.stderr.write(f"{report.file}: {notice['place']}: note: {notice['message']}")
        _and_more(self, report.noticed - len(report.notices), "notes")
        for refusal in report.refusals:
            alike = f" (and {refusal['more']} more rows)" if "more" in refusal else ""
            self.stderr.write(f"{report.file}: {refusal['place']}: {refusal['reason']}{alike}")
        _and_more(self, report.not_shown, "refused rows")
        counts = [f"{n} {counted(what, n)}" for what, n in report.counts.items() if n]
        if report.stored or dry_run:
            would = "would bring " if dry_run else ""
            self.stdout.write(f"{report.file} ({report.format}): {would}{', '.join(counts) or 'nothing'}")
            if not report.changed and not dry_run:
                self.stdout.write("Everything in it was there already; nothing was changed.")
        if report.stored and report.people:
            who = ", ".join(f"{name} is {pseudonym}" for name, pseudonym in report.people.items())
            self.stdout.write(f"Annotators: {who}.")
        if not report.refused:
            return
        rows, were = ("1 row", "was") if report.refused == 1 else (f"{report.refused} rows", "were")
        if dry_run:
            message = f"{rows} would be refused."
        elif report.stored:
            message = f"{rows} {were} refused and written to {refused_path}; the others are stored."
        else:
            them = "it" if report.refused == 1 else "them"
            message = (
                f"{rows} {were} refused; nothing was stored. Mend {them}, or leave {them} out with "
                "--skip-invalid."
            )
        raise CommandError(message, returncode=ROWS_REFUSED)

    def _usage_error(self, parser: CommandParser) -> Any:
        def error(message: str) -> NoReturn:
            parser.print_usage(sys.stderr)
            parser.exit(1, f"{parser.prog}: {message}\n")

        return error


def add_map_argument(parser: CommandParser, example: str) -> None:
    """Let the columns of a table have other names."""
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="OURS=THEIRS",
        help=f"which column of a table is which known one, as in --map {example}; repeat for several",
    )


class ImportCommand(ScriptCommand):
    """A command that imports one file into a project."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("file", type=Path)
        parser.add_argument("--skip-invalid", action="store_true", help="store the rows that keep the rules")
        parser.add_argument("--dry-run", action="store_true", help="say what would happen, and store nothing")
        parser.add_argument("--refused", type=Path, help="where refused rows go (FILE.refused.csv)")
        add_map_argument(parser, "text=Argument")

    def bring_in(
        self,
        use_case: Callable[..., ImportReport],
        options: dict[str, Any],
        known: Sequence[str],
        **more: Any,
    ) -> None:
        """Call the importing use case with the options that all imports have, and say what it did."""
        path: Path = options["file"]
        refused_path = options["refused"] or Path(f"{path.stem}.refused.csv")
        keeps_refused = options["skip_invalid"] and not options["dry_run"]
        report = use_case(
            project=self.project(options["slug"]),
            path=path,
            skip_invalid=options["skip_invalid"],
            dry_run=options["dry_run"],
            refused_path=refused_path if keeps_refused else None,
            columns=columns_from_words(options["map"], known),
            **more,
        )
        if not report.rows:
            raise CommandError(f"{report.file} has no row in it, only what heads it: nothing was brought.")
        self.finish(report, refused_path, dry_run=options["dry_run"])


def _whole(refusal: Refused) -> str:
    return "\n".join([refusal.message, *(f"{field}: {why}" for field, why in refusal.errors.items())])


def _and_more(command: BaseCommand, more: int, what: str) -> None:
    if more > 0:
        command.stderr.write(f"… and {more} more {what}")
