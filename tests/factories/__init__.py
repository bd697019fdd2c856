"""What tests are made of, in one vocabulary: a study with its people and items, its rounds, its judgements.

With modules of their own: `releases`; closed rounds with their agreement, `reports`; rounds that ask some
types, `asked_rounds`; rows stored without the use cases, `stored`, where a test of figures needs hundreds.
"""

from tests.factories.judgements import (
    NO,
    TYPES,
    UNHELPFUL,
    USEFUL,
    adjudicate,
    invalid,
    judge,
    judge_question,
    judged,
    record,
    yes,
)
from tests.factories.projects import ARGUMENTS, INTERVENTION, QUESTIONS, Study, add_items, study, user
from tests.factories.rounds import (
    assignment_of,
    candidate_of,
    close,
    cqs_study,
    focus_study,
    matching_study,
    open_round,
    reference_of,
)

__all__ = [
    "ARGUMENTS",
    "INTERVENTION",
    "NO",
    "QUESTIONS",
    "TYPES",
    "UNHELPFUL",
    "USEFUL",
    "Study",
    "add_items",
    "adjudicate",
    "assignment_of",
    "candidate_of",
    "close",
    "cqs_study",
    "focus_study",
    "invalid",
    "judge",
    "judge_question",
    "judged",
    "matching_study",
    "open_round",
    "record",
    "reference_of",
    "study",
    "user",
    "yes",
]
