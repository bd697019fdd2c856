"""Systems compared from their files alone, as the page Compare does from what is stored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.canonical_json import canonical
from scoring.evaluation.comparing import Compared, Labels, compared
from scoring.evaluation.evaluate import Choices, Evaluation, evaluate, trivial_of
from scoring.evaluation.faults import CannotScore
from scoring.evaluation.focus import types_said
from scoring.evaluation.questions import Method
from scoring.evaluation.references import Benchmark
from scoring.evaluation.submissions import Submission
from scoring.figures.figure import FloatArray
from scoring.figures.matching import JUDGE_UNUSABLE, item_share
from scoring.figures.paired import PairedScores
from scoring.figures.types import item_counts

Runs = Sequence[tuple[Submission, str]]


def files_compared(benchmark: Benchmark, systems: Mapping[str, Runs], choices: Choices) -> dict[str, Any]:
    """Return how systems compare by the first method, and how it agrees with the other ones.

    Raises AnswersRefused, and CannotScore where the first method gave no figures.
    """
    made = []
    for name, runs in systems.items():
        if benchmark.is_focus:
            made.append(_compared(name, _type_table(benchmark, runs, choices), choices))
            continue
        found = evaluate(benchmark, runs, replace(choices, system=name, with_trivial=False))
        labels, first = _labels(found), str(choices.methods[0])
        if first not in labels:
            raise CannotScore(f"--method {first}: not computed: {found.scores['reason']}")
        counts = _question_table(benchmark, len(runs), labels[first])
        made.append(replace(_compared(name, counts, choices), labels=labels, asked=_asked(found, first)))
    told = compared(made, focus=benchmark.is_focus, replicates=choices.replicates, seed=choices.seed)
    return canonical({**told, "trivial": trivial_of(benchmark, choices)})  # type: ignore[no-any-return]


def _compared(name: str, counts: FloatArray, choices: Choices) -> Compared:
    scores = PairedScores([counts], replicates=choices.replicates, seed=choices.seed)
    return Compared(name, scores.figure(0), counts, name)


def _type_table(benchmark: Benchmark, runs: Runs, choices: Choices) -> FloatArray:
    """Return twice the hits of each run and item, and these with false and missed answers."""
    decided = {item: found.decided for item, found in benchmark.arguments.items()}
    tables = []
    for run, _ in runs:
        counts = item_counts(decided, types_said(run), types=benchmark.types, scope=choices.scope).sum(axis=1)
        tables.append(np.column_stack([2 * counts[:, 0], 2 * counts[:, 0] + counts[:, 1] + counts[:, 2]]))
    return np.stack(tables)


def _question_table(benchmark: Benchmark, runs: int, labels: Labels) -> FloatArray:
    """Return the share of useful questions of each run and item, and 1."""
    by_item: dict[tuple[int, Any], list[str | None]] = defaultdict(list)
    for (run, item, _), label in labels.items():
        by_item[run, item].append(label)
    items = sorted(item for item, found in benchmark.interventions.items() if found.questions)
    shares = [[item_share(by_item[run, item]) for item in items] for run in range(1, runs + 1)]
    return np.array(shares, dtype=np.float64)


def _labels(found: Evaluation) -> dict[str, dict[tuple[int, Any, int], str]]:
    labels: dict[str, dict[tuple[int, Any, int], str]] = defaultdict(dict)
    for line in found.answers:
        place = (line["run"], line["item"], line["question"])
        labels[str(Method(**line["method"]))][place] = line["label"] or JUDGE_UNUSABLE
    return dict(labels)


def _asked(found: Evaluation, method: str) -> list[tuple[str, str]]:
    """Return the questions of the first run with their labels."""
    return [
        (line["cq"], line["label"] or JUDGE_UNUSABLE)
        for line in found.answers
        if line["run"] == 1 and str(Method(**line["method"])) == method
    ]
