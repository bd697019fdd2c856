"""What people make of a system's question: the reference it asks the same as, or none and a label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, TypeVar

from scoring.figures.matching import NAE, UNDECIDED, Match

Answer = TypeVar("Answer")


class Vote(NamedTuple):
    """One person's answer: the place of the reference picked, else None and the label given."""

    reference: int | None
    label: str | None = None


class Outcome(NamedTuple):
    """What was decided of a question. `matched` is None where step one is undecided.

    Where it is matched `reference` is the place of the reference; where it is not, `label` is the label, None
    where that is undecided.
    """

    matched: bool | None
    reference: int | None = None
    label: str | None = None


def outcome_of(votes: Sequence[Vote]) -> Outcome:
    """Return what more than half of the votes say: first of step one, then of the labels of who said none.

    >>> outcome_of([Vote(2), Vote(2), Vote(None, "Useful")])
    Outcome(matched=True, reference=2, label=None)
    >>> outcome_of([Vote(2), Vote(None, "Useful"), Vote(None, "Invalid")])
    Outcome(matched=False, reference=None, label=None)
    """
    picked = Counter(vote.reference for vote in votes)
    first = _majority(picked, len(votes))
    if not first:
        return Outcome(None)
    (reference,) = first
    if reference is not None:
        return Outcome(True, reference)
    labels = [vote.label for vote in votes if vote.reference is None]
    (label,) = _majority(Counter(labels), len(labels)) or (None,)
    return Outcome(False, None, label)


def match_by_reference(
    outcome: Outcome | None, labels: Sequence[str], *, left_out: Collection[int] = ()
) -> Match:
    """Return the match of a question by method `human_reference`: matched ones inherit, others are NAE.

    labels : (references,) in file order; left_out : places of references that came from the system itself
    """
    if outcome is None or outcome.matched is None or outcome.reference in left_out:
        return Match(None, None, UNDECIDED)
    if outcome.reference is None:
        return Match(None, None, NAE)
    return Match(outcome.reference, None, labels[outcome.reference])


def match_by_people(
    outcome: Outcome | None, labels: Sequence[str], *, left_out: Collection[int] = ()
) -> Match:
    """Return the match of a question by method `human`: as by reference, others by the people's label."""
    found = match_by_reference(outcome, labels, left_out=left_out)
    if found.label != NAE or outcome is None:
        return found
    return Match(None, None, outcome.label or UNDECIDED)


def _majority(counts: Counter[Answer], n: int) -> tuple[Answer] | None:
    """Return what more than half of n chose, in a tuple of one; None where nothing is."""
    return next(((value,) for value, count in counts.items() if 2 * count > n), None)


def undecided(matches: Iterable[Match]) -> int:
    """Return how many questions are not scored."""
    return sum(match.label == UNDECIDED for match in matches)
