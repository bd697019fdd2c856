"""The form of a rule, and the one place that applies rules. The browser reads the same tables as JSON.

A rule says, for answers whose facts equal all of `when`, whether a field is needed, refused, or must not
be blank if given. Facts are fields of the answer and what the codebook says about it (`span`: the type
asks for a span; `reason_edits`: the reason allows an edited question).

See docs/decisions/protocols.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from core.errors import Refused
from core.texts import COMMENT, QUESTION, is_blank, length_problem, sentence, text_problem

NEEDED = "needed"
REFUSED = "refused"
FILLED = "filled"

BOOLEAN = "boolean"
NULLABLE_BOOLEAN = "boolean or null"
OFFSET = "whole number or null"
TEXT = "text"

LENGTHS = {"comment": COMMENT, "edited_question": QUESTION}
"""Characters that the texts which people write may have."""

_EXPECTED = {
    BOOLEAN: "true or false",
    NULLABLE_BOOLEAN: "true, false or null",
    OFFSET: "a whole number or null",
    TEXT: "a text",
}
_DEFAULT = {BOOLEAN: False, NULLABLE_BOOLEAN: None, OFFSET: None, TEXT: ""}


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a protocol's table."""

    when: Mapping[str, Any]
    field: str
    presence: str  # NEEDED, REFUSED or FILLED
    message: str

    def to_json(self) -> dict[str, Any]:
        """Return the rule as plain JSON, for the browser."""
        return {
            "when": dict(self.when),
            "field": self.field,
            "presence": self.presence,
            "message": self.message,
        }


class RuleError(ValueError):
    """An answer breaks the protocol. `errors` has one message for each field that is wrong."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        self.errors = dict(errors)
        super().__init__("; ".join(f"{field}: {message}" for field, message in errors.items()))


def refused_by_rules(error: RuleError) -> Refused:
    """Return the refusal of an answer that breaks rules, one message a field."""
    return Refused(
        "invalid",
        gettext("The answer breaks a rule of the protocol; nothing was stored."),
        errors=error.errors,
    )


def read_fields(
    fields: Mapping[str, str], answer: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the answer with every field present, and the errors of kind so far.

    An absent field, and a null text, stand for false, null or "". A field of the wrong kind is
    reported and left at that value. True and false are no numbers.
    """
    errors = {name: "There is no such field." for name in answer if name not in fields}
    values = {}
    for name, kind in fields.items():
        value = answer.get(name, _DEFAULT[kind])
        if value is None and kind == TEXT:
            value = ""
        if not _is_of_kind(value, kind):
            errors[name] = f"Expected {_EXPECTED[kind]}."
            value = _DEFAULT[kind]
        elif isinstance(value, str) and (problem := _text_problem(name, value)):
            errors[name] = sentence(problem)
        values[name] = value
    return values, errors


def apply_rules(
    rules: Iterable[Rule], facts: Mapping[str, Any], values: Mapping[str, Any], errors: dict[str, str]
) -> None:
    """Add the message of every broken rule to `errors`, in the reader's language; a field's first stays."""
    for rule in rules:
        if all(facts[name] == value for name, value in rule.when.items()) and _breaks(
            rule.presence, values[rule.field]
        ):
            errors.setdefault(rule.field, gettext(rule.message))


def _breaks(presence: str, value: Any) -> bool:
    given = value is not None and value != ""
    blank = isinstance(value, str) and is_blank(value)
    if presence == NEEDED:
        return not given or blank
    if presence == FILLED:
        return given and blank
    return given


def _text_problem(name: str, text: str) -> str | None:
    return text_problem(text) or (length_problem(text, LENGTHS[name]) if name in LENGTHS else None)


def _is_of_kind(value: Any, kind: str) -> bool:
    if kind == BOOLEAN:
        return isinstance(value, bool)
    if kind == NULLABLE_BOOLEAN:
        return value is None or isinstance(value, bool)
    if kind == OFFSET:
        return value is None or (isinstance(value, int) and not isinstance(value, bool))
    return isinstance(value, str)
