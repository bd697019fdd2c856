"""How long a text that people give may be, and what a name may hold: one source for all who ask.

Use cases and forms refuse with it, and triggers keep it whoever writes.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from core.errors import Refused
from core.texts import COMMENT, QUESTION, direction_problem, length_problem, sentence, text_problem


@dataclass(frozen=True, slots=True)
class Limit:
    """How many characters, code points, a text may have; a name holds no control of the reading direction."""

    characters: int
    is_name: bool = False


_LINE = Limit(200)
_NAME = Limit(200, is_name=True)

LIMITS: Mapping[str, Mapping[str, Limit]] = {
    "project": {
        "slug": Limit(80),
        "name": _NAME,
        "licence": _LINE,
        "languages": _NAME,
        "contact": _LINE,
    },
    "membership": {"pseudonym": Limit(40, is_name=True), "private_name": _NAME, "background": Limit(4_000)},
    "invitation": {"note": _LINE},
    "codebook": {"source": Limit(500_000), "guideline": Limit(100_000)},
    "item": {
        "external_id": _NAME,
        "text": Limit(1_000_000),
        "source": _NAME,
        "licence": _LINE,
        "topic": _NAME,
        "split": Limit(60, is_name=True),
        "withdrawn_reason": Limit(1_000),
    },
    "question": {"text": Limit(QUESTION), "origin": _NAME},
    "matchreference": {"text": Limit(QUESTION)},
    "round": {"name": Limit(120, is_name=True), "content_warning": Limit(2_000)},
    "typeannotation": {"comment": Limit(COMMENT)},
    "questionannotation": {"comment": Limit(COMMENT), "edited_question": Limit(QUESTION)},
    "annotationevent": {"client_event_id": Limit(80)},
    "keyanswer": {"why": Limit(COMMENT)},
    "resolution": {"why": Limit(COMMENT), "edited_question": Limit(QUESTION)},
    "comment": {"text": Limit(COMMENT)},
    "upload": {"name": Limit(255), "origin": _NAME, "round_name": Limit(120, is_name=True)},
}
"""By model and field."""

REOPENING_WHY = Limit(1_000)
"""Of the reason for reopening a round, which stands in the project's log alone."""


def characters(model: str, field: str) -> int:
    """Return how many characters a field takes."""
    return LIMITS[model][field].characters


def unfit(text: str, limit: Limit) -> str | None:
    """Say why a text cannot be stored in a field of this limit, or None when it can."""
    return (
        text_problem(text)
        or (direction_problem(text) if limit.is_name else None)
        or length_problem(text, limit.characters)
    )


def refuse_unfit(limits: Mapping[str, Limit], **given: str) -> None:
    """Refuse texts that are too long or hold what cannot be stored; raises Refused, one message a field."""
    errors = {
        field: sentence(problem) for field, text in given.items() if (problem := unfit(text, limits[field]))
    }
    if errors:
        told = " ".join(f"{field}: {problem}" for field, problem in errors.items())
        raise Refused("invalid", told, errors=errors)
