"""The rules of one matching: a reference that asks the same as the question, or none and then a label.

Step one is stored in the column of the label: MATCHED with the reference. Any other label says none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django.utils.translation import gettext

from annotation.codebooks.definition import PUBLISHED_LABELS, Codebook
from annotation.protocols import cqs_gen
from annotation.protocols.cqs_gen import QuestionAnswer, check_label_answer
from annotation.protocols.rules import NEEDED, OFFSET, REFUSED, Rule

MATCHED = "REF"

FIELDS = {**cqs_gen.FIELDS, "reference": OFFSET}

RULES = (
    Rule(
        {"label": None, "cannot_judge": False},
        "label",
        NEEDED,
        "Pick the reference that asks for the same, or none of them and a label.",
    ),
    *(rule for rule in cqs_gen.RULES if rule.when != {"label": None, "cannot_judge": False}),
    Rule({"label": MATCHED}, "reference", NEEDED, "Pick the reference that asks for the same."),
    Rule({"label": MATCHED}, "reason", REFUSED, "A reason goes with Invalid only."),
    Rule({"label": MATCHED}, "edited_question", REFUSED, "An edited question goes with Invalid only."),
    *(
        Rule({"label": other}, "reference", REFUSED, "A label goes without a reference.")
        for other in (*PUBLISHED_LABELS, None)
    ),
)


def check_matching_judgement(
    codebook: Codebook, answer: Mapping[str, Any], references: Collection[int]
) -> QuestionAnswer:
    """Return the answer as it is stored, or raise RuleError with one message for each wrong field.

    references: the keys of those that are offered for the question.
    """
    wrong = {}
    if answer.get("reference") is not None and answer["reference"] not in references:
        wrong["reference"] = gettext("This reference is not offered for this question. Reload the page.")
    return check_label_answer(codebook, answer, FIELDS, RULES, (*PUBLISHED_LABELS, MATCHED), wrong)
