"""From a file to a release over HTTP: a web process, a worker on Redis, and the database in between."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from http.cookiejar import CookieJar
from random import Random
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest
from django.db import connection

from tests.config.test_serve import free_port
from tests.conftest import ROOT
from tests.factories import study

pytestmark = [pytest.mark.database, pytest.mark.redis]

DEADLINE_SECONDS = 120


class Browser:
    """A person's session with the running server."""

    def __init__(self, base: str, name: str) -> None:
        self.base = base
        self.cookies = CookieJar()
        self.opener = build_opener(HTTPCookieProcessor(self.cookies))
        page = self.opener.open(f"{base}/accounts/login/").read().decode()
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page).group(1)
        form = {"login": name, "password": "secret", "csrfmiddlewaretoken": token}
        request = Request(f"{base}/accounts/login/", urlencode(form).encode(), {"Referer": base})
        assert "sessionid" in {cookie.name for cookie in self._opened(request)}, f"{name} could not log in"

    def _opened(self, request: Request) -> CookieJar:
        self.opener.open(request)
        return self.cookies

    def get(self, path: str) -> dict:
        return json.load(self.opener.open(f"{self.base}/api/projects/{path}"))

    def post(self, path: str, body: dict | None = None) -> dict:
        token = next(cookie.value for cookie in self.cookies if cookie.name == "csrftoken")
        headers = {"Content-Type": "application/json", "X-CSRFToken": token, "Referer": self.base}
        request = Request(f"{self.base}/api/projects/{path}", json.dumps(body or {}).encode(), headers)
        try:
            return json.load(self.opener.open(request))
        except HTTPError as error:
            raise AssertionError(f"{path}: {error.code} {error.read().decode()}") from None


def wait_until(asked, done) -> dict:
    """Ask again and again until the answer is done; fail at the deadline."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < deadline:
        answer = asked()
        assert answer.get("state") != "failed", answer
        if done(answer):
            return answer
        time.sleep(0.2)
    raise AssertionError(f"not done in {DEADLINE_SECONDS} s: {answer}")


@pytest.fixture
def server(transactional_db, tmp_path, broker):
    """The address of a web process and a worker on the test's database and a real Redis."""
    port = free_port()
    name = connection.settings_dict["NAME"]
    url = os.environ.get("DATABASE_URL", "")
    database = f"{url.rsplit('/', 1)[0]}/{name}" if connection.vendor == "postgresql" else f"sqlite:///{name}"
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("ELENCHUS_")},
        "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
        "ELENCHUS_DATA": str(tmp_path / "data"),
        "DATABASE_URL": database,
        "CELERY_BROKER_URL": broker,
    }
    (tmp_path / "data").mkdir()
    with (tmp_path / "log").open("w+") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--port", str(port)],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            if not any(line.startswith("Ctrl-C") for line in process.stdout):
                log.seek(0)
                raise AssertionError(f"the server did not start:\n{log.read()}")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)


def label_types(browser: Browser, random: Random) -> int:
    """Label all units of the round as one annotator; return how many."""
    n = 0
    overview = browser.get("talk/rounds/1/workspace/")
    for unit in browser.get("talk/rounds/1/units/?limit=50")["results"]:
        text = unit["item"]["text"]
        for entry in overview["spec"]["types"]:
            answer: dict = {"applicable": False}
            if random.random() < 0.6:
                words = [match.span() for match in re.finditer(r"\S+", text)]
                first = random.randrange(min(4, len(words)))
                start, end = words[first][0], words[min(first + 3, len(words) - 1)][1]
                answer = {"applicable": True, "start": start, "end": end, "quote": text[start:end]}
            body = {
                "event_id": f"{unit['assignment']}-{entry['code']}",
                "assignment": unit["assignment"],
                "type": entry["code"],
                "base_revision": 0,
                "answer": answer,
            }
            assert browser.post("talk/rounds/1/judgements/", body)["row"]["revision"] == 1
            n += 1
    return n


def label_questions(browser: Browser, random: Random) -> int:
    n = 0
    for unit in browser.get("debate/rounds/1/units/?limit=50")["results"]:
        for question in unit["questions"]:
            answer = random.choice(
                [
                    {"label": "USE"},
                    {"label": "UN", "comment": "well known"},
                    {"label": "IN", "reason": "TG"},
                ]
            )
            body = {
                "event_id": f"q-{question['id']}",
                "assignment": unit["assignment"],
                "question": question["id"],
                "base_revision": 0,
                "answer": answer,
            }
            browser.post("debate/rounds/1/judgements/", body)
            n += 1
    return n


def release(lead: Browser, slug: str) -> dict:
    """Ask for release 1.0 and return its benchmark file once a worker has built it."""
    lead.post(f"{slug}/releases/", {"version": "1.0"})
    built = wait_until(lambda: lead.get(f"{slug}/releases/1.0/"), lambda answer: answer["state"] == "done")
    name = {"talk": "focus.json", "debate": "cqs_gen.json"}[slug]
    assert name in {file["name"] for file in built["files"]}
    return lead.get(f"{slug}/releases/1.0/files/{name}")


def test_three_annotators_a_closed_round_a_report_and_a_release(server: str, settings):
    # The server checks passwords with the product's hashers, not with the quick one of the tests.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    talk = study("focus", annotators=3, items=10, slug="talk")
    study("cqs_gen", annotators=3, items=4, questions=5, slug="debate")
    lead = Browser(server, "lea")
    for slug in ("talk", "debate"):
        lead.post(f"{slug}/rounds/", {"name": "Pilot", "overlap": 3})
        lead.post(f"{slug}/rounds/1/draw/")
        assert lead.post(f"{slug}/rounds/1/open/")["status"] == "open"
    for number, name in enumerate(("ann", "bea", "cai")):
        browser = Browser(server, name)
        assert label_types(browser, Random(number)) == 100
        assert label_questions(browser, Random(number)) == 20
    for slug in ("talk", "debate"):
        assert lead.post(f"{slug}/rounds/1/close/")["status"] == "closed"
        report = wait_until(
            lambda slug=slug: lead.get(f"{slug}/rounds/1/report/"),
            lambda answer: answer.get("state") == "done",
        )
        assert report["figures"], report

    focus = release(lead, "talk")
    texts = {item.external_id: item.text for item in talk.items}
    assert set(focus) == set(texts)
    spans = 0
    for external_id, entry in focus.items():
        assert entry["argument"] == texts[external_id]
        assert len(entry["fsq_types"]) == len(entry["spans"])
        for label in entry["labels"]:
            assert sum(label["votes"].values()) == 3
            for span in label["gold_spans"] + label["disagreement_spans"]:
                assert entry["argument"][span["start"] : span["end"]] == span["text"]
                spans += 1
    assert spans > 50
    questions = release(lead, "debate")
    assert len(questions) == 4
    labels = {cq.get("label") for entry in questions.values() for cq in entry["cqs"]}
    assert labels <= {"Useful", "Unhelpful", "Invalid"}
    assert labels
