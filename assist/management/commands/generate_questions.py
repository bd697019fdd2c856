"""Have candidate questions written: manage.py generate_questions SLUG --task questions|slots ..."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.models import Project
from assist.candidates.proposals import (
    filling_questions,
    keep_proposals,
    proposals_collect,
    questions_make,
)
from assist.candidates.schemes import filling_confirm, schemes_unknown
from assist.management.commands.assist import Command as AssistCommand
from assist.models import AssistRun, SchemeFilling
from assist.runs.kinds import kind_named
from assist.runs.results import answers_of
from core.errors import Refused

TASKS = ("questions", "slots")


class Command(AssistCommand):
    help = (
        "Have a language model write candidate questions, or propose words for the schemes of items, and "
        "keep what it wrote for the page of candidates. With --keep it makes questions of them here and now."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--keep",
            choices=["none", "preselected", "all"],
            default="none",
            help="all of them, or of near repeats one; default: none, they wait for a lead",
        )
        parser.add_argument(
            "--order-seed", metavar="N", type=int, default=0, help="of the order of the questions; default: 0"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        kind = kind_named(options["task"])
        if kind.name not in TASKS:
            words = f"{kind.name} proposes no questions: choose one of {', '.join(TASKS)}."
            raise Refused("invalid", words, errors={"task": words})
        super().handle(*args, **options)

    def finished(self, run: AssistRun, options: dict[str, Any]) -> None:
        """Take in what the run proposes, and keep as much of it as was asked for."""
        project = run.project
        proposed = proposals_collect(run)
        items = sorted(set(answers_of(run).order_by().values_list("item", flat=True)))
        if run.task == "slots":
            self._schemes(project, items, options)
        out = self.stderr if options["json"] else self.stdout  # what is on standard output is JSON alone
        out.write(f"{proposed} proposed")
        if options["keep"] == "none":
            return
        kept = keep_proposals(project=project, items=items, which=options["keep"])
        made = questions_make(project=project, items=items, seed=options["order_seed"])
        out.write(f"{kept} kept, {made} questions made")

    def _schemes(self, project: Project, items: list[int], options: dict[str, Any]) -> None:
        for name, n in schemes_unknown(project).items():
            self.stderr.write(f"note: no scheme of the catalogue goes by {name} ({n} items)")
        if options["keep"] == "none":
            return
        for filling in SchemeFilling.objects.filter(item__in=items).select_related("item", "scheme"):
            if filling.confirmed_at is None:
                filling_confirm(
                    item=filling.item, scheme=filling.scheme, slots=filling.slots, proposed=filling
                )
            filling_questions(filling)
