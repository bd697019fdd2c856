"""Many teams hand in at once: python -m bench.boards_load [--teams 50] [--within 60] [--only SQLite]

Each team has a file of 34 texts checked, hands it in, hands the same in again, and asks until it has its
figures, over HTTP: SQLite with `manage.py serve`, then PostgreSQL with web server, worker and Redis as their
containers have them. Every file is scored once, in turn, and every check is answered within 5 s; exits with 1
where that does not hold.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.boards.many_teams import LOOK, SEED, Teams, Told, find_wrong, most_overtaken, read_after
from tests.faults.stage import HOST, Stage
from tests.installation import ROOT, Installation, script

MOST_SECONDS = 5.0
WORKERS = 2


def run_sqlite(folder: Path, seed: str, within: float) -> tuple[list[Told], Any]:
    installation = Installation(folder / "sqlite")
    installation.folder.mkdir()
    installation.migrate()
    people: Any = read_after("SEEDED", installation.run(*script(seed)))
    port = str(installation.port)
    serving = installation.begin("manage.py", "serve", "--port", port, start_new_session=True)
    try:
        assert serving.stdout is not None
        for line in serving.stdout:
            if line.startswith("Ctrl-C stops it."):
                break
        told = Teams(installation.port, people).hand_in(within=within)
    finally:
        os.killpg(serving.pid, signal.SIGTERM)
        serving.communicate()
    return told, read_after("FOUND", installation.run(*script(LOOK)))


def run_postgresql(folder: Path, seed: str, within: float) -> tuple[list[Told], Any]:
    place = folder / "postgresql"
    place.mkdir()
    stage = Stage(place)
    try:
        for name in ("postgres", "redis"):
            stage.start(name)
            stage.wait_for(name)
        manage = [sys.executable, "manage.py"]
        for command in (["migrate", "--verbosity", "0"], ["collectstatic", "--noinput", "-v", "0"]):
            subprocess.run([*manage, *command], cwd=ROOT, env=stage.environment, check=True)
        people: Any = read_after("SEEDED", stage.python(seed))
        for name in ("web", "worker", "beat"):
            stage.start(name)
        stage.wait_for("web", 120)
        headers = {"Host": HOST, "X-Forwarded-Proto": "https", "Referer": f"https://{HOST}/"}
        told = Teams(stage.ports["web"], people, headers).hand_in(within=within)
        return told, read_after("FOUND", stage.python(LOOK))
    finally:
        stage.end()


def show(what: str, told: list[Told], found: Any) -> bool:
    """Print what it took, and return whether all holds."""
    wrong = find_wrong(told, found, WORKERS)
    for name in ("check", "hand_in", "scored"):
        took = [getattr(one, name) for one in told]
        p95 = statistics.quantiles(took, n=20)[-1]
        print(
            f"{what:<12} {name:<8} p50 {statistics.median(took):6.2f} s  p95 {p95:6.2f} s  "
            f"worst {max(took):6.2f} s"
        )
        if name != "scored" and max(took) > MOST_SECONDS:
            wrong.append(f"{name} took {max(took):.1f} s, more than {MOST_SECONDS:g}")
    places = max((place for one in told for place in one.places), default=0)
    print(
        f"{what:<12} {found['entries']} entries of {len(told)} teams, {found['evaluations']} evaluations; "
        f"longest queue shown {places}; overtaken by at most {most_overtaken(found['order'])}"
    )
    for one in wrong:
        print(f"  WRONG: {one}")
    return not wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--teams", type=int, default=50)
    parser.add_argument("--items", type=int, default=34, help="texts of the split that is ranked")
    parser.add_argument("--within", type=float, default=60.0, help="seconds in which all begin; 0: at once")
    parser.add_argument("--method", default="chrf:40")
    parser.add_argument("--only", choices=["SQLite", "PostgreSQL"], help="on one of them alone")
    given = parser.parse_args()
    seed = SEED.format(items=2 * given.items, method=given.method, replicates=1000, teams=given.teams)
    holds = True
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)  # PostgreSQL runs as its own user
        for what, run in (("SQLite", run_sqlite), ("PostgreSQL", run_postgresql)):
            if given.only not in (None, what):
                continue
            started = time.perf_counter()
            told, found = run(Path(name), seed, given.within)
            holds = show(what, told, found) and holds
            print(f"{what:<12} {time.perf_counter() - started:.0f} s in all", flush=True)
    print("all holds" if holds else "something does not hold")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
