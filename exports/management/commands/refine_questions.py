"""Have a language model reword the questions of gold spans: python manage.py refine_questions SLUG ..."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from annotation.management.script import ScriptCommand
from annotation.models import Project
from exports.models import RefinementRun
from exports.refinement.candidates import (
    count_sendable,
    question_example,
    questions_table,
    refinable_selection,
    sources_of,
)
from exports.refinement.parameters import RefinementChoices, refinement_choices
from exports.refinement.prompt import fill_prompt
from exports.refinement.runs import outcomes, refinement_cancel, refinement_request
from exports.refinement.worker import refinement_work

LIMITS = ("max_questions", "per_minute", "max_tokens", "timeout")


class Command(ScriptCommand):
    help = (
        "Ask a language model, here and now, to reword the questions of a project's gold spans. The "
        "endpoints and their keys come from ELENCHUS_LLM_ENDPOINTS and ELENCHUS_LLM_API_KEY. Started again "
        "it goes on with what is not refined yet."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the project's short name")
        parser.add_argument("--model", required=True, help="its name as the endpoint knows it")
        parser.add_argument("--endpoint", metavar="URL", help="needed where the installation names several")
        parser.add_argument("--prompt-file", metavar="FILE", help="a prompt of your own, in UTF-8")
        parser.add_argument("--temperature", metavar="T", default="0", help="default: 0; none is not sent")
        parser.add_argument("--seed", type=int, help="sent where given")
        parser.add_argument(
            "--tokens-field",
            choices=RefinementRun.TokensField.values,
            default="max_tokens",
            help="as asked for",
        )
        for limit in LIMITS:
            default = RefinementChoices.__dataclass_fields__[limit].default
            name = f"--{limit.replace('_', '-')}"
            parser.add_argument(name, type=int, default=default, metavar="N", help=f"default: {default}")
        parser.add_argument(
            "--source", action="append", default=[], metavar="NAME", help="a source whose texts may be sent"
        )
        parser.add_argument(
            "--all-sources", action="store_true", help="the texts of every source may be sent"
        )
        parser.add_argument(
            "--without-split", action="append", default=[], metavar="NAME", help="a split that is not sent"
        )
        parser.add_argument("--again", action="store_true", help="also what is refined already")
        parser.add_argument("--preview", action="store_true", help="count, show one prompt, and ask nothing")
        parser.add_argument(
            "--texts-may-leave", action="store_true", help="you confirm that the texts may be sent there"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        choices = _choices(project, options)
        if options["preview"]:
            self._preview(project, choices)
            return
        run = refinement_request(project=project, choices=choices, texts_may_leave=options["texts_may_leave"])
        try:
            while refinement_work(run_id=run.pk):
                pass
        except KeyboardInterrupt:
            # Left as it is, a worker would take it over once its lease ran out.
            refinement_cancel(run=run, by=None)
        run.refresh_from_db()
        found = outcomes(run)
        self.stdout.write(
            f"run {run.number}: {found['refined']} refined, {found['refused']} refused, "
            f"{found['failed']} failed"
        )
        if run.state != RefinementRun.State.DONE:
            raise CommandError(run.error or f"Run {run.number} is {run.get_state_display()}.")

    def _preview(self, project: Project, choices: RefinementChoices) -> None:
        selection = refinable_selection(project)
        counted = count_sendable(
            questions_table(selection),
            sources=choices.sources,
            again=choices.again,
            max_questions=choices.max_questions,
            splits_left_out=choices.splits_left_out,
        )
        apart = " or splits" if choices.splits_left_out else ""
        self.stdout.write(
            f"{counted.questions} questions of gold spans: {counted.refined} refined already, "
            f"{counted.not_sent} of other sources{apart}, {counted.asked} would be asked, "
            f"{counted.left_over} left to another run"
        )
        example = question_example(selection, choices) if counted.asked else None
        if example:
            prompt = fill_prompt(choices.prompt, example)
            self.stdout.write(f"\nThe first prompt, as it would be sent:\n\n{prompt}")


def _choices(project: Project, options: dict[str, Any]) -> RefinementChoices:
    known = sources_of(refinable_selection(project))
    wanted = set(options["source"])
    if unknown := sorted(wanted - {source for source, _, _ in known}):
        raise CommandError(f"No item of the closed rounds has the source “{unknown[0]}”.")
    given = {
        "endpoint": options["endpoint"] or _only_endpoint(),
        "model": options["model"],
        "sources": [
            [source, licence] for source, licence, _ in known if options["all_sources"] or source in wanted
        ],
        "temperature": _temperature(options["temperature"]),
        "seed": options["seed"],
        "tokens_field": options["tokens_field"],
        "again": options["again"],
        "splits_left_out": options["without_split"],
        **{limit: options[limit] for limit in LIMITS},
    }
    if options["prompt_file"]:
        given["prompt"] = _read(options["prompt_file"])
    return refinement_choices(given)


def _only_endpoint() -> str:
    if not settings.LLM_ENDPOINTS:
        raise CommandError("This installation names no endpoint: set ELENCHUS_LLM_ENDPOINTS.")
    if len(settings.LLM_ENDPOINTS) > 1:
        raise CommandError(f"Choose one with --endpoint: {', '.join(settings.LLM_ENDPOINTS)}")
    return str(settings.LLM_ENDPOINTS[0])


def _temperature(word: str) -> float | None:
    if word == "none":
        return None
    try:
        return float(word)
    except ValueError:
        raise CommandError(f"--temperature {word!r}: write a number, or none.") from None


def _read(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{name} cannot be read: {error}.") from error
