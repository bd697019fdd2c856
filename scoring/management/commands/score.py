"""Score a system's files against a release: manage.py score SLUG VERSION FILE [FILE ...]"""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.core.management.base import CommandParser

from core.errors import Refused
from scoring.evaluation.evaluate import Choices, Evaluation, evaluate
from scoring.evaluation.faults import AnswersRefused, CannotScore
from scoring.evaluation.focus import SCOPES
from scoring.evaluation.judge_prompts import JUDGED
from scoring.evaluation.judges import Judge
from scoring.evaluation.outputs import evaluation_text, scores_json, write_evaluation
from scoring.evaluation.prediction_files import system_name
from scoring.evaluation.questions import (
    BY_PEOPLE,
    DEFAULT_METHODS,
    Method,
    People,
    read_method,
)
from scoring.evaluation.references import Benchmark
from scoring.evaluation.sources import file_bytes
from scoring.evaluation.submissions import Submission
from scoring.figures.thresholds import GRIDS
from scoring.management.scoring_command import ScoringCommand
from scoring.systems.choices import MOST_REPLICATES, encoder_named
from scoring.systems.judging import DEFAULTS, judge_of, judge_parameters
from scoring.systems.people import read_decided
from scoring.systems.saving import save_scores
from scoring.systems.submissions import HandedIn
from scoring.systems.text_models import models_of, span_encoder

Found = TypeVar("Found")


class Command(ScoringCommand):
    help = "Score a system's files, each a run of it, against the references of a release."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--method",
            action="append",
            default=[],
            metavar="METHOD[:THRESHOLD]",
            help="CQs-Gen: how a question gets its label: exact, chrf (40 unless given), sts (0.65), "
            "bleurt:T, comet:T, by a model that is asked (model_reference, model_label), or by what people "
            "decided in a matching round (human_reference, human); repeatable",
        )
        parser.add_argument("--model", default="", help="of model_reference and model_label: its name")
        parser.add_argument("--endpoint", metavar="URL", default="", help="one of ELENCHUS_LLM_ENDPOINTS")
        parser.add_argument("--prompt", type=Path, metavar="FILE", help="a prompt of your own, in UTF-8")
        parser.add_argument("--temperature", type=float, default=0.0, help="default: 0")
        for name in ("max_tokens", "timeout", "per_minute"):
            parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=DEFAULTS[name], metavar="N")
        parser.add_argument(
            "--texts-may-leave", action="store_true", help="you confirm that texts may be sent to the model"
        )
        parser.add_argument(
            "--scope",
            choices=SCOPES,
            default="decided",
            help="FOCUS: the figures to show: of what was decided, or all as in the paper; --json has both",
        )
        parser.add_argument(
            "--replicates", type=int, default=1000, help="bootstrap resamples, 0 for no intervals"
        )
        parser.add_argument("--seed", type=int, default=1, help="seed of the resamples")
        parser.add_argument(
            "--encoder",
            default=settings.SENTENCE_ENCODER,
            help="the sentence encoder of sts: a folder, or owner/name@revision (ELENCHUS_SENTENCE_ENCODER)",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument(
            "--out", type=Path, metavar="DIR", help="write scores and answers into this folder"
        )
        parser.add_argument(
            "--save",
            action="store_true",
            help="store files and figures for the project’s page Systems; needs SLUG VERSION and --system",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 <= options["replicates"] <= MOST_REPLICATES or options["seed"] < 0:
            raise CannotScore(f"--replicates is from 0 to {MOST_REPLICATES}, and --seed 0 or more.")
        if options["save"] and (not options["system"] or options["release"] or options["references"]):
            raise CannotScore("--save goes with SLUG VERSION, and with --system NAME to store it under.")
        methods = [read_method(given) for given in options["method"] or DEFAULT_METHODS]
        benchmark, runs = self.read(options)
        if benchmark.is_focus and options["method"]:
            raise CannotScore("--method is for questions (CQs-Gen): types are right or wrong by their names.")
        self.tell(runs)
        if faults := [fault for submission, _ in runs for fault in submission.faults]:
            raise AnswersRefused(faults)
        names = [method.name for method in methods]
        needed = [] if options["save"] else names
        people = self.unless_alone(BY_PEOPLE, needed, lambda: self.decided(options, methods))
        judges = self.unless_alone(JUDGED, needed, lambda: self.judges(names, options)) or {}
        choices = Choices(
            of_spans=span_encoder() if benchmark.is_focus else None,
            models=models_of(methods, self.stderr.write, encoder=options["encoder"]),
            methods=list(dict.fromkeys(methods)),
            scope=options["scope"],
            replicates=options["replicates"],
            seed=options["seed"],
            system=options["system"] or _named_by_file(runs[0][0].file),
            with_answers=bool(options["out"]),
            people=people,
            judges=judges,
        )
        evaluation = evaluate(benchmark, runs, choices)
        if options["out"]:
            try:
                names = write_evaluation(evaluation, options["out"])
            except OSError as problem:
                raise CannotScore(f"{options['out']}: cannot be written: {problem.strerror}") from None
            self.stderr.write(f"{', '.join(names)} are in {options['out']}.")
        if options["save"]:
            self.save(options, (benchmark, runs), evaluation, choices)
        text = scores_json(evaluation.scores) if options["json"] else evaluation_text(evaluation.scores)
        self.stdout.write(text, ending="")

    def unless_alone(
        self, kind: Collection[str], methods: Sequence[str], found: Callable[[], Found]
    ) -> Found | None:
        """Return what methods of a kind need; where there is none, the others are scored and it is said.

        Raises CannotScore and Refused where all methods are of the kind, and for wrong parameters.
        """
        try:
            return found()
        except (CannotScore, Refused) as problem:
            of_parameters = set(getattr(problem, "errors", ())) - {"methods"}
            if set(methods) <= set(kind) or of_parameters:
                raise
            told = " ".join(getattr(problem, "errors", {}).values()) or str(problem)
            self.stderr.write(f"note: {told} The other methods are scored.")
            return None

    def decided(self, options: dict[str, Any], methods: list[Method]) -> People | None:
        """Return what people decided, for the methods that ask for it and for the tables of thresholds.

        Raises CannotScore where a method needs it and there is none.
        """
        method = next((method for method in methods if method.name in BY_PEOPLE), None)
        of_files = options["release"] or options["references"]
        if method is None and (of_files or not any(one.name in GRIDS for one in methods)):
            return None
        if of_files:
            raise CannotScore(f"--method {method}: people decide in a project: score SLUG VERSION FILE.")
        slug, version, *_ = options["words"]
        found = read_decided(self.project(slug).releases.get(version=version))
        if found is None:
            if method is None:
                return None
            raise CannotScore(
                f"--method {method}: {slug} {version} has no closed matching round. Make one with manage.py "
                "match_submissions, have it judged and close it."
            )
        return found.people

    def judges(self, methods: list[str], options: dict[str, Any]) -> dict[str, Judge]:
        """Return the language models that judge. Raises Refused and CannotScore."""
        names = ("endpoint", "model", "temperature", "max_tokens", "timeout", "per_minute")
        own = file_bytes(options["prompt"]).decode(errors="replace") if options["prompt"] else ""
        found = judge_parameters(
            methods,
            {name: options[name] for name in names},
            prompt=own,
            texts_may_leave=options["texts_may_leave"],
        )
        return {method: judge_of(method, parameters) for method, parameters in found.items()}

    def save(
        self,
        options: dict[str, Any],
        opened: tuple[Benchmark, list[tuple[Submission, str]]],
        evaluation: Evaluation,
        choices: Choices,
    ) -> None:
        """Store the files and figures in the project that has the release."""
        slug, version, *paths = options["words"]
        release = self.project(slug).releases.select_related("project").get(version=version)
        files = [HandedIn(path.name, path.read_bytes()) for path in (*map(Path, paths), *options["answers"])]
        encoder = encoder_named(options["encoder"] or "")
        saved = save_scores(
            release=release, files=files, opened=opened, found=evaluation, choices=choices, encoder=encoder
        )
        for one in saved:
            self.stderr.write(
                f"Stored as evaluation {one.pk} of {one.submission.system.name} ({one.method})."
            )


def _named_by_file(name: str) -> str:
    """Return what the authors of FOCUS call a system by its file; other files name none."""
    return system_name(name) if Path(name).suffix.casefold() == ".csv" else ""
