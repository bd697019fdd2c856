"""The published CQs-Gen JSON: interventions with critical questions, with labels or without.

The file is one JSON object, so it is parsed as a whole; the published ones have 1.5 MB.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

from django.utils.translation import gettext

from annotation.codebooks.definition import PUBLISHED_LABELS
from annotation.importing.files.encodings import json_document
from annotation.importing.files.rows import (
    FileError,
    ItemRow,
    ItemRows,
    Notice,
    QuestionRow,
    Refusal,
    item_problem,
    question_problem,
)

LABELS = tuple(PUBLISHED_LABELS.values())
_INTERVENTION_KEYS = ("intervention_id", "intervention", "dataset", "schemes", "cqs")
_QUESTION_KEYS = ("id", "cq", "label")
_THEORY = re.compile(r"_T__\d+")
_MODEL = re.compile(r"_LLM_.+?_D_(?P<model>.+)_\d+_[SL]")


def read(path: Path, *, name: str, origin: str | None = None) -> ItemRows:
    """Yield the interventions, the refused questions of each behind it.

    The origin of a question is told by its id where that has the published form ("theory", or the
    model's name). Otherwise it is `origin`, by default the file's stem without "submission_".
    Raises FileError.
    """
    document = json_document(path, name)
    if not isinstance(document, dict):
        raise FileError(name, "", gettext("expected a JSON object keyed by intervention_id"))
    other_origin = PurePath(name).stem.removeprefix("submission_") if origin is None else origin
    unknown: dict[str, None] = {}
    for key, entry in document.items():
        yield from _intervention(key, entry, other_origin, unknown)
    for place in unknown:
        yield Notice(place, gettext("is no key of this format and is not kept"))


def _intervention(key: str, entry: Any, origin: str, unknown: dict[str, None]) -> Iterator[ItemRow | Refusal]:
    if not isinstance(entry, dict):
        yield Refusal(
            key,
            gettext("expected an object with intervention_id and intervention"),
            {"id": key, "text": "", "value": entry},
        )
        return
    rows = _table_rows(key, entry, origin)
    if misshapen := _shape_problem(key, entry):
        place, reason = misshapen
        yield Refusal(place, reason, rows[0], rows[1:])
        return
    unknown.update((f"*.{name}", None) for name in entry if name not in _INTERVENTION_KEYS)
    questions: list[QuestionRow] = []
    refused: list[Refusal] = []
    for i, question in enumerate(entry.get("cqs", [])):
        found = _question(f"{key}.cqs[{i}]", key, question, rows[i], origin, unknown)
        if isinstance(found, Refusal):
            refused.append(found)
        else:
            questions.append(found)
    item = ItemRow(
        external_id=key,
        text=entry["intervention"],
        source=entry.get("dataset", ""),
        metadata={"schemes": entry["schemes"]} if "schemes" in entry else {},
        questions=tuple(questions),
        place=key,
        given=rows,
    )
    if problem := item_problem(item):
        yield Refusal(key, problem, rows[0], rows[1:])
        return
    yield item
    yield from refused


def _table_rows(key: str, entry: Mapping[str, Any], origin: str) -> tuple[dict[str, Any], ...]:
    """Return an intervention as rows of the project's own table, which is how refused ones are written."""
    item = {"id": key, "text": entry.get("intervention", ""), "source": entry.get("dataset", "")}
    if "schemes" in entry:
        item["schemes"] = entry["schemes"]
    questions = entry.get("cqs", [])
    rows = [
        item
        | {
            "question_id": question.get("id"),
            "question": question.get("cq", ""),
            "origin": _published_origin(question.get("id"), key) or origin,
            "published_label": question.get("label", ""),
        }
        if isinstance(question, dict)
        else item | {"question": "", "value": question}
        for question in (questions if isinstance(questions, list) else [])
    ]
    return tuple(rows or [item])


def _shape_problem(key: str, entry: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the JSON path and the reason why an intervention is not of the published shape, or None."""
    if entry.get("intervention_id") != key:
        return f"{key}.intervention_id", gettext("is %(value)s, expected the key %(key)s") % {
            "value": repr(entry.get("intervention_id")),
            "key": repr(key),
        }
    if not isinstance(entry.get("intervention"), str):
        return f"{key}.intervention", gettext("expected a text")
    if not isinstance(entry.get("dataset", ""), str):
        return f"{key}.dataset", gettext("expected a text")
    schemes = entry.get("schemes", [])
    if not isinstance(schemes, list) or not all(isinstance(scheme, str) for scheme in schemes):
        return f"{key}.schemes", gettext("expected a list of texts")
    if not isinstance(entry.get("cqs", []), list):
        return f"{key}.cqs", gettext("expected a list of questions")
    return None


def _question(
    place: str, key: str, entry: Any, row: Mapping[str, Any], origin: str, unknown: dict[str, None]
) -> QuestionRow | Refusal:
    if not isinstance(entry, dict):
        return Refusal(place, gettext("expected an object with id and cq"), row)
    unknown.update((f"*.cqs[*].{name}", None) for name in entry if name not in _QUESTION_KEYS)
    question_id, text, label = entry.get("id"), entry.get("cq"), entry.get("label")
    if isinstance(question_id, bool) or not isinstance(question_id, str | int | None):
        return Refusal(f"{place}.id", gettext("expected a text or a whole number"), row)
    if not isinstance(text, str):
        return Refusal(f"{place}.cq", gettext("expected a text"), row)
    if "label" in entry and label not in LABELS:
        return Refusal(
            f"{place}.label",
            gettext("is %(label)s, expected %(labels)s")
            % {"label": repr(label), "labels": ", ".join(LABELS)},
            row,
        )
    question = QuestionRow(
        external_id=question_id,
        text=text,
        origin=_published_origin(question_id, key) or origin,
        label=label,
        place=place,
        given=row,
    )
    problem = question_problem(question)
    return Refusal(place, problem, row) if problem else question


def _published_origin(question_id: Any, key: str) -> str | None:
    """Read the origin out of an id of the published naming, or return None.

    >>> _published_origin("CLINTON_1_1_T__7", "CLINTON_1_1")
    'theory'
    >>> _published_origin("CLINTON_1_1_LLM_US2016_D_meta-llama_Llama-2-13b-chat-hf_4_S", "CLINTON_1_1")
    'meta-llama_Llama-2-13b-chat-hf'
    """
    if not isinstance(question_id, str) or not question_id.startswith(key):
        return None
    rest = question_id[len(key) :]
    if _THEORY.fullmatch(rest):
        return "theory"
    match = _MODEL.fullmatch(rest)
    return match["model"] if match else None
