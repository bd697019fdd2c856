"""The rules of one yes/no judgement of a type, with its span."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from annotation.codebooks.definition import Codebook
from annotation.protocols.rules import (
    BOOLEAN,
    NEEDED,
    NULLABLE_BOOLEAN,
    OFFSET,
    REFUSED,
    TEXT,
    Rule,
    RuleError,
    apply_rules,
    read_fields,
)
from core.texts import is_blank

FIELDS = {
    "applicable": NULLABLE_BOOLEAN,
    "cannot_judge": BOOLEAN,
    "start": OFFSET,
    "end": OFFSET,
    "quote": TEXT,
    "comment": TEXT,
    "unsure": BOOLEAN,
}

_SPAN = ("start", "end", "quote")

RULES = (
    Rule(
        {"applicable": None, "cannot_judge": False},
        "applicable",
        NEEDED,
        "Answer yes or no, or cannot judge.",
    ),
    Rule({"cannot_judge": True}, "applicable", REFUSED, "Cannot judge goes without yes or no."),
    Rule({"cannot_judge": True}, "comment", NEEDED, "Say why this cannot be judged."),
    *(
        Rule(
            {"applicable": True, "cannot_judge": False, "span": True},
            field,
            NEEDED,
            "Yes needs a span for this type: start, end and the quoted text.",
        )
        for field in _SPAN
    ),
    *(Rule({"applicable": True, "span": False}, field, REFUSED, "This type has no span.") for field in _SPAN),
    *(
        Rule({"applicable": other}, field, REFUSED, "A span goes with yes only.")
        for other in (False, None)
        for field in _SPAN
    ),
)


@dataclass(frozen=True, slots=True)
class TypeAnswer:
    """A valid answer for one text and one type, as it is stored.

    `start` and `end` are Unicode code points of the text, half open; they and `quote` are None unless
    the answer is yes and the type asks for a span.
    """

    applicable: bool | None
    cannot_judge: bool
    start: int | None
    end: int | None
    quote: str | None
    comment: str
    unsure: bool


def check_type_judgement(
    codebook: Codebook, item_text: str, type_code: str, answer: Mapping[str, Any]
) -> TypeAnswer:
    """Return the answer as it is stored, or raise RuleError with one message for each wrong field."""
    asked = codebook.type(type_code)
    if asked is None:
        derived = codebook.derived_none
        why = (
            gettext("is derived and never entered")
            if derived and derived.code == type_code
            else gettext("is not in the codebook")
        )
        raise RuleError(
            {"type": gettext("The type %(type_code)s %(why)s.") % {"type_code": repr(type_code), "why": why}}
        )
    values, errors = read_fields(FIELDS, answer)
    if "applicable" not in errors and "cannot_judge" not in errors:
        if values["applicable"] and asked.span:
            _check_span(item_text, values, errors)
        apply_rules(RULES, {**values, "span": asked.span}, values, errors)
    if errors:
        raise RuleError(errors)
    return TypeAnswer(**{**values, "quote": values["quote"] or None})


def derived_none(codebook: Codebook, answers: Mapping[str, bool | None]) -> bool | None:
    """Whether the derived type holds, from `applicable` by type code.

    True when every type is "no", False when one is "yes"; None while that is open (a type undecided,
    absent or not judged, and none "yes") and where the codebook derives no such type.
    """
    if codebook.derived_none is None:
        return None
    values = [answers.get(entry.code) for entry in codebook.types]
    if any(values):
        return False
    return None if None in values else True


def _check_span(text: str, values: Mapping[str, Any], errors: dict[str, str]) -> None:
    """Check as much of a span as is given against its text. Fields that have an error are left alone."""
    start, end, quote = values["start"], values["end"], values["quote"]
    if start is not None and start < 0:
        errors.setdefault("start", gettext("The span starts before the text."))
    if end is not None and end > len(text):
        errors.setdefault(
            "end",
            gettext("The span ends at %(end)s, the text at %(n)s.") % {"end": end, "n": len(text)},
        )
    if start is not None and end is not None and end <= start:
        errors.setdefault("end", gettext("The span must end after its start."))
    if start is None or end is None or not quote or any(field in errors for field in _SPAN):
        return
    selected = text[start:end]
    if quote != selected:
        errors["quote"] = gettext(
            "The quoted text does not match the text from %(start)s to %(end)s, which is %(selected)s."
        ) % {"start": start, "end": end, "selected": _shortened(selected)}
    elif is_blank(quote):
        errors["quote"] = gettext("The span holds white space only.")


def _shortened(text: str, limit: int = 80) -> str:
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")
