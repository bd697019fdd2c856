"""Two to ten evaluations against the same split, side by side: which are told apart, and how methods agree.

Everything is made of stored answers, which never change, so what was found is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from django.utils.translation import gettext

from annotation.models import Project
from core.cache import cached
from core.canonical_json import canonical
from core.errors import NotFound, Refused
from scoring.evaluation.questions import Method
from scoring.figures.comparison import correlation, kappa_matrix
from scoring.figures.diversity import at_equal_n, cr_diversity, ngram_published, ngram_within
from scoring.figures.matching import USEFUL
from scoring.models import Answer, Evaluation
from scoring.systems.item_counts import Scores

LEAST, MOST = 2, 10
REPLICATES, SEED = 1000, 1
HUMAN = ("human", "human_reference")


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
    rows, pairs = _differences(evaluations)
    found: dict[str, Any] = {"focus": focus, "systems": rows, "pairs": pairs}
    if not focus:
        labels = _labels(evaluations)
        found["methods"] = _methods(labels)
        found["correlations"] = _correlations(labels)
        found["diversity"] = _diversity(evaluations)
    return found


def _differences(evaluations: Sequence[Evaluation]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the score of each and the difference of each two, all from the same resamples of the items."""
    n = max(one.items for one in evaluations)
    scores = Scores(evaluations, items=n, replicates=REPLICATES, seed=SEED)
    rows = [{"evaluation": one.pk, **scores.figure(at), "n": n} for at, one in enumerate(evaluations)]
    pairs = []
    for first, second in combinations(range(len(evaluations)), 2):
        found = scores.difference(first, second)
        low, high = found["low"], found["high"]
        apart = low is not None and high is not None and not low <= 0 <= high
        ends = {"first": evaluations[first].pk, "second": evaluations[second].pk}
        pairs.append({**ends, **found, "told_apart": apart})
    return rows, pairs


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
