"""Storing what the command line computed: the same evaluation that a worker would store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.errors import Refused
from exports.models import Release
from scoring.evaluation.evaluate import Choices
from scoring.evaluation.evaluate import Evaluation as Found
from scoring.evaluation.questions import Method
from scoring.evaluation.references import Benchmark
from scoring.models import Evaluation
from scoring.systems.choices import Asked, model_parameters
from scoring.systems.evaluations import evaluation_request, keep_evaluation
from scoring.systems.submissions import HandedIn, Runs, store_submission
from scoring.systems.systems import system_create, system_named
from scoring.systems.text_models import span_parameters


def save_scores(
    *,
    release: Release,
    files: Sequence[HandedIn],
    opened: tuple[Benchmark, Runs],
    found: Found,
    choices: Choices,
    encoder: str,
) -> Iterator[Evaluation]:
    """Store the files, and the figures of each method that has any; return the evaluations.

    The system is the one of this name, or a new one.
    """
    system = system_named(release.project, choices.system) or system_create(
        project=release.project, name=choices.system
    )
    submission = store_submission(system=system, release=release, files=files, read=opened)
    for part in by_method(found):
        if part.scores["figures"] is None:
            continue
        method = Method(**part.scores["method"])
        asked = Asked(
            method.name,
            method.threshold,
            choices.scope if opened[0].is_focus else "",
            choices.replicates,
            choices.seed,
            choices.judges[method.name].chosen
            if method.name in choices.judges
            else {"encoder": encoder}
            if method.name == "sts"
            else span_parameters()
            if opened[0].is_focus
            else model_parameters(method.name),
        )
        evaluation = evaluation_request(submission=submission, asked=asked)
        if evaluation.state != Evaluation.State.DONE:
            if not keep_evaluation(evaluation=evaluation, opened=opened, found=part):
                raise Refused("taken", f"{method}: a worker scores it already: look at the page Systems.")
            evaluation.refresh_from_db()
        yield evaluation


def by_method(found: Found) -> Iterator[Found]:
    """Return what was computed of each method, as if it had been the only one."""
    scores = found.scores
    common = {name: value for name, value in scores.items() if name not in scores["evaluations"][0]}
    methods: dict[str, list[dict[str, Any]]] = {}
    for one in scores["evaluations"]:
        methods.setdefault(str(Method(**one["method"])), []).append(one)
    for runs in methods.values():
        method = runs[0]["method"]
        own = {name: value for name, value in runs[0].items() if name != "run"}
        part = {
            **common,
            **own,
            "evaluations": runs,
            "together": [row for row in scores["together"] if row["method"] == method],
            "methods_compared": [],
            "trivial": [row for row in scores["trivial"] if row["method"] == method],
        }
        yield Found(part, [line for line in found.answers if _is_of(line, method)])


def _is_of(line: Mapping[str, Any], method: Mapping[str, Any]) -> bool:
    return bool(line.get("method", method) == method)
