"""Teams that hand in over HTTP at the same time, and what became of each of their files."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

CSRF = "a" * 32
Answer = tuple[int, dict[str, Any]]
BOARD = "/api/boards/ask/best/"

SEED = """
import json
from django.test import Client
from tests import factories
from tests.boards.made import asked, questions_board, team
made, board = questions_board(items={items}, methods=["{method}"], replicates={replicates})
people = []
for number in range({teams}):
    name = f"team{{number}}"
    team(board, name, name)
    client = Client()
    client.force_login(factories.user(name))
    file = json.dumps(asked(made, right=number % 7, tag=name))
    people.append([client.cookies["sessionid"].value, file])
print("SEEDED", json.dumps(people))
"""

LOOK = """
import json
from boards.models import Entry, Placing
from scoring.models import Evaluation, SubmissionFile
rows = Placing.objects.order_by("pk")
print("FOUND", json.dumps({"entries": Entry.objects.count(),
    "slots": sorted(Entry.objects.values_list("slot", flat=True)),
    "files": SubmissionFile.objects.values("sha256").distinct().count(),
    "states": sorted(set(rows.values_list("state", flat=True))),
    "attempts": max(rows.values_list("attempts", flat=True)),
    "evaluations": Evaluation.objects.filter(state="done").count(),
    "order": [pk for pk, _ in sorted(rows.filter(finished_at__isnull=False).values_list("pk", "finished_at"),
                                     key=lambda one: one[1])]}))
"""


def read_after(word: str, printed: str) -> object:
    """Return the JSON that a script printed behind a word."""
    return json.loads(printed.rpartition(f"{word} ")[2])


@dataclass
class Told:
    """What one team was answered; seconds of its requests, and from handing in to its figures."""

    check: float = 0.0
    hand_in: float = 0.0
    scored: float = 0.0
    statuses: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    value: float | None = None
    state: str = ""


class Teams:
    """All teams of one board, each with one file, and the address where they hand it in."""

    def __init__(self, port: int, people: list[list[str]], headers: Mapping[str, str] | None = None) -> None:
        self.port, self.people, self.headers = port, people, dict(headers or {})

    def hand_in(self, *, within: float, seed: int = 0, patience: float = 300.0) -> list[Told]:
        """Have every team check, hand in, hand in the same again, and wait for its figures."""
        chosen = random.Random(seed)
        begins = [chosen.uniform(0, within) for _ in self.people]
        with ThreadPoolExecutor(len(self.people)) as pool:
            work = zip(self.people, begins, strict=True)
            return list(pool.map(lambda one: self._one(*one[0], one[1], patience), work))

    def _one(self, session: str, file: str, begins: float, patience: float) -> Told:
        waits = threading.Event()
        waits.wait(begins)
        told = Told()
        parts = {"name": "Gadfly", "may_be_shown": "true"}
        told.check = self._timed(told, lambda: self.send_form(f"{BOARD}check/", session, file, {}))[0]
        started = time.perf_counter()
        told.hand_in, made = self._timed(
            told, lambda: self.send_form(f"{BOARD}submissions/", session, file, parts)
        )
        self._timed(told, lambda: self.send_form(f"{BOARD}submissions/", session, file, parts))
        until = started + patience
        while time.perf_counter() < until:
            status, body = self.ask("GET", f"{BOARD}submissions/{made.get('id', 0)}/", session)
            told.state = body.get("state", str(status))
            if told.state not in ("queued", "running"):
                break
            if body["queue"] is not None and body["queue"] not in told.places[-1:]:
                told.places.append(body["queue"])
            waits.wait(0.5)
        told.scored = time.perf_counter() - started
        told.value = (body.get("figures") or {}).get("value")
        return told

    def _timed(self, told: Told, act: Callable[[], Answer]) -> tuple[float, dict[str, Any]]:
        started = time.perf_counter()
        status, body = act()
        told.statuses.append(status)
        return time.perf_counter() - started, body

    def send_form(self, path: str, session: str, file: str, fields: Mapping[str, str]) -> Answer:
        edge = "x" * 30
        head = f"--{edge}\r\nContent-Disposition: form-data; name="
        body = "".join(f'{head}"{name}"\r\n\r\n{value}\r\n' for name, value in fields.items())
        body += f'{head}"files"; filename="run.json"\r\n\r\n{file}\r\n--{edge}--\r\n'
        return self.ask("POST", path, session, body, f"multipart/form-data; boundary={edge}")

    def ask(
        self, method: str, path: str, session: str, body: str = "", kind: str = "application/json"
    ) -> Answer:
        """Send one request; return its status and the JSON of the answer."""
        headers = {
            "Content-Type": kind,
            "Cookie": f"sessionid={session}; csrftoken={CSRF}",
            "X-CSRFToken": CSRF,
            **self.headers,
        }
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, path, body.encode(), headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read() or b"{}")
        finally:
            connection.close()


def find_wrong(told: list[Told], found: dict[str, Any], workers: int) -> list[str]:
    """Return what does not hold of teams that handed in one file each, twice."""
    teams, wrong = len(told), []
    if statuses := [one.statuses for one in told if one.statuses != [200, 202, 409]]:
        wrong.append(f"answers other than 200, 202 and 409 for the same again: {statuses[:3]}")
    if unscored := [one.state for one in told if one.state != "done" or one.value is None]:
        wrong.append(f"{len(unscored)} files have no figures: {unscored[:3]}")
    if not all(one.places for one in told if one.scored > 2):
        wrong.append("a team that waited was shown no place in the queue")
    if any(one.places != sorted(one.places, reverse=True) for one in told):
        wrong.append("a place in the queue went back")
    once = {
        "entries": teams,
        "slots": [1] * teams,
        "files": teams,
        "states": ["done"],
        "attempts": 1,
        "evaluations": teams,
    }
    wrong += [f"{name}: {found[name]}" for name, value in once.items() if found[name] != value]
    if (late := most_overtaken(found["order"])) >= 2 * workers:
        wrong.append(f"an entry was overtaken by {late} that came after it")
    return wrong


def most_overtaken(order: list[int]) -> int:
    """Return how many that came later were scored before the one that was overtaken most."""
    return max(
        (sum(other > key for other in order[:at]) for at, key in enumerate(order)),
        default=0,
    )
