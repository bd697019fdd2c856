"""CQs-Gen: a generated question has the label of the reference it is nearest to, if that is near enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from scoring.figures.figure import NO_ITEMS, NOTHING_HANDED_IN, Figure, Resamples

USEFUL, UNHELPFUL, INVALID = "Useful", "Unhelpful", "Invalid"
NAE = "not_able_to_evaluate"
UNDECIDED = "undecided"
"""Of a question about which people have not decided: it is not scored."""
JUDGE_UNUSABLE = "judge_unusable"
"""A question whose judge gave no answer that can be used: no label of the question, and not NAE."""

LABELS = (USEFUL, UNHELPFUL, INVALID)
QUESTIONS = 3
"""So many questions are asked for each intervention."""

THRESHOLDS = {"sts": 0.65, "chrf": 40.0}
_SHARES = ("0", "1/3", "2/3", "1")


class Match(NamedTuple):
    """The best reference of a question, by its place among the references; near enough or not.

    There is no label where what a judge said could not be used.
    """

    reference: int | None
    similarity: float | None
    label: str | None


def match_questions(
    similarities: ArrayLike,
    labels: Sequence[str],
    *,
    threshold: float,
    origins: Sequence[str] | None = None,
    system: str | None = None,
) -> list[Match]:
    """Label the questions of one item by its references.

    similarities : (questions, references) in file order; labels : (references,)
    origins : (references,), who wrote each; those of this `system` are left out

    The best is the first with the highest similarity; its label counts where that is above the threshold,
    and not where it is equal. Without a reference nothing can be evaluated.

    >>> match_questions([[0.9, 0.2], [0.65, 0.1]], ["Useful", "Invalid"], threshold=0.65)[1].label
    'not_able_to_evaluate'
    """
    table = np.asarray(similarities, dtype=np.float64)
    if not len(labels):
        return [Match(None, None, NAE) for _ in range(len(table))]
    if table.ndim != 2 or table.shape[1] != len(labels):
        raise ValueError(f"Similarities are (questions, references); there are {len(labels)} references.")
    allowed = np.array(
        [not (system is not None and origin == system) for origin in origins or [""] * len(labels)]
    )
    if not allowed.any():
        return [Match(None, None, NAE) for _ in range(len(table))]
    found = []
    for row in table:
        best = int(np.argmax(np.where(allowed, row, -np.inf)))
        near = bool(row[best] > threshold)
        found.append(Match(best, float(row[best]), labels[best] if near else NAE))
    return found


def item_share(labels: Sequence[str | None]) -> tuple[float, float]:
    """Return what an item adds to the score and to the number of items: its share of useful questions, and 1.

    A question that is undecided is not scored; an item with no other adds nothing to either.
    """
    scored = QUESTIONS - labels.count(UNDECIDED)
    return (labels.count(USEFUL) / scored, 1.0) if scored else (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class QuestionScores:
    """What a system's questions are worth. `nae` counts questions, `nae_share` is of those submitted."""

    score: Figure
    nae: int
    nae_share: Figure
    labels: Mapping[str, int]
    distribution: Mapping[str, int]
    handed_in: int
    missing_questions: int
    missing_items: int

    def to_json(self) -> dict[str, Any]:
        return {
            "score": self.score.to_json(),
            "nae": self.nae,
            "nae_share": self.nae_share.to_json(),
            "labels": dict(self.labels),
            "distribution": dict(self.distribution),
            "handed_in": self.handed_in,
            "missing_questions": self.missing_questions,
            "missing_items": self.missing_items,
        }


def question_scores(
    labels: Mapping[str, Sequence[str | None]],
    items: Sequence[str],
    *,
    replicates: int = 1000,
    seed: int | Sequence[int] = 1,
) -> QuestionScores:
    """Score the labels of a system's questions.

    labels : of each item the labels of the questions submitted, None where a judge's answer was not usable
    items : the items of the split that have references; the mean is over all of them

    A question that is missing, not evaluated or not usable is not useful. One that is undecided is not
    scored: an item's score is over its other two, and an item with no other is not in the mean. Raises
    ValueError for an item that is not in the split and for more than three questions.
    """
    known = set(items)
    for item, given in labels.items():
        if item not in known:
            raise ValueError(f"There is no item {item!r} in this split.")
        if len(given) > QUESTIONS:
            raise ValueError(f"{item}: {len(given)} questions where {QUESTIONS} are asked for.")
    rows = np.zeros((len(items), 4))
    for at, item in enumerate(sorted(items)):
        given = list(labels.get(item, ()))
        rows[at] = *item_share(given), given.count(NAE), len(given)
    resamples = Resamples(rows, replicates=replicates, seed=seed)
    counted = Counter(label for given in labels.values() for label in given if label is not None)
    handed_in = int(resamples.totals[3])
    whole = [at for at, item in enumerate(sorted(items)) if UNDECIDED not in labels.get(item, ())]
    useful = np.rint(rows[whole, 0] * QUESTIONS).astype(int)
    return QuestionScores(
        score=resamples.figure(lambda s: (s[..., 0], s[..., 1]), n=int(resamples.totals[1]), reason=NO_ITEMS),
        nae=int(resamples.totals[2]),
        nae_share=resamples.figure(lambda s: (s[..., 2], s[..., 3]), n=handed_in, reason=NOTHING_HANDED_IN),
        labels={label: counted[label] for label in (*LABELS, NAE)},
        distribution={share: int((useful == at).sum()) for at, share in enumerate(_SHARES)},
        handed_in=handed_in,
        missing_questions=QUESTIONS * len(items) - handed_in,
        missing_items=sum(not labels.get(item) for item in items),
    )
