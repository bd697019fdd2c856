"""JSON Schemas (2020-12) of the benchmark files, which ship with every release."""

from __future__ import annotations

from typing import Any

from annotation.codebooks.definition import PUBLISHED_LABELS, Codebook

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}


def focus_schema(codebook: Codebook, *, texts: bool = True, refined: bool = False) -> dict[str, Any]:
    """Return the schema of `focus.json`: an object of arguments, whole or with their references withheld."""
    names = [kind.name for kind in codebook.types]
    none = [codebook.derived_none.name] if codebook.derived_none else []
    given = _given("argument_id", "argument", texts)
    span = _closed(
        {"start": _COUNT, "end": {"type": "integer", "minimum": 1}, **_text(texts), "support": _COUNT}
    )
    question: dict[str, Any] = {"question": _TEXT} if texts else {}
    if refined:
        question["question_refined"] = {"type": ["string", "null"]}
        question["refinement_run"] = {"type": ["integer", "null"], "minimum": 1}
    gold = _closed({**span["properties"], **question})
    label = _closed(
        {
            "code": {"enum": [kind.code for kind in codebook.types]},
            "fsq_type": {"enum": names},
            "applicable": {"type": ["boolean", "null"]},
            "votes": _closed({"yes": _COUNT, "no": _COUNT}),
            "gold_spans": {"type": "array", "items": gold},
            "disagreement_spans": {"type": "array", "items": span},
            "adjudicated": {"type": "boolean"},
        }
    )
    whole = _closed(
        {
            **given,
            "topic": _TEXT,
            "fsq_types": {"type": "array", "items": {"enum": names + none}},
            **({"spans": {"type": "array", "items": _TEXT}} if texts else {}),
            "labels": {"type": "array", "items": label, "minItems": len(names), "maxItems": len(names)},
        }
    )
    return _file("FOCUS arguments by id", whole, _closed({**given, "topic": _TEXT}))


def cqs_gen_schema(*, texts: bool = True) -> dict[str, Any]:
    """Return the schema of `cqs_gen.json`: an object of interventions in the published shape."""
    question = _closed(
        {
            "id": {"type": ["string", "integer", "null"]},
            "cq": _TEXT,
            "label": {"enum": list(PUBLISHED_LABELS.values())},
        }
    )
    intervention = _closed(
        {
            **_given("intervention_id", "intervention", texts),
            "schemes": {"type": "array", "items": _TEXT},
            "cqs": {"type": "array", "items": question},
        },
        optional=("schemes",),
    )
    return _file("CQs-Gen interventions by id", intervention)


def _given(identifier: str, text: str, texts: bool) -> dict[str, Any]:
    shown = {text: _TEXT} if texts else {f"{text}_sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}
    return {identifier: _TEXT, **shown, "dataset": _TEXT}


def _text(texts: bool) -> dict[str, Any]:
    return {"text": _TEXT} if texts else {}


def _closed(properties: dict[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _file(title: str, *shapes: dict[str, Any]) -> dict[str, Any]:
    entry = shapes[0] if len(shapes) == 1 else {"oneOf": list(shapes)}
    return {"$schema": _DIALECT, "title": title, "type": "object", "additionalProperties": entry}
