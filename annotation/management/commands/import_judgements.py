"""Import finished judgements: in long form, from Label Studio or from doccano."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.importing.asked_judgements import asked_from_words
from annotation.importing.formats.judgement_formats import FORMATS
from annotation.importing.formats.judgement_table import COLUMNS
from annotation.importing.judgements import judgements_import
from annotation.management.script import ImportCommand
from annotation.rounds.asked_types import JUDGEMENTS


class Command(ImportCommand):
    help = "Import judgements made elsewhere into a closed round; docs/importing.md describes the columns."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--round", required=True, help="the round's name; it is made if it is new")
        parser.add_argument(
            "--format", choices=FORMATS, help="the form of the file (told by its content; else long)"
        )

        asked = parser.add_mutually_exclusive_group()
        asked.add_argument(
            "--asked",
            choices=("all", JUDGEMENTS),
            default="all",
            help="what a new round asked about each text: all types, or those that somebody judged",
        )
        asked.add_argument(
            "--asked-by",
            nargs="+",
            metavar=("FIELD", "VALUE=TYPE,TYPE"),
            help="what a new round asked about each text: by a field of the items, the types of each value",
        )

        parser.add_argument(
            "--keep-votes",
            action="store_true",
            help="keep an answer whose span is not in the text, whose reason is unknown or whose comment is "
            "missing, without it (by default such a row is refused)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        asked: dict[str, Any] = {"by": JUDGEMENTS} if options["asked"] == JUDGEMENTS else {}
        if options["asked_by"]:
            field, *words = options["asked_by"]
            asked = asked_from_words(field, words)
        self.bring_in(
            judgements_import,
            options,
            COLUMNS,
            round_name=options["round"],
            format=options["format"],
            asked=asked,
            keep_votes=options["keep_votes"],
        )
