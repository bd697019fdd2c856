"""A training round ready to be shown to its lead: how far its key is, and how its annotators did."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from annotation.codebooks.definition import PUBLISHED_LABELS
from annotation.codebooks.definition import Codebook as Definition
from annotation.models import KeyAnswer, Membership, Round
from annotation.rounds.asked_types import asked_units
from annotation.rounds.training import TrainingResult, UnitScore, missing_key, training_results
from annotation.training.key import decided_units

ITEMS_NAMED = 5
"""Items without an answer that are named."""

TYPES_NAMED = 3
"""Types far from the key that an annotator's row names."""


@dataclass(frozen=True, slots=True)
class KeyState:
    """How far the key of a training round is, and how many decided units could give it answers."""

    units: int
    missing: int
    items: tuple[str, ...]
    decided: int

    @property
    def answered(self) -> int:
        return self.units - self.missing

    @property
    def named(self) -> str:
        """The first items that miss an answer."""
        shown = ", ".join(self.items[:ITEMS_NAMED])
        return shown if len(self.items) <= ITEMS_NAMED else gettext("%(items)s and others") % {"items": shown}


@dataclass(frozen=True, slots=True)
class Score:
    """Answers that agree with the key, of one annotator or of all, over all units or those of one type."""

    code: str
    name: str
    answered: int
    agreed: int
    total: int

    @property
    def percent(self) -> int | None:
        """Percent of the answers so far that agree, rounded down, so that 89.6 does not look like a 90."""
        return 100 * self.agreed // self.answered if self.answered else None


@dataclass(frozen=True, slots=True)
class Row:
    """One annotator of a training round: all answers together, the types that went worst, the outcome."""

    member: Membership
    all: Score
    worst: tuple[Score, ...]
    outcome: str


def key_state(round: Round) -> KeyState:
    """Return how far the key of a training round is."""
    n_missing, items = missing_key(round)
    return KeyState(asked_units(round), n_missing, tuple(items), decided_units(round).count())


def key_answer_words(answer: KeyAnswer) -> str:
    """Return a key's answer as people say it: yes, no, Useful, Invalid (NC)."""
    if answer.question_id is None:
        return "yes" if answer.applicable else "no"
    label = PUBLISHED_LABELS[answer.label]
    return f"{label} ({answer.reason})" if answer.reason else label


def training_rows(results: Iterable[TrainingResult], names: dict[str, str]) -> list[Row]:
    """Return a row for each annotator."""
    return [
        Row(
            result.member,
            Score("", "", result.answered, result.agreed, result.total),
            tuple(one for one in _worst_first(result.scores, names) if one.agreed < one.answered)[
                :TYPES_NAMED
            ],
            _outcome(result),
        )
        for result in results
    ]


def types_worst_first(results: Iterable[TrainingResult], names: dict[str, str]) -> list[Score]:
    """Return all annotators' answers to each type together, the type furthest from the key first."""
    sums: dict[str, Counter[str]] = {}
    for result in results:
        for score in result.scores:
            counted = sums.setdefault(score.code, Counter())
            counted.update(answered=score.answered, agreed=score.agreed, total=score.total)
    scores = [UnitScore(code, n["answered"], n["agreed"], n["total"]) for code, n in sums.items() if code]
    return _worst_first(scores, names)


def training_context(round: Round) -> dict[str, Any]:
    """Return what the page of a training round shows besides; nothing for other rounds."""
    if round.purpose != Round.Purpose.TRAINING:
        return {}
    if round.status == Round.Status.DRAFT:
        return {"key": key_state(round)}
    results = training_results(round)
    names = {one.code: one.name for one in Definition.from_json(round.codebook.definition).types}
    return {"training": training_rows(results, names), "training_types": types_worst_first(results, names)}


def _worst_first(scores: Iterable[UnitScore], names: dict[str, str]) -> list[Score]:
    """Order by the share that agrees; types without an answer stand last."""
    shown = [Score(one.code, names.get(one.code, ""), one.answered, one.agreed, one.total) for one in scores]
    return sorted(
        shown, key=lambda one: (not one.answered, one.agreed / one.answered if one.answered else 0, one.code)
    )


def _outcome(result: TrainingResult) -> str:
    if result.answered < result.total or not result.total:
        return "not finished"
    return {True: "passed", False: "not passed", None: "finished"}[result.passed]
