"""What the benches of pages share: an installation of their own, and the time of one request."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.installation import ROOT
from tools.services import Services


def main(
    module: str, doc: str | None, run: Callable[[argparse.Namespace], int], sizes: dict[str, tuple[int, str]]
) -> int:
    """Run a bench in a process whose installation is new and empty, on SQLite or a scratch PostgreSQL.

    `sizes` are its options, each with a default and a meaning. Returns the exit code.
    """
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    for name, (default, meaning) in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=meaning)
    parser.add_argument("--requests", type=int, default=40)
    parser.add_argument("--postgresql", action="store_true", help="on a scratch PostgreSQL, not SQLite")
    given = parser.parse_args()
    if os.environ.get("ELENCHUS_BENCH_INSIDE"):
        return run(given)
    with tempfile.TemporaryDirectory() as name:
        services = Services(Path(name))
        try:
            environment = {
                **os.environ,
                "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
                "ELENCHUS_DATA": name,
                "ELENCHUS_LOG_LEVEL": "ERROR",
                "DATABASE_URL": f"{services.postgres_url()}/postgres" if given.postgresql else "",
                "CELERY_BROKER_URL": "",
                "ELENCHUS_BENCH_INSIDE": "1",
                "ELENCHUS_HOSTS": "testserver",
            }
            for command in (["manage.py", "migrate", "--verbosity", "0"], ["-m", module, *sys.argv[1:]]):
                done = subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, check=False)
                if done.returncode:
                    return done.returncode
        finally:
            services.stop()
    return 0


def get(client: Any, address: str) -> Callable[[], None]:
    """Return a request of a page, read to its end; it fails where the answer is not 200."""

    def act() -> None:
        answer = client.get(address)
        b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert answer.status_code == 200, (address, answer.status_code)

    return act


def timed(act: Callable[[], Any], requests: int) -> tuple[list[float], list[float]]:
    act()
    cpu, clock = [], []
    for _ in range(requests):
        before, started = time.process_time(), time.perf_counter()
        act()
        cpu.append(time.process_time() - before)
        clock.append(time.perf_counter() - started)
    return cpu, clock


def measure(what: str, act: Callable[[], Any], requests: int, goal: float) -> bool:
    """Print what one request takes; return whether its p95 of CPU is within the goal."""
    (cpu, cpu95), (clock, clock95) = (
        (1000 * statistics.median(took), 1000 * statistics.quantiles(took, n=20)[-1])
        for took in timed(act, requests)
    )
    missed = cpu95 > 1000 * goal
    print(
        f"{what:<44} CPU p50 {cpu:6.1f} p95 {cpu95:6.1f} ms   clock p50 {clock:6.1f} p95 {clock95:6.1f} ms"
        f"   goal {1000 * goal:.0f} ms{'   MISSED' if missed else ''}",
        flush=True,
    )
    return not missed
