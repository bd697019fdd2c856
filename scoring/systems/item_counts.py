"""What each item adds to an evaluation's score, from stored answers: for intervals and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from django.db.models import Count, Q
from numpy.typing import NDArray

from scoring.figures.figure import FloatArray, Resamples
from scoring.figures.matching import QUESTIONS, USEFUL
from scoring.figures.types import NONE
from scoring.models import Answer, Evaluation

Verdict = Answer.Verdict
Values = tuple[FloatArray, NDArray[np.bool_]]
"""Values, and where they are defined."""


class Scores:
    """The scores of several evaluations over the same items, all from the same resamples of these.

    The score of an evaluation is the mean over its runs: of micro F1, or of an item's useful questions among
    three. `items` are those that count; of which nothing is stored is the same to everybody.
    """

    def __init__(self, evaluations: Sequence[Evaluation], *, items: int, replicates: int, seed: int) -> None:
        self.is_types = bool(evaluations[0].scope)
        counted = [_counts(one) for one in evaluations]
        runs = [one.submission.files.count() for one in evaluations]
        width = 3 if self.is_types else 1
        self._starts = np.cumsum([0, *(width * n for n in runs)])
        self._runs, self._width = runs, width
        table = np.zeros((items, int(self._starts[-1]) + 1))
        table[:, -1] = 1
        known = sorted({position for rows in counted for _, position in rows})
        places = {position: place for place, position in enumerate(known)}
        for at, rows in enumerate(counted):
            for (run, position), values in rows.items():
                start = self._starts[at] + width * (run - 1)
                table[places[position], start : start + width] = values
            if evaluations[at].scope == "all":
                # An item without a row has no yes, and nothing was answered: None of the Above, rightly.
                for run in range(1, runs[at] + 1):
                    told = {places[position] for of_run, position in rows if of_run == run}
                    silent = [place for place in range(items) if place not in told]
                    table[silent, self._starts[at] + width * (run - 1)] = 1
        self._resamples = Resamples(table, replicates=replicates, seed=seed)

    def figure(self, at: int) -> dict[str, float | None]:
        """Return value and interval of one evaluation."""
        return self._figure(lambda sums: self._score(sums, at))

    def difference(self, first: int, second: int) -> dict[str, float | None]:
        """Return value and paired interval of the difference of two."""

        def values(sums: FloatArray) -> Values:
            (a, a_defined), (b, b_defined) = self._score(sums, first), self._score(sums, second)
            return a - b, a_defined & b_defined

        return self._figure(values, floor=-1.0)

    def standard_error(self, first: int, second: int) -> float:
        """Return the standard error of the paired difference of two, by leaving out each item in turn.

        Of means over the items that is the deviation of the items' differences over the root of their number.
        """
        left = self._resamples.leaving_out_each()
        n = len(left)
        if n < 2:
            return 0.0
        (a, a_defined), (b, b_defined) = self._score(left, first), self._score(left, second)
        differences = (a - b)[a_defined & b_defined]
        return float(np.sqrt((n - 1) / n * np.square(differences - differences.mean()).sum()))

    def _figure(self, values: Callable[[FloatArray], Values], floor: float = 0.0) -> dict[str, float | None]:
        found, defined = values(self._resamples.totals[None, :])
        if not defined[0]:
            return {"value": None, "low": None, "high": None}
        value = float(found[0])
        low, high = self._resamples.interval_of(value, values, floor=floor)
        return {"value": value, "low": low, "high": high}

    def _score(self, sums: FloatArray, at: int) -> Values:
        n = self._runs[at]
        own = sums[:, self._starts[at] : self._starts[at + 1]].reshape(len(sums), n, self._width)
        if self.is_types:
            above = 2 * own[..., 0]
            below = above + own[..., 1] + own[..., 2]
        else:
            above, below = own[..., 0], np.repeat(sums[:, -1:], n, axis=1)
        scores = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
        return np.asarray(scores.mean(axis=1)), np.asarray((below > 0).all(axis=1))


def _counts(evaluation: Evaluation) -> dict[tuple[int, int], tuple[float, ...]]:
    """Return the counts of each run and item: hits, false and missed answers, or the useful share."""
    stored = Answer.objects.filter(evaluation=evaluation).order_by()
    if not evaluation.scope:
        rows = stored.filter(label=USEFUL).values_list("run", "position").annotate(n=Count("pk"))
        return {(run, position): (n / QUESTIONS,) for run, position, n in rows}
    none = Q(unit=NONE)
    counted = stored.values("run", "position").annotate(
        hit=Count("pk", filter=Q(label=Verdict.HIT)),
        extra=Count("pk", filter=Q(label=Verdict.EXTRA)),
        missed=Count("pk", filter=Q(label=Verdict.MISSED)),
        undecided=Count("pk", filter=Q(label=Verdict.UNDECIDED)),
        none_hit=Count("pk", filter=Q(label=Verdict.HIT) & none),
        none_extra=Count("pk", filter=Q(label=Verdict.EXTRA) & none),
        none_missed=Count("pk", filter=Q(label=Verdict.MISSED) & none),
    )
    return {
        (row["run"], row["position"]): (row["hit"], row["extra"], row["missed"])
        if evaluation.scope == "decided"
        else _in_scope_all(row)
        for row in counted
    }


def _in_scope_all(row: Mapping[str, Any]) -> tuple[int, int, int]:
    """Return the counts of an item where what is not decided yes is a no, and None is scored everywhere."""
    hit, extra = row["hit"] - row["none_hit"], row["extra"] - row["none_extra"] + row["undecided"]
    missed = row["missed"] - row["none_missed"]
    is_none, says_none = not hit + missed, not hit + extra
    return (
        hit + (is_none and says_none),
        extra + (says_none and not is_none),
        missed + (is_none and not says_none),
    )
