"""JSON Schemas (2020-12) of the files that ship with every release, and of what systems submit.

The schema of a benchmark file has the shape of one line of `data/SPLIT.jsonl` as `#/$defs/line`.
"""

from __future__ import annotations

from typing import Any

from annotation.codebooks.definition import PUBLISHED_LABELS, AnnotationType, Codebook

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TEXT = {"type": "string"}
_FILLED = {"type": "string", "minLength": 1}
_COUNT = {"type": "integer", "minimum": 0}
_SOME = {"type": "integer", "minimum": 1}
MOST_TYPES = 2
"""So many types a system may name for an argument, each once."""
_ID = {"type": ["string", "integer", "null"]}


def focus_schema(
    codebook: Codebook, *, texts: bool = True, refined: bool = False, some_asked: bool = False
) -> dict[str, Any]:
    """Return the schema of `focus.json`: an object of arguments, whole or with their references withheld.

    `some_asked`: there are arguments that were asked some of the types only, and have labels of these alone.
    """
    given = _given("argument_id", "argument", texts)
    place = {"start": _COUNT, "end": _SOME, **({"text": _FILLED} if texts else {})}
    # Null for a type that asked for spans in an earlier round and does no longer.
    question: dict[str, Any] = {"question": {**_FILLED, "type": ["string", "null"]}} if texts else {}
    if refined:
        question["question_refined"] = {"type": ["string", "null"]}
        question["refinement_run"] = {"type": ["integer", "null"], "minimum": 1}
    whole = _closed(
        {
            **given,
            "topic": _TEXT,
            "fsq_types": _types(codebook),
            **({"spans": {"type": "array", "items": _FILLED}} if texts else {}),
            "labels": _labels(codebook, some_asked=some_asked),
        }
    )
    withheld = _closed({**given, "topic": _TEXT})
    return {
        **_file("FOCUS arguments by id"),
        "$defs": {
            "line": {"oneOf": [whole, withheld]},
            "gold_span": _closed({**place, "support": _COUNT, **question}),
            "disagreement_span": _closed({**place, "support": _SOME}),
        },
        "additionalProperties": {"$ref": "#/$defs/line"},
    }


def cqs_gen_schema(*, texts: bool = True) -> dict[str, Any]:
    """Return the schema of `cqs_gen.json`: an object of interventions in the published shape.

    In a line every id is a text and `schemes` is null where they are not known.
    """
    given = _given("intervention_id", "intervention", texts)
    label = {"enum": list(PUBLISHED_LABELS.values())}
    schemes: dict[str, Any] = {"type": "array", "items": _TEXT}

    def intervention(identifier: dict[str, Any], schemes: dict[str, Any], optional: tuple[str, ...]) -> Any:
        question = _closed({"id": identifier, "cq": _FILLED, "label": label})
        cqs = {"type": "array", "items": question}
        return _closed({**given, "schemes": schemes, "cqs": cqs}, optional)

    line = intervention({"type": ["string", "null"]}, {**schemes, "type": ["array", "null"]}, ())
    return {
        **_file("CQs-Gen interventions by id"),
        "$defs": {"line": line},
        "additionalProperties": intervention(_ID, schemes, ("schemes",)),
    }


def focus_submission_schema(codebook: Codebook) -> dict[str, Any]:
    """Return the schema of what a system submits for arguments, as `scripts/score.py` reads it."""
    spans = {"type": "array", "items": _TEXT}
    types = _types(codebook, maxItems=MOST_TYPES, uniqueItems=True)
    answer = _closed({"fsq_types": types, "spans": {**spans, "maxItems": MOST_TYPES}})
    return {**_file("A system's types and spans by argument id"), "additionalProperties": answer}


def cqs_gen_submission_schema() -> dict[str, Any]:
    """Return the schema of what a system submits for interventions, as `scripts/score.py` reads it."""
    label = {"enum": list(PUBLISHED_LABELS.values())}
    question = _closed({"id": _ID, "cq": _TEXT, "label": label}, optional=("label",))
    handed_in = {
        "intervention_id": _FILLED,
        "intervention": _TEXT,
        "dataset": _TEXT,
        "cqs": {"type": "array", "items": question},
    }
    entry = _closed(handed_in, optional=("intervention_id", "intervention", "dataset"))
    return {**_file("A system's questions by intervention id"), "additionalProperties": entry}


def _types(codebook: Codebook, **limits: Any) -> dict[str, Any]:
    names = {"type": "array", "items": {"enum": [kind.name for kind in codebook.types]}, **limits}
    if not codebook.derived_none:
        return names
    return {"anyOf": [names, {"const": [codebook.derived_none.name]}]}


def _labels(codebook: Codebook, *, some_asked: bool) -> dict[str, Any]:
    labels = [_label(kind) for kind in codebook.types]
    if not some_asked:
        return {"type": "array", "prefixItems": labels, "items": False, "minItems": len(labels)}
    return {
        "description": "The types that the argument was asked, in the order of the codebook. A type that is "
        "not here was not asked; one that was asked and has no majority is here with `applicable` null.",
        "type": "array",
        "items": {"oneOf": labels},
        "maxItems": len(labels),
    }


def _label(kind: AnnotationType) -> dict[str, Any]:
    return _closed(
        {
            "code": {"const": kind.code},
            "fsq_type": {"const": kind.name},
            "applicable": {"type": ["boolean", "null"]},
            "votes": _closed({"yes": _COUNT, "no": _COUNT}),
            "gold_spans": {"type": "array", "items": {"$ref": "#/$defs/gold_span"}},
            "disagreement_spans": {"type": "array", "items": {"$ref": "#/$defs/disagreement_span"}},
            "adjudicated": {"type": "boolean"},
        }
    )


def _given(identifier: str, text: str, texts: bool) -> dict[str, Any]:
    digest = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    return {
        identifier: _FILLED,
        **({text: _FILLED} if texts else {f"{text}_sha256": digest}),
        "dataset": _TEXT,
    }


def _closed(properties: dict[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _file(title: str) -> dict[str, Any]:
    return {"$schema": _DIALECT, "title": title, "type": "object"}
