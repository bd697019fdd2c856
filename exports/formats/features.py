"""The columns of the JSON Lines files as the `datasets` library declares them in a data card's front matter.

Without them the library guesses from the first lines, and fails where a split has no gold span or no labels.
"""

from __future__ import annotations

from typing import Any

from exports.records import Selection


def lines_features(selection: Selection) -> list[dict[str, Any]]:
    """Return the declared features of `data/SPLIT.jsonl`."""
    texts = selection.parameters.texts
    if not selection.typology:
        return [
            _text("intervention_id"),
            _text("intervention" if texts else "intervention_sha256"),
            _text("dataset"),
            {"name": "schemes", "list": "string"},
            {"name": "cqs", "list": [_text("id"), _text("cq"), _text("label")]},
        ]
    place = [_whole("start"), _whole("end"), *([_text("text")] if texts else []), _whole("support")]
    question = [_text("question")] if texts else []
    if selection.parameters.refined_questions:
        question += [_text("question_refined"), _whole("refinement_run")]
    label = [
        _text("code"),
        _text("fsq_type"),
        _flag("applicable"),
        {"name": "votes", "struct": [_whole("yes"), _whole("no")]},
        {"name": "gold_spans", "list": [*place, *question]},
        {"name": "disagreement_spans", "list": place},
        _flag("adjudicated"),
    ]
    return [
        _text("argument_id"),
        _text("argument" if texts else "argument_sha256"),
        _text("dataset"),
        _text("topic"),
        {"name": "fsq_types", "list": "string"},
        *([{"name": "spans", "list": "string"}] if texts else []),
        {"name": "labels", "list": label},
    ]


def _text(name: str) -> dict[str, str]:
    return {"name": name, "dtype": "string"}


def _whole(name: str) -> dict[str, str]:
    return {"name": name, "dtype": "int64"}


def _flag(name: str) -> dict[str, str]:
    return {"name": name, "dtype": "bool"}
