"""Compare two to ten systems: manage.py compare_systems SLUG VERSION SYSTEM SYSTEM ..."""

import json
from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from annotation.models import Project
from scoring.evaluation.compared_files import Runs, files_compared
from scoring.evaluation.comparing import LEAST, MOST, REPLICATES, SEED
from scoring.evaluation.evaluate import Choices
from scoring.evaluation.faults import AnswersRefused, CannotScore
from scoring.evaluation.focus import SCOPES
from scoring.evaluation.judge_prompts import JUDGED
from scoring.evaluation.questions import BY_PEOPLE, DEFAULT_METHODS, read_method
from scoring.management.scoring_command import ScoringCommand
from scoring.models import Evaluation
from scoring.systems.choices import MOST_REPLICATES
from scoring.systems.comparing import comparison, evaluations_chosen
from scoring.systems.text_models import models_of


class Command(ScoringCommand):
    help = (
        "Compare two to ten systems against the same split: the difference of each two with a paired "
        "interval, and how methods agree. SLUG VERSION SYSTEM ... compares what is stored; with "
        "--release DIR or --references FILE each system is a file, FILE or NAME=FILE[,FILE ...] for its runs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--method",
            action="append",
            default=[],
            metavar="METHOD[:THRESHOLD]",
            help="CQs-Gen: the method of the scores (chrf:40, or of what is stored the newest); of files "
            "repeatable: the others are compared with the first",
        )
        parser.add_argument("--scope", choices=SCOPES, help="FOCUS: decided unless given")
        parser.add_argument(
            "--replicates", type=int, default=REPLICATES, help="of files: bootstrap resamples"
        )
        parser.add_argument("--seed", type=int, default=SEED, help="of files: seed of the resamples")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 <= options["replicates"] <= MOST_REPLICATES or options["seed"] < 0:
            raise CannotScore(f"--replicates is from 0 to {MOST_REPLICATES}, and --seed 0 or more.")
        of_files = options["release"] or options["references"]
        told = self.of_files(options) if of_files else self.stored(options)
        if options["json"]:
            self.stdout.write(json.dumps(told, ensure_ascii=False, indent=2))
            return
        self.stdout.write(comparison_text(told), ending="")

    def stored(self, options: dict[str, Any]) -> dict[str, Any]:
        """Compare the newest evaluation of each system. Raises CannotScore with what there is."""
        slug, version, *names = [*options["words"], "", ""][: max(2, len(options["words"]))]
        _number_fits(names)
        project = self.project(slug)
        keys = [self.newest(project, version, name, options).pk for name in names]
        chosen = evaluations_chosen(project, keys)
        of_key = {one.pk: one.submission.system.name for one in chosen}
        whole = Evaluation.objects.get(pk=chosen[0].pk).figures or {}
        return named({**comparison(chosen), "trivial": whole.get("trivial", [])}, of_key)

    def newest(self, project: Project, version: str, name: str, options: dict[str, Any]) -> Evaluation:
        found = Evaluation.objects.filter(
            submission__system__project=project,
            submission__release__version=version,
            state=Evaluation.State.DONE,
        ).select_related("submission__system")
        if options["split"] is not None:
            found = found.filter(submission__split=options["split"])
        if options["scope"]:
            found = found.filter(scope=options["scope"])
        if options["method"]:
            method = read_method(options["method"][0])
            found = found.filter(method=method.name, threshold=method.threshold)
        newest = found.filter(submission__system__name=name).order_by("-pk").first()
        if newest is None:
            there = ", ".join(sorted(set(found.values_list("submission__system__name", flat=True))))
            raise CannotScore(
                f"{name}: has no evaluation of this kind for {project.slug} {version}; "
                f"there {'are those of ' + there if there else 'is none'}. Score it with manage.py score "
                f"{project.slug} {version} FILE --system NAME --save."
            )
        return newest

    def of_files(self, options: dict[str, Any]) -> dict[str, Any]:
        """Score the files of each system, and compare."""
        systems: dict[str, list[str]] = {}
        for word in [*options["words"], *map(str, options["answers"])]:
            name, equals, files = word.partition("=")
            name = name if equals else word
            if name in systems:
                raise CannotScore(f"{name}: stands twice: give each system a name, as in A={word}.")
            systems[name] = files.split(",") if equals else [word]
        _number_fits(list(systems))
        methods = [read_method(given) for given in options["method"] or DEFAULT_METHODS]
        if wrong := next((one for one in methods if one.name in (*JUDGED, *BY_PEOPLE)), None):
            raise CannotScore(f"--method {wrong}: is of what is stored: compare SLUG VERSION SYSTEM ….")
        words = [file for files in systems.values() for file in files]
        benchmark, runs = self.read({**options, "words": words, "answers": []})
        if benchmark.is_focus and options["method"]:
            raise CannotScore("--method is for questions (CQs-Gen): types are right or wrong by their names.")
        self.tell(runs)
        if faults := [fault for submission, _ in runs for fault in submission.faults]:
            raise AnswersRefused(faults)
        left = iter(runs)
        of_system: dict[str, Runs] = {name: [next(left) for _ in files] for name, files in systems.items()}
        choices = Choices(
            methods=list(dict.fromkeys(methods)),
            scope=options["scope"] or "decided",
            replicates=options["replicates"],
            seed=options["seed"],
            models=models_of(methods, self.stderr.write),
        )
        return named(files_compared(benchmark, of_system, choices), {})


def _number_fits(names: list[str]) -> None:
    if not LEAST <= len(names) <= MOST:
        raise CannotScore(
            f"Name {LEAST} to {MOST} systems: there {'is' if len(names) == 1 else 'are'} {len(names)}."
        )


def named(told: dict[str, Any], names: Mapping[int, str]) -> dict[str, Any]:
    """Return a comparison with the names of systems; those of stored evaluations keep their keys beside."""

    def row(one: dict[str, Any]) -> dict[str, Any]:
        key = one["evaluation"]
        rest = {name: value for name, value in one.items() if name != "evaluation"}
        return {"system": names[key], "evaluation": key, **rest} if names else {"system": key, **rest}

    ends = ("first", "second")
    pairs = [
        {**pair, **{end: names[pair[end]] if names else pair[end] for end in ends}} for pair in told["pairs"]
    ]
    found = {**told, "systems": [row(one) for one in told["systems"]], "pairs": pairs}
    if "diversity" in told:
        found["diversity"] = {**told["diversity"], "rows": [row(one) for one in told["diversity"]["rows"]]}
    return found


def comparison_text(told: dict[str, Any]) -> str:
    """Return a comparison as people read it."""
    n = told["systems"][0]["n"]
    lines = [f"{'Micro F1' if told['focus'] else 'Score'} over {n} items", ""]
    lines += [f"  {one['system']:<38} {_value(one)}" for one in told["systems"]]
    lines += ["", "Differences, with a paired interval"]
    for pair in told["pairs"]:
        apart = "" if pair["told_apart"] else ", not told apart"
        lines.append(f"  {pair['first']} - {pair['second']}: {_value(pair)}{apart}")
    for pair in told.get("methods", ()):
        kappas = [pair[key] for key in ("with_nae", "without_nae")]
        shown = [
            f"none ({one['reason']})" if one["value"] is None else f"{one['value']:.4f}" for one in kappas
        ]
        lines.append(
            f"Kappa of {pair['first']} and {pair['second']}: {shown[0]} (n {kappas[0]['n']}), "
            f"without NAE {shown[1]} (n {kappas[1]['n']})"
        )
    return "\n".join(lines) + "\n"


def _value(figure: Mapping[str, Any]) -> str:
    if figure["value"] is None:
        return "none"
    interval = "" if figure["low"] is None else f" [{figure['low']:.4f}, {figure['high']:.4f}]"
    return f"{figure['value']:.4f}{interval}"
