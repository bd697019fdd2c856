"""Writes an evaluation down: as text, and as the files of --out, the same bytes for the same input."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agreement.display.csv_latex import latex_text
from core.canonical_json import canonical
from core.csv_safety import made_safe
from exports.formats.longform import csv_line
from scoring.evaluation.evaluate import Evaluation, figures_in
from scoring.figures.figure import REASONS

_HEAD = ["run", "method", "figure", "value", "low", "high", "reason", "n"]


TABLES = ("scores.json", "scores.csv", "scores.tex")


def write_evaluation(evaluation: Evaluation, folder: Path) -> list[str]:
    """Write scores.json, scores.csv, scores.tex and answers.jsonl into a folder; return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {name: scores_file(evaluation, name) for name in TABLES}
    texts["answers.jsonl"] = "".join(
        json.dumps(answer, ensure_ascii=False) + "\n" for answer in evaluation.answers
    )
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode())
    return list(texts)


def scores_file(evaluation: Evaluation, name: str) -> str:
    """Return the text of one of TABLES."""
    if name == "scores.json":
        return scores_json(evaluation.scores)
    if name == "scores.tex":
        return _latex(evaluation.scores)
    rows = _rows(evaluation.scores)
    return "".join(csv_line([made_safe(str(cell)) for cell in row]) for row in (_HEAD, *rows))


def scores_json(scores: Mapping[str, Any]) -> str:
    """Return the JSON of an evaluation."""
    return json.dumps(canonical(dict(scores)), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _rows(scores: Mapping[str, Any]) -> Iterator[list[Any]]:
    for found in scores["evaluations"]:
        for name, figure in figures_in(found["figures"] or {}):
            yield [
                found["run"],
                _method(found["method"]),
                name,
                *("" if figure[key] is None else figure[key] for key in _HEAD[3:]),
            ]


def _method(method: Mapping[str, Any]) -> str:
    threshold = method["threshold"]
    return method["name"] if threshold is None else f"{method['name']} > {threshold:g}"


def headline(scores: Mapping[str, Any], figures: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the figures that people look at first, each with its name."""
    if scores["protocol"] != "focus":
        return [("Score", figures["score"]), ("Not able to evaluate", figures["nae_share"])]
    chosen = figures[scores["scope"]]
    rows = [(code, row["f1"]) for code, row in chosen["types"].items()]
    rows += [
        ("F1, micro", chosen["micro"]["f1"]),
        ("F1, macro", chosen["macro"]["f1"]),
        ("F1, macro with undefined as 0", chosen["macro_zero"]["f1"]),
    ]
    names = {"gold": "gold", "all": "gold and disagreement"}
    return rows + [
        (f"Words of spans, {name}", figures["spans"][key]["mean"]["unigram_jaccard"])
        for key, name in names.items()
    ]


def evaluation_text(scores: Mapping[str, Any]) -> str:
    """Return an evaluation as people read it."""
    references = scores["references"]
    place = " ".join(str(references[key]) for key in ("release", "version", "split") if references.get(key))
    lines = [
        f"{scores['system'] or 'System'} against {place or references['file']}: {references['items']} items"
    ]
    if scores["protocol"] == "focus":
        lines.append(f"Scope: {scores['scope']}")
    files = {number: run["file"] for number, run in enumerate(scores["runs"], start=1)}
    for found in scores["evaluations"]:
        lines += ["", f"{files[found['run']]}, {_method(found['method'])}"]
        if found["figures"] is None:
            lines.append(f"  not computed: {found['reason']}")
            continue
        lines += [f"  {name:<38} {_value(figure)}" for name, figure in headline(scores, found["figures"])]
        if scores["protocol"] != "focus":
            labels = ", ".join(f"{label} {n}" for label, n in found["figures"]["labels"].items())
            lines.append(f"  {labels}; missing questions {found['figures']['missing_questions']}")
    if scores["together"]:
        shown = {"score", f"{scores.get('scope')}/micro/f1", f"{scores.get('scope')}/macro/f1"}
        lines += ["", f"Mean over {len(files)} runs"]
        for row in scores["together"]:
            if row["figure"] in shown and row["mean"] is not None:
                deviation = "" if row["sd"] is None else f", deviation {row['sd']:.4f}"
                lines.append(f"  {_method(row['method'])} {row['figure']}: {row['mean']:.4f}{deviation}")
    return "\n".join(lines) + "\n"


def _value(figure: Mapping[str, Any]) -> str:
    if figure["value"] is None:
        return f"none: {REASONS.get(figure['reason'], figure['reason'])}"
    interval = "" if figure["low"] is None else f" [{figure['low']:.4f}, {figure['high']:.4f}]"
    return f"{figure['value']:.4f}{interval} (n {figure['n']})"


def _latex(scores: Mapping[str, Any]) -> str:
    """Return the first figures of every run and method as one LaTeX table."""
    lines = [
        r"% \usepackage{booktabs}",
        r"\begin{tabular}{rllrrrr}",
        r"\toprule",
        r"Run & Method & Figure & Value & Low & High & n \\",
        r"\midrule",
    ]
    for found in scores["evaluations"]:
        for name, figure in headline(scores, found["figures"]) if found["figures"] else ():
            values = [
                "--" if figure[key] is None else f"{figure[key]:.3f}" for key in ("value", "low", "high")
            ]
            cells = [
                str(found["run"]),
                latex_text(_method(found["method"])),
                latex_text(name),
                *values,
                str(figure["n"]),
            ]
            lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"
