"""What is logged of requests, failures and log-ins: enough to find a fault, and no text, address or token."""

import io
import json
import logging
import logging.config
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver

from annotation.projects.invitations import invitation_create
from config.logs import logging_settings
from core.jobs import logger as jobs_logger
from tests import factories
from tests.config.test_doors import addresses
from tests.conftest import client_of

pytestmark = pytest.mark.django_db

TEXT = "marked-text-nobody-may-read"
TOKEN = "marked-token-nobody-may-use"


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """Return what production writes to standard error at the most talkative level that may be set."""
    stream = io.StringIO()
    before = logging.getLogger().handlers[:]
    level = logging.getLogger().level
    said = logging_settings("json", "DEBUG")
    said["handlers"]["stderr"]["stream"] = stream
    logging.config.dictConfig(said)
    yield stream
    logging.getLogger().handlers[:] = before
    logging.getLogger().setLevel(level)
    from django.conf import settings

    logging.config.dictConfig(settings.LOGGING)
    logging.getLogger().handlers[:] = before


def records(stream: io.StringIO) -> list[dict]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_each_request_is_a_line_of_json_with_the_id_that_its_answer_has(logged):
    made = factories.study(annotators=1, items=1)
    lea = client_of("lea")
    response = lea.get(f"/p/{made.project.slug}/", {"q": TEXT}, headers={"X-Request-ID": "from-the-proxy-1"})
    (line,) = [one for one in records(logged) if one["logger"] == "elenchus.access"]
    assert response["X-Request-ID"] == line["request_id"] == "from-the-proxy-1"
    assert line["route"] == "/p/<slug:slug>/" and line["of_slug"] == made.project.slug
    assert (line["method"], line["status"], line["user"]) == ("GET", 200, made.lead.user_id)
    assert line["address"] == "127.0.0.1" and line["milliseconds"] > 0
    assert line["level"] == "INFO" and line["time"]
    # What is no id is not taken over: it would be somebody's text in the log.
    other = lea.get("/", headers={"X-Request-ID": f"{TEXT} {{}}"})
    assert len(other["X-Request-ID"]) == 32


def test_other_lines_of_a_request_have_its_id_too(logged, monkeypatch):
    monkeypatch.setattr(
        "frontend.pages.project.home.render",
        lambda *args, **options: (
            jobs_logger.warning("on the way") or (_ for _ in ()).throw(RuntimeError(TEXT))
        ),
    )
    client = client_of("lea")
    client.raise_request_exception = False
    assert client.get("/").status_code == 500
    told = records(logged)
    ids = {
        one["request_id"]
        for one in told
        if one["logger"] in ("core.jobs", "elenchus.access", "django.request")
    }
    assert len(ids) == 1 and "" not in ids
    (failure,) = [one for one in told if one["logger"] == "django.request"]
    assert "builtins.RuntimeError" in failure["exc_info"] and "home.py" in failure["exc_info"]
    assert failure["message"] == "answered 500 at /"
    assert TEXT not in logged.getvalue()


def test_a_log_in_that_failed_is_logged_with_the_account_and_never_with_what_was_typed(logged):
    ada = factories.user("ada")
    for name in ("ada", TEXT):
        Client().post("/accounts/login/", {"login": name, "password": TOKEN}, REMOTE_ADDR="192.0.2.7")
    failed = [one for one in records(logged) if one["logger"] == "elenchus.login"]
    assert [(one["user"], one["address"], one["level"]) for one in failed] == [
        (ada.pk, "192.0.2.7", "WARNING"),
        (None, "192.0.2.7", "WARNING"),
    ]
    assert TEXT not in logged.getvalue() and TOKEN not in logged.getvalue()


def parameters(resolver=None) -> Iterator[URLPattern]:
    for pattern in (resolver or get_resolver()).url_patterns:
        yield from [pattern] if isinstance(pattern, URLPattern) else parameters(pattern)


def test_no_text_and_no_token_is_in_any_line_whatever_route_it_was_sent_to(logged, settings):
    made = factories.study(annotators=1, items=1, texts=(TEXT,), slug="x")
    factories.open_round(made)
    _, secret = invitation_create(project=made.project, member=made.lead)
    client = client_of("lea")
    client.raise_request_exception = False
    sent = {
        "text": TEXT,
        "q": TEXT,
        "comment": TEXT,
        "token": TOKEN,
        "password": TOKEN,
        "name": TEXT,
        "login": TEXT,
    }
    headers = {"Authorization": f"Bearer {TOKEN}", "Referer": f"http://testserver/{TOKEN}"}
    visited = 0
    for address in sorted({*addresses(), f"/join/{secret}/", f"/accounts/password/reset/key/1-{TOKEN}/"}):
        if "logout" in address:
            continue
        for answer in (
            client.get(address, sent, headers=headers),
            client.post(address, sent, headers=headers),
        ):
            b"".join(answer)  # to its end, which closes a file
        client.post(
            address, json.dumps({**sent, "answer": sent}), content_type="application/json", headers=headers
        )
        visited += 1
    client.get(f"/{TOKEN}/{TEXT}", sent)
    client.get("/", headers={"Host": f"{TOKEN}.example.org"})
    assert visited > 100
    written = logged.getvalue()
    assert written.count("\n") > 200
    for mark in (TEXT, TOKEN, secret, client.session.session_key):
        assert mark not in written, [line for line in written.splitlines() if mark in line][:1]


def test_an_error_of_the_database_and_a_failed_task_are_logged_without_the_values_they_quote(logged):
    from django.db import IntegrityError

    try:
        try:
            raise ValueError(TEXT)
        except ValueError as error:
            raise IntegrityError(f"Key (text)=({TEXT}) already exists") from error
    except IntegrityError as error:
        logging.getLogger("core.jobs").exception("a job failed")
        logging.getLogger("celery.app.trace").error(
            "Task %(name)s raised: %(exc)s",
            {"name": "agreement.compute", "exc": TEXT},
            exc_info=error,
            extra={"data": {"name": "agreement.compute", "exc": TEXT, "traceback": TEXT}},
        )
    job, task = records(logged)
    assert "django.db.utils.IntegrityError" in job["exc_info"] and "builtins.ValueError" in job["exc_info"]
    assert task["message"] == "task agreement.compute failed"
    assert TEXT not in logged.getvalue()
