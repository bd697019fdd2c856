"""The worker's side of a run of refinements: claimed, asked question by question, stored answer by answer.

Every answer is stored together with a write that checks the claim (core.jobs). What is stored is never asked
again, so a killed worker's run goes on where it stopped.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import islice
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext

from annotation.access import visible_items
from annotation.models import ProjectEvent
from assist.asking.llm_client import Answer, Endpoint, Timing, Unanswered, ask_endpoint, chat_body, purpose_of
from assist.runs import loop
from core.errors import Refused
from core.failure import failure_words
from core.jobs import ClaimLost, Lease
from core.texts import BLANK_CHARACTERS
from exports.models import QuestionRefinement, RefinementRun
from exports.refinement.candidates import questions_waiting
from exports.refinement.prompt import GoldQuestion, answer_problem, fill_prompt
from exports.refinement.runs import outcomes
from exports.selection.refined_questions import text_sha256

logger = logging.getLogger(__name__)

SLICE, STOP_AFTER = loop.SLICE, loop.STOP_AFTER

State = RefinementRun.State


def refinement_work(*, run_id: int, timing: Timing | None = None) -> bool:
    """Work on a waiting run if it can be claimed. Return whether it has to be sent to a worker once more."""
    lease = Lease.claim(RefinementRun.objects.filter(pk=run_id))
    if lease is None:
        return False
    try:
        with lease.kept():
            return _work(run_id, lease, timing or Timing())
    except ClaimLost:
        logger.warning("refinement run %s was cancelled or taken over by another worker", run_id)
    except Exception as error:
        message = failure_words(error)
        logger.warning("refinement run %s failed: %s", run_id, message)
        _finish(run_id, lease, State.FAILED, message)
    return False


def _work(run_id: int, lease: Lease, timing: Timing) -> bool:
    run = RefinementRun.objects.select_related("project").get(pk=run_id)
    if run.endpoint not in settings.LLM_ENDPOINTS:
        raise Refused(
            "not_allowed",
            gettext("ELENCHUS_LLM_ENDPOINTS of the worker does not name %(host)s (any more).")
            % {"host": run.host},
        )
    endpoint = Endpoint(run.endpoint, settings.LLM_API_KEYS.get(run.endpoint, ""))
    done = run.refinements.count()
    waiting = list(islice(questions_waiting(run), max(0, run.max_questions - done)))
    lease.progress(done, done + len(waiting))
    if loop.units_asked(
        [waiting],
        lambda asked, alive: _refinement(run, asked, endpoint, timing, alive),
        lease=lease,
        timing=timing,
        per_minute=run.per_minute,
        done=done,
        unanswered=lambda row: row.state == QuestionRefinement.State.FAILED,
        slice_seconds=SLICE,
        stop_after=STOP_AFTER,
    ):
        return True
    _finish(run_id, lease, State.DONE)
    return False


def _refinement(
    run: RefinementRun, asked: GoldQuestion, endpoint: Endpoint, timing: Timing, heartbeat: Callable[[], None]
) -> QuestionRefinement | None:
    """Ask about one question and return the row to store; None where its item was withdrawn meanwhile."""
    if not visible_items(run.project).filter(pk=asked.item).exists():
        return None
    row = QuestionRefinement(
        run=run,
        item_id=asked.item,
        type_code=asked.type_code,
        start=asked.start,
        end=asked.end,
        text_sha256=text_sha256(asked.argument),
        question_template=asked.question,
    )
    try:
        answer = ask_endpoint(
            endpoint,
            _body(run, asked),
            timeout=run.timeout,
            timing=timing,
            heartbeat=heartbeat,
            purpose=purpose_of(
                "refinement",
                run.created_at,
                run.pk,
                *(asked.item, asked.type_code, asked.start, asked.end),
                unanswered=None,  # what had no answer is asked by a new run alone
            ),
        )
    except Unanswered as refusal:
        if refusal.fatal:
            raise Refused(
                "not_ready", gettext("Nothing more was asked: %(reason)s.") % {"reason": refusal.reason}
            ) from None
        row.state, row.reason, row.tries = QuestionRefinement.State.FAILED, refusal.reason, refusal.tries
    else:
        row.tries = answer.tries
        _take(row, answer, asked, endpoint.key)
    row.answered_at = timezone.now()
    return row


def _body(run: RefinementRun, asked: GoldQuestion) -> dict[str, Any]:
    return chat_body(
        fill_prompt(run.prompt, asked),
        model=run.model,
        tokens_field=run.tokens_field,
        max_tokens=run.max_tokens,
        temperature=run.temperature,
        seed=run.seed,
    )


_ENDINGS = {
    "length": "it was cut off at the limit of tokens",
    "content_filter": "the endpoint filtered it",
    "refusal": "the model declined",
}


def _take(row: QuestionRefinement, answer: Answer, asked: GoldQuestion, key: str) -> None:
    """Put the answer into the row if it can stand for the question, else why it cannot."""
    text = answer.text.strip(BLANK_CHARACTERS)
    problem = _ENDINGS.get(answer.ending) or answer_problem(text, asked)
    if key and key in f"{text}\n{answer.model}":
        problem = "it repeats the key of the endpoint"
    else:
        row.model = answer.model
    if problem:
        row.state, row.reason = QuestionRefinement.State.REFUSED, problem
    else:
        row.state, row.question = QuestionRefinement.State.REFINED, text


def _finish(run_id: int, lease: Lease, state: str, error: str = "") -> None:
    """End a run that this worker holds and log what came of it; nothing where it is another's by now."""
    with transaction.atomic():
        values = {"finished_at": timezone.now(), "progress_total": F("progress_done")}
        if state == State.DONE:
            try:
                lease.finish(**values)
            except ClaimLost:
                return
        elif not lease.fail(error, **values):
            return
        run = RefinementRun.objects.select_related("project").get(pk=run_id)
        ProjectEvent.objects.create(
            project=run.project,
            member=run.member,
            action="refinement done" if state == State.DONE else "refinement failed",
            details={"run": run.number, **outcomes(run)},
        )
