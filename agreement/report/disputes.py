"""Which units the annotators were not of one mind about, and what an adjudicator has to decide.

The rules are those of `agreement.spans.consensus`; here only the units that can be disputed are handed to
them.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any

import numpy as np

from agreement.report.judgements import NO, YES, Columns, RoundJudgements
from agreement.report.label_figures import consensus_of
from agreement.report.sections import INVALID
from agreement.spans.consensus import (
    ConsensusSpan,
    Dispute,
    disagreeing_pairs,
    question_dispute,
    type_dispute,
)


def type_disputes(
    judgements: RoundJudgements,
    index: int,
    marked: dict[int, tuple[str, tuple[ConsensusSpan, ...]]],
) -> list[dict[str, Any]]:
    """Return the disputed units of one type as rows of DisputedUnit.

    marked: for items whose decided yes has no gold span, the text and the consensus spans.
    """
    kind = judgements.types[index]
    ratings = judgements.ratings(index)
    yes, no = (ratings == YES).sum(axis=1), (ratings == NO).sum(axis=1)
    split = (yes > 0) & (no > 0)
    rows = []
    for item in sorted(set(np.flatnonzero(split).tolist()) | set(marked)):
        counts = int(yes[item]), int(no[item])
        text, spans = marked.get(item, ("", None))
        # A split vote has the same dispute whatever the spans, and most units have one of a few votes.
        dispute = _undecided(*counts) or type_dispute(_votes(*counts), text=text, spans=spans)
        if dispute is None and not split[item]:
            continue
        rows.append(
            {
                "item_id": int(judgements.items.ids[item]),
                "type_code": kind.code,
                "why": dispute.why if dispute else "",
                "disputed": float(dispute.disputed if dispute else disagreeing_pairs(_votes(*counts))),
                "votes": _counted("yes" if vote else "no" for vote in _votes(*counts)),
            }
        )
    return rows


def _votes(yes: int, no: int) -> list[bool]:
    return [True] * yes + [False] * no


@lru_cache
def _undecided(yes: int, no: int) -> Dispute | None:
    """Return the dispute of a type that is open whatever its spans are."""
    return type_dispute(_votes(yes, no))


def question_disputes(judgements: RoundJudgements) -> list[dict[str, Any]]:
    """Return the disputed questions as rows of DisputedUnit."""
    columns = judgements.columns
    consensus = consensus_of(judgements.label_ratings(), len(judgements.categories))
    several = np.flatnonzero(consensus.votes > 1)
    rows = []
    for unit in several.tolist():
        labels, reasons = _answers(judgements, columns, unit)
        dispute = question_dispute(labels, reasons, label_with_reason=INVALID)
        if dispute is None and consensus.unanimous[unit]:
            continue
        rows.append(
            {
                "item_id": int(judgements.items.ids[judgements.unit_item[unit]]),
                "question_id": int(judgements.question_ids[unit]),
                "why": dispute.why if dispute else "",
                "disputed": float(dispute.disputed if dispute else disagreeing_pairs(labels)),
                "votes": _counted(
                    f"{label} ({reason})" if reason else label
                    for label, reason in zip(labels, reasons, strict=True)
                ),
            }
        )
    return rows


def _answers(judgements: RoundJudgements, columns: Columns, unit: int) -> tuple[list[str], list[str | None]]:
    low, high = np.searchsorted(columns.unit, [unit, unit + 1])
    answered = [row for row in range(low, high) if columns.value[row] >= 0]
    labels = [judgements.categories[columns.value[row]] for row in answered]
    reasons = [
        judgements.reasons[columns.reason[row]] if columns.reason[row] >= 0 else None for row in answered
    ]
    return labels, reasons


def _counted(answers: Any) -> list[list[Any]]:
    """Return [answer, number] pairs, most votes first."""
    return [list(pair) for pair in sorted(Counter(answers).items(), key=lambda pair: (-pair[1], pair[0]))]
