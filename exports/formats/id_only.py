"""Benchmark objects without the texts they are about, for sources that may not be passed on.

Ids, offsets, labels and the SHA-256 of each text (of its UTF-8, exactly as it is) remain; `join_texts.py`,
which ships with such a release, puts the texts back.
"""

from __future__ import annotations

import hashlib
from typing import Any

from exports.disclosure.texts_out import TextsOut

TEXTS = ("argument", "intervention")
_SPAN_LISTS = ("gold_spans", "disagreement_spans")
_SPAN_TEXTS = ("text", "question")


def without_texts(
    entry: dict[str, Any], texts_out: TextsOut, *, quoting_questions: bool = False
) -> dict[str, Any]:
    """Return a benchmark object without its text, span texts, and the questions made of them.

    `texts_out` takes the words of texts out of what else is said of the item. With `quoting_questions`
    critical questions stay as they were written.
    """
    kept: dict[str, Any] = {}
    for key, value in entry.items():
        if key in TEXTS:
            kept[f"{key}_sha256"] = hashlib.sha256(value.encode()).hexdigest()
        elif key == "labels":
            kept[key] = [_label(label) for label in value]
        elif key == "cqs":
            kept[key] = [
                {**question, "id": texts_out.cleaned(question["id"])}
                if quoting_questions
                else texts_out.cleaned(question)
                for question in value
            ]
        elif key != "spans":
            kept[key] = texts_out.cleaned(value)
    return kept


def _label(label: dict[str, Any]) -> dict[str, Any]:
    return {
        key: [_span(span) for span in value] if key in _SPAN_LISTS else value for key, value in label.items()
    }


def _span(span: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in span.items() if key not in _SPAN_TEXTS}
