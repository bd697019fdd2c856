"""Import the files that the FOCUS authors publish, as they are."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.importing.files.rows import counted
from annotation.importing.focus import FocusImport, files_named, focus_import
from annotation.management.script import ROWS_REFUSED, ScriptCommand


class Command(ScriptCommand):
    help = (
        "Import a set of the FOCUS authors' files, in any order: arguments, models' answers, questions, the "
        "sheets of the annotators, LogicClimate; docs/importing.md says what each file becomes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
        parser.add_argument(
            "--set",
            required=True,
            metavar="PREFIX",
            help="the set's name, with which its items' ids begin: dev makes dev001, dev002 and so on",
        )
        parser.add_argument("--round", default="", help="the round that the sheets go into (the set's name)")
        parser.add_argument(
            "--keep-votes",
            action="store_true",
            help="keep a yes whose words stand nowhere in the text, without a span (else it is left out)",
        )
        parser.add_argument("--dry-run", action="store_true", help="say what was found, and store nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        files = files_named(options["files"])
        done = focus_import(
            project=self.project(options["slug"]),
            path=files[0][1],
            files=files,
            set_name=options["set"],
            round_name=options["round"],
            keep_votes=options["keep_votes"],
            dry_run=options["dry_run"],
        )
        for notice in done.found.notices:
            self.stderr.write(f"{notice.place}: note: {notice.message}")
        for report in done.found.reports:
            self.stdout.write(str(report))
        if options["dry_run"]:
            counts = ", ".join(f"{n} {counted(what, n)}" for what, n in done.report.counts.items() if n)
            self.stdout.write(f"would bring {counts or 'nothing'}")
            return
        self._tell(done)

    def _tell(self, done: FocusImport) -> None:
        for report in done.imports:
            for notice in report.notices:
                self.stderr.write(f"{notice['place']}: note: {notice['message']}")
            for refusal in report.refusals:
                self.stderr.write(f"{refusal['place']}: {refusal['reason']}")
            if report.stored:
                counts = ", ".join(f"{n} {counted(what, n)}" for what, n in report.counts.items() if n)
                self.stdout.write(f"{report.format}: {counts or 'nothing'}")
        if done.report.refused:
            n = done.report.refused
            rows = "1 row was refused" if n == 1 else f"{n} rows were refused"
            raise CommandError(
                f"{rows}; nothing was stored of the rows beside them.",
                returncode=ROWS_REFUSED,
            )
        if not any(report.changed for report in done.imports):
            self.stdout.write("Everything in these files was there already; nothing was changed.")
