"""Asking one thing after the other under a claim, for every task: the pace, slices, and when to give up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, Protocol, TypeVar

from django.db import transaction
from django.db.models.functions import Greatest
from django.utils.translation import gettext

from assist.asking.llm_client import Pause, Timing
from core.errors import Refused
from core.jobs import Lease

SLICE = 600.0
"""Seconds until a worker hands the run back: others get their turn, and no task limit ends it."""

STOP_AFTER = 5
"""Questions in a row without an answer that stop a run: the endpoint is down, or refuses what we send."""


class Row(Protocol):
    """What came of asking, to be stored."""

    reason: str

    def save(self) -> None: ...


Unit = TypeVar("Unit")
Answered = TypeVar("Answered", bound=Row)


class EndpointGone(Refused):
    """So many in a row had no answer that nothing more is asked."""


def with_next(batches: Iterable[Sequence[Unit]]) -> Iterator[tuple[Unit, Unit | None]]:
    """Yield each unit with the one after it, None after the last of a batch: the next has to be read first.

    >>> list(with_next(["ab", "", "c"]))
    [('a', 'b'), ('b', None), ('c', None)]
    """
    for batch in batches:
        yield from zip_longest(batch, batch[1:])


def units_asked(
    batches: Iterable[Sequence[Unit]],
    ask: Callable[[Unit, Callable[..., None]], Answered | None],
    *,
    lease: Lease,
    timing: Timing,
    per_minute: int,
    done: int,
    unanswered: Callable[[Answered], bool],
    counts: Callable[[], dict[str, Any]] = dict,
    count_next: Callable[[Unit], object] = lambda unit: None,
    slice_seconds: float = SLICE,
    stop_after: int = STOP_AFTER,
) -> bool:
    """Ask about each unit of all batches and store what came of it. Return whether time was up before.

    `ask` is given what to call before each try, with columns of the run to write then, or `is_counted` where
    they are written; it returns None where there is nothing to ask any more.
    `counts` are columns of the run to be written with each answer. `count_next` is told which unit is asked
    about without a wait after it, so that one transaction stores an answer and counts the next request.
    Raises EndpointGone.
    """
    pause = Pause(60 / per_minute, timing)
    ends, failures = timing.clock() + slice_seconds, 0

    def before_each_try(*, is_counted: bool = False, **columns: Any) -> None:
        pause.begin()
        if not is_counted:
            lease.renew(**columns)

    at_once = False
    for unit, following in with_next(batches):
        if not at_once:
            if timing.clock() >= ends:
                lease.drop()
                return True
            pause.wait()
        row, at_once = ask(unit, before_each_try), False
        if row is None:
            continue
        done += 1
        with transaction.atomic():
            if following is not None and not unanswered(row) and timing.clock() < ends and pause.is_over():
                at_once = True
                count_next(following)
            # An answer came: what stopped workers before is over.
            # Texts that came while it ran make it longer than was counted.
            total = Greatest("progress_total", done)
            lease.renew(progress_done=done, progress_total=total, attempts=0, **counts())
            row.save()
        failures = failures + 1 if unanswered(row) else 0
        if failures == stop_after:
            raise EndpointGone(
                "not_ready",
                gettext("%(stop_after)s questions in a row had no answer. The last time %(reason)s.")
                % {"stop_after": stop_after, "reason": row.reason},
            )
    return False
