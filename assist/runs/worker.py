"""The worker's side of a run: claimed, asked unit by unit, stored answer by answer, within its budget.

Every answer is stored together with a write that checks the claim (core.jobs). What is stored is never asked
again, so a killed worker's run goes on where it stopped.

See docs/decisions/assistants.md.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext

from annotation.access import visible_items
from annotation.models import ProjectEvent
from assist.asking.llm_client import Answer, Endpoint, Timing, Unanswered, ask_endpoint, chat_body, purpose_of
from assist.models import AssistAnswer, AssistRun
from assist.runs.budget import Budget, BudgetSpent
from assist.runs.counting import units_counted
from assist.runs.kinds import Kind, kind_named
from assist.runs.loop import EndpointGone, units_asked
from assist.runs.results import outcomes
from assist.runs.units import Waiting, units_waiting
from core.failure import failure_words
from core.jobs import ClaimLost, Lease
from core.texts import storable

logger = logging.getLogger(__name__)

CUT_OFF, DECLINED, REPEATS_KEY = "cut_off", "declined", "repeats_key"
NO_ANSWER, REFUSED_BY_ENDPOINT = "no_answer", "refused_by_endpoint"
_ENDINGS = {"length": CUT_OFF, "content_filter": DECLINED, "refusal": DECLINED}

State, Stop = AssistRun.State, AssistRun.Stop

Asked = tuple[Waiting, AssistAnswer]
"""A unit with the row of its answer, which is new or had none before."""


def run_work(*, run_id: int, timing: Timing | None = None) -> bool:
    """Work on a waiting run if it can be claimed. Return whether it has to be sent to a worker once more."""
    lease = Lease.claim(AssistRun.objects.filter(pk=run_id))
    if lease is None:
        return False
    try:
        with lease.kept():
            return _Work(run_id, lease, timing or Timing()).run()
    except ClaimLost:
        logger.warning("run %s was cancelled or taken over by another worker", run_id)
    except BudgetSpent as spent:
        _finish(run_id, lease, State.FAILED, spent.message, Stop.BUDGET)
    except EndpointGone as gone:
        _finish(run_id, lease, State.FAILED, gone.message, Stop.ENDPOINT)
    except Exception as error:
        message = failure_words(error)
        logger.warning("run %s failed: %s", run_id, message)
        _finish(run_id, lease, State.FAILED, message)
    return False


class _Work:
    """One worker's turn at a run."""

    def __init__(self, run_id: int, lease: Lease, timing: Timing) -> None:
        self.run_row = AssistRun.objects.select_related("project").get(pk=run_id)
        self.lease = lease
        self.timing = timing
        self.kind: Kind = kind_named(self.run_row.task)
        self.budget = Budget(self.run_row)
        self.unanswered = 0
        self.visible = visible_items(self.run_row.project)
        self.counted: Waiting | None = None
        """The unit whose first request is counted already."""
        run = self.run_row
        if run.endpoint not in settings.LLM_ENDPOINTS:
            raise EndpointGone(
                "not_allowed",
                gettext("ELENCHUS_LLM_ENDPOINTS of the worker does not name %(host)s (any more).")
                % {"host": run.host},
            )
        self.endpoint = Endpoint(run.endpoint, settings.LLM_API_KEYS.get(run.endpoint, ""))

    def run(self) -> bool:
        run = self.run_row
        done = run.answers.exclude(state=AssistAnswer.State.UNANSWERED).count()
        # Counted once: later slices of the run know how many there are.
        total = run.progress_total or done + units_counted(run).asked
        self.lease.progress(done, max(done, total))
        if units_asked(
            self._batches(),
            self._answer,
            lease=self.lease,
            timing=self.timing,
            per_minute=run.per_minute,
            done=done,
            unanswered=lambda row: row.state == AssistAnswer.State.UNANSWERED,
            counts=lambda: self.budget.counts,
            count_next=self._count_next,
        ):
            return True
        if self.unanswered:
            raise EndpointGone(
                "not_ready",
                gettext("%(n)s of the texts had no answer. Resume to ask about them again.")
                % {"n": self.unanswered},
            )
        _finish(run.pk, self.lease, State.DONE)
        return False

    def _batches(self) -> Iterator[list[Asked]]:
        for _, left in units_waiting(self.run_row):
            # Looked up once a batch: nobody writes answers of a run but the worker that has its claim.
            found = self.run_row.answers.filter(item__in={waiting.item.pk for waiting in left})
            rows = {(row.item_id, row.variant): row for row in found}
            yield [
                (waiting, self._row(waiting, rows.get((waiting.item.pk, waiting.unit.variant))))
                for waiting in left
            ]

    def _is_asked(self, waiting: Waiting, row: AssistAnswer) -> bool:
        """Return whether a unit is still to be asked about: its item may have been withdrawn meanwhile."""
        if row.pk is not None and row.state != AssistAnswer.State.UNANSWERED:
            # A scheme or codebook changed since: the unit reads otherwise, its answer is there.
            return False
        return self.visible.filter(pk=waiting.item.pk).exists()

    def _count_next(self, asked: Asked) -> None:
        """Count the first request about a unit, to be written with the answer before it."""
        waiting, row = asked
        if not self._is_asked(waiting, row):
            return
        self.budget.prompt_begin(waiting.prompt)
        # Where the budget is spent the answer before it is stored first: asking says so.
        with suppress(BudgetSpent):
            self.budget.request_begin()
            self.counted = waiting

    def _answer(self, asked: Asked, alive: Callable[..., None]) -> AssistAnswer | None:
        """Ask about one unit and return the row to store; None where there is nothing to ask any more."""
        run, (waiting, row), tried = self.run_row, asked, False
        if self.counted is not waiting:
            if not self._is_asked(waiting, row):
                return None
            self.budget.prompt_begin(waiting.prompt)

        def before_each_try() -> None:
            nonlocal tried
            if self.counted is waiting:
                self.counted, tried = None, True
                alive(is_counted=True)
                return
            if tried:
                self.budget.request_failed()
                self.lease.renew(**self.budget.counts)
            tried = False
            alive(**self.budget.request_begin())
            tried = True

        body = chat_body(
            waiting.prompt,
            model=run.model,
            tokens_field=run.tokens_field,
            max_tokens=run.max_tokens,
            temperature=run.temperature,
            seed=run.seed,
        )
        began = time.monotonic()
        try:
            answer = ask_endpoint(
                self.endpoint,
                body,
                timeout=run.timeout,
                timing=self.timing,
                heartbeat=before_each_try,
                purpose=purpose_of(
                    "run",
                    run.created_at,
                    run.pk,
                    waiting.unit_sha256,
                    unanswered=row.answered_at if row.pk else None,
                ),
            )
        except Unanswered as refusal:
            self.budget.request_failed()
            self.lease.renew(**self.budget.counts)
            if refusal.fatal:
                raise EndpointGone(
                    "not_ready", gettext("Nothing more was asked: %(reason)s.") % {"reason": refusal.reason}
                ) from None
            self.unanswered += refusal.passing
            row.state, row.problem = (
                AssistAnswer.State.UNANSWERED,
                NO_ANSWER if refusal.passing else REFUSED_BY_ENDPOINT,
            )
            row.reason, row.tries = refusal.reason[:300], max(1, refusal.tries)
        else:
            self.budget.request_answered(answer)
            self._take(row, waiting, answer)
        row.seconds = round(time.monotonic() - began, 3)
        row.answered_at = timezone.now()
        return row

    def _row(self, waiting: Waiting, found: AssistAnswer | None) -> AssistAnswer:
        """Return a new row, or that of a unit which had no answer before."""
        if found is not None and found.state != AssistAnswer.State.UNANSWERED:
            return found
        row = found or AssistAnswer(run=self.run_row, item=waiting.item, variant=waiting.unit.variant)
        row.recipe_sha256, row.unit_sha256 = waiting.recipe_sha256, waiting.unit_sha256
        row.prompt_sha256, row.again = waiting.prompt_sha256, self.run_row.again
        row.problem, row.reason = "", ""
        return row

    def _take(self, row: AssistAnswer, waiting: Waiting, answer: Answer) -> None:
        """Put an answer into its row: what was read out of it, or why it is not usable."""
        row.tries, row.ending = answer.tries, storable(answer.ending[:100])
        row.prompt_tokens, row.completion_tokens = answer.prompt_tokens, answer.completion_tokens
        key = self.endpoint.key
        if key and key in f"{answer.text}\n{answer.model}\n{answer.ending}":
            row.ending, problem, found = "", REPEATS_KEY, None
        else:
            row.raw, row.model = storable(answer.text), answer.model
            problem = _ENDINGS.get(answer.ending, "")
            read = None if problem else self.kind.read(row.raw, waiting.item, waiting.unit)
            problem, found = (problem, None) if read is None else (read.problem, read)
        if problem or found is None:
            row.state, row.problem = AssistAnswer.State.UNUSABLE, problem
        else:
            row.state, row.found, row.label = AssistAnswer.State.USABLE, found.value, found.label


def _finish(run_id: int, lease: Lease, state: str, error: str = "", stopped_by: str = "") -> None:
    """End a run that this worker holds and log what came of it; nothing where it is another's by now."""
    with transaction.atomic():
        values = {"finished_at": timezone.now(), "stopped_by": stopped_by}
        if state == State.DONE:
            try:
                lease.finish(**values, progress_total=F("progress_done"))
            except ClaimLost:
                return
        elif not lease.fail(error, **values):
            return
        run = AssistRun.objects.select_related("project").get(pk=run_id)
        ProjectEvent.objects.create(
            project=run.project,
            member=run.member,
            action="assistant done" if state == State.DONE else "assistant stopped",
            details={"run": run.number, "task": run.task, **outcomes(run)},
        )
