"""Two to ten systems against the same split: which are told apart, how methods agree, how diverse."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from scoring.figures.comparison import correlation, kappa_matrix
from scoring.figures.diversity import at_equal_n, cr_diversity, ngram_published, ngram_within
from scoring.figures.figure import FloatArray, forget_draws
from scoring.figures.matching import USEFUL, item_share
from scoring.figures.paired import PairedScores

LEAST, MOST = 2, 10
REPLICATES, SEED = 1000, 1
HUMAN = ("human", "human_reference")

Labels = Mapping[tuple[int, Any, int], str]
"""The label of each question, by run, item and number."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One of the systems.

    key : what it is called in what comes out; score : its figure, as its own evaluation has it
    counts : (runs, items, 2), see PairedScores
    files : what is the same where the same files were scored by two methods
    labels : CQs-Gen: of each method that scored them, by its name
    asked : CQs-Gen: the questions of the first run, each with its label
    """

    key: Any
    score: Mapping[str, Any]
    counts: FloatArray
    files: Any = None
    labels: Mapping[str, Labels] = field(default_factory=dict)
    asked: Sequence[tuple[str, str]] = ()


def compared(
    systems: Sequence[Compared], *, focus: bool, replicates: int = REPLICATES, seed: int = SEED
) -> dict[str, Any]:
    """Return the scores, the difference of each two with a paired interval, and for questions the rest.

    The score of each stands as its own evaluation has it; all draws are the same.
    """
    n = systems[0].counts.shape[1]
    paired = PairedScores([one.counts for one in systems], replicates=replicates, seed=seed)
    pairs = []
    for first, second in combinations(range(len(systems)), 2):
        found = paired.difference(first, second)
        low, high = found["low"], found["high"]
        apart = low is not None and high is not None and not low <= 0 <= high
        ends = {"first": systems[first].key, "second": systems[second].key}
        pairs.append({**ends, **found, "n": n, "told_apart": apart})
    forget_draws()
    told: dict[str, Any] = {
        "focus": focus,
        "systems": [{"evaluation": one.key, **one.score, "n": n} for one in systems],
        "pairs": pairs,
        "replicates": replicates,
        "seed": seed,
    }
    if not focus:
        labels = {one.files: one.labels for one in systems}
        told["methods"] = methods_compared(labels)
        told["correlations"] = correlations(labels, n)
        told["diversity"] = _diversity(systems)
    return told


def methods_compared(labels: Mapping[Any, Mapping[str, Labels]]) -> list[dict[str, Any]]:
    """Return Cohen's kappa of each two methods over the questions that both labelled, whoever asked them."""
    methods = sorted({method for found in labels.values() for method in found})
    pairs = []
    for first, second in combinations(methods, 2):
        both: dict[str, list[str]] = {first: [], second: []}
        for found in labels.values():
            if first in found and second in found:
                for place in sorted(found[first].keys() & found[second].keys()):
                    both[first].append(found[first][place])
                    both[second].append(found[second][place])
        if both[first]:
            (pair,) = kappa_matrix(both)
            pairs.append(
                {
                    "first": first,
                    "second": second,
                    "with_nae": pair.with_nae._asdict(),
                    "without_nae": pair.without_nae._asdict(),
                }
            )
    return pairs


def correlations(labels: Mapping[Any, Mapping[str, Labels]], n_items: int) -> list[dict[str, Any]]:
    """Return how the scores of systems by each method go with those by people, where people scored them."""
    methods = sorted({method for found in labels.values() for method in found})
    human = next((name for name in HUMAN if name in methods), HUMAN[0])
    found = []
    for method in methods:
        if method in HUMAN:
            continue
        both = [one for one in labels.values() if method in one and human in one]
        scores = [[_score(one[name], n_items) for one in both] for name in (human, method)]
        found.append({"method": method, "human": human, **correlation(*scores)._asdict()})
    return found


def _score(labels: Labels, n_items: int) -> float:
    """Return the mean over runs and items; an item without a question counts as 0."""
    by_item: dict[tuple[int, Any], list[str]] = defaultdict(list)
    for (run, item, _), label in labels.items():
        by_item[run, item].append(label)
    shares = [item_share(given) for given in by_item.values()]
    runs = len({run for run, _ in by_item})
    whole = runs * n_items - sum(not weight for _, weight in shares)
    return sum(share for share, _ in shares) / whole if whole > 0 else 0.0


MEASURES: Mapping[str, Callable[[Sequence[str]], float | None]] = {
    "ngram_published": lambda texts: ngram_published(texts).score,
    "ngram_within": lambda texts: ngram_within(texts).score,
    "cr_diversity": cr_diversity,
}


def _diversity(systems: Sequence[Compared]) -> dict[str, Any]:
    """Return how different the questions of first runs are, wherever two sets are compared at equal n.

    Systems among each other at the `n` of the smallest; all against the useful ones at the number of these.
    """
    asked = [[given for given, _ in one.asked] for one in systems]
    useful = [[given for given, label in one.asked if label == USEFUL] for one in systems]
    n = min(map(len, asked))
    return {
        "n": n,
        "seed": SEED,
        "rows": [
            {
                "evaluation": one.key,
                "systems": _measured(mine, n),
                "all": _measured(mine, len(good)),
                "useful": _measured(good, len(good)),
                "questions": len(mine),
                "useful_questions": len(good),
            }
            for one, mine, good in zip(systems, asked, useful, strict=True)
        ],
    }


def _measured(questions: Sequence[str], n: int) -> dict[str, float | None]:
    return {
        name: at_equal_n(questions, n, measure, seed=SEED) if n else None
        for name, measure in MEASURES.items()
    }
