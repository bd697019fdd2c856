"""People who use an installation while its processes are killed, and what they were told."""

import http.client
import json
import re
import threading
from collections import Counter
from urllib.parse import urlencode

from tests.faults.stage import HOST, Stage

TYPES = ("OSP", "TC", "IE", "BS", "VAT", "OG", "QCE", "CF", "LE", "WE")
CSRF = "a" * 32


def words_of(page: str) -> str:
    """Return what a page says, short enough for a line."""
    return re.sub(r"(?:<[^>]+>|\s)+", " ", page.partition("<main")[2] or page)[:400]


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

    def send_form(
        self, path: str, session: str, parts: list[tuple[str, str, str]]
    ) -> tuple[int, str, dict[str, str]]:
        """Send a form of (name, file name or nothing, content)."""
        edge = "x" * 30
        body = "".join(
            f'--{edge}\r\nContent-Disposition: form-data; name="{name}"'
            + (f'; filename="{file}"' if file else "")
            + f"\r\n\r\n{content}\r\n"
            for name, file, content in parts
        )
        kind = f"multipart/form-data; boundary={edge}"
        return self.ask("POST", path, f"{body}--{edge}--\r\n", session, **{"Content-Type": kind})

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
        """Have reports computed, releases built, a system scored and files imported, one after the other."""
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
            answer = json.dumps({"I-1": {"fsq_types": ["LE"], "spans": ["because"]}})
            system = [
                ("system", "", f"System {count}"),
                ("files", "run.json", answer),
                ("seed", "", str(count)),
            ]
            told = self.send_form(f"{base}/releases/1.0/evaluations/", session, system)
            self.note("evaluation", *told, {202})
            row = f"id,text\nT-{count},A text that was brought as number {count}.\n"
            brought = [("file", f"t{count}.csv", row), ("holds", "", "items")]
            status, text, _ = self.send_form("/p/bench/import/", session, brought)
            with self.lock:
                self.answers[f"upload {status or 'broken connection'}"] += 1
                if status not in (0, 302, 503):
                    self.odd.append(f"upload: {status} {words_of(text)}")
            self.over.wait(12.0)  # what two workers on two busy cores keep up with
