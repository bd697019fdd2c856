"""Kill web server, worker, beat, Redis and PostgreSQL at random while people work.

Run by `make faults` as `python -m tests.faults.kills`, not by the ordinary suite: a hundred kills take
half an hour. Every process runs the command that its container has, on a PostgreSQL and a Redis of this
run's own, and is started again as Docker would. Meanwhile 20 clients judge, somebody logs in again and
again, and a lead imports, has reports computed and releases built.

At the end it must hold: every acknowledged decision is stored once and as it was acknowledged; no job
runs whose worker is dead; nobody was told anything but what the API describes (503 with Retry-After, in
JSON, while something is down); no right password counted as a wrong one. Prints the counts; exits with 1
where something does not hold.
"""

import argparse
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

import psycopg

from tests.installation import ROOT, script
from tools.services import _postgres_programs, free_port

TYPES = ("OSP", "TC", "IE", "BS", "VAT", "OG", "QCE", "CF", "LE", "WE")
CSRF = "a" * 32
HOST = "elenchus.example.org"
KILLED = ("web", "web child", "worker", "beat", "redis", "postgres")
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
print("SEEDED", json.dumps([people, lead.cookies["sessionid"].value]))
"""
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


def words_of(page: str) -> str:
    """Return what a page says, short enough for a line."""
    return re.sub(r"(?:<[^>]+>|\s)+", " ", page.partition("<main")[2] or page)[:400]


class Stage:
    """The processes of one installation, each started again when it ends, and how to kill them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.over = folder, threading.Event()
        self.ports = {name: free_port() for name in ("web", "redis", "postgres")}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        programs = _postgres_programs()
        assert programs, "PostgreSQL is not installed"
        folder.chmod(0o755)
        data = folder / "postgres"
        data.mkdir()
        as_postgres = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if as_postgres:
            shutil.chown(data, "postgres")
        subprocess.run(
            [*as_postgres, f"{programs}/initdb", "-D", str(data), "-U", "postgres", "--auth=trust"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        (folder / "redis").mkdir()
        (folder / "data").mkdir()
        serve = json.loads(
            re.search(r"^CMD (\[.*\])", (ROOT / "Dockerfile").read_text().replace("\\\n", ""), re.M)[1]
        )
        swapped = {"8000": str(self.ports["web"]), "0.0.0.0": "127.0.0.1"}
        python = sys.executable
        celery = [python, "-m", "celery", "--app", "config"]
        self.commands = {
            "postgres": [
                *(*as_postgres, f"{programs}/postgres", "-D", str(data), "-p", str(self.ports["postgres"])),
                *("-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="),
            ],
            "redis": [
                *("redis-server", "--port", str(self.ports["redis"]), "--bind", "127.0.0.1"),
                *("--appendonly", "yes", "--dir", str(folder / "redis")),
            ],
            "web": [python, *[swapped.get(part, part) for part in serve[1:]]],
            "worker": [*celery, "worker", "--concurrency", "2", "--loglevel", "INFO"],
            "beat": [*celery, "beat", "--loglevel", "INFO"],
        }
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("ELENCHUS_")},
            "DJANGO_SETTINGS_MODULE": "config.settings.production",
            "ELENCHUS_DATA": str(folder / "data"),
            "ELENCHUS_SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz-0123456789-abcdefgh",
            "ELENCHUS_HOSTS": HOST,
            "ELENCHUS_ORIGINS": f"https://{HOST}",
            "ELENCHUS_PROXIES": "1",
            "DATABASE_URL": f"postgres://postgres@127.0.0.1:{self.ports['postgres']}/postgres",
            "CELERY_BROKER_URL": f"redis://127.0.0.1:{self.ports['redis']}/0",
            "PYTHONPATH": str(ROOT),
        }

    def start(self, name: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                self.commands[name],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def keep(self, name: str) -> None:
        """Start a process again a moment after it ended, as `restart: unless-stopped` does."""
        while not self.over.is_set():
            if self.processes[name].poll() is not None:
                self.start(name)
            self.over.wait(1.0)

    def kill(self, name: str) -> bool:
        """Kill a process at once, with those that it started; say whether there was one."""
        process = self.processes["web" if name == "web child" else name]
        if process.poll() is not None:
            return False
        if name == "web child":
            told = subprocess.run(
                ["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False
            )
            children = told.stdout.split()
            if not children:
                return False
            os.kill(int(random.choice(children)), signal.SIGKILL)
        elif name == "postgres":
            os.kill(process.pid, signal.SIGKILL)
        else:
            os.killpg(process.pid, signal.SIGKILL)
        return True

    def python(self, code: str) -> str:
        done = subprocess.run(
            [sys.executable, *script(code)],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def answers(self, name: str) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.ports[name]), timeout=1):
            return True
        return False

    def wait_for(self, name: str, seconds: float = 60) -> None:
        until = time.monotonic() + seconds
        while not self.answers(name):
            assert time.monotonic() < until, f"{name} does not answer: {(self.folder / f'{name}.log')}"
            self.over.wait(0.1)

    def end(self) -> None:
        self.over.set()
        for process in self.processes.values():
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Crowd:
    """Everybody who uses the installation, and what they were told."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.over = stage, threading.Event()
        self.answers: Counter[str] = Counter()
        self.odd: list[str] = []
        self.acknowledged: dict[str, tuple[int, str]] = {}
        self.lock = threading.Lock()

    def ask(
        self, method: str, path: str, body: str = "", session: str = "", **headers: str
    ) -> tuple[int, str, dict[str, str]]:
        """Send one request as a proxy does; return 0 where the connection broke."""
        cookie = f"csrftoken={CSRF}" + (f"; sessionid={session}" if session else "")
        sent = {
            "Host": HOST,
            "X-Forwarded-Proto": "https",
            "X-Forwarded-For": headers.pop("ip", "192.0.2.1"),
            "Referer": f"https://{HOST}/",
            "Content-Type": "application/json",
            "X-CSRFToken": CSRF,
            "Cookie": cookie,
            **headers,
        }
        connection = http.client.HTTPConnection("127.0.0.1", self.stage.ports["web"], timeout=90)
        try:
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            return response.status, response.read().decode("utf-8", "replace"), dict(response.getheaders())
        except (OSError, http.client.HTTPException):
            return 0, "", {}
        finally:
            connection.close()

    def note(self, what: str, status: int, text: str, headers: dict[str, str], fine: set[int]) -> bool:
        """Count an answer, and keep it where it is none that a caller of the API may get."""
        lower = {key.lower(): value for key, value in headers.items()}
        with self.lock:
            self.answers[f"{what} {status or 'broken connection'}"] += 1
            if status in fine or status == 0:
                return status in fine
            honest = status == 503 and "retry-after" in lower and "json" in lower.get("content-type", "")
            if not honest:
                self.odd.append(f"{what}: {status} {lower.get('content-type')}: {text[:200]}")
        return False

    def judge(self, number: int, session: str, assignments: list[int]) -> None:
        """Make one decision after another; send each until it is acknowledged."""
        for place in range(len(assignments) * len(TYPES)):
            event = f"c{number}-{place}"
            sent = {
                "event_id": event,
                "assignment": assignments[place // len(TYPES)],
                "type": TYPES[place % len(TYPES)],
                "base_revision": 0,
                "answer": {"applicable": False},
            }
            while not self.over.is_set():
                told = self.ask("POST", "/api/projects/bench/rounds/1/judgements/", json.dumps(sent), session)
                if self.note("judgement", *told, {200, 201}):
                    with self.lock:
                        self.acknowledged[event] = (sent["assignment"], sent["type"])
                    break
                self.over.wait(1.0)
            if self.over.wait(0.2):
                return

    def log_in(self) -> None:
        """Log in with the right password again and again, each time from another address."""
        while not self.over.is_set():
            form = urlencode({"login": "ann", "password": "secret", "csrfmiddlewaretoken": CSRF})
            kind = "application/x-www-form-urlencoded"
            status, text, _ = self.ask(
                "POST", "/accounts/login/", form, ip="192.0.2.77", **{"Content-Type": kind}
            )
            with self.lock:
                self.answers[f"log-in {status or 'broken connection'}"] += 1
                if status not in (0, 302, 503):
                    self.odd.append(f"log-in: {status} {words_of(text)}")
            self.over.wait(3.0)

    def lead(self, session: str) -> None:
        """Have reports computed, releases built and files imported, one after the other."""
        count = 0
        while not self.over.is_set():
            count += 1
            base = "/api/projects/done"
            told = self.ask("POST", f"{base}/rounds/1/report/", json.dumps({"seed": count}), session)
            self.note("report", *told, {202})
            release = json.dumps({"version": f"0.{count}"})
            told = self.ask("POST", f"{base}/releases/", release, session)
            # Asked again after a connection broke, the version may be there already.
            self.note("release", *told, {202, 409, 422})
            edge = "x" * 30
            upload = (
                f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="t{count}.csv"\r\n\r\n'
                f"id,text\nT-{count},A text that was brought as number {count}.\n\r\n--{edge}\r\n"
                f'Content-Disposition: form-data; name="holds"\r\n\r\nitems\r\n--{edge}--\r\n'
            )
            kind = f"multipart/form-data; boundary={edge}"
            status, text, _ = self.ask(
                "POST", "/p/bench/import/", upload, session, **{"Content-Type": kind, "X-CSRFToken": CSRF}
            )
            with self.lock:
                self.answers[f"upload {status or 'broken connection'}"] += 1
                if status not in (0, 302, 503):
                    self.odd.append(f"upload: {status} {words_of(text)}")
            self.over.wait(2.0)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--pause", type=float, default=15.0, help="seconds between two kills, on average")
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--items", type=int, default=300)
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
        people, lead = json.loads(seeded.rpartition("SEEDED ")[2])
        for name in ("web", "worker", "beat"):
            stage.start(name)
        stage.wait_for("web", 120)
        keepers = [threading.Thread(target=stage.keep, args=(name,), daemon=True) for name in stage.commands]
        crowd = Crowd(stage)
        at_work = [
            *(threading.Thread(target=crowd.judge, args=(n, *one)) for n, one in enumerate(people)),
            threading.Thread(target=crowd.log_in),
            threading.Thread(target=crowd.lead, args=(lead,)),
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
        return judged(stage, crowd, kills)
    finally:
        stage.end()


def judged(stage: Stage, crowd: Crowd, kills: Counter[str]) -> int:
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
    print(f"\nkills: {sum(kills.values())} ({', '.join(f'{name} {n}' for name, n in sorted(kills.items()))})")
    print(f"acknowledged decisions: {len(crowd.acknowledged)}, each stored once: {not lost and not doubled}")
    for what, count in sorted(crowd.answers.items()):
        print(f"  {count:>7} {what}")
    print(f"answers that no caller may get: {len(crowd.odd)}")
    for one, count in Counter(wrong).most_common(20):
        print(f"  WRONG ({count}): {one}")
    print("all holds" if not wrong else "something does not hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
