"""CQs-Gen: what other thresholds would have given, so that one can be chosen and the choice shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from scoring.figures.comparison import Kappa, kappa_of
from scoring.figures.matching import NAE

GRIDS: dict[str, tuple[float, ...]] = {
    "chrf": tuple(float(percent) for percent in range(0, 100, 5)),
    "sts": tuple(round(at / 20, 2) for at in range(20)),
}
"""The thresholds of the table for each similarity."""


class Nearest(NamedTuple):
    """The best reference of a question: how similar it is, and its label; None where there is none."""

    similarity: float | None
    label: str | None


class Threshold(NamedTuple):
    """One row: the share of questions that could not be evaluated, and kappa with people's own labels.

    The kappas are over the questions that people labelled: with NAE as a label, and without such questions.
    """

    threshold: float
    n: int
    nae: int
    with_nae: Kappa
    without_nae: Kappa

    def to_json(self) -> dict[str, Any]:
        return {
            "threshold": self.threshold,
            "n": self.n,
            "nae": self.nae,
            "nae_share": self.nae / self.n if self.n else None,
            "kappa": self.with_nae._asdict(),
            "kappa_without_nae": self.without_nae._asdict(),
        }


def threshold_table(
    nearest: Sequence[Nearest], human: Sequence[str | None], grid: Sequence[float]
) -> list[Threshold]:
    """Return a row for each threshold; human labels of the same questions, None where people gave none.

    >>> nearest = [Nearest(0.9, "Useful"), Nearest(0.4, "Invalid")]
    >>> [row.nae for row in threshold_table(nearest, ["Useful", None], [0.3, 0.5])]
    [0, 1]
    """
    rows = []
    for threshold in grid:
        labels = [
            one.label
            if one.label is not None and one.similarity is not None and one.similarity > threshold
            else NAE
            for one in nearest
        ]
        pairs = [(a, b) for a, b in zip(labels, human, strict=True) if b is not None]
        found = [pair for pair in pairs if pair[0] != NAE]
        with_nae, without = (kappa_of([a for a, _ in some], [b for _, b in some]) for some in (pairs, found))
        rows.append(Threshold(threshold, len(labels), labels.count(NAE), with_nae, without))
    return rows
