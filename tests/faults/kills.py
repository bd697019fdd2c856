"""Kill web server, worker, beat, Redis and PostgreSQL at random while people work.

Run by `make faults` as `python -m tests.faults.kills`, not by the ordinary suite: a hundred kills take
half an hour. Every process runs the command that its container has, on a PostgreSQL and a Redis of this
run's own, and is started again as Docker would. Meanwhile 20 clients judge, somebody logs in again and
again, and a lead imports, has reports computed, releases built and a system scored. One of the faults is a
Redis that stays up and forgets all it had.

At the end it must hold: every acknowledged decision is stored once and as it was acknowledged; no job
runs whose worker is dead; nobody was told anything but what the API describes (503 with Retry-After, in
JSON, while something is down); no right password counted as a wrong one. Prints the counts; exits with 1
where something does not hold.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psycopg

from tests.faults.crowd import Crowd
from tests.faults.stage import KILLED, Stage
from tests.installation import ROOT

SEED = """
import json
from django.test import Client
from tests import factories
made = factories.study(annotators={clients}, items={items}, slug="bench")
factories.open_round(made, overlap={clients})
people = []
for member in made.annotators:
    client = Client()
    client.force_login(member.user)
    own = made.round.assignments.filter(member=member).order_by("position")
    people.append([client.cookies["sessionid"].value, list(own.values_list("pk", flat=True))])
lead = Client()
lead.force_login(made.lead.user)
done = factories.study(annotators=2, items=6, slug="done")
factories.open_round(done)
for annotator in done.annotators:
    for item in done.items:
        for code in ("LE", "VAT"):
            factories.record(done.round, annotator, item, code, {{"applicable": False}})
from annotation.rounds.lifecycle import round_close
round_close(done.round)
from tests.factories.releases import release
release(done.project)
from django.apps import apps
from core.jobs import Job
tables = [model._meta.db_table for model in apps.get_models() if issubclass(model, Job)]
print("SEEDED", json.dumps([people, lead.cookies["sessionid"].value, tables]))
"""
MOST_SILENT_SECONDS = 120
LEFT = """
import json
from django.apps import apps
from django.utils import timezone
from core.jobs import Job
found = [
    [model._meta.label, row.pk, row.state, str(row.lease_until)]
    for model in apps.get_models() if issubclass(model, Job)
    for row in model._default_manager.filter(state__in=["queued", "running", "in_parts"])
]
print("LEFT", json.dumps(found))
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--pause", type=float, default=15.0, help="seconds between two kills, on average")
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--items", type=int, default=700, help="enough that people have work to the end")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    chosen = random.Random(given.seed)
    folder = Path(tempfile.mkdtemp(prefix="elenchus-faults-"))
    stage = Stage(folder)
    print(f"logs: {folder}", flush=True)
    try:
        for name in ("postgres", "redis"):
            stage.start(name)
            stage.wait_for(name)
        manage = [sys.executable, "manage.py"]
        migrate = [*manage, "migrate", "--verbosity", "0"]
        subprocess.run(migrate, cwd=ROOT, env=stage.environment, check=True)
        if not (ROOT / "var" / "static" / "staticfiles.json").exists():
            left_out = ["--ignore", "drf_spectacular_sidecar"]
            collect = [*manage, "collectstatic", "--noinput", "-v", "0", *left_out]
            subprocess.run(collect, cwd=ROOT, env=stage.environment, check=True)
        seeded = stage.python(SEED.format(clients=given.clients, items=given.items))
        people, lead, tables = json.loads(seeded.rpartition("SEEDED ")[2])
        for name in ("web", "worker", "beat"):
            stage.start(name)
        stage.wait_for("web", 120)
        keepers = [threading.Thread(target=stage.keep, args=(name,), daemon=True) for name in stage.commands]
        crowd, watched = Crowd(stage), Jobs(stage.environment["DATABASE_URL"], tables)
        at_work = [
            *(threading.Thread(target=crowd.judge, args=(n, *one)) for n, one in enumerate(people)),
            threading.Thread(target=crowd.log_in),
            threading.Thread(target=crowd.lead, args=(lead,)),
            threading.Thread(target=watched.watch, args=(crowd.over,)),
        ]
        for thread in (*keepers, *at_work):
            thread.start()
        kills: Counter[str] = Counter()
        while sum(kills.values()) < given.kills:
            time.sleep(chosen.uniform(0.3, 1.7) * given.pause)
            name = chosen.choice(KILLED)
            if stage.kill(name):
                kills[name] += 1
                print(f"{sum(kills.values())}: {name}; {len(crowd.acknowledged)} decisions", flush=True)
        time.sleep(20)
        crowd.over.set()
        for thread in at_work:
            thread.join(120)
        return judged(stage, crowd, kills, watched)
    finally:
        stage.end()


class Jobs:
    """How long jobs stood as running without a sign of life of their workers."""

    def __init__(self, url: str, tables: list[str]) -> None:
        self.url, self.tables = url, tables
        self.longest: dict[str, float] = {}

    def watch(self, over: threading.Event) -> None:
        while not over.wait(2.0):
            with suppress(psycopg.Error), psycopg.connect(self.url, connect_timeout=5) as database:
                for table in self.tables:
                    # A lease is of a minute from the last sign of life: core/jobs.py.
                    found = database.execute(
                        f"SELECT extract(epoch FROM max(now() - lease_until)) + 60 FROM {table} "
                        "WHERE state = 'running'"
                    ).fetchone()[0]
                    self.longest[table] = max(self.longest.get(table, 0.0), float(found or 0))


def judged(stage: Stage, crowd: Crowd, kills: Counter[str], watched: Jobs) -> int:
    """Compare what is stored with what was acknowledged, wait for the jobs, and print all counts."""
    wrong = list(crowd.odd)
    with psycopg.connect(stage.environment["DATABASE_URL"]) as database:
        stored = Counter(dict(database.execute(
            "SELECT client_event_id, count(*) FROM annotation_annotationevent GROUP BY 1"
        ).fetchall()))  # fmt: skip
        rows = set(database.execute(
            "SELECT assignment_id, type_code FROM annotation_typeannotation"
        ).fetchall())  # fmt: skip
    lost = [event for event, place in crowd.acknowledged.items() if stored[event] != 1 or place not in rows]
    if lost:
        wrong.append(f"{len(lost)} acknowledged decisions are not stored once, such as {lost[:3]}")
    doubled = [event for event, count in stored.items() if count > 1]
    if doubled:
        wrong.append(f"{len(doubled)} decisions are stored twice, such as {doubled[:3]}")
    until = time.monotonic() + 240
    left: list[list[str]] = []
    while time.monotonic() < until:
        left = json.loads(stage.python(LEFT).rpartition("LEFT ")[2])
        if not left:
            break
        time.sleep(5)
    if left:
        wrong.append(f"jobs that are not done four minutes after the last kill: {left[:5]}")
    silent = max(watched.longest.values(), default=0.0)
    if silent > MOST_SILENT_SECONDS:
        wrong.append(f"jobs stood as running without a worker for longest: {watched.longest}")
    print(f"\nkills: {sum(kills.values())} ({', '.join(f'{name} {n}' for name, n in sorted(kills.items()))})")
    print(f"acknowledged decisions: {len(crowd.acknowledged)}, each stored once: {not lost and not doubled}")
    for what, count in sorted(crowd.answers.items()):
        print(f"  {count:>7} {what}")
    print(f"longest that a job stood as running after its worker's last sign of life: {silent:.0f} s")
    print(f"answers that no caller may get: {len(crowd.odd)}")
    for one, count in Counter(wrong).most_common(20):
        print(f"  WRONG ({count}): {one}")
    print("all holds" if not wrong else "something does not hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
