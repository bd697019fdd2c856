"""What each item adds to an evaluation's score, from stored answers: for intervals and comparisons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from django.db.models import Count, Q

from scoring.evaluation.references import Benchmark
from scoring.figures.figure import FloatArray
from scoring.figures.matching import item_share
from scoring.figures.types import NONE
from scoring.models import Answer, Evaluation

Verdict = Answer.Verdict


def scored_positions(benchmark: Benchmark) -> list[int]:
    """Return the places in the split of the items that count, in the order of their ids.

    CQs-Gen: those that have a reference.
    """
    places = {item: at for at, item in enumerate(benchmark.items)}
    counting = (
        benchmark.items
        if benchmark.is_focus
        else [item for item, found in benchmark.interventions.items() if found.questions]
    )
    return [places[item] for item in sorted(counting)]


def item_table(evaluation: Evaluation, positions: Sequence[int]) -> FloatArray:
    """Return what each item adds to the score of each run, (runs, items, 2) as PairedScores has them."""
    table = np.zeros((evaluation.submission.files.count(), len(positions), 2))
    if not evaluation.scope:
        table[..., 1] = 1  # nothing handed in is not useful
    elif evaluation.scope == "all":
        table[:] = 2  # no yes, and nothing was answered: None of the Above, rightly
    places = {position: place for place, position in enumerate(positions)}
    counted = _type_counts(evaluation) if evaluation.scope else _question_counts(evaluation)
    for (run, position), values in counted.items():
        if position in places:
            table[run - 1, places[position]] = values
    return table


def _question_counts(evaluation: Evaluation) -> dict[tuple[int, int], tuple[float, float]]:
    labels: dict[tuple[int, int], list[str]] = defaultdict(list)
    rows = Answer.objects.filter(evaluation=evaluation).order_by()
    for run, position, label in rows.values_list("run", "position", "label"):
        labels[run, position].append(label)
    return {place: item_share(given) for place, given in labels.items()}


def _type_counts(evaluation: Evaluation) -> dict[tuple[int, int], tuple[float, float]]:
    none = Q(unit=NONE)
    counted = (
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
    found = {}
    for row in counted:
        decided = evaluation.scope == "decided"
        hit, extra, missed = (row["hit"], row["extra"], row["missed"]) if decided else _in_scope_all(row)
        found[row["run"], row["position"]] = (2.0 * hit, 2.0 * hit + extra + missed)
    return found


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
