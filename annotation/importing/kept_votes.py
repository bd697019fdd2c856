"""Answers of two parts whose second part cannot be stored: what is left of them when a lead keeps the vote.

A yes without its span, Invalid without its reason, Unhelpful without its comment. Only imported rounds
have them, marked `incomplete`: they count in the figures of labels and in no figure of spans or reasons.
"""

from collections.abc import Collection, Mapping
from typing import Any

from annotation.codebooks.definition import Codebook
from annotation.judging.recording import Answer, Unit
from annotation.protocols.cqs_gen import QuestionAnswer
from annotation.protocols.focus import TypeAnswer
from core.texts import COMMENT, is_blank

_SPAN = {"start", "end", "quote"}


def vote_alone(
    codebook: Codebook, unit: Unit, answer: Mapping[str, Any], wrong: Collection[str]
) -> Answer | None:
    """Return the answer without its second part, or None where something else is wrong with it.

    `wrong` names the fields that break a rule. What the file gave for the lost part goes to the comment.
    """
    comment, unsure = answer.get("comment") or "", bool(answer.get("unsure"))
    if unit.question_id is None:
        asked = codebook.type(unit.type_code)
        yes = answer.get("applicable") is True and not answer.get("cannot_judge")
        if not (yes and asked is not None and asked.span and set(wrong) <= _SPAN):
            return None
        return TypeAnswer(True, False, None, None, None, _with(comment, answer.get("quote")), unsure)
    label, reason = answer.get("label"), answer.get("reason") or ""
    if answer.get("cannot_judge"):
        return None
    if label == "IN" and set(wrong) <= {"reason", "edited_question"}:
        comment = _with(comment, reason)
        return QuestionAnswer("IN", False, "", _with(comment, answer.get("edited_question")), "", unsure)
    if label == "UN" and set(wrong) == {"comment"} and is_blank(comment):
        return QuestionAnswer("UN", False, "", "", "", unsure)
    return None


def _with(comment: str, given: Any) -> str:
    """Return a comment with the words that the file gave behind it, as far as there is room."""
    if not isinstance(given, str) or is_blank(given):
        return comment
    longer = f"{comment}\n“{given}”".strip()
    return longer if len(longer) <= COMMENT else comment
