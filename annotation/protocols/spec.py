"""What the browser needs to know of a protocol: the codebook and the very rules the server applies."""

from __future__ import annotations

from typing import Any

from annotation.codebooks.definition import FOCUS, Codebook
from annotation.protocols import cqs_gen, focus, matching
from annotation.protocols.rules import LENGTHS
from core.texts import BLANK_CHARACTERS


def spec_for_browser(codebook: Codebook, *, matches: bool = False) -> dict[str, Any]:
    """Return plain JSON: the codebook's definition, and under `answer` what an answer may be.

    `answer.fields` maps each field of an answer to its kind, `answer.lengths` a text that people write to the
    most characters (code points) that it may have. Each of `answer.rules` is {when, field,
    presence, message}: when every fact equals `when`, the field is "needed" (given and not blank), "refused"
    (null or empty) or "filled" (not blank if given). Facts are the answer's fields, `span` of the type and
    `reason_edits` (`edited_question` of the reason, false without one). `matches`: of a matching round.
    """
    of_questions = matching if matches else cqs_gen
    protocol = focus if codebook.protocol == FOCUS else of_questions
    definition = codebook.to_json()
    del definition["languages"]
    return {
        **definition,
        "answer": {
            "fields": dict(protocol.FIELDS),
            "rules": [rule.to_json() for rule in protocol.RULES],
            "lengths": {name: limit for name, limit in LENGTHS.items() if name in protocol.FIELDS},
            "blank_characters": BLANK_CHARACTERS,
        },
    }
