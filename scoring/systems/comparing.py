"""Two to ten evaluations against the same split, side by side: which are told apart, and how methods agree.

Everything is made of stored answers, which never change, so what was found is kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from django.db.models import Count, Q
from django.utils.translation import gettext
from numpy.typing import NDArray

from annotation.models import Project
from core.cache import cached
from core.canonical_json import canonical
from core.errors import NotFound, Refused
from scoring.evaluation.questions import Method
from scoring.figures.comparison import correlation, kappa_matrix
from scoring.figures.diversity import at_equal_n, cr_diversity, ngram_published, ngram_within
from scoring.figures.figure import FloatArray, Resamples
from scoring.figures.matching import QUESTIONS, USEFUL
from scoring.figures.types import NONE
from scoring.models import Answer, Evaluation

LEAST, MOST = 2, 10
REPLICATES, SEED = 1000, 1
HUMAN = ("human", "human_reference")

Verdict = Answer.Verdict
Counts = dict[int, tuple[float, ...]]


def evaluations_chosen(project: Project, keys: Sequence[int]) -> list[Evaluation]:
    """Return the evaluations to compare, in the order of the keys.

    Raises NotFound, and Refused where they are too few, too many, not done or not about the same split.
    """
    rows = (
        Evaluation.objects.filter(submission__system__project=project, pk__in=keys)
        .defer("figures")
        .select_related("submission__system__project", "submission__release")
        .in_bulk()
    )
    chosen = [rows[key] for key in dict.fromkeys(keys) if key in rows]
    if len(chosen) < len(set(keys)):
        raise NotFound(gettext("There is no such evaluation in this project."))
    if not LEAST <= len(chosen) <= MOST:
        raise Refused("not_ready", gettext("Choose two to ten evaluations to compare."))
    if any(one.state != Evaluation.State.DONE for one in chosen):
        raise Refused("not_ready", gettext("Choose evaluations that are done."))
    places = {(one.submission.release_id, one.submission.split, one.scope) for one in chosen}
    if len(places) > 1:
        raise Refused(
            "not_ready",
            gettext("Choose evaluations against the same release and split, in the same scope."),
        )
    return chosen


def comparison(evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    """Return how evaluations that `evaluations_chosen` gave compare."""
    name = "-".join(str(one.pk) for one in evaluations)
    digest = "".join(one.parameters_digest[:4] for one in evaluations)
    # Methods that were done since have their place in the tables too.
    beside = Evaluation.objects.filter(
        submission__in={one.submission_id for one in evaluations}, state=Evaluation.State.DONE
    )
    return cached(
        f"systems-compared-{name}-{digest}-{beside.count()}", lambda: canonical(_compared(evaluations))
    )


def _compared(evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    focus = bool(evaluations[0].scope)
    rows, pairs = _differences(evaluations, _type_counts if focus else _useful, focus=focus)
    found: dict[str, Any] = {"focus": focus, "systems": rows, "pairs": pairs}
    if not focus:
        labels = _labels(evaluations)
        found["methods"] = _methods(labels)
        found["correlations"] = _correlations(labels)
        found["diversity"] = _diversity(evaluations)
    return found


def _differences(
    evaluations: Sequence[Evaluation], counted: Callable[[Evaluation], tuple[Counts, int]], *, focus: bool
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the score of each and the difference of each two, all from the same resamples of the items."""
    counts, sizes = zip(*(counted(one) for one in evaluations), strict=True)
    items = max(sizes)
    width = 3 if focus else 1
    table = np.zeros((items, width * len(counts) + 1))
    table[:, -1] = 1
    # Items of which nothing is known are the same to everybody: they stay zeros at the end.
    for place, position in enumerate(sorted(set().union(*counts))):
        for at, of_items in enumerate(counts):
            table[place, at * width : (at + 1) * width] = of_items.get(position, 0)
    resamples = Resamples(table, replicates=REPLICATES, seed=SEED)

    def score(sums: FloatArray, at: int) -> tuple[FloatArray, NDArray[np.bool_]]:
        if focus:
            tp, fp, fn = (sums[..., at * 3 + place] for place in range(3))
            above, below = 2 * tp, 2 * tp + fp + fn
        else:
            above, below = sums[..., at], sums[..., -1]
        defined = np.asarray(below > 0)
        return np.divide(above, below, out=np.zeros_like(above), where=defined), defined

    rows = []
    for at, one in enumerate(evaluations):
        value, defined = score(resamples.totals[None, :], at)
        low, high = resamples.interval_of(lambda sums, at=at: score(sums, at))  # type: ignore[misc]
        rows.append(
            {
                "evaluation": one.pk,
                "value": float(value[0]) if defined[0] else None,
                "low": low,
                "high": high,
                "n": items,
            }
        )
    pairs = []
    for first, second in combinations(range(len(evaluations)), 2):

        def difference(
            sums: FloatArray, first: int = first, second: int = second
        ) -> tuple[FloatArray, NDArray[np.bool_]]:
            (a, a_defined), (b, b_defined) = score(sums, first), score(sums, second)
            return a - b, a_defined & b_defined

        value, defined = difference(resamples.totals[None, :])
        low, high = resamples.interval_of(difference)
        pairs.append(
            {
                "first": evaluations[first].pk,
                "second": evaluations[second].pk,
                "value": float(value[0]) if defined[0] else None,
                "low": low,
                "high": high,
                "told_apart": low is not None and high is not None and not low <= 0 <= high,
            }
        )
    return rows, pairs


def _type_counts(evaluation: Evaluation) -> tuple[Counts, int]:
    """Return true positives, false positives and false negatives of each item, runs taken together."""
    items = evaluation.items
    none = Q(unit=NONE)
    rows = (
        Answer.objects.filter(evaluation=evaluation)
        .order_by()
        .values("run", "position")
        .annotate(
            hit=Count("pk", filter=Q(label=Verdict.HIT)),
            extra=Count("pk", filter=Q(label=Verdict.EXTRA)),
            missed=Count("pk", filter=Q(label=Verdict.MISSED)),
            undecided=Count("pk", filter=Q(label=Verdict.UNDECIDED)),
            none_hit=Count("pk", filter=Q(label=Verdict.HIT) & none),
            none_extra=Count("pk", filter=Q(label=Verdict.EXTRA) & none),
            none_missed=Count("pk", filter=Q(label=Verdict.MISSED) & none),
        )
    )
    found: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    seen: set[tuple[int, int]] = set()
    for row in rows:
        sums = found[row["position"]]
        if evaluation.scope == "decided":
            values = row["hit"], row["extra"], row["missed"]
        else:
            values = _in_scope_all(row)
        for at, value in enumerate(values):
            sums[at] += value
        seen.add((row["run"], row["position"]))
    if evaluation.scope == "all":
        # An item without a row has no yes, and nothing was answered: None of the Above, rightly.
        runs = evaluation.submission.files.count()
        for position in range(items):
            found[position][0] += sum((run, position) not in seen for run in range(1, runs + 1))
    return {position: tuple(sums) for position, sums in found.items()}, items


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


def _useful(evaluation: Evaluation) -> tuple[Counts, int]:
    """Return the useful questions of each item among its three, the mean over runs."""
    runs = evaluation.submission.files.count() or 1
    rows = Answer.objects.filter(evaluation=evaluation, label=USEFUL).order_by().values_list("position")
    return {
        position: (n / QUESTIONS / runs,) for position, n in rows.annotate(n=Count("pk"))
    }, evaluation.items


Labels = dict[int, dict[str, dict[tuple[int, int, int], str]]]


def _labels(evaluations: Sequence[Evaluation]) -> Labels:
    """Return the labels of each submission by every method that scored it, the newest of each."""
    submissions = list(dict.fromkeys(one.submission_id for one in evaluations))
    newest: dict[tuple[int, str], Evaluation] = {}
    done = Evaluation.objects.filter(submission__in=submissions, state=Evaluation.State.DONE)
    chosen = {one.pk for one in evaluations}
    for one in sorted(done.defer("figures"), key=lambda one: (one.pk in chosen, one.pk)):
        newest[one.submission_id, str(Method(one.method, one.threshold))] = one
    found: Labels = {submission: {} for submission in submissions}
    for (submission, method), one in sorted(newest.items()):
        rows = Answer.objects.filter(evaluation=one).order_by()
        places = rows.values_list("run", "position", "place", "label")
        found[submission][method] = {(run, at, place): label for run, at, place, label in places}
    return found


def _methods(labels: Labels) -> list[dict[str, Any]]:
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


def _correlations(labels: Labels) -> list[dict[str, Any]]:
    """Return how the scores of systems by each method go with those by people, where people scored them."""
    methods = sorted({method for found in labels.values() for method in found})
    human = next((name for name in HUMAN if name in methods), HUMAN[0])
    found = []
    for method in methods:
        if method in HUMAN:
            continue
        both = [one for one in labels.values() if method in one and human in one]
        scores = [[_share(one[name]) for one in both] for name in (human, method)]
        found.append({"method": method, "human": human, **correlation(*scores)._asdict()})
    return found


def _share(labels: Mapping[tuple[int, int, int], str]) -> float:
    return sum(label == USEFUL for label in labels.values()) / len(labels) if labels else 0.0


MEASURES: Mapping[str, Callable[[Sequence[str]], float | None]] = {
    "ngram_published": lambda texts: ngram_published(texts).score,
    "ngram_within": lambda texts: ngram_within(texts).score,
    "cr_diversity": cr_diversity,
}


def _diversity(evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    """Return how different the questions of first runs are, wherever two sets are compared at equal n.

    Systems among each other at the `n` of the smallest; all against the useful ones at the number of these.
    """
    asked, useful = [], []
    for one in evaluations:
        rows = Answer.objects.filter(evaluation=one, run=1).order_by("position", "place")
        pairs = list(rows.values_list("given", "label"))
        asked.append([given for given, _ in pairs])
        useful.append([given for given, label in pairs if label == USEFUL])
    n = min(map(len, asked))
    return {
        "n": n,
        "seed": SEED,
        "rows": [
            {
                "evaluation": one.pk,
                "systems": _measured(mine, n),
                "all": _measured(mine, len(good)),
                "useful": _measured(good, len(good)),
                "questions": len(mine),
                "useful_questions": len(good),
            }
            for one, mine, good in zip(evaluations, asked, useful, strict=True)
        ],
    }


def _measured(questions: Sequence[str], n: int) -> dict[str, float | None]:
    return {
        name: at_equal_n(questions, n, measure, seed=SEED) if n else None
        for name, measure in MEASURES.items()
    }
