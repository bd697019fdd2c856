"""Ask a language model about the texts of a project: python manage.py assist SLUG --task T --model M"""

import json
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.access import visible_items
from annotation.management.script import ROWS_REFUSED, ScriptCommand
from annotation.models import Project
from assist.filtering.context import examples_drawn
from assist.models import AssistRun, TokensField
from assist.runs.judgement_file import judgements_bytes
from assist.runs.kinds import KINDS
from assist.runs.parameters import RunChoices, items_missing, run_choices
from assist.runs.results import run_summary, submission_bytes
from assist.runs.runs import run_cancel, run_preview, run_request, run_resume, run_unfinished
from assist.runs.units import sources_of
from assist.runs.worker import run_work
from core.errors import Refused

LOOK_AGAIN = 1.0
"""Seconds between two looks at a run that another worker has: a killed one is free again after a minute."""


class Command(ScriptCommand):
    help = (
        "Ask a language model about the texts of a project. The endpoints and their keys come from "
        "ELENCHUS_LLM_ENDPOINTS and ELENCHUS_LLM_API_KEY; naming a source says that its texts may be sent "
        "there. Started again it goes on with what has no answer yet. Exit code 1: stopped, with what to do; "
        "2: rows of a file were refused."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the project's short name")
        parser.add_argument("--task", required=True, help=f"one of {', '.join(sorted(KINDS))}")
        parser.add_argument("--model", required=True, help="its name as the endpoint knows it")
        parser.add_argument(
            "--endpoint", metavar="N", help="its number in ELENCHUS_LLM_ENDPOINTS, from 1, or its address"
        )
        parser.add_argument("--prompt", metavar="FILE", type=Path, help="a prompt of your own, in UTF-8")
        parser.add_argument(
            "--examples",
            metavar="FILE",
            type=Path,
            help='items to show with their answers: a line each, an id or {"id": …, "answer": …}',
        )
        parser.add_argument(
            "--draw-examples", metavar="N", type=int, help="for context: N that two people passed, N failed"
        )
        parser.add_argument(
            "--items", metavar="FILE", type=Path, help="ids of the items to ask about, a line each"
        )
        parser.add_argument(
            "--sources", nargs="+", metavar="NAME", default=[], help="the sources whose texts may be sent"
        )
        parser.add_argument(
            "--all-sources", action="store_true", help="the texts of every source may be sent"
        )
        parser.add_argument("--split", metavar="NAME", help="ask about the items of one split alone")
        parser.add_argument("--budget-requests", metavar="N", type=int, help="stop before more requests")
        parser.add_argument("--budget-tokens", metavar="N", type=int, help="stop before more tokens")
        parser.add_argument("--temperature", metavar="T", default="0", help="default: 0; none is not sent")
        parser.add_argument("--seed", type=int, help="sent where given")
        parser.add_argument(
            "--max-tokens", metavar="N", type=int, help="of an answer; a longer one is cut off"
        )
        parser.add_argument("--tokens-field", choices=TokensField.values, default="max_tokens")
        parser.add_argument("--timeout", metavar="SECONDS", type=int, default=60, help="default: 60")
        parser.add_argument("--per-minute", metavar="N", type=int, default=600, help="default: 600")
        parser.add_argument("--again", action="store_true", help="also about what has an answer")
        parser.add_argument("--dry-run", action="store_true", help="say what would be sent, and send nothing")
        parser.add_argument(
            "--submission",
            metavar="FILE",
            type=Path,
            help="write a baseline's answers as a system's file",
        )
        parser.add_argument(
            "--judgements",
            metavar="FILE",
            type=Path,
            help="write the answers as judgements of an annotator, for import_judgements",
        )
        parser.add_argument("--json", action="store_true", help="say it as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        choices = run_choices(project, _given(project, options))
        if options["submission"] and choices.kind.entry is None:
            raise CommandError(f"submission: {choices.kind.name} answers nothing that can be scored.")
        if options["dry_run"]:
            self._preview(project, choices, options)
            return
        run = self._run(project, choices)
        try:
            while not self._ended(run):
                if not run_work(run_id=run.pk) and not self._ended(run):
                    time.sleep(LOOK_AGAIN)
        except KeyboardInterrupt:
            # Left as it is, a worker would take it over once its lease ran out.
            run_cancel(run=run, by=None)
        run.refresh_from_db()
        self._tell(run, options)
        if run.state != AssistRun.State.DONE:
            raise CommandError(run.error or f"Run {run.number} is {run.get_state_display()}.")
        self.finished(run, options)

    def finished(self, run: AssistRun, options: dict[str, Any]) -> None:
        """Do what follows a run that is done."""
        for name, bytes_of in (("submission", submission_bytes), ("judgements", judgements_bytes)):
            if not (path := options[name]):
                continue
            data = bytes_of(run)
            try:
                path.write_bytes(data)
            except OSError as error:
                raise CommandError(f"{path} cannot be written: {error.strerror}.") from error

    def _run(self, project: Project, choices: RunChoices) -> AssistRun:
        """Return the run to work on: one that asks the same and has not come to its end, or a new one."""
        run = run_unfinished(project, choices)
        if run is None:
            return run_request(project=project, choices=choices)
        if run.state in (AssistRun.State.FAILED, AssistRun.State.CANCELLED):
            budget = {name: getattr(choices, name) for name in ("budget_requests", "budget_tokens")}
            run_resume(run=run, **budget)
        elif run.lease_until is not None and run.lease_until > timezone.now():
            self.stderr.write(
                f"Run {run.number} has another worker. Waiting for it: for a minute at most if it was killed."
            )
        return run

    def _ended(self, run: AssistRun) -> bool:
        run.refresh_from_db()
        return run.state not in (AssistRun.State.QUEUED, AssistRun.State.RUNNING)

    def _preview(self, project: Project, choices: RunChoices, options: dict[str, Any]) -> None:
        found = run_preview(project=project, choices=choices)
        if options["json"]:
            self.stdout.write(json.dumps(found, ensure_ascii=False, indent=1))
            return
        kept = f", {found['kept']} have an answer already" if found["kept"] else ""
        self.stdout.write(f"{found['count']} would be asked{kept}. Nothing was sent.")
        for source in found["sources"]:
            name, licence = source["source"] or "source not stated", source["licence"] or "terms not stated"
            self.stdout.write(f"  {name} · {licence}: {source['count']}")
        self.stdout.write(
            f"Expected tokens: about {found['prompt_tokens']} of prompts and at most "
            f"{found['answer_tokens_at_most']} of answers, {found['expected_tokens']} together."
        )
        if found["first_prompt"]:
            self.stdout.write(f"\nThe first prompt, as it would be sent:\n\n{found['first_prompt']}")

    def _tell(self, run: AssistRun, options: dict[str, Any]) -> None:
        found = run_summary(run)
        if options["json"]:
            self.stdout.write(json.dumps(found, ensure_ascii=False, indent=1))
            return
        of = found["outcomes"]
        self.stdout.write(
            f"run {run.number}: {of['usable']} usable, {of['unusable']} not usable, "
            f"{of['unanswered']} without an answer; {run.requests} requests, {run.tokens} tokens"
        )
        for what in ("labels", "problems"):
            if found[what]:
                self.stdout.write("  " + ", ".join(f"{n} {word}" for word, n in found[what].items()))


def _given(project: Project, options: dict[str, Any]) -> dict[str, Any]:
    names = ("task", "model", "seed", "tokens_field", "timeout", "per_minute", "again")
    given = {name: options[name] for name in names}
    given["endpoint"] = _endpoint(options["endpoint"])
    given["temperature"] = _temperature(options["temperature"])
    given["sources"] = (
        [[source, licence] for source, licence, _ in sources_of(project)]
        if options["all_sources"]
        else options["sources"]
    )
    for name in ("budget_requests", "budget_tokens", "max_tokens"):
        if options[name] is not None:
            given[name] = options[name]
    if options["prompt"]:
        given["prompt"] = _read(options["prompt"])
    if options["items"]:
        given["items"] = _items(project, options["items"])
    elif options["split"] is not None:
        of_split = visible_items(project).filter(split=options["split"]).order_by("pk")
        given["items"] = list(of_split.values_list("external_id", flat=True))
        if not given["items"]:
            raise CommandError(f"split: no item of {project.slug} is in the split {options['split']!r}.")
    if options["examples"]:
        given["examples"] = _examples(project, options["examples"])
    elif options["draw_examples"]:
        given["examples"] = examples_drawn(project, n=options["draw_examples"], seed=options["seed"] or 0)
    return given


def _endpoint(given: str | None) -> str:
    """Return the endpoint of a number, from 1, or as it was given."""
    named = settings.LLM_ENDPOINTS
    if given and given.isascii() and given.isdigit() and 1 <= int(given) <= len(named):
        return str(named[int(given) - 1])
    if not given and len(named) > 1:
        raise CommandError(f"endpoint: choose one with --endpoint: {', '.join(named)}")
    return given or ""


def _items(project: Project, path: Path) -> list[str]:
    names = [line.strip() for line in _read(path).split("\n") if line.strip()]
    if not names:
        raise Refused("invalid", f"{path} names no item.", errors={"items": "Name at least one item."})
    if missing := items_missing(project, list(dict.fromkeys(names))):
        raise _rows_refused("items", [f"{path}: {name} is no item of this project" for name in missing])
    return names


def _examples(project: Project, path: Path) -> list[dict[str, Any]]:
    rows, wrong = [], []
    for number, line in enumerate(_read(path).split("\n"), start=1):
        if not line.strip():
            continue
        row = _row(line)
        if row is None:
            wrong.append(f"{path}: line {number}: expected an id, or an object with the id of an item")
        elif items_missing(project, [row["id"]]):
            wrong.append(f"{path}: line {number}: {row['id']} is no item of this project")
        else:
            rows.append(row)
    if wrong:
        raise _rows_refused("examples", wrong)
    return rows


def _rows_refused(field: str, wrong: list[str]) -> CommandError:
    told = "\n".join(wrong[:20])
    rows = "1 row was" if len(wrong) == 1 else f"{len(wrong)} rows were"
    return CommandError(f"{field}: {rows} refused; nothing was sent.\n{told}", returncode=ROWS_REFUSED)


def _row(line: str) -> dict[str, Any] | None:
    """Read a line of examples: an id, or an object with one and the answer to show."""
    if not line.lstrip().startswith(("{", "[")):
        return {"id": line.strip()}
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and isinstance(found.get("id"), str) else None


def _temperature(word: str) -> float | None:
    if word == "none":
        return None
    try:
        return float(word)
    except ValueError:
        raise CommandError(f"temperature: {word!r} is no number: write one, or none.") from None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}.") from error
