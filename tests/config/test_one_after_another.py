"""What people at work ask of an installation on SQLite is answered in the order in which it came."""

import threading
import time
from types import SimpleNamespace

import pytest
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpResponse, UnreadablePostError
from django.test import RequestFactory
from django.urls import resolve

from config.sqlite3.middleware import ASKED, one_after_another
from config.sqlite3.turns import Turns

ANSWER = "/api/projects/p/rounds/1/judgements/"
TEXTS = "/api/projects/p/rounds/1/units/"


@pytest.fixture(autouse=True)
def on_sqlite(monkeypatch):
    monkeypatch.setattr("config.sqlite3.middleware.connection", SimpleNamespace(vendor="sqlite"))


def answering(order, may_go, reached):
    """Return what the middleware answers with: it notes who came, and holds up `first` until it may go."""

    def respond(request):
        name = request.GET["who"]
        order.append(name)
        reached.set()
        if name == "first":
            assert may_go.wait(60)
        return HttpResponse(name)

    return respond


def ask(middleware, said, who, path=ANSWER, **sent):
    request = RequestFactory().post(f"{path}?who={who}", **sent)
    thread = threading.Thread(target=lambda: said.append(middleware(request).content.decode()))
    thread.start()
    return thread


def waiting(turns, number):
    """Return once so many wait; fail where they do not."""
    deadline = time.monotonic() + 60
    while len(turns.waiting) < number:
        assert time.monotonic() < deadline, f"{len(turns.waiting)} wait, not {number}"
        threading.Event().wait(0.001)


def stop(*_):
    raise OSError("the other side is gone")


@pytest.fixture
def people(monkeypatch):
    """A middleware at which `first` is at work, and what is needed to ask beside it."""
    made, order, said = SimpleNamespace(may_go=threading.Event(), reached=threading.Event()), [], []
    turns = Turns()
    monkeypatch.setattr("config.sqlite3.middleware.Turns", lambda: turns)
    made.turns, made.order, made.said = turns, order, said
    made.middleware = one_after_another(answering(order, made.may_go, made.reached))
    made.threads = [ask(made.middleware, said, "first")]
    assert made.reached.wait(60)
    yield made
    made.may_go.set()
    for thread in made.threads:
        thread.join()


def test_what_annotators_ask_is_answered_in_the_order_in_which_it_came(people, monkeypatch):
    monkeypatch.setattr("config.sqlite3.middleware.PATIENCE", 60)
    for place, path in enumerate((ANSWER, TEXTS, ANSWER), start=1):
        people.threads.append(ask(people.middleware, people.said, str(place), path))
        waiting(people.turns, place)
    assert people.order == ["first"]
    people.may_go.set()
    for thread in people.threads:
        thread.join()
    assert people.order == ["first", "1", "2", "3"]


def test_nobody_waits_longer_than_a_moment_and_other_pages_do_not_wait_at_all(people, monkeypatch):
    monkeypatch.setattr("config.sqlite3.middleware.PATIENCE", 0)
    ask(people.middleware, people.said, "impatient").join()
    monkeypatch.setattr("config.sqlite3.middleware.PATIENCE", 60)
    ask(people.middleware, people.said, "page", "/p/s/rounds/1/agreement/units/").join()
    assert (people.order, people.said) == (["first", "impatient", "page"], ["impatient", "page"])


def test_what_is_too_long_waits_for_nobody(people, monkeypatch, settings):
    monkeypatch.setattr("config.sqlite3.middleware.PATIENCE", 60)
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
    ask(people.middleware, people.said, "long", data="x" * 11, content_type="text/plain").join()
    assert people.said == ["long"]


def test_what_breaks_off_takes_no_turn(people):
    broken = RequestFactory().post(ANSWER, data="x", content_type="text/plain")
    broken._stream = SimpleNamespace(read=stop, close=lambda: None)
    with pytest.raises(UnreadablePostError):
        people.middleware(broken)
    assert (people.order, list(people.turns.waiting)) == (["first"], [])


def test_an_answer_that_fails_lets_the_next_one_in():
    def fail(request):
        raise ValueError("as it happens")

    middleware = one_after_another(fail)
    for _ in range(2):
        with pytest.raises(ValueError, match="as it happens"):
            middleware(RequestFactory().get(TEXTS))


def test_the_addresses_are_those_of_the_workspace():
    for name, path in (("judgements", ANSWER), ("units", TEXTS)):
        assert resolve(path).view_name == f"api-{name}"
        assert ASKED.fullmatch(path)


def test_on_postgresql_nobody_takes_turns(monkeypatch):
    monkeypatch.setattr("config.sqlite3.middleware.connection", SimpleNamespace(vendor="postgresql"))
    with pytest.raises(MiddlewareNotUsed):
        one_after_another(HttpResponse)
