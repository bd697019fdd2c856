"""From how many annotators on somebody waits: python bench/scale.py [--think S] [--cpu MS] [--commit MS]

Simulates annotators who think, then send a decision, with the service times that bench/load.py and
bench/workspace.py measure: CPU of a web process for each decision (next and save together), then the
database's commit, one at a time on SQLite. Prints for each set-up what more and more annotators meet, and
the knee: how many there can be until 95 of 100 saves no longer come within --limit. Seed 0: the same figures
each time. What it leaves out are leads' pages, reports and releases, which belong to other processes.
"""

from __future__ import annotations

import argparse
import heapq
import random
from collections import deque
from dataclasses import dataclass, field

DECISIONS = 20_000
"""Simulated at least; the first third, before all have begun and wait as they will, is not counted."""

STEPS = (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000)


@dataclass(frozen=True)
class Setup:
    """Web processes with a core each, and how many commits the database makes at a time."""

    name: str
    web: int
    commits: int


SETUPS = (
    Setup("SQLite, one web process", 1, 1),
    Setup("SQLite, two web processes on two cores", 2, 1),
    Setup("PostgreSQL, two web processes on two cores", 2, 8),
    Setup("PostgreSQL, 16 web processes on 16 cores", 16, 32),
    Setup("PostgreSQL behind PgBouncer, 128 web processes on 8 machines", 128, 64),
)


@dataclass(frozen=True)
class Times:
    """Seconds, on average: between two decisions, of a web process, and of the database."""

    think: float
    cpu: float
    commit: float


@dataclass(frozen=True)
class Met:
    """What annotators meet: decisions a second, and milliseconds of a save."""

    rate: float
    median: float
    p95: float


@dataclass
class Station:
    """Servers with one queue, first come first served."""

    servers: int
    busy: int = 0
    waiting: deque[int] = field(default_factory=deque)

    def take(self, who: int) -> bool:
        """Give somebody a server; else let them wait."""
        if self.busy < self.servers:
            self.busy += 1
            return True
        self.waiting.append(who)
        return False

    def free(self) -> int | None:
        """Return who is next, or None where nobody waits."""
        if self.waiting:
            return self.waiting.popleft()
        self.busy -= 1
        return None


def simulate(setup: Setup, annotators: int, times: Times, *, seed: int = 0) -> Met:
    """Return what so many annotators meet; all times are exponential."""
    rng = random.Random(seed)
    stations = Station(setup.web), Station(setup.commits)
    means, think = (times.cpu, times.commit), times.think
    # When, what (-1: thought, else the station that is done), who.
    events = [(rng.expovariate(1 / think), -1, who) for who in range(annotators)]
    heapq.heapify(events)
    sent: dict[int, float] = {}
    took: list[float] = []
    first, now = 0.0, 0.0
    most = max(DECISIONS, 6 * annotators)
    begun = most // 3

    def begin(place: int, who: int) -> None:
        heapq.heappush(events, (now + rng.expovariate(1 / means[place]), place, who))

    while len(took) < most:
        now, what, who = heapq.heappop(events)
        if what == -1:
            sent[who] = now
        else:
            following = stations[what].free()
            if following is not None:
                begin(what, following)
        if what == 1:
            took.append(now - sent[who])
            if len(took) == begun:
                first = now
            heapq.heappush(events, (now + rng.expovariate(1 / think), -1, who))
        elif stations[what + 1].take(who):
            begin(what + 1, who)
    counted = sorted(took[begun:])
    n = len(counted)
    return Met(n / (now - first), 1_000 * counted[n // 2], 1_000 * counted[int(0.95 * n)])


def knee(setup: Setup, times: Times, *, limit: float) -> int:
    """Return the most annotators of whom 95 of 100 saves come within the limit, to three in a hundred.

    Beyond what keeps every server busy they wait for ever longer: the search begins there.
    """
    at_most = min(setup.web / times.cpu, setup.commits / times.commit)
    low, high = 0, 2 + int(1.1 * at_most * (times.think + times.cpu + times.commit))
    while high - low > max(1, 0.03 * high):
        middle = (low + high) // 2
        if simulate(setup, middle, times).p95 <= limit:
            low = middle
        else:
            high = middle
    return low


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--think", type=float, default=3.0, help="seconds between decisions (default 3)")
    parser.add_argument("--cpu", type=float, default=10.0, help="milliseconds of a web process a decision")
    parser.add_argument("--commit", type=float, default=2.0, help="milliseconds of a commit")
    parser.add_argument("--limit", type=float, default=200.0, help="milliseconds that a save may take")
    options = parser.parse_args()
    times = Times(options.think, options.cpu / 1_000, options.commit / 1_000)
    for setup in SETUPS:
        most = knee(setup, times, limit=options.limit)
        print(f"{setup.name}: knee at {most:,} annotators")
        for annotators in (step for step in STEPS if most / 12 <= step <= 1.5 * most):
            met = simulate(setup, annotators, times)
            print(
                f"{annotators:10,} annotators {met.rate:9,.0f} decisions/s "
                f"{met.median:8,.0f} ms median {met.p95:8,.0f} ms p95"
            )


if __name__ == "__main__":
    main()
