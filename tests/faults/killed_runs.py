"""Kill the worker of a run of a language model again and again, and count what was asked and kept.

Run by `make killed-runs` as `python -m tests.faults.killed_runs`, not by the ordinary suite: it takes some
minutes. A run asks a local server about 500 texts; its worker is a process of its own, killed (SIGKILL) 20
times: half of the times while the server holds an answer back, half of them up to 30 ms after an answer left,
so that some fall between an answer and its storing. On SQLite, and on PostgreSQL where
ELENCHUS_TEST_POSTGRES_URL names one.

The server knows the header Idempotency-Key: what it was asked before with the same key it answers from its
notes. At the end it must hold: each text has one answer; the server saw a text a second time only where its
answer was not stored when a worker was killed, one text a kill at most, and with the same key, so that it
made one answer a text; no request and no token was spent that the run had not counted before, and its budget
is not passed. Prints the counts; exits with 1 where something
does not hold.
"""

import argparse
import os
import random
import sqlite3
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg

from tests.exports.endpoint import KEY, Asked, FakeEndpoint, fake_endpoint, saying
from tests.installation import Installation, script

PROMPT_TOKENS, ANSWER_TOKENS = 60, 1
LONGEST_DELAY = 0.03

SETUP = """
from tests.factories import study
from assist.runs.parameters import run_choices
from assist.runs.runs import run_request
texts = tuple(f"Text number {{n}}." for n in range({units}))
made = study("focus", annotators=1, items={units}, slug="killed", texts=texts)
given = {{
    "task": "context", "model": "tiny", "sources": ["test"],
    "budget_requests": {requests}, "budget_tokens": {tokens},
}}
run_request(project=made.project, choices=run_choices(made.project, given))
"""

# Every second worker asks as one does whose model takes longer than the pace: what is next is counted with
# the answer before it.
AT_ONCE = """
from assist.asking.llm_client import Pause
Pause.wait, Pause.is_over = lambda self: None, lambda self: True
"""

# The claim of a killed worker would hold for a minute: it ends at once.
WORK = """
from datetime import timedelta
from django.utils import timezone
from assist.models import AssistRun
from assist.runs.worker import run_work
AssistRun.objects.filter(state="running").update(lease_until=timezone.now() - timedelta(seconds=1))
while run_work(run_id=AssistRun.objects.get().pk):
    pass
"""

KEPT = """
SELECT i.text FROM assist_assistanswer a JOIN annotation_item i ON i.id = a.item_id WHERE a.state = 'usable'
"""
COUNTED = "SELECT state, requests, tokens, reserved, budget_requests, budget_tokens FROM assist_assistrun"


@dataclass
class Watched:
    """What the server saw: it says when the next kill is due, and holds some answers until it happened."""

    due: list[int]
    seen: Counter[str] = field(default_factory=Counter)
    made: dict[str, tuple[int, dict, bytes]] = field(default_factory=dict)
    is_due: threading.Event = field(default_factory=threading.Event)
    killed: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    held: bool = False

    def reply(self, asked: Asked) -> tuple[int, dict, bytes]:
        text = asked.prompt.rpartition("Argument: ")[2].partition("\n")[0]
        with self.lock:
            self.seen[text] += 1
            now = bool(self.due) and self.seen.total() >= self.due[0]
            if now:
                self.due.pop(0)
                self.held = len(self.due) % 2 == 0
                self.killed.clear()
                self.is_due.set()
        if now and self.held:
            self.killed.wait()
        with self.lock:
            answer = saying("yes", usage=(PROMPT_TOKENS, ANSWER_TOKENS))
            return self.made.setdefault(asked.headers["Idempotency-Key"], answer)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--units", type=int, default=500)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    wrong = killed_run("", given)
    if url := os.environ.get("ELENCHUS_TEST_POSTGRES_URL"):
        with database_made(url) as named:
            wrong += killed_run(named, given)
    else:
        print("PostgreSQL: left out, ELENCHUS_TEST_POSTGRES_URL names none")
    for one in wrong:
        print(f"  WRONG: {one}")
    print("all holds" if not wrong else "something does not hold")
    return 1 if wrong else 0


@contextmanager
def database_made(url: str) -> Iterator[str]:
    """Make a database of this run's own, and drop it."""
    name = f"killed_{uuid4().hex[:12]}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    try:
        yield urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def killed_run(database: str, given: argparse.Namespace) -> list[str]:
    """Do one run on a database; print its counts, and return what does not hold."""
    chosen = random.Random(given.seed)
    due = sorted(chosen.sample(range(2, given.units), given.kills))
    with tempfile.TemporaryDirectory(prefix="elenchus-killed-") as folder, fake_endpoint() as endpoint:
        watched = Watched(due)
        endpoint.otherwise = watched.reply
        made = installation(Path(folder), database, endpoint, given)
        lost, kills = work_and_kill(made, watched, chosen)
        return judged(made, watched, lost, kills, given)


def installation(
    folder: Path, database: str, endpoint: FakeEndpoint, given: argparse.Namespace
) -> Installation:
    named = {"ELENCHUS_LLM_ENDPOINTS": endpoint.url, "ELENCHUS_LLM_API_KEY": KEY}
    made = Installation(folder, database=database, **named)
    made.migrate()
    # A request whose answer is lost stays reserved at its worst, so there must be room for one a kill.
    requests = given.units + given.kills
    tokens = given.units * (PROMPT_TOKENS + ANSWER_TOKENS) + (given.kills + 1) * 2_000
    made.run(*script(SETUP.format(units=given.units, requests=requests, tokens=tokens)))
    return made


def work_and_kill(made: Installation, watched: Watched, chosen: random.Random) -> tuple[Counter[str], int]:
    """Let workers work and kill them when it is due; return which texts had no answer then, and the kills."""
    lost: Counter[str] = Counter()
    kills = 0
    while True:
        process = made.begin(*script((AT_ONCE if kills % 2 else "") + WORK))
        while process.poll() is None and not watched.is_due.wait(0.1):
            pass
        if not watched.is_due.is_set():
            out, err = process.communicate()
            if process.returncode:
                raise SystemExit(f"the worker ended with {process.returncode}: {out}{err}")
            return lost, kills
        if not watched.held:
            threading.Event().wait(chosen.uniform(0, LONGEST_DELAY))
        process.kill()
        process.communicate()
        kills += 1
        with watched.lock:
            lost.update(watched.seen.keys() - set(kept_texts(made)))
            watched.is_due.clear()
            watched.killed.set()


def kept_texts(made: Installation) -> list[str]:
    return [text for (text,) in found(made, KEPT)]


def found(made: Installation, query: str) -> list[tuple]:
    url = made.environment["DATABASE_URL"]
    if url:
        with psycopg.connect(url) as connection:
            return connection.execute(query).fetchall()
    with closing(sqlite3.connect(made.folder / "elenchus.sqlite3", timeout=20)) as connection:
        return connection.execute(query).fetchall()


def judged(
    made: Installation, watched: Watched, lost: Counter[str], kills: int, given: argparse.Namespace
) -> list[str]:
    """Print the counts of a run that came to its end, and return what does not hold."""
    ((state, requests, tokens, reserved, most_requests, most_tokens),) = found(made, COUNTED)
    answers, seen = Counter(kept_texts(made)), watched.seen
    asked, spent = seen.total(), seen.total() * (PROMPT_TOKENS + ANSWER_TOKENS)
    again = Counter({text: times - 1 for text, times in seen.items() if times > 1})
    where = "PostgreSQL" if made.environment["DATABASE_URL"] else "SQLite"
    print(
        f"{where}: {kills} kills; {answers.total()} answers to {len(answers)} texts; the server saw {asked} "
        f"requests, {again.total()} of them a second time, all of lost answers: {again <= lost}; it made "
        f"{len(watched.made)} answers, one a key\n"
        f"  counted: {requests} requests of {most_requests}, {tokens} tokens and {reserved} reserved of "
        f"{most_tokens}; the server gave {spent}",
        flush=True,
    )
    held = {
        f"the run is {state}": state == "done",
        f"{kills} kills": kills == given.kills,
        "each text has one answer": len(answers) == answers.total() == given.units,
        "only what a kill had lost was asked again": again <= lost and lost.total() <= kills,
        "an endpoint that knows the keys makes one answer a text": len(watched.made) == given.units,
        "every request was counted before it was sent": asked <= requests <= most_requests,
        "no token was spent uncounted": spent <= tokens + reserved <= most_tokens,
    }
    return [f"{where}: {what}" for what, holds in held.items() if not holds]


if __name__ == "__main__":
    sys.exit(main())
