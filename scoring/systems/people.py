"""What people decided in the matching rounds of a release: by item and words, for the methods of people.

See docs/decisions/scoring.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.codebooks.definition import PUBLISHED_LABELS
from annotation.models import Question, QuestionAnnotation, Resolution, Round
from annotation.protocols.matching import MATCHED
from core.canonical_json import sha256_of
from exports.models import Release
from scoring.evaluation.questions import People, words_key
from scoring.figures.people import Outcome, Vote, outcome_of


@dataclass(frozen=True, slots=True)
class Decided:
    """The outcomes of the closed matching rounds of a release, the numbers of these, and their digest."""

    people: People
    rounds: tuple[int, ...] = ()
    digest: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return what is part of an evaluation: which decisions its figures rest on."""
        return {"rounds": list(self.rounds), "digest": self.digest}


@dataclass(slots=True)
class _Of:
    """What is known of one candidate."""

    votes: list[Vote] = field(default_factory=list)
    resolved: Vote | None = None


def read_decided(release: Release) -> Decided | None:
    """Read what people decided about the questions of systems for a release; None without a closed round.

    Votes are those that count in figures: no repeats, nothing after a reopening, nobody who withdrew. A
    resolution wins over them. Where rounds asked the same question, the latest counts.
    """
    rounds = list(
        Round.objects.filter(of_systems__release=release, status=Round.Status.CLOSED).order_by("number")
    )
    if not rounds:
        return None
    people: dict[str, dict[Any, Outcome]] = defaultdict(dict)
    for round in rounds:
        for (item, text), outcome in _outcomes(round).items():
            people[item][words_key(text)] = outcome
    listed = sorted(
        (item, str(key), list(outcome)) for item, found in people.items() for key, outcome in found.items()
    )
    return Decided(dict(people), tuple(round.number for round in rounds), sha256_of(listed))


def outcomes_of_round(round: Round) -> dict[int, Outcome]:
    """Return what was decided of each candidate of a matching round that somebody judged, by its key."""
    found: dict[int, _Of] = defaultdict(_Of)
    votes = QuestionAnnotation.objects.filter(
        assignment__round=round,
        assignment__repeat=False,
        assignment__member__left_out_at__isnull=True,
        after_reopening=False,
        label__isnull=False,
    )
    for question, label, place in votes.values_list("question_id", "label", "reference__place"):
        found[question].votes.append(_vote(label, place))
    resolved = Resolution.objects.filter(question__round_questions__round=round, superseded_at__isnull=True)
    for question, label, place in resolved.values_list("question_id", "label", "reference__place"):
        found[question].resolved = _vote(label, place)
    return {
        question: outcome_of([of.resolved] if of.resolved else of.votes) for question, of in found.items()
    }


def _outcomes(round: Round) -> Mapping[tuple[str, str], Outcome]:
    outcomes = outcomes_of_round(round)
    asked = Question.objects.filter(round_questions__round=round, item__withdrawn_at__isnull=True)
    return {
        (item, text): outcomes[question]
        for question, item, text in asked.values_list("pk", "item__external_id", "text")
        if question in outcomes
    }


def _vote(label: str | None, place: int | None) -> Vote:
    return Vote(place) if label == MATCHED else Vote(None, PUBLISHED_LABELS[label or ""])
