"""The life of an evaluation: asked for, computed by a worker whole or not at all, cancelled, asked again.

Every write of a worker checks its claim (core.jobs). Answers are stored in batches while it runs and count
once it is done; whoever claims it anew deletes those of the attempt before.

See docs/decisions/scoring.md.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from agreement.spans.encoders import EncoderUnavailable
from annotation.access import refuse_archived
from annotation.models import Membership, Project, ProjectEvent
from assist.asking.llm_client import purpose_of
from assist.asking.prompts import prompt_digest
from core.errors import NotFound, Refused
from core.failure import failure_words
from core.gc import gc_relaxed
from core.jobs import ATTEMPTS, ClaimLost, Lease, cancel, requeue, sweep
from scoring.evaluation.evaluate import ENGINE_VERSION, Choices, TextModel, evaluate
from scoring.evaluation.evaluate import Evaluation as Found
from scoring.evaluation.judge_prompts import JUDGED
from scoring.evaluation.judges import CUT_OFF, About, Judge, Said
from scoring.evaluation.questions import BY_PEOPLE, MODEL_MISSING, NO_MATCHING_ROUND, Method
from scoring.evaluation.references import Benchmark
from scoring.figures.figure import forget_draws
from scoring.figures.paired import Limits, PairedScores
from scoring.models import Answer, Evaluation, JudgeAnswer, Submission
from scoring.reading.model_answers import NO_SUCH_REFERENCE, NOT_IN_THE_FORM
from scoring.systems.answer_rows import focus_rows, question_rows
from scoring.systems.answers import answer_counts
from scoring.systems.choices import Asked, asked_before
from scoring.systems.headline import headline
from scoring.systems.item_counts import item_table, scored_positions
from scoring.systems.judging import NoAnswer, answer_row, answers_stored, judge_of
from scoring.systems.people import read_decided
from scoring.systems.submissions import Runs, submission_opened
from scoring.systems.text_models import model_wanted, span_encoder, text_model

logger = logging.getLogger(__name__)

State = Evaluation.State
BATCH = 2_000
OTHER_ENGINE = "other_engine"


class Unscored(Refused):
    """There are no figures, for a reason that has a code."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__("not_ready", message)
        self.reason = reason


def evaluation_request(*, submission: Submission, asked: Asked, by: Membership | None = None) -> Evaluation:
    """Ask for an evaluation: the one there is of these choices and this engine, else a new row.

    One that failed or was cancelled waits for a worker again.
    """
    project = submission.system.project
    refuse_archived(project)
    row = asked.to_row(submission)
    if asked.method in BY_PEOPLE and row["parameters"]["people"] is None:
        words = gettext(
            "%(method)s needs what people decided: make a matching round of the release’s submissions, have "
            "it judged and close it."
        ) % {"method": asked.method}
        raise Refused("not_ready", words, errors={"methods": words})
    key = {name: row[name] for name in ("method", "parameters_digest", "engine")}
    with transaction.atomic():
        there = submission.evaluations.filter(**key).first()
        if there is None:
            try:
                with transaction.atomic():
                    there = submission.evaluations.create(member=by, **row)
            except IntegrityError:
                # Somebody asked for the same meanwhile.
                return submission.evaluations.get(**key)
        elif there.state in (State.FAILED, State.CANCELLED):
            rows = Evaluation.objects.filter(pk=there.pk)
            if not requeue(rows, reason="", member=by, lease_until=None):
                return there
            there.refresh_from_db()
        else:
            return there
        _log(there, by, "evaluation requested")
    return there


def evaluation_again(*, evaluation: Evaluation, by: Membership | None = None) -> Evaluation:
    """Score the same files in the same way by the engine and the encoder of now; the old figures stay.

    Raises Refused where that would be the same evaluation.
    """
    again = evaluation_request(submission=evaluation.submission, asked=asked_before(evaluation), by=by)
    if again.pk == evaluation.pk and again.state == State.DONE:
        raise Refused(
            "not_ready",
            gettext("It was scored by this version already: it would be the same figures again."),
        )
    return again


def evaluation_cancel(*, evaluation: Evaluation, by: Membership | None = None) -> None:
    """Stop an evaluation that waits or runs; nothing of it counts. Raises Refused where it has ended."""
    with transaction.atomic():
        if not cancel(Evaluation.objects.filter(pk=evaluation.pk), lease_until=None):
            raise Refused("not_ready", gettext("This evaluation has ended already."))
        _log(evaluation, by, "evaluation cancelled")
    evaluation.refresh_from_db()


def evaluation_sweep() -> list[int]:
    """Return the evaluations to send to a worker again; give up on those whose worker died ATTEMPTS times."""
    stopped = gettext(
        "The worker stopped %(attempts)s times before it was done (killed, or out of memory)."
    ) % {"attempts": ATTEMPTS}
    return sweep(Evaluation.objects.all(), stopped=stopped).again


def evaluation_run(*, evaluation_id: int) -> bool:
    """Compute a waiting evaluation if it can be claimed. Return whether it was done by this call."""
    done = _at_work(evaluation_id, _computed)
    if done:
        evaluation = Evaluation.objects.defer("figures").get(pk=evaluation_id)
        for run in evaluation.submission.files.values_list("run", flat=True):
            answer_counts(evaluation, run)  # kept: a page need not wait for them
    return done


def keep_evaluation(*, evaluation: Evaluation, opened: tuple[Benchmark, Runs], found: Found) -> bool:
    """Store figures of the same files that were computed here. Return whether it was by this call."""
    return _at_work(evaluation.pk, lambda *_: (found, *opened), failing=True)


def evaluation_or_404(project: Project, evaluation_id: int, *, with_figures: bool = True) -> Evaluation:
    """Return an evaluation of the project, its figures read only where they are needed. Raises NotFound."""
    rows = Evaluation.objects.filter(submission__system__project=project, pk=evaluation_id)
    found = (
        (rows if with_figures else rows.defer("figures"))
        .defer("figures")
        .select_related("submission__system__project", "submission__release__project", "member")
        .first()
    )
    if found is None:
        raise NotFound(gettext("There is no such evaluation in this project."))
    return found


def can_score_again(evaluation: Evaluation) -> bool:
    """Return whether the same files would be scored by something newer."""
    if evaluation.state in (State.FAILED, State.CANCELLED):
        return True
    if evaluation.state != State.DONE:
        return False
    now = asked_before(evaluation).to_row(evaluation.submission)
    return bool(
        evaluation.engine != ENGINE_VERSION or evaluation.parameters_digest != now["parameters_digest"]
    )


Computed = tuple[Found, Benchmark, Runs]
Compute = Callable[[Evaluation, Lease], Computed]


def _at_work(evaluation_id: int, computed: Compute, *, failing: bool = False) -> bool:
    rows = Evaluation.objects.filter(pk=evaluation_id)
    lease = Lease.claim(rows, progress_done=0, progress_total=0)
    if lease is None:
        return False
    try:
        with lease.kept(), gc_relaxed():
            Answer.objects.filter(evaluation=evaluation_id).delete()
            evaluation = Evaluation.objects.select_related(
                "submission__system__project", "submission__release__project"
            ).get(pk=evaluation_id)
            _store(evaluation, lease, *computed(evaluation, lease))
    except ClaimLost:
        logger.warning("evaluation %s was cancelled or taken over by another worker", evaluation_id)
        return False
    except Exception as error:
        reason = error.reason if isinstance(error, Unscored) else ""
        words = failure_words(error)
        unanswered = {"unanswered_at": timezone.now()} if isinstance(error, NoAnswer) else {}
        if lease.fail(words, reason=reason, **unanswered):
            logger.warning("evaluation %s failed: %s", evaluation_id, words)
        if failing:
            raise
        return False
    return True


def _computed(evaluation: Evaluation, lease: Lease) -> Computed:
    """Return what the files of an evaluation are worth, as `manage.py score` would say."""
    if evaluation.engine != ENGINE_VERSION:
        raise Unscored(
            OTHER_ENGINE,
            gettext("It was asked of another version of the arithmetic than there is now: score again."),
        )
    benchmark, runs = submission_opened(evaluation.submission)
    models: dict[str, TextModel] = {}
    if evaluation.method in MODEL_MISSING:
        try:
            models[evaluation.method] = text_model(evaluation.method, model_wanted(evaluation.method))
        except EncoderUnavailable as missing:
            raise _without_model(evaluation.method, str(missing)) from None
    people = None
    if evaluation.method in BY_PEOPLE or "people" in evaluation.parameters:
        decided = read_decided(evaluation.submission.release)
        if decided is None or decided.to_json() != evaluation.parameters.get("people"):
            raise Unscored(
                NO_MATCHING_ROUND,
                gettext("What people decided has changed since it was asked for: score again."),
            )
        people = decided.people
    choices = Choices(
        methods=[Method(evaluation.method, evaluation.threshold)],
        scope="all" if evaluation.scope == "all" else "decided",
        replicates=evaluation.replicates,
        seed=evaluation.seed,
        system=evaluation.submission.system.name,
        with_answers=False,
        models=models,
        of_spans=span_encoder() if benchmark.is_focus else None,
        people=people,
        judges=_judges(evaluation, lease, runs),
    )
    return evaluate(benchmark, runs, choices), benchmark, runs


def _judges(evaluation: Evaluation, lease: Lease, runs: Runs) -> dict[str, Judge]:
    """Return the language model of an evaluation that asks one, as far as its answers are stored."""
    if evaluation.method not in JUDGED:
        return {}
    stored = answers_stored(evaluation)
    done, total = len(stored), sum(len(given) for run, _ in runs for given in run.questions.values())
    lease.progress(done, total)

    def keep(about: About, prompt: str, said: Said) -> None:
        nonlocal done
        done += 1
        row = answer_row(evaluation, about, prompt_digest(prompt), said)
        with transaction.atomic():
            # An answer came: what stopped workers before is over.
            lease.renew(progress_done=done, attempts=0)
            row.save()

    judge = judge_of(
        evaluation.method,
        evaluation.parameters,
        stored=stored,
        keep=keep,
        heartbeat=lease.renew,
        purpose=purpose_of(
            "evaluation", evaluation.created_at, evaluation.pk, unanswered=evaluation.unanswered_at
        ),
    )
    return {evaluation.method: judge}


def _answers_kept(evaluation: Evaluation, found: Found) -> None:
    """Store what a model answered where nobody has stored it yet: on the command line."""
    stored = answers_stored(evaluation)
    rows = []
    for line in found.answers:
        about = About(line["run"], line["item"], line["question"])
        if line.get("judge") and about not in stored:
            told = dict(line["judge"])
            digest = told.pop("prompt_sha256")
            own = {CUT_OFF, NOT_IN_THE_FORM, NO_SUCH_REFERENCE, None}
            told["problem"] = "" if told["problem"] in own else told["problem"]
            rows.append(answer_row(evaluation, about, digest, Said(**told)))
    JudgeAnswer.objects.bulk_create(rows)


def _without_model(method: str, why: str) -> Unscored:
    words = gettext("The method sts needs a sentence encoder, and %(why)s. Other methods need none.")
    if method != "sts":
        words = gettext("The method %(method)s needs its model, and %(why)s. Other methods need none.")
    return Unscored(MODEL_MISSING[method], words % {"method": method, "why": why})


def _store(evaluation: Evaluation, lease: Lease, found: Found, benchmark: Benchmark, runs: Runs) -> None:
    """Store answers, then figures. A write that finds the claim lost stores nothing."""
    if benchmark.is_focus:
        rows: Iterable[Answer] = (
            row
            for number, (run, _) in enumerate(runs, start=1)
            for row in focus_rows(evaluation, benchmark, number, run)
        )
        total = sum(len(run.types) for run, _ in runs)
    else:
        rows = question_rows(evaluation, benchmark, found.answers)
        total = sum(len(run.questions) for run, _ in runs)
    lease.progress(0, total)
    if evaluation.method in JUDGED:
        _answers_kept(evaluation, found)
    left = iter(rows)
    while batch := list(islice(left, BATCH)):
        with transaction.atomic():
            Answer.objects.bulk_create(batch)
            lease.renew(
                progress_done=min(total, (batch[-1].run - 1) * (total // len(runs)) + batch[-1].position)
            )
    told = headline(found.scores, lambda: _interval(evaluation, benchmark))
    with transaction.atomic():
        lease.finish(
            figures=found.scores,
            headline=told,
            finished_at=timezone.now(),
            progress_done=total,
            reason="",
        )
        _log(evaluation, evaluation.member, "evaluation done")


def _interval(evaluation: Evaluation, benchmark: Benchmark) -> Limits:
    counts = item_table(evaluation, scored_positions(benchmark))
    scores = PairedScores([counts], replicates=evaluation.replicates, seed=evaluation.seed)
    forget_draws()
    return scores.figure(0)


def _log(evaluation: Evaluation, by: Membership | None, action: str) -> None:
    submission = evaluation.submission
    details: dict[str, Any] = {
        "system": submission.system.name,
        "release": submission.release.version,
        "method": str(Method(evaluation.method, evaluation.threshold)),
    }
    if submission.split:
        details["split"] = submission.split
    ProjectEvent.objects.create(project=submission.system.project, member=by, action=action, details=details)
