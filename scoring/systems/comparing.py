"""Two to ten evaluations against the same split, side by side: which are told apart, and how methods agree.

A worker compares them, since it counts every answer; evaluations never change, so what was found is stored.

See docs/decisions/scoring.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext

from annotation.models import Project
from core.canonical_json import canonical, sha256_of
from core.errors import NotFound, Refused
from core.stored_files import read_stored_json, store_json
from scoring.evaluation.comparing import LEAST, MOST, Compared, Labels, compared
from scoring.evaluation.evaluate import ENGINE_VERSION
from scoring.evaluation.questions import Method
from scoring.models import Answer, Evaluation
from scoring.systems.item_counts import item_table, scored_positions
from scoring.systems.submissions import benchmark_opened

MOST_KEY = 2**63 - 1
"""The highest that a database keeps."""


def evaluations_chosen(project: Project, keys: Sequence[int]) -> list[Evaluation]:
    """Return the evaluations to compare, in the order of the keys.

    Raises NotFound, and Refused where they are too few, too many, not done or not about the same split.
    """
    possible = [key for key in keys if key <= MOST_KEY]
    rows = (
        Evaluation.objects.filter(submission__system__project=project, pk__in=possible)
        .defer("figures")
        .select_related("submission__system__project", "submission__release__project")
        .in_bulk()
    )
    chosen = [rows[key] for key in dict.fromkeys(keys) if key in rows]
    if len(chosen) < len(set(keys)):
        raise NotFound(gettext("There is no such evaluation in this project."))
    if not LEAST <= len(chosen) <= MOST:
        raise Refused("not_ready", gettext("Choose two to ten evaluations to compare."))
    if any(one.state != Evaluation.State.DONE for one in chosen):
        raise Refused("not_ready", gettext("Choose evaluations that are done."))
    if any(one.submission.release.taken_down_at for one in chosen):
        raise Refused(
            "not_ready",
            gettext(
                "The files of this release were deleted, since a text was erased: nothing can be compared."
            ),
        )
    places = {(one.submission.release_id, one.submission.split, one.scope) for one in chosen}
    if len(places) > 1:
        raise Refused(
            "not_ready",
            gettext("Choose evaluations against the same release and split, in the same scope."),
        )
    return chosen


def comparison(evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    """Return how evaluations that `evaluations_chosen` gave compare, found now where nobody has yet."""
    place = _place(evaluations)  # before reading: it says what was read
    found: dict[str, Any] | None = read_stored_json(place)
    if found is None:
        found = canonical(_compared(evaluations))
        store_json(place, found)
    return found


def comparison_stored(evaluations: Sequence[Evaluation]) -> dict[str, Any] | None:
    """Return the stored answer of `comparison`; None where there is none yet."""
    found: dict[str, Any] | None = read_stored_json(_place(evaluations))
    return found


def comparison_name(evaluations: Sequence[Evaluation]) -> str:
    """Return what all that a comparison depends on comes to: a restored copy may reuse the keys of rows."""
    chosen = [[one.pk, one.parameters_digest, one.release_digest, one.engine] for one in evaluations]
    # Methods that were done since have their place in the tables too.
    submissions = {one.submission_id for one in evaluations}
    beside = Evaluation.objects.filter(submission__in=submissions, state=Evaluation.State.DONE)
    others = sorted(beside.values_list("pk", "parameters_digest"))
    files = sorted(
        Evaluation.objects.filter(pk__in=[one.pk for one in evaluations]).values_list(
            "pk", "submission__digest", "submission__system__name"
        )
    )
    return sha256_of([ENGINE_VERSION, chosen, others, files])


def _place(evaluations: Sequence[Evaluation]) -> str:
    return f"system-comparisons/{comparison_name(evaluations)}.json"


def _compared(evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    focus = bool(evaluations[0].scope)
    positions = scored_positions(benchmark_opened(evaluations[0].submission))
    labels = {} if focus else _labels(evaluations)
    systems = []
    for one in evaluations:
        figure = one.headline or {}
        systems.append(
            Compared(
                one.pk,
                {name: figure.get(name) for name in ("value", "low", "high")},
                item_table(one, positions),
                one.submission_id,
                labels.get(one.submission_id, {}),
                () if focus else _asked(one),
            )
        )
    return compared(systems, focus=focus)


def _asked(evaluation: Evaluation) -> list[tuple[str, str]]:
    rows = Answer.objects.filter(evaluation=evaluation, run=1).order_by("position", "place")
    return list(rows.values_list("given", "label"))


def _labels(evaluations: Sequence[Evaluation]) -> dict[int, dict[str, Labels]]:
    """Return the labels of each submission by every method that scored it, the newest of each."""
    submissions = list(dict.fromkeys(one.submission_id for one in evaluations))
    newest: dict[tuple[int, str], Evaluation] = {}
    done = Evaluation.objects.filter(submission__in=submissions, state=Evaluation.State.DONE)
    chosen = {one.pk for one in evaluations}
    for one in sorted(done.defer("figures"), key=lambda one: (one.pk in chosen, one.pk)):
        newest[one.submission_id, str(Method(one.method, one.threshold))] = one
    found: dict[int, dict[str, Labels]] = {submission: {} for submission in submissions}
    for (submission, method), one in sorted(newest.items()):
        rows = Answer.objects.filter(evaluation=one).order_by()
        places = rows.values_list("run", "position", "place", "label")
        found[submission][method] = {(run, at, place): label for run, at, place, label in places}
    return found
