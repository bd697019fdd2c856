"""Scores the runs of one system against the references of one split: one plain object with every figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from agreement.spans.encoders import Encoder, MissingEncoder
from core.canonical_json import canonical
from scoring.evaluation.faults import AnswersRefused
from scoring.evaluation.focus import focus_answers, focus_figures
from scoring.evaluation.judge_prompts import JUDGED
from scoring.evaluation.judges import NO_ENDPOINT, Judge, verdicts
from scoring.evaluation.questions import (
    MODEL_MISSING,
    NO_MATCHING_ROUND,
    Method,
    People,
    Table,
    all_labels,
    labelled,
    question_answers,
    question_figures,
    threshold_rows,
)
from scoring.evaluation.references import Benchmark
from scoring.evaluation.submissions import Submission
from scoring.evaluation.trivial_rows import MOST_FREQUENT, trivial_rows
from scoring.figures.comparison import kappa_matrix, runs_together
from scoring.figures.figure import FloatArray, forget_draws
from scoring.figures.types import Scope

ENGINE_VERSION = 3
"""Raised whenever the same files would give other figures."""

FOCUS_METHOD = Method("exact")


class TextModel(Protocol):
    """What compares questions with references: a sentence encoder, or a model of pairs."""

    def to_json(self) -> dict[str, str]: ...

    def table(self, questions: Sequence[str], references: Sequence[str]) -> FloatArray: ...


@dataclass(frozen=True, slots=True)
class Choices:
    """How to score. `scope` says which figures of types are the headline; both are computed.

    Without `with_answers` there are no lines of FOCUS answers: ten of each item take their memory. `models`
    are those of the methods sts, bleurt and comet that are there, `of_spans` is the encoder of BERTScore.
    """

    methods: Sequence[Method] = ()
    scope: Scope = "decided"
    replicates: int = 1000
    seed: int = 1
    system: str = ""
    with_answers: bool = True
    with_trivial: bool = True
    models: Mapping[str, TextModel] = field(default_factory=dict)
    people: People | None = None
    judges: Mapping[str, Judge] = field(default_factory=dict)
    of_spans: Encoder | MissingEncoder | None = None


@dataclass(slots=True)
class Evaluation:
    """What was computed, as `scores.json` has it, and the lines of `answers.jsonl`."""

    scores: dict[str, Any]
    answers: list[dict[str, Any]] = field(default_factory=list)


def evaluate(benchmark: Benchmark, runs: Sequence[tuple[Submission, str]], choices: Choices) -> Evaluation:
    """Score every run, each with the SHA-256 of its file, by every method. Raises AnswersRefused."""
    faults = [fault for submission, _ in runs for fault in submission.faults]
    if faults:
        raise AnswersRefused(faults)
    answers: list[dict[str, Any]] = []
    evaluations, compared = [], []
    for number, (submission, _) in enumerate(runs, start=1):
        labels: dict[str, list[str | None]] = {}
        for found, lines, label in _of_run(benchmark, submission, number, choices):
            evaluations.append({"run": number, **found})
            answers.extend({"run": number, **line} for line in lines)
            if label is not None:
                labels[str(Method(**found["method"]))] = label
        compared += [
            {
                "run": number,
                "first": pair.first,
                "second": pair.second,
                "with_nae": pair.with_nae._asdict(),
                "without_nae": pair.without_nae._asdict(),
            }
            for pair in kappa_matrix(labels)
        ]
    trivial = trivial_of(benchmark, choices) if choices.with_trivial else []
    forget_draws()
    scores = {
        "engine": ENGINE_VERSION,
        "protocol": "focus" if benchmark.is_focus else "cqs_gen",
        "system": choices.system,
        "references": {**benchmark.provenance, "items": len(benchmark.items)},
        "replicates": choices.replicates,
        "seed": choices.seed,
        **({"scope": choices.scope} if benchmark.is_focus else {}),
        "runs": [
            {
                "file": submission.file,
                "sha256": sha256,
                "items_missing": len(submission.missing),
                "notes": [str(note) for note in submission.notes],
            }
            for submission, sha256 in runs
        ],
        # Those of the first run by the first method, where a program of one run and method looks for them.
        **{key: value for key, value in evaluations[0].items() if key != "run"},
        "evaluations": evaluations,
        "together": _together(evaluations) if len(runs) > 1 else [],
        "methods_compared": compared,
        "trivial": trivial,
    }
    return Evaluation(canonical(scores), canonical(answers))


def _methods(benchmark: Benchmark, choices: Choices) -> Sequence[Method]:
    return [FOCUS_METHOD] if benchmark.is_focus else choices.methods


def trivial_of(benchmark: Benchmark, choices: Choices) -> list[dict[str, Any]]:
    """Return the figures of answers that know nothing of the text, by each method."""
    return [row for method in _methods(benchmark, choices) for row in _trivial(benchmark, method, choices)]


def _trivial(benchmark: Benchmark, method: Method, choices: Choices) -> Iterator[dict[str, Any]]:
    """Score what knows nothing of the text by the same method."""
    rows = trivial_rows(
        benchmark,
        method=method,
        encoder=_table(choices, method),
        scope=choices.scope,
        replicates=choices.replicates,
        seed=choices.seed,
        hindsight=True,
    )
    for row in rows:
        # Figures are kept for good: the words of a question, which may be erased, are not among them.
        words = {"answer": None} if row["name"] == MOST_FREQUENT else {}
        yield {"method": method.to_json(), **row, **words}


def _table(choices: Choices, method: Method) -> Table | None:
    model = choices.models.get(method.name)
    return model.table if model is not None else None


def _of_run(
    benchmark: Benchmark, submission: Submission, number: int, choices: Choices
) -> Iterator[tuple[dict[str, Any], Iterator[dict[str, Any]], list[str | None] | None]]:
    if benchmark.is_focus:
        of_spans = choices.of_spans
        figures = focus_figures(
            benchmark,
            submission,
            replicates=choices.replicates,
            seed=choices.seed,
            encoder=of_spans if isinstance(of_spans, Encoder) else None,
        )
        found: dict[str, Any] = {"method": FOCUS_METHOD.to_json(), "figures": figures, "reason": None}
        if of_spans is not None:
            found["encoder"] = dict(of_spans.to_json())
        lines = focus_answers(benchmark, submission) if choices.with_answers else iter(())
        yield found, lines, None
        return
    for method in choices.methods:
        if method.name in JUDGED:
            yield _judged(benchmark, submission, number, method, choices)
            continue
        matches = labelled(
            benchmark,
            submission,
            method,
            system=choices.system,
            encoder=_table(choices, method),
            people=choices.people,
        )
        if matches is None:
            reason = MODEL_MISSING.get(method.name, NO_MATCHING_ROUND)
            yield {"method": method.to_json(), "figures": None, "reason": reason}, iter(()), None
            continue
        figures = question_figures(
            benchmark, submission, matches, replicates=choices.replicates, seed=choices.seed
        )
        told: dict[str, Any] = {"method": method.to_json(), "figures": figures, "reason": None}
        if rows := threshold_rows(benchmark, submission, method, matches, choices.system, choices.people):
            told["thresholds"] = rows
        if method.name in choices.models:
            told["encoder"] = choices.models[method.name].to_json()
        lines = question_answers(benchmark, submission, method, matches)
        yield told, lines, all_labels(benchmark, matches)


def _judged(
    benchmark: Benchmark, submission: Submission, number: int, method: Method, choices: Choices
) -> tuple[dict[str, Any], Iterator[dict[str, Any]], list[str | None] | None]:
    """Score one run by a language model, and add what it said to the line of each question."""
    judge = choices.judges.get(method.name)
    if judge is None:
        return {"method": method.to_json(), "figures": None, "reason": NO_ENDPOINT}, iter(()), None
    found = verdicts(benchmark, submission, judge, run=number, system=choices.system)
    matches = {item: [verdict.match for verdict in given] for item, given in found.items()}
    figures = question_figures(
        benchmark, submission, matches, replicates=choices.replicates, seed=choices.seed
    )
    told = {"method": method.to_json(), "figures": figures, "reason": None, "judge": judge.named}
    said = (verdict for item in benchmark.interventions for verdict in found.get(item, ()))
    lines = (
        {**line, "judge": verdict.to_json()}
        for line, verdict in zip(question_answers(benchmark, submission, method, matches), said, strict=True)
    )
    return told, lines, all_labels(benchmark, matches)


def _together(evaluations: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return mean and deviation over the runs of each figure of each method."""
    values: dict[tuple[str, str], list[float | None]] = {}
    methods: dict[str, dict[str, Any]] = {}
    for found in evaluations:
        method = str(Method(**found["method"]))
        methods[method] = found["method"]
        for name, figure in figures_in(found["figures"] or {}):
            values.setdefault((method, name), []).append(figure["value"])
    return [
        {"method": methods[method], "figure": name, **runs_together(found)._asdict()}
        for (method, name), found in values.items()
    ]


def figures_in(figures: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Return every figure with its name, the keys on the way to it joined by slashes."""
    for key, value in figures.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and set(value) == {"value", "low", "high", "reason", "n"}:
            yield name, value
        elif isinstance(value, dict):
            yield from figures_in(value, f"{name}/")
