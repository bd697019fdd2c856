"""Readers that take a long answer slowly hold up each other at most, and nobody who works."""

import gc
import json
import shutil
import socket
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPResponse
from io import BytesIO

import pytest
from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from config.web_server import blocking_threads
from core.downloads import SMALL, Downloads
from frontend import middleware
from frontend.management.commands.serve import web_command
from tests.installation import Installation

SEED = """
import json
from annotation.models import ProjectEvent
from django.test import Client
from tests import factories
made = factories.study(items=1, slug="long")
ProjectEvent.objects.bulk_create(
    ProjectEvent(project=made.project, member=made.lead, action="filled", details={"text": "x" * 100_000})
    for _ in range(400)
)
client = Client()
client.force_login(made.lead.user)
print("SEEDED", json.dumps(client.cookies["sessionid"].value))
"""
BUSY = "So many downloads are being sent that this one has to wait. Try again in a minute."


@pytest.fixture
def two_at_once(monkeypatch):
    made = Downloads()
    made.limit(2)
    monkeypatch.setattr(middleware, "downloads", made)


def ask(response, path="/api/x/", method="get"):
    request = getattr(RequestFactory(), method)(path)
    return middleware.keep_a_thread_free(lambda _: response)(request)


def pieces(told):
    try:
        yield b"a" * 10
        yield b"b" * 10
    finally:
        told.append("closed")


def test_one_more_than_may_be_sent_is_told_to_wait_until_one_has_ended(two_at_once):
    told = []
    first, second = ask(StreamingHttpResponse(pieces(told))), ask(StreamingHttpResponse(pieces(told)))
    assert next(first.streaming_content) == b"a" * 10
    third = ask(StreamingHttpResponse(pieces(told)))
    assert (third.status_code, third.headers["Retry-After"]) == (503, "60")
    assert json.loads(third.content) == {"code": "unavailable", "message": BUSY}
    assert b"".join(second.streaming_content) == b"a" * 10 + b"b" * 10
    again = ask(StreamingHttpResponse(pieces(told)))
    assert again.status_code == 200
    again.close()
    first.close()
    assert told.count("closed") == 2  # those that were begun


def test_one_that_is_dropped_before_it_begins_or_fails_on_its_way_has_ended_too(two_at_once):
    def failing():
        yield b"a"
        raise OSError("the disk")

    for _ in range(3):
        dropped = ask(StreamingHttpResponse(pieces([])))
        assert dropped.status_code == 200
        del dropped
        gc.collect()
    for _ in range(3):
        failed = ask(StreamingHttpResponse(failing()))
        with pytest.raises(OSError, match="the disk"):
            list(failed.streaming_content)


def test_what_is_small_or_has_no_body_counts_for_nothing(two_at_once):
    def file(size):
        return FileResponse(BytesIO(b"x" * size))

    kept = [ask(file(SMALL + 1)) for _ in range(2)]
    assert ask(file(SMALL + 1)).status_code == 503
    assert list(ask(file(SMALL)).streaming_content) == [b"x" * SMALL]
    assert ask(file(SMALL + 1), method="head").status_code == 200
    assert ask(StreamingHttpResponse((), status=304)).status_code == 304
    assert ask(HttpResponse(b"page")).content == b"page"
    assert [len(b"".join(one.streaming_content)) for one in kept] == [SMALL + 1] * 2


@pytest.mark.parametrize(
    ("arguments", "environment", "expected"),
    [
        (web_command("127.0.0.1", 8000)[3:], "", 4),
        (["--blocking-threads", "9", "config.wsgi:application"], "2", 9),
        (["config.wsgi:application"], "2", 2),
        (["config.wsgi:application"], "", 0),
    ],
)
def test_the_limit_follows_the_threads_of_the_web_server(arguments, environment, expected, monkeypatch):
    monkeypatch.setenv("GRANIAN_BLOCKING_THREADS", environment)
    assert blocking_threads(arguments) == expected


def begun(port: int, session: str) -> tuple[socket.socket, HTTPResponse]:
    """Ask for 40 MB and read no more than the beginning; return the line and the answer."""
    line = socket.create_connection(("127.0.0.1", port), timeout=60)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    cookie = f"Cookie: sessionid={session}"
    line.sendall(f"GET /p/long/log.csv HTTP/1.1\r\nHost: localhost\r\n{cookie}\r\n\r\n".encode())
    answer = HTTPResponse(line)
    answer.begin()
    return line, answer


def test_paused_downloads_leave_the_site_to_those_who_work(migrated, tmp_path):
    installation = Installation(shutil.copytree(migrated, tmp_path / "data"))
    session = json.loads(installation.run("-c", f"import django; django.setup()\n{SEED}").split("SEEDED ")[1])
    installation.start()
    lines = []
    try:
        for expected in (200, 200, 200, 503):
            line, answer = begun(installation.port, session)
            lines.append(line)
            assert answer.status == expected
        assert answer.headers["Retry-After"] == "60" and answer.headers["Cache-Control"] == "no-store"
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
        page = answer.read().decode()
        assert BUSY in page and "Log out" in page
        with closing(HTTPConnection("127.0.0.1", installation.port, timeout=60)) as other:
            other.request("GET", "/static/frontend/css/base.css")
            style = other.getresponse()
            assert (style.status, len(style.read()) > 1000) == (200, True)
            other.request("GET", "/healthz")
            assert other.getresponse().status == 200
        lines[0].close()
        while answer.status == 503:
            line, answer = begun(installation.port, session)
            lines.append(line)
        assert answer.status == 200
    finally:
        for line in lines:
            with suppress(OSError):
                line.close()
        installation.kill()
