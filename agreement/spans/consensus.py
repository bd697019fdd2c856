"""Consensus of several annotators: spans that support each other, labels, and what needs a person to decide.

Pure functions. An annotator is any sortable value; which value it is never changes a result.

See docs/decisions/spans.md.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import fsum
from typing import Any, Literal

from agreement.spans.similarity import Span, range_overlap
from agreement.spans.tokens import positions

DEFAULT_THRESHOLD = 0.5

Kind = Literal["gold", "disagreement"]


@dataclass(frozen=True, slots=True)
class ConsensusSpan:
    """A span that two or more annotators support (gold), or that one annotator alone chose (disagreement).

    `start` and `end` are code points of the text, half open; `annotators` is sorted, `support` their number.
    """

    start: int
    end: int
    support: int
    kind: Kind
    annotators: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Cluster:
    """Matching spans, in the order of the text, and their annotators; nobody is in a cluster twice."""

    spans: tuple[Span, ...]
    annotators: frozenset[Any]


def consensus_spans(
    text: str, spans: Iterable[tuple[Hashable, int, int]], threshold: float = DEFAULT_THRESHOLD
) -> tuple[ConsensusSpan, ...]:
    """Return the gold and disagreement spans among (annotator, start, end), ordered by start, then end.

    Two spans of different annotators match when the Jaccard index of the token positions they touch is at
    least `threshold` (character positions where the text is counted by characters), and always when their
    offsets are identical. Matching spans are joined by complete-linkage clustering: the best pair of
    clusters first, its linkage being the lowest Jaccard index between them; ties go to the clusters that
    start, then end, first. Spans of one annotator never support each other. A gold span is the member of
    its cluster with the highest mean Jaccard index to the others; ties go to the first in the text, then to
    the shortest.

    Raises ValueError for a threshold outside (0, 1] and for a span outside the text or with start >= end.
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold must be above 0 and at most 1, not {threshold}")
    chosen_by: defaultdict[Span, set[Any]] = defaultdict(set)
    for annotator, start, end in spans:
        if not 0 <= start < end <= len(text):
            raise ValueError(f"span ({start}, {end}) is not inside a text of {len(text)} code points")
        chosen_by[start, end].add(annotator)
    if len(chosen_by) == 1:
        # Most units of a large round: nothing to match, and the text need not be cut into tokens.
        return tuple(_consensus_span(*span, annotators) for span, annotators in chosen_by.items())
    distinct = sorted(chosen_by)
    jaccard = _jaccard_table(text, distinct)
    # Identical offsets always match. Starting from them leaves no two clusters that only a name could order.
    clusters = [_Cluster((span,), frozenset(chosen_by[span])) for span in distinct]
    while (pair := _best_pair(clusters, jaccard, threshold)) is not None:
        a, b = pair
        clusters = [cluster for cluster in clusters if cluster is not a and cluster is not b]
        clusters.append(_Cluster(tuple(sorted(a.spans + b.spans)), a.annotators | b.annotators))
    found = []
    for cluster in clusters:
        found.append(_consensus_span(*_most_central(cluster.spans, chosen_by, jaccard), cluster.annotators))
    return tuple(sorted(found, key=lambda span: (span.start, span.end)))


def _consensus_span(start: int, end: int, chosen_by: Collection[Any]) -> ConsensusSpan:
    kind: Kind = "gold" if len(chosen_by) > 1 else "disagreement"
    return ConsensusSpan(start, end, len(chosen_by), kind, tuple(sorted(chosen_by)))


def _jaccard_table(text: str, spans: Sequence[Span]) -> dict[tuple[Span, Span], tuple[int, int]]:
    """Return the Jaccard index of the positions of each pair of spans, in both orders, as (shared, union)."""
    places = positions(text)
    touched = {span: places.touched(*span) for span in spans}
    table = {(span, span): (1, 1) for span in spans}
    for a, b in combinations(spans, 2):
        if a != b:
            shared = range_overlap(touched[a], touched[b])
            # Two spans without a token share nothing: 0 of 1 rather than 0 of 0.
            union = max(1, len(touched[a]) + len(touched[b]) - shared)
            table[a, b] = table[b, a] = shared, union
    return table


def _best_pair(
    clusters: Sequence[_Cluster], jaccard: dict[tuple[Span, Span], tuple[int, int]], threshold: float
) -> tuple[_Cluster, _Cluster] | None:
    """Return the two clusters to join next, or None when no two may be joined."""
    best, best_rank = None, None
    for pair in combinations(clusters, 2):
        a, b = sorted(pair, key=lambda cluster: cluster.spans)
        if not a.annotators.isdisjoint(b.annotators):
            continue
        # Quotients of numbers below 2**26 are equal or ordered exactly as the fractions are, and 1/10 reaches
        # a threshold written 0.1, which the exact fraction would not.
        shared_and_union = (jaccard[one, other] for one in a.spans for other in b.spans)
        linkage = min(shared / union for shared, union in shared_and_union)
        rank = (-linkage, a.spans, b.spans)
        if linkage >= threshold and (best_rank is None or rank < best_rank):
            best, best_rank = (a, b), rank
    return best


def _most_central(
    spans: Sequence[Span], chosen_by: dict[Span, set[Any]], jaccard: dict[tuple[Span, Span], tuple[int, int]]
) -> Span:
    """Return the span with the highest mean Jaccard index to the other members, each annotator one member."""
    if len(spans) == 1:
        return spans[0]

    def total_jaccard(span: Span) -> Fraction:
        return sum((len(chosen_by[other]) * Fraction(*jaccard[span, other]) for other in spans), Fraction(0))

    # Every member is at 1 from itself, so the totals are in the order of the means over the others.
    return min(spans, key=lambda span: (-total_jaccard(span), span))


@dataclass(frozen=True, slots=True)
class LabelConsensus:
    """The label that more than half of the votes chose, or None.

    `status` is "decided", "single" (there was only one vote, which is the label), "undecided" (no label has
    more than half) or "none" (no votes). `counts` has the votes per label, most votes first.
    """

    label: Hashable | None
    status: Literal["decided", "single", "undecided", "none"]
    counts: tuple[tuple[Hashable, int], ...]


def label_consensus(votes: Iterable[Hashable | None]) -> LabelConsensus:
    """Return the consensus of the votes cast; None stands for a missing judgement and is not a vote."""
    counts = Counter(vote for vote in votes if vote is not None)
    ordered = tuple(sorted(counts.items(), key=lambda entry: (-entry[1], str(entry[0]))))
    if not ordered:
        return LabelConsensus(None, "none", ())
    label, most = ordered[0]
    if counts.total() == 1:
        return LabelConsensus(label, "single", ordered)
    if 2 * most > counts.total():
        return LabelConsensus(label, "decided", ordered)
    return LabelConsensus(None, "undecided", ordered)


def reason_consensus(reasons: Iterable[Hashable | None]) -> LabelConsensus:
    """Return the reason on which all who gave one agree; differing reasons stay open, majority or not."""
    consensus = label_consensus(reasons)
    if len(consensus.counts) > 1:
        return LabelConsensus(None, "undecided", consensus.counts)
    return consensus


@dataclass(frozen=True, slots=True)
class Dispute:
    """Why a unit needs adjudication, and how disputed it is, from 0 to 1."""

    why: Literal["undecided", "no_gold_span", "reason_open"]
    disputed: float


def type_dispute(
    votes: Sequence[bool | None], *, text: str = "", spans: Sequence[ConsensusSpan] | None = None
) -> Dispute | None:
    """Return what a lead has to decide about one type of one text, or None.

    `votes` are "applicable: yes" per annotator, None for missing; `spans` the consensus spans of the unit,
    or None for a type without spans. An undecided vote is disputed by its share of disagreeing pairs; a
    decided yes without a gold span by that share or 1 - mean Jaccard index between its spans, whichever is
    greater (1 where there is only one span).
    """
    consensus = label_consensus(votes)
    disputed = disagreeing_pairs(votes)
    if consensus.status == "undecided":
        return Dispute("undecided", disputed)
    if spans is None or consensus.status != "decided" or not consensus.label:
        return None
    if any(span.kind == "gold" for span in spans):
        return None
    return Dispute("no_gold_span", max(disputed, _span_distance(text, spans)))


def question_dispute(
    votes: Sequence[Hashable | None],
    reasons: Sequence[Hashable | None],
    *,
    label_with_reason: Hashable = "IN",
) -> Dispute | None:
    """Return what a lead has to decide about one question, or None.

    `votes` are labels and `reasons` the reasons beside them, both per annotator, None for missing. A label
    decided by several with differing reasons keeps its label and is disputed by the share of disagreeing
    pairs of reasons.
    """
    consensus = label_consensus(votes)
    disputed = disagreeing_pairs(votes)
    if consensus.status == "undecided":
        return Dispute("undecided", disputed)
    if consensus.label != label_with_reason:
        return None
    given = [reason for vote, reason in zip(votes, reasons, strict=True) if vote == label_with_reason]
    if reason_consensus(given).status != "undecided":
        return None
    return Dispute("reason_open", max(disputed, disagreeing_pairs(given)))


def disagreeing_pairs(votes: Iterable[Hashable | None]) -> float:
    """Return the share of pairs of votes that differ, 1 - p_a of one unit; 0 with fewer than two votes."""
    counts = Counter(vote for vote in votes if vote is not None)
    total = counts.total()
    if total < 2:
        return 0.0
    return 1 - sum(count * (count - 1) for count in counts.values()) / (total * (total - 1))


def _span_distance(text: str, spans: Sequence[ConsensusSpan]) -> float:
    if len(spans) < 2:
        return 1.0
    jaccard = _jaccard_table(text, [(span.start, span.end) for span in spans])
    quotients = [
        shared / union
        for a, b in combinations(spans, 2)
        if a.annotators != b.annotators
        for shared, union in [jaccard[(a.start, a.end), (b.start, b.end)]]
    ]
    return 1 - fsum(quotients) / len(quotients) if quotients else 1.0
