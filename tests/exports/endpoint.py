"""A server on 127.0.0.1 that speaks the form of chat completions, and says what the test wants."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from assist.asking.llm_client import Timing

KEY = "sk-very-secret"


def saying(text, model="served-1", ending="stop", usage=None, **message) -> tuple[int, dict, bytes]:
    """Return the reply of a model that answered with this text."""
    choice = {
        "index": 0,
        "finish_reason": ending,
        "message": {"role": "assistant", "content": text, **message},
    }
    said = {"object": "chat.completion", "model": model, "choices": [choice]}
    if usage:
        said["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return 200, {}, json.dumps(said).encode()


def status(code: int, body: bytes = b"{}", **headers) -> tuple[int, dict, bytes]:
    """Return a reply with this status; headers by name with underscores."""
    return code, {name.replace("_", "-"): value for name, value in headers.items()}, body


@dataclass
class Asked:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: dict

    @property
    def prompt(self) -> str:
        return self.body["messages"][0]["content"]


@dataclass
class FakeEndpoint:
    """Gives its `replies` in their order, then `otherwise`; each is a reply, or makes one of the request."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    replies: list = field(default_factory=list)
    otherwise: object = field(default_factory=lambda: saying("What shows that?"))

    def reply_to(self, asked: Asked) -> tuple[int, dict, bytes]:
        self.asked.append(asked)
        reply = self.replies.pop(0) if self.replies else self.otherwise
        return reply(asked) if isinstance(reply, Callable) else reply


@contextmanager
def fake_endpoint() -> Iterator[FakeEndpoint]:
    """Serve until the block ends."""
    fake = FakeEndpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            content = self.rfile.read(int(self.headers["Content-Length"]))
            code, headers, body = fake.reply_to(Asked(self.path, dict(self.headers), json.loads(content)))
            self.send_response(code)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            with suppress(ConnectionError):  # whoever asked may have given up
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    fake.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield fake
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass
class Clock:
    """A clock that only sleeping moves, and that notes how long."""

    time: float = 0.0
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds

    @property
    def timing(self) -> Timing:
        return Timing(lambda: self.time, self.sleep, lambda: datetime(2026, 1, 1, 12, 0, tzinfo=UTC))
