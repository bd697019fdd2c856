"""From the judgements of one unit, and its resolution if there is one, to the decided answer. Pure.

See docs/decisions/releases.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple, cast

from agreement.spans.consensus import consensus_spans, label_consensus, reason_consensus
from agreement.spans.similarity import token_jaccard


class Judgement(NamedTuple):
    """One stored answer. `unit` is a type's code or a question's key; `answer` is None for "cannot judge"."""

    item: int
    unit: str | int
    round: int
    annotator: int
    answer: bool | str | None
    cannot_judge: bool
    comment: str
    unsure: bool
    active_seconds: int | None
    after_reopening: bool
    decided_at: datetime | None
    start: int | None
    end: int | None
    quote: str | None
    reason: str
    edited_question: str
    incomplete: bool = False


class Resolved(NamedTuple):
    """The current resolution of a unit; `answer` is applicable or the label, `spans` pairs of offsets."""

    item: int
    unit: str | int
    answer: bool | str
    spans: Sequence[Sequence[int]]
    reason: str
    edited_question: str
    source: str


class DecidedSpan(NamedTuple):
    """A gold or disagreement span with the number of annotators who chose it."""

    start: int
    end: int
    support: int


class FinalType(NamedTuple):
    """What was decided about one type of one text; `applicable` is None where there is no majority."""

    applicable: bool | None
    yes: int
    no: int
    gold: tuple[DecidedSpan, ...]
    disagreement: tuple[DecidedSpan, ...]
    adjudicated: bool


UNJUDGED = FinalType(None, 0, 0, (), (), adjudicated=False)
"""The decision about a type that nobody has judged."""


@dataclass(frozen=True, slots=True)
class FinalLabel:
    """What was decided about one question; `label` is None where there is no majority.

    `edits` are the edited questions on offer: the lead's alone where a resolution decides, else each one that
    the annotators behind the decided label wrote. `resolved` is the source of the resolution or empty.
    """

    label: str | None
    reason: str
    votes: tuple[tuple[str, int], ...]
    edits: tuple[str, ...]
    resolved: str

    @property
    def edit(self) -> str:
        """The edited question that may replace this one; empty while a lead has to pick or to decide why."""
        return self.edits[0] if len(self.edits) == 1 and (self.reason or self.resolved) else ""


def latest(judgements: Sequence[Judgement], round_numbers: dict[int, int]) -> list[bool]:
    """Mark for each judgement whether it is its annotator's latest of the unit: that of the highest round."""
    newest: dict[tuple[str | int, int], int] = {}
    for judgement in judgements:
        key = judgement.unit, judgement.annotator
        newest[key] = max(round_numbers[judgement.round], newest.get(key, 0))
    return [
        newest[judgement.unit, judgement.annotator] == round_numbers[judgement.round]
        for judgement in judgements
    ]


def final_type(
    text: str,
    judgements: Sequence[Judgement],
    resolved: Resolved | None,
    *,
    jaccard: float,
    adjudicated_only: bool = False,
) -> FinalType:
    """Decide one type of a text from the latest answer of each annotator.

    Spans are grouped from the spans alone, whatever the votes say. A resolution replaces the answer and the
    gold spans: the support of its span counts the annotators whose group of spans matches it, and a group
    that matches none stays as a disagreement span, so that the supports sum to the spans that were chosen.
    """
    yes = sum(judgement.answer is True for judgement in judgements)
    chosen = [
        (judgement.annotator, judgement.start, judgement.end)
        for judgement in judgements
        if judgement.start is not None and judgement.end is not None
    ]
    groups = _groups(text, chosen, jaccard)
    votes = yes, len(judgements) - yes
    if not groups and resolved is None:
        return _decided_without_spans(*votes, adjudicated_only)
    if resolved is not None:
        gold, rest = _against_resolution(text, resolved.spans, groups, jaccard)
        return FinalType(bool(resolved.answer), *votes, gold, rest, resolved.source == "adjudicated")
    gold = tuple(group for group in groups if group.support > 1)
    alone = tuple(group for group in groups if group.support == 1)
    return _decided_without_spans(*votes, adjudicated_only)._replace(gold=gold, disagreement=alone)


def final_label(
    judgements: Sequence[Judgement], resolved: Resolved | None, *, adjudicated_only: bool = False
) -> FinalLabel:
    """Decide one question from the latest answer of each annotator; a resolution wins."""
    votes = Counter(str(judgement.answer) for judgement in judgements)
    counted = tuple(sorted(votes.items()))
    if resolved is not None:
        edits: tuple[str, ...] = (resolved.edited_question,) if resolved.edited_question else ()
        return FinalLabel(str(resolved.answer), resolved.reason, counted, edits, resolved.source)
    label = None
    if not adjudicated_only:
        label = cast("str | None", label_consensus(judgement.answer for judgement in judgements).label)
    behind = [judgement for judgement in judgements if judgement.answer == label]
    reason = cast("str | None", reason_consensus(judgement.reason or None for judgement in behind).label)
    edits = tuple(sorted({judgement.edited_question for judgement in behind} - {""}))
    return FinalLabel(label, reason or "", counted, edits, "")


@lru_cache(maxsize=4096)
def _decided_without_spans(yes: int, no: int, adjudicated_only: bool) -> FinalType:
    majority = None if adjudicated_only else label_consensus([True] * yes + [False] * no).label
    return FinalType(cast("bool | None", majority), yes, no, (), (), adjudicated=False)


def _groups(text: str, chosen: list[tuple[int, int, int]], jaccard: float) -> list[DecidedSpan]:
    if len(chosen) < 2:
        return [DecidedSpan(start, end, 1) for _, start, end in chosen]
    return [
        DecidedSpan(group.start, group.end, group.support) for group in consensus_spans(text, chosen, jaccard)
    ]


def _against_resolution(
    text: str, spans: Sequence[Sequence[int]], groups: list[DecidedSpan], jaccard: float
) -> tuple[tuple[DecidedSpan, ...], tuple[DecidedSpan, ...]]:
    gold = sorted({(start, end) for start, end in spans})
    support = dict.fromkeys(gold, 0)
    rest = []
    for group in groups:
        likeness = {span: _likeness(text, span, (group.start, group.end)) for span in gold}
        best = max(gold, key=lambda span: (likeness[span], [-edge for edge in span]), default=None)
        if best is not None and likeness[best] >= jaccard:
            support[best] += group.support
        else:
            rest.append(group)
    return tuple(DecidedSpan(*span, support[span]) for span in gold), tuple(rest)


def _likeness(text: str, a: tuple[int, int], b: tuple[int, int]) -> float:
    # Spans without a token, an emoji say, have no Jaccard index of tokens: only the very same ones match.
    return 1.0 if a == b else token_jaccard(text, a, b).value or 0.0
