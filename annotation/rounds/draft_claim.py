"""Long work on a draft round, in batches with short transactions under a claim.

Nobody but leads sees a draft, and while it is claimed nobody changes it; so what is written batch by batch
becomes visible at once, by the conditional update that ends the claim. A claim is the time of the last sign
of life, renewed with every batch and by a thread in between: work that was killed leaves one that goes stale
as fast as the lease of a job (core.jobs), and can begin anew. It has no row of its own: what a lead asked for
is a draft, and is asked for again.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from annotation.models import Membership, ProjectEvent, Round
from core.errors import NotFound, Refused
from core.jobs import beating

BATCH = 500
PAUSE = 0.5
"""How long a pause on SQLite is, as a share of the batch before it."""


WAITS = timedelta(minutes=10)
"""How much longer a claim holds that waits for a worker, which may be busy."""


@dataclass(slots=True)
class DraftWork:
    """A claimed draft, as the work on it holds it."""

    round: Round
    claim: datetime
    last_sign: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self) -> None:
        """Show life for the first time. Raises Refused where another took the draft over."""
        with self._lock:
            if not self._renew():
                raise self._taken_over()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Write a batch in a transaction of its own, with a sign of life. Raises Refused where taken over."""
        started = time.monotonic()
        with self._lock:
            before = self.claim
            try:
                with transaction.atomic():
                    if not self._renew():
                        raise self._taken_over()
                    yield
            except BaseException:
                self.claim = before
                raise
        self.last_sign = time.monotonic()
        if connection.vendor == "sqlite":
            # Whoever waits for its one writer is in no queue, but asks again up to every 0.1 s.
            time.sleep((time.monotonic() - started) * PAUSE)

    def end(self, **values: Any) -> None:
        """End the claim and change the round, inside the caller's transaction."""
        values = {"claimed_for": "", "claimed_at": None, **values}
        with self._lock:
            if not self._mine().update(**values):
                raise self._taken_over()
        for name, value in values.items():
            setattr(self.round, name, value)

    def drop(self) -> None:
        """Give the draft free after a failure. A half drawn one stays marked until it is drawn again."""
        self._mine().filter(claimed_for=Round.Work.OPENING).update(claimed_for="")
        self._mine().update(claimed_at=None)

    def beat(self) -> bool:
        """Show life between two batches; return whether the claim is still held."""
        if not self._lock.acquire(blocking=False):
            return True  # a batch is being written, which shows it
        try:
            return self._renew()
        finally:
            self._lock.release()

    def _renew(self) -> bool:
        now = timezone.now()
        held = bool(self._mine().update(claimed_at=now))
        if held:
            self.claim = now
        return held

    def _mine(self) -> QuerySet[Round]:
        return Round.objects.filter(pk=self.round.pk, status=Round.Status.DRAFT, claimed_at=self.claim)

    def _taken_over(self) -> Refused:
        return Refused(
            "round_not_draft",
            gettext("The work on %(name)s was taken over by somebody else’s.") % {"name": self.round.name},
        )


def draft_claim(round: Round, work: str, *, waits: bool = False, **values: Any) -> datetime:
    """Claim a locked draft, inside the caller's transaction; return the claim for `draft_work`.

    With `waits` the work is sent to a worker, and the claim holds longer until that begins.
    """
    claimed_at = timezone.now() + (WAITS if waits else timedelta())
    values = {"claimed_for": work, "claimed_at": claimed_at, **values}
    Round.objects.filter(pk=round.pk).update(**values)
    for name, value in values.items():
        setattr(round, name, value)
    found: datetime = values["claimed_at"]
    return found


@contextmanager
def draft_work(round: Round, claim: datetime) -> Iterator[DraftWork]:
    """Work on a claimed draft; whatever ends the block without `DraftWork.end` drops the claim.

    Raises Refused where another took it over.
    """
    work = DraftWork(round, claim)
    work.begin()
    try:
        with beating(work.beat, lambda: work.last_sign, "the work on a draft"):
            yield work
    except BaseException:
        work.drop()
        raise


def locked_draft(round: Round, otherwise: str) -> None:
    """Lock a draft until this transaction ends. Raises Refused where it is none, or is being worked on."""
    current = Round.objects.select_for_update().filter(pk=round.pk).first()
    if current is None:
        raise NotFound(gettext("The round is gone."))
    names = {"name": current.name, "otherwise": otherwise}
    if current.status != Round.Status.DRAFT:
        told = gettext("%(name)s is %(status)s. %(otherwise)s") % {**names, "status": current.status_word}
        raise Refused("round_not_draft", told)
    if current.imported:
        raise Refused("round_not_draft", gettext("%(name)s is being imported. %(otherwise)s") % names)
    if current.is_opening:
        raise Refused("round_not_draft", gettext("%(name)s is being opened. %(otherwise)s") % names)
    if current.is_drawing:
        raise Refused(
            "round_not_draft", gettext("Items are being drawn into %(name)s. %(otherwise)s") % names
        )


def refuse_half_drawn(round: Round) -> None:
    """Refuse what needs the items of a draft whose drawing was stopped halfway."""
    if Round.objects.filter(pk=round.pk, claimed_for=Round.Work.DRAWING).exists():
        raise Refused(
            "not_ready",
            gettext("Drawing items into %(name)s stopped before it was done: draw them again.")
            % {"name": round.name},
        )


def round_log(round: Round, member: Membership | None, action: str, **details: object) -> None:
    """Write an act on a round into its project's log."""
    ProjectEvent.objects.create(
        project=round.project, member=member, action=action, details={"round": round.name, **details}
    )
