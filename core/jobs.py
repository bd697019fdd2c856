"""Long work as rows: what a job is, who may write to it and for how long, and how it goes on when its worker
dies.

The row is the truth about the work; a broker only carries its id. A claim is a conditional update that
writes a fresh token and a lease. Every later write checks the token, so that of two workers on one row, or
of a worker and a person who cancels, only one has its way. While a worker lives it renews its lease; a dead
one's runs out within a minute, and the sweep sends the row to another.

See docs/decisions/running.md.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, NamedTuple

from django.db import Error, InterfaceError, OperationalError, connection, models
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Greatest
from django.utils import timezone
from django.utils.translation import gettext_lazy

from core.failure import error_place

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=1)
"""How long a claim holds without a sign of life."""

PATIENCE = timedelta(minutes=1)
"""How long a row may wait for a worker before the sweep sends it again."""

CLOCKS_DIFFER = timedelta(minutes=10)
"""More than the clocks of two hosts may differ; a worker that lives renews its lease long before."""

ATTEMPTS = 3
"""Workers that may die over a row until the sweep gives it up."""

BEAT_SECONDS = 15.0
SILENT_SECONDS = 30 * 60.0
"""How long a worker may be at one step: after that its lease is not renewed any more, it hangs."""


class ClaimLost(Exception):
    """The job was cancelled, or another worker took it over; this one stores nothing more."""


@contextmanager
def beating(beat: Callable[[], bool], last_sign: Callable[[], float], what: str) -> Iterator[None]:
    """Call `beat` from a second thread every few seconds during the block, which may take long between two
    writes, until it returns False or `what` is at one step for SILENT_SECONDS.

    `last_sign` tells when the work itself gave its last sign of life, on the clock of `time.monotonic`.
    """
    over = threading.Event()

    def beats() -> None:
        while not over.wait(BEAT_SECONDS):
            if time.monotonic() - last_sign() > SILENT_SECONDS:
                logger.warning("%s hangs: its lease is not renewed", what)
                return
            try:
                if not beat():
                    return  # lost: the worker finds out at its next write
            except Error as error:
                logger.info("the lease of %s was not renewed this time: %s", what, type(error).__name__)
            finally:
                # Not kept for the next beat: a broken one would fail for ever, an idle one is one too many.
                connection.close()

    thread = threading.Thread(target=beats, daemon=True, name="lease")
    thread.start()
    try:
        yield
    finally:
        over.set()
        # Not for ever: a database that does not answer must not hold the worker.
        thread.join(BEAT_SECONDS)


class Job(models.Model):
    """A piece of long work: asked for, claimed by a worker, done whole or not at all.

    `lease_token` and `lease_until` say which worker may write, and until when without a sign of life. A
    subclass may have further states and its own words for these.
    """

    class State(models.TextChoices):
        QUEUED = "queued", gettext_lazy("waiting for a worker")
        RUNNING = "running", gettext_lazy("at work")
        DONE = "done", gettext_lazy("done")
        FAILED = "failed", gettext_lazy("failed")
        CANCELLED = "cancelled", gettext_lazy("cancelled")

    state = models.CharField(max_length=9, choices=State, default=State.QUEUED)
    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(default=0)
    lease_token = models.CharField(max_length=32, blank=True, db_column="attempt")
    attempts = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    error = models.TextField(blank=True)
    enqueued_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=~Q(state="running") | (~Q(lease_token="") & Q(lease_until__isnull=False)),
                name="%(class)s_running_has_lease",
            ),
            models.CheckConstraint(
                condition=~Q(state="failed") | ~Q(error=""), name="%(class)s_failed_says_why"
            ),
            models.CheckConstraint(
                condition=Q(progress_done__lte=F("progress_total")), name="%(class)s_progress_within_total"
            ),
        ]


QUEUED, RUNNING, DONE, FAILED, CANCELLED = Job.State.values
WORKING = (QUEUED, RUNNING)


def is_lost() -> Q:
    """Return the condition that the worker of a running job gave no sign of life for too long."""
    now = timezone.now()
    # A lease that ends later than any could was written before the clock was set back.
    return Q(state=RUNNING) & (Q(lease_until__lt=now) | Q(lease_until__gt=now + LEASE + CLOCKS_DIFFER))


class Lease:
    """A worker's right to write to one row of a job's table, until it ends or is lost.

    `rows` is a query set of that row alone; it may ask for more than the key, which then holds at every
    write.
    """

    def __init__(self, rows: QuerySet[Any], token: str) -> None:
        self.rows = rows
        self.token = token
        self._last_sign = time.monotonic()

    @classmethod
    def claim(cls, rows: QuerySet[Any], *, or_where: Q | None = None, **values: Any) -> Lease | None:
        """Claim a row that waits or lost its worker, or is as `or_where` says; None if there is none."""
        claimable = Q(state=QUEUED) | is_lost()
        if or_where is not None:
            claimable |= or_where
        token = uuid.uuid4().hex
        claimed = rows.filter(claimable).update(
            state=RUNNING,
            lease_token=token,
            attempts=F("attempts") + 1,
            lease_until=timezone.now() + LEASE,
            **values,
        )
        return cls(rows, token) if claimed else None

    def renew(self, **values: Any) -> None:
        """Write to the row and renew the lease; raise ClaimLost where the claim is another's."""
        self._last_sign = time.monotonic()
        if not self._held().update(**{"lease_until": timezone.now() + LEASE, **values}):
            raise ClaimLost

    def progress(self, done: int, total: int) -> None:
        """Say how far the work is, as a sign of life."""
        self.renew(progress_done=done, progress_total=total)

    def finish(self, **values: Any) -> None:
        """Write what came of the work and end it; raise ClaimLost where the claim is another's."""
        self.renew(**{"state": DONE, "lease_until": None, "error": "", **values})

    def fail(self, error: str, **values: Any) -> bool:
        """End the work with what stood in its way; return whether the claim was still held."""
        return bool(self._held().update(**{"state": FAILED, "lease_until": None, "error": error, **values}))

    def drop(self, **values: Any) -> None:
        """Give the row back to the queue; raise ClaimLost where the claim is another's."""
        now = timezone.now()
        self.renew(**{"state": QUEUED, "lease_token": "", "lease_until": None, "enqueued_at": now, **values})

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Renew the lease from a second thread during the block, which may take long between two writes.

        A worker that is told to stop in it gives the row back at once, and this was no attempt. Where the
        database went away that is no failure of the work: the claim is lost, and a sweep sends the row again.
        """
        with beating(self._beat, lambda: self._last_sign, f"a job of {self.rows.model.__name__}"):
            try:
                yield
            except (SystemExit, KeyboardInterrupt):
                with suppress(Error):
                    self._give_back()
                raise
            except (OperationalError, InterfaceError) as error:
                if connection.connection is not None and connection.is_usable():
                    raise
                logger.error(
                    "a job of %s lost the database: %s", self.rows.model.__name__, error_place(error)
                )
                raise ClaimLost from error

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Keep the lease during the block; what ends it too early is logged under `what` and stored."""
        try:
            with self.kept():
                yield
        except ClaimLost:
            logger.warning("%s was taken over by another worker", what)
        except Exception as error:
            place = error_place(error)
            logger.error("%s failed: %s", what, place)
            self.fail(place)

    def _beat(self) -> bool:
        return bool(self._held().update(lease_until=timezone.now() + LEASE))

    def _give_back(self) -> None:
        """Have the next sweep send the row again. The token stays: it names what this attempt has left."""
        self._held().update(
            state=QUEUED,
            lease_until=None,
            attempts=Greatest(F("attempts"), 1) - 1,
            enqueued_at=timezone.now() - PATIENCE,
        )

    def _held(self) -> QuerySet[Any]:
        return self.rows.filter(lease_token=self.token, state=RUNNING)


class Swept(NamedTuple):
    """What a sweep found: rows to send to a worker again, and those it gave up with their last token."""

    again: list[int]
    given_up: list[tuple[int, str]]


def sweep(rows: QuerySet[Any], *, stopped: str, or_where: Q | None = None, **given_up: Any) -> Swept:
    """Find the rows that wait for too long or lost their worker; give up those that lost ATTEMPTS workers.

    `stopped` is what the rows that are given up say, `given_up` what else is written to them. `or_where`
    names others to send again.
    """
    now = timezone.now()
    left = Q(state=QUEUED, enqueued_at__lt=now - PATIENCE) | is_lost()
    end = {"state": FAILED, "lease_until": None, "error": stopped, **given_up}
    # One by one and by its token: a worker that shows life in between keeps its row, and what it has stored.
    gone = [
        (pk, token)
        for pk, token in rows.filter(left, attempts__gte=ATTEMPTS).values_list("pk", "lease_token")
        if rows.filter(left, pk=pk, lease_token=token).update(**end)
    ]
    if or_where is not None:
        left |= or_where
    found = list(rows.filter(left).order_by("pk").values_list("pk", flat=True))
    # What lost its worker waits and says so, however long it is until another one has time. The token stays:
    # it names what that attempt has left.
    rows.filter(is_lost(), pk__in=found).update(state=QUEUED, lease_until=None)
    rows.filter(pk__in=found, state=QUEUED).update(enqueued_at=now)
    return Swept(found, gone)


def cancel(rows: QuerySet[Any], **values: Any) -> bool:
    """Cancel the rows that wait or run; return whether there was one. Its worker stops at its next write."""
    return bool(rows.filter(state__in=WORKING).update(**{"state": CANCELLED, **values}))


def requeue(rows: QuerySet[Any], **values: Any) -> bool:
    """Ask again for what waits, failed, was cancelled or lost its worker; return whether there was one."""
    idle = Q(state__in=[QUEUED, FAILED, CANCELLED]) | is_lost()
    anew = {
        "state": QUEUED,
        "error": "",
        "attempts": 0,
        "progress_done": 0,
        "progress_total": 0,
        "enqueued_at": timezone.now(),
    }
    return bool(rows.filter(idle).update(**{**anew, **values}))


def silent_for(job: Job) -> timedelta:
    """Return how long ago the worker of a running job gave its last sign of life."""
    if job.state != RUNNING or job.lease_until is None:
        return timedelta()
    return max(timedelta(), timezone.now() - (job.lease_until - LEASE))


def silent_minutes(job: Job) -> int:
    """Return for how many whole minutes nothing was heard of the worker of a running job."""
    return silent_for(job) // timedelta(minutes=1)
