"""Write a release of a project into a folder: python manage.py export_release SLUG --version 1.0 --out DIR"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.management.script import ScriptCommand
from exports.releases.lifecycle import release_build
from exports.releases.storage import directory_or_refuse, write_release
from exports.selection.parameters import (
    CREDITS,
    EXCHANGE,
    MIN_CELL,
    PUBLISHED_LABELS,
    SPLIT_BY,
    Parameters,
    sizes_from_words,
    split_names_from_words,
)


class Command(ScriptCommand):
    help = "Build a release of a project, here and now, and write its files into a folder."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        # Django's own --version prints Django's version: here it is the version of the release.
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the project's short name")
        parser.add_argument("--version", required=True, help="the version of the release, as in 1.0")
        parser.add_argument("--out", required=True, metavar="DIR", help="a new or empty folder")
        parser.add_argument(
            "--rounds",
            nargs="+",
            metavar="NAME",
            help="the closed rounds to pool; every closed round but the training rounds where absent",
        )
        parser.add_argument("--split-by", choices=SPLIT_BY, default="field", help="default: the items' split")
        parser.add_argument(
            "--split-size",
            nargs="+",
            default=[],
            metavar="NAME=SIZE",
            help="shares for seed (train=0.8 test=0.2), the number of test items for balanced (test=34)",
        )
        parser.add_argument(
            "--split-name",
            nargs="+",
            default=[],
            metavar="NAME=SPLIT",
            help="another name for a split by round, topic or field ('Round 1=train'); several may get one",
        )
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument(
            "--withhold", nargs="+", default=[], metavar="SPLIT", help="splits whose labels stay inside"
        )
        parser.add_argument(
            "--min-cell",
            type=int,
            default=MIN_CELL,
            metavar="ITEMS",
            help="where labels or texts stay inside: the least number of items that a public figure speaks "
            "of (default: %(default)s, never below 3)",
        )
        parser.add_argument(
            "--published-labels",
            choices=PUBLISHED_LABELS,
            default="stand",
            help="whether labels that came with a file stand over the votes here, or only where nobody voted",
        )
        parser.add_argument("--adjudicated-only", action="store_true", help="no labels by majority")
        parser.add_argument(
            "--edited-questions", action="store_true", help="edited questions in place of invalid ones"
        )
        parser.add_argument(
            "--refined-questions",
            action="store_true",
            help="the questions that refine_questions stored, beside those of the exemplars",
        )
        parser.add_argument("--no-judgements", action="store_true", help="leave the raw judgements out")
        parser.add_argument("--no-agreement", action="store_true", help="leave the agreement reports out")
        parser.add_argument(
            "--comments", action="store_true", help="annotators' comments among the judgements"
        )
        parser.add_argument("--no-texts", action="store_true", help="ids, offsets, labels and hashes only")
        parser.add_argument(
            "--quoting-questions",
            action="store_true",
            help="with --no-texts: critical questions as they were written, also where they quote a text",
        )
        parser.add_argument(
            "--exchange", nargs="+", default=[], choices=EXCHANGE, help="also in the forms of other tools"
        )
        for credit in CREDITS:
            parser.add_argument(f"--{credit}", default="", help=f"{credit} as the data card says it")
        parser.add_argument(
            "--internal",
            action="store_true",
            help="also write withheld labels and systems' questions, below internal/",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        parameters = Parameters.from_json(
            {
                "rounds": options["rounds"],
                "split_by": options["split_by"],
                "split_sizes": sizes_from_words(options["split_size"]),
                "split_names": split_names_from_words(options["split_name"]),
                "seed": options["seed"],
                "withheld": options["withhold"],
                "min_cell": options["min_cell"],
                "published_labels": options["published_labels"],
                "adjudicated_only": options["adjudicated_only"],
                "edited_questions": options["edited_questions"],
                "refined_questions": options["refined_questions"],
                "judgements": not options["no_judgements"],
                "agreement": not options["no_agreement"],
                "comments": options["comments"],
                "texts": not options["no_texts"],
                "quoting_questions": options["quoting_questions"],
                "exchange": options["exchange"],
                **{credit: options[credit] for credit in CREDITS},
            }
        )
        # A version that is built stays for good: what can be refused is refused before.
        directory = Path(options["out"]).resolve()
        directory_or_refuse(directory)
        release = release_build(project=project, version=options["version"], parameters=parameters)
        names = write_release(release, directory, internal=options["internal"])
        n = release.counts["items"]
        items = "1 item" if n == 1 else f"{n} items"
        self.stdout.write(f"{options['out']}: release {release.version}, {items}")
        for name in names:
            self.stdout.write(f"  {name}")
