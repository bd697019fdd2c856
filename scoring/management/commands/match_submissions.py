"""Make a matching round: manage.py match_submissions SLUG VERSION [SYSTEM ...]"""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.script import ScriptCommand
from scoring.systems.matching_rounds import MOST_OVERLAP, matching_make, newest_submissions


class Command(ScriptCommand):
    help = (
        "Make a draft matching round of the newest submissions of systems for a release: people say which "
        "reference each question asks the same as, or none and its label."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the project's short name")
        parser.add_argument("version", help="the release's version")
        parser.add_argument("systems", nargs="*", metavar="SYSTEM", help="names of systems; without any, all")
        parser.add_argument("--split", help="only what was submitted for this split")
        parser.add_argument("--name", default="", help="of the round; annotators read it: name no system")
        parser.add_argument("--overlap", type=int, default=2, help="how many people judge each question")
        parser.add_argument("--seed", type=int, default=0, help="seed of the orders")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        if not 1 <= options["overlap"] <= MOST_OVERLAP:
            raise CommandError(f"--overlap is 1 to {MOST_OVERLAP}.")
        chosen = newest_submissions(project, options["version"], options["systems"], options["split"])
        made = matching_make(
            submissions=chosen, name=options["name"], overlap=options["overlap"], seed=options["seed"]
        )
        n = len({one.system_id for one in chosen})
        systems = "1 system" if n == 1 else f"{n} systems"
        self.stdout.write(
            f"{made.round.name} (round {made.round.number}) is a draft: {made.asked} questions of "
            f"{made.handed_in} of {systems}, identical ones once."
        )
        if made.without:
            self.stdout.write(f"{made.without} are about items without references, and are not asked.")
