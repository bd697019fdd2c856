"""Look an installation over and say what to do about each fault."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from operations.doctor.doctor import examine
from operations.doctor.findings import FAILED, Finding

MARKS = {"ok": "ok  ", "note": "note", "failed": "FAIL", "skipped": "-   "}


def page_of(findings: list[Finding]) -> str:
    """Return the page that people read."""
    lines = []
    for found in findings:
        lines.append(f"{MARKS[found.state]}  {found.check:<14} {found.message}")
        if found.todo:
            lines.append(f"{'':<21}What to do: {found.todo}")
    failures = sum(found.state == FAILED for found in findings)
    lines.append("")
    lines.append(f"{failures} of {len(findings)} checks failed." if failures else "All is well.")
    return "\n".join(lines)


class Command(BaseCommand):
    """Exit with 0 where nothing failed, with 1 where something did."""

    help = "Check this installation: settings, database, files, broker, worker, beat, mail, proxy."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the findings as JSON, for programs")

    def handle(self, *, json: bool, **options: Any) -> None:
        findings = examine()
        self.stdout.write(as_json(findings) if json else page_of(findings))
        if any(found.state == FAILED for found in findings):
            sys.exit(1)


def as_json(findings: list[Finding]) -> str:
    """Return the findings for programs."""
    whole = {
        "ok": all(found.state != FAILED for found in findings),
        "checks": [found.to_json() for found in findings],
    }
    return json.dumps(whole, indent=2, ensure_ascii=False)
