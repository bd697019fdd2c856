"""Scoring entries in turn, by workers alone: evaluations first, then the row of the board.

Every write checks the claim (core.jobs). What a killed worker leaves in any state is found by the sweep: a
placing that was not done is done again, and what follows from those that are done is worked out again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext

from boards.figures.feedback import beats, to_step
from boards.figures.ranking import printed
from boards.life.entries import entries_uncount
from boards.life.versions import asked_of, is_of_today, row_of
from boards.models import BoardVersion, Placing
from core.errors import Refused
from core.failure import failure_words
from core.gc import gc_relaxed
from core.jobs import ATTEMPTS, WORKING, ClaimLost, Lease, requeue, sweep
from scoring.evaluation.questions import Method
from scoring.figures.paired import PairedScores
from scoring.models import Evaluation, Submission
from scoring.systems.evaluations import evaluation_request, evaluation_run
from scoring.systems.item_counts import item_table, scored_positions
from scoring.systems.storage import read_submitted
from scoring.systems.submissions import HandedIn, benchmark_opened, submission_create

logger = logging.getLogger(__name__)

State = Placing.State


class Unplaced(Refused):
    """An entry got no figures."""

    def __init__(self, message: str) -> None:
        super().__init__("not_ready", message)


class Outdated(Exception):
    """The arithmetic or a model is another one than that of the version: the next version has the figures."""


class Busy(Exception):
    """Another worker is at the evaluation: this one comes back to it."""


def placing_run(*, placing_id: int) -> bool:
    """Score a waiting entry if it can be claimed. Return whether it was done by this call."""
    rows = Placing.objects.filter(pk=placing_id)
    if (lease := Lease.claim(rows)) is None:
        return False
    try:
        with lease.kept(), gc_relaxed():
            placing = rows.select_related(
                "version__release__project", "version__board__project", "entry__team__system"
            ).get()
            evaluations = _evaluated(placing, lease)
            lease.finish(evaluation=evaluations[0], figures=_row(evaluations), finished_at=timezone.now())
            placing.state = State.DONE
    except ClaimLost:
        logger.warning("placing %s was taken over by another worker", placing_id)
        return False
    except Busy:
        lease.drop(attempts=F("attempts") - 1)
        return False
    except Outdated:
        words = gettext("It was not scored in this version: the program or its model is a newer one since.")
        lease.fail(words, state=State.CANCELLED)
        placing = rows.select_related("entry").get()
    except Exception as error:
        # The words may tell of references: leads read them on their page, the log has the kind alone.
        logger.warning("placing %s failed: %s", placing_id, type(error).__name__)
        with transaction.atomic():
            if lease.fail(failure_words(error)):
                entries_uncount(rows)
        placing = rows.select_related("entry").get()
    better_decide(version_id=placing.version_id, team_id=placing.entry.team_id)
    return placing.state == State.DONE


def placing_again(*, placing: Placing) -> bool:
    """Score an entry again that failed. What a failure on the server's side gave back stays given back."""
    return requeue(Placing.objects.filter(pk=placing.pk).exclude(state=State.DONE), lease_until=None)


def placing_sweep() -> list[int]:
    """Return the entries to send to a worker again, and bring in order what dead workers left behind."""
    stopped = gettext("The worker stopped %(attempts)s times before it was done.") % {"attempts": ATTEMPTS}
    found = sweep(Placing.objects.all(), stopped=stopped).again
    entries_uncount()
    left = Placing.objects.filter(state=State.DONE, is_better__isnull=True)
    for version, team in sorted(set(left.values_list("version", "entry__team"))):
        better_decide(version_id=version, team_id=team)
    return found


def better_decide(*, version_id: int, team_id: int) -> int:
    """Decide of a team's entries in their order whether each beat the best before; return how many.

    It stops at the first that is still to be scored, so that the order in which workers finish tells nothing.
    A decision is never made twice.
    """
    placings = (
        Placing.objects.filter(version=version_id, entry__team=team_id)
        .select_related("evaluation")
        .order_by("entry")
    )
    best: Placing | None = None
    decided = 0
    for placing in placings:
        if placing.state in WORKING:
            break
        if placing.state != State.DONE:
            continue
        if placing.is_better is None:
            is_better = best is None or _beats(placing, best)
            rows = Placing.objects.filter(pk=placing.pk, is_better__isnull=True)
            decided += rows.update(is_better=is_better)
            placing.refresh_from_db(fields=["is_better"])
        if placing.is_better:
            best = placing
    return decided


def place_in_the_queue(placing: Placing) -> int:
    """Return how many are scored before this one, and it: 1 is next."""
    return Placing.objects.filter(state__in=WORKING, pk__lte=placing.pk).count()


def standing_refresh(*, version_id: int) -> int:
    """Compare every row with the best one where it has not been; return how many were.

    Which row is best may change with every entry, and with one that is withdrawn or hidden.
    """
    best, stale = _standing(version_id)
    if not stale:
        return 0
    keys = [best, *stale]
    rows = Placing.objects.select_related("evaluation").defer("evaluation__figures").in_bulk(keys)
    scores = _scores([rows[key] for key in keys])
    for at, key in enumerate(stale, start=1):
        found = scores.difference(0, at)
        low, high = found["low"], found["high"]
        apart = key != best and low is not None and high is not None and not low <= 0 <= high
        Placing.objects.filter(pk=key).update(compared_with=best, is_apart=apart)
    return len(stale)


def standing_stale() -> list[int]:
    """Return the newest versions of boards in which rows were not compared with the best there is."""
    newest = BoardVersion.objects.exclude(board__state="hidden").order_by("board", "-number")
    versions: dict[int, int] = {}
    for board, version in newest.values_list("board", "pk"):
        versions.setdefault(board, version)
    return [version for version in versions.values() if _standing(version)[1]]


def _standing(version_id: int) -> tuple[int, list[int]]:
    """Return the best row that may be shown, the earliest of equals, and those not compared with it yet."""
    ranked = Placing.objects.filter(
        ~Q(version__board__feedback="better") | Q(is_better=True),
        version=version_id,
        state=State.DONE,
        entry__withdrawn_at__isnull=True,
        entry__hidden_at__isnull=True,
        entry__may_be_shown=True,
    ).order_by("entry")
    columns = ("pk", "compared_with", "version__board__feedback", "figures__value", "figures__items")
    rows = [
        (-float(printed(_as_told(feedback, value, items))), at, key, compared)
        for at, (key, compared, feedback, value, items) in enumerate(ranked.values_list(*columns))
        if value is not None
    ]
    if not rows:
        return 0, []
    best = min(rows)[2]
    return best, [key for _, _, key, compared in rows if compared != best]


def _as_told(feedback: str, value: float, items: int) -> float:
    """Return a score as the board tells it, and ranks by, once it may be told."""
    return to_step(value, max(1, items)) or 0.0 if feedback == "rounded" else value


def _scores(placings: list[Placing]) -> PairedScores:
    evaluations = [placing.evaluation for placing in placings if placing.evaluation is not None]
    first = evaluations[0]
    positions = scored_positions(benchmark_opened(first.submission))
    tables = [item_table(evaluation, positions) for evaluation in evaluations]
    return PairedScores(tables, replicates=first.replicates, seed=first.seed)


def _beats(placing: Placing, best: Placing) -> bool:
    value, before = (_value(one.figures) for one in (placing, best))
    if value is None or before is None:
        return value is not None
    scores = _scores([placing, best])
    difference = scores.difference(0, 1)["value"]
    return difference is not None and beats(difference, scores.standard_error(0, 1))


def _value(figures: dict[str, Any] | None) -> float | None:
    return (figures or {}).get("value")


def _evaluated(placing: Placing, lease: Lease) -> list[Evaluation]:
    """Return the evaluations of an entry, one a method, all done. Raises Outdated, Busy, and Unplaced."""
    if not is_of_today(placing.version):
        raise Outdated
    submission = _submission(placing)
    each = asked_of(placing.version)
    found = []
    for number, asked in enumerate(each):
        lease.progress(number, len(each))
        evaluation = evaluation_request(submission=submission, asked=asked)
        if evaluation.state in WORKING and not evaluation_run(evaluation_id=evaluation.pk):
            evaluation.refresh_from_db()
            if evaluation.state in WORKING:
                raise Busy
        evaluation.refresh_from_db()
        if evaluation.state != Evaluation.State.DONE:
            raise Unplaced(evaluation.error or evaluation.get_state_display())
        found.append(evaluation)
    return found


def _submission(placing: Placing) -> Submission:
    """Return the files of an entry as a submission for the release of this version."""
    entry, version = placing.entry, placing.version
    there: Submission = entry.submission
    if (there.release_id, there.split) == (version.release_id, version.split):
        return there
    assert entry.team.system is not None
    files = [HandedIn(file.name, read_submitted(file)) for file in there.files.order_by("run")]
    return submission_create(
        system=entry.team.system, release=version.release, files=files, split=version.split or None
    )


def _row(evaluations: list[Evaluation]) -> dict[str, Any]:
    """Return what a row of the board has: of the method that ranks all, of the others their scores."""
    first = evaluations[0]
    scores, head = first.figures, first.headline
    assert scores is not None
    assert head is not None
    return {
        **row_of(scores),
        **{name: head[name] for name in ("value", "low", "high", "sd", "runs", "items")},
        "methods": [
            {
                "method": str(Method(one.method, one.threshold)),
                **{name: (one.headline or {}).get(name) for name in ("value", "low", "high")},
            }
            for one in evaluations
        ],
    }


def people_said(submissions: Iterable[int]) -> dict[int, float]:
    """Return the score of submissions by people, where a matching round scored them."""
    done = Evaluation.objects.filter(
        submission__in=submissions,
        method__in=("human", "human_reference"),
        state=Evaluation.State.DONE,
    ).order_by("pk")
    found: dict[int, float] = {}
    for submission, head in done.values_list("submission", "headline"):
        if head and head.get("value") is not None:
            found[submission] = head["value"]
    return found
