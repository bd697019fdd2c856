"""A person's own rounds as the first page and the project's page list them, training before all others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from annotation.models import Membership, Round
from annotation.rounds.progress import MemberProgress, progress_of_round
from annotation.rounds.training import TrainingResult, training_results


@dataclass(frozen=True, slots=True)
class OwnWork:
    """A round of mine and how far I am in it.

    `before` is my unfinished training round that comes before this one; `result` mine of a finished training.
    """

    round: Round
    own: MemberProgress
    before: Round | None = None
    result: TrainingResult | None = None

    @property
    def percent(self) -> int | None:
        """Percent of my answers that are those of the key, rounded down; None but for a finished training."""
        return 100 * self.result.agreed // self.result.total if self.result and self.result.total else None


def own_work(member: Membership, rounds: Iterable[Round]) -> list[OwnWork]:
    """Return those of the rounds that have texts of mine: open ones first, training before all others.

    Open rounds stand in the order of their numbers, closed ones newest first.
    """
    mine = [(round, own) for round in rounds for own in progress_of_round(round, member=member)]
    mine.sort(key=lambda entry: _place(entry[0]))
    training = next(
        (round for round, own in mine if _is_open(round) and _is_training(round) and own.left), None
    )
    return [
        OwnWork(
            round,
            own,
            before=training if _is_open(round) and not _is_training(round) and own.left else None,
            result=_result(round, member) if _is_training(round) and not own.left else None,
        )
        for round, own in mine
    ]


def _place(round: Round) -> tuple[bool, bool, int]:
    if _is_open(round):
        return False, not _is_training(round), round.number
    return True, False, -round.number


def _is_open(round: Round) -> bool:
    return round.status == Round.Status.OPEN


def _is_training(round: Round) -> bool:
    return round.purpose == Round.Purpose.TRAINING


def _result(round: Round, member: Membership) -> TrainingResult | None:
    return next(iter(training_results(round, member=member)), None)
