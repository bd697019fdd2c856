"""The rules of one judgement of a critical question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from annotation.codebooks.definition import PUBLISHED_LABELS, Codebook
from annotation.protocols.rules import (
    BOOLEAN,
    FILLED,
    NEEDED,
    REFUSED,
    TEXT,
    Rule,
    RuleError,
    apply_rules,
    read_fields,
)

FIELDS = {
    "label": TEXT,
    "cannot_judge": BOOLEAN,
    "reason": TEXT,
    "comment": TEXT,
    "edited_question": TEXT,
    "unsure": BOOLEAN,
}

RULES = (
    Rule(
        {"label": None, "cannot_judge": False},
        "label",
        NEEDED,
        "Choose Useful, Unhelpful or Invalid, or cannot judge.",
    ),
    Rule({"cannot_judge": True}, "label", REFUSED, "Cannot judge goes without a label."),
    Rule({"cannot_judge": True}, "comment", NEEDED, "Say why this cannot be judged."),
    Rule({"label": "UN"}, "comment", NEEDED, "Unhelpful needs a comment that says why."),
    Rule({"label": "IN", "cannot_judge": False}, "reason", NEEDED, "Invalid needs one reason."),
    *(
        Rule({"label": other}, "reason", REFUSED, "A reason goes with Invalid only.")
        for other in ("USE", "UN", None)
    ),
    *(
        Rule({"label": other}, "edited_question", REFUSED, "An edited question goes with Invalid only.")
        for other in ("USE", "UN", None)
    ),
    Rule(
        {"label": "IN", "reason_edits": False},
        "edited_question",
        REFUSED,
        "An edited question needs a reason that allows one.",
    ),
    Rule({"label": "IN", "reason_edits": True}, "edited_question", FILLED, "The edited question is blank."),
)


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """A valid answer for one question, as it is stored: `reason` and `edited_question` are "" for none.

    `reference_id` is the key of the reference that asks for the same, in a matching round.
    """

    label: str | None
    cannot_judge: bool
    reason: str
    comment: str
    edited_question: str
    unsure: bool
    reference_id: int | None = None


def check_question_judgement(codebook: Codebook, answer: Mapping[str, Any]) -> QuestionAnswer:
    """Return the answer as it is stored, or raise RuleError with one message for each wrong field."""
    return check_label_answer(codebook, answer, FIELDS, RULES, tuple(PUBLISHED_LABELS), {})


def check_label_answer(
    codebook: Codebook,
    answer: Mapping[str, Any],
    fields: Mapping[str, str],
    rules: Iterable[Rule],
    labels: Sequence[str],
    wrong: Mapping[str, str],
) -> QuestionAnswer:
    """Return an answer that keeps these rules and has one of these labels; `wrong` is known to be so."""
    values, errors = read_fields(fields, answer)
    errors |= {field: message for field, message in wrong.items() if field not in errors}
    values["label"] = values["label"] or None
    label, reason = values["label"], codebook.reason(values["reason"])
    if label is not None and label not in labels:
        errors.setdefault(
            "label",
            gettext("There is no label %(label)s; choose %(published_labels)s.")
            % {"label": repr(label), "published_labels": ", ".join(labels)},
        )
    if values["reason"] and reason is None:
        known = ", ".join(entry.code for entry in codebook.reasons)
        errors.setdefault(
            "reason",
            gettext("There is no reason %(reason)s; choose %(known)s.")
            % {"reason": repr(values["reason"]), "known": known},
        )
    if "label" not in errors and "cannot_judge" not in errors:
        facts = {**values, "reason_edits": reason is not None and reason.edited_question}
        apply_rules(rules, facts, values, errors)
    if errors:
        raise RuleError(errors)
    return QuestionAnswer(reference_id=values.pop("reference", None), **values)
