"""What `score` and `check_submission` have in common: which references, which files, and exit codes."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.script import ROWS_REFUSED, ScriptCommand
from exports.models import Release
from scoring.evaluation.faults import AnswersRefused, CannotScore
from scoring.evaluation.references import Benchmark
from scoring.evaluation.sources import (
    ReleaseFiles,
    benchmark_of_file,
    benchmark_of_release,
    file_bytes,
)
from scoring.evaluation.submissions import Submission, read_submission
from scoring.systems.storage import release_files

USAGE = (
    "Name a release and files (SLUG VERSION FILE ...), a folder and files (--release DIR FILE ...), or "
    "--references FILE --answers FILE ... --codebook focus|cqs_gen|PATH."
)


class ScoringCommand(ScriptCommand):
    """A command over systems' files; exit code 2 where rows of them were refused: nothing is scored then."""

    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "words",
            nargs="*",
            metavar="SLUG VERSION FILE",
            help="the project's short name, the release's version and the system's files, each a run of it; "
            "with --release the files alone",
        )
        parser.add_argument("--release", type=Path, metavar="DIR", help="a release folder, and no database")
        parser.add_argument("--references", type=Path, metavar="FILE", help="one benchmark file")
        parser.add_argument(
            "--answers", type=Path, nargs="+", default=[], metavar="FILE", help="with --references: the files"
        )
        parser.add_argument(
            "--codebook", metavar="focus|cqs_gen|PATH", help="with --references: its codebook"
        )
        parser.add_argument("--split", help="the split; without it the one that has all the items submitted")
        parser.add_argument("--system", default="", metavar="NAME", help="what the system is called")
        parser.add_argument(
            "--complete", action="store_true", help="refuse a file in which an item or a question is missing"
        )

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except AnswersRefused as refused:
            for line in refused.lines():
                self.stderr.write(line)
            rows = "1 fault" if len(refused.faults) == 1 else f"{len(refused.faults)} faults"
            raise CommandError(f"{rows}: nothing was scored.", returncode=ROWS_REFUSED) from refused
        except CannotScore as problem:
            raise CommandError(str(problem)) from problem

    def read(self, options: dict[str, Any]) -> tuple[Benchmark, list[tuple[Submission, str]]]:
        """Return the references and each file's answers with its SHA-256. Raises CannotScore."""
        words, folder, references = options["words"], options["release"], options["references"]
        if references:
            if folder or options["split"] or not options["codebook"]:
                raise CannotScore(
                    f"--references goes with --codebook, and not with --release or --split. {USAGE}"
                )
            paths = [*map(Path, words), *options["answers"]]
            benchmark = benchmark_of_file(references, options["codebook"]) if paths else None
        else:
            if options["codebook"]:
                raise CannotScore(f"--codebook goes with --references: a release has its own. {USAGE}")
            paths = [*map(Path, words if folder else words[2:]), *options["answers"]]
            benchmark = None
        if not paths:
            raise CannotScore(USAGE)
        handed_in = [file_bytes(path) for path in paths]
        if benchmark is None:
            files = ReleaseFiles.of_folder(folder) if folder else self._stored(*words[:2])
            benchmark = benchmark_of_release(
                files, handed_in, split=options["split"], system=options["system"]
            )
        complete = options["complete"]
        return benchmark, [
            (read_submission(data, path.name, benchmark, complete=complete), hashlib.sha256(data).hexdigest())
            for path, data in zip(paths, handed_in, strict=True)
        ]

    def _stored(self, slug: str, version: str) -> ReleaseFiles:
        release = (
            Release.objects.filter(project=self.project(slug), version=version)
            .select_related("project")
            .first()
        )
        if release is None:
            raise CannotScore(f"{slug}: has no release {version!r}. Make it with manage.py export_release.")
        if release.state != Release.State.DONE:
            raise CannotScore(f"{slug} {version}: the release is {release.get_state_display()}, not built.")
        return release_files(release)

    def tell(self, runs: list[tuple[Submission, str]]) -> None:
        """Print the notes on how the files were read."""
        for submission, _ in runs:
            for note in submission.notes[:50]:
                self.stderr.write(f"note: {note}")
            if len(submission.notes) > 50:
                self.stderr.write(f"note: {submission.file}: … and {len(submission.notes) - 50} more notes")
