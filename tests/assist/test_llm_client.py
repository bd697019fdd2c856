"""A question goes to the endpoint and nowhere else; what may pass is tried again, for a bounded time."""

import json

import pytest

from assist.asking.llm_client import ANSWER_BYTES, Answer, Endpoint, Unanswered, ask_endpoint
from tests.exports.endpoint import KEY, Clock, fake_endpoint, saying, status

BODY = {"model": "m", "messages": [{"role": "user", "content": "“Why?” 🎉"}]}


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def fake():
    with fake_endpoint() as running:
        yield running


def ask(fake, clock=None, key=KEY, **options):
    return ask_endpoint(Endpoint(fake.url, key), BODY, timeout=5, timing=(clock or Clock()).timing, **options)


def test_the_request_is_a_chat_completion_with_the_key_in_its_header_alone(fake):
    fake.replies = [saying("What shows that?", model="m-2026")]
    assert ask(fake) == Answer("What shows that?", "m-2026", "stop", 1)
    (asked,) = fake.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.body == BODY
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    assert asked.headers["Content-Type"] == "application/json"


def test_an_endpoint_without_a_key_gets_no_authorization(fake):
    ask(fake, key="")
    assert "Authorization" not in fake.asked[0].headers


def test_the_key_is_in_no_printed_form_of_the_endpoint():
    assert KEY not in repr(Endpoint("https://a.org/v1", KEY))


def test_waits_double_until_an_answer_comes(fake):
    clock = Clock()
    fake.replies = [status(500), status(503), status(429), saying("Why?")]
    assert ask(fake, clock) == Answer("Why?", "served-1", "stop", 4)
    assert clock.slept == [2, 4, 8]


def test_after_four_tries_there_is_no_answer(fake):
    clock = Clock()
    fake.otherwise = status(502, f"upstream got {KEY}".encode())
    with pytest.raises(Unanswered) as refusal:
        ask(fake, clock)
    assert (refusal.value.reason, refusal.value.tries) == ("the endpoint answered with status 502", 4)
    assert (refusal.value.fatal, len(fake.asked)) == (False, 4)


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("7", 7),
        ("0", 0),
        ("3600", 60),
        ("Thu, 01 Jan 2026 12:00:09 GMT", 9),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0),
        ("Fri, 01 Jan 2027 12:00:00 GMT", 60),
        ("soon", 2),
        ("-5", 2),
    ],
)
def test_it_waits_as_long_as_the_endpoint_asks_for_but_never_longer_than_a_minute(fake, header, wait):
    clock = Clock()
    fake.replies = [status(429, Retry_After=header)]
    ask(fake, clock)
    assert clock.slept == [wait]


@pytest.mark.parametrize(
    ("code", "reason", "fatal"),
    [
        (400, "the endpoint answered with status 400", False),
        (422, "the endpoint answered with status 422", False),
        (401, "the endpoint does not accept the key (status 401)", True),
        (403, "the endpoint does not allow this with the key (status 403)", True),
        (404, "the endpoint knows no such model or address (status 404)", True),
    ],
)
def test_a_refused_request_is_not_sent_again_and_its_words_are_dropped(fake, code, reason, fatal):
    fake.otherwise = status(code, f"Incorrect API key provided: {KEY}".encode())
    with pytest.raises(Unanswered) as refusal:
        ask(fake)
    assert (refusal.value.reason, refusal.value.tries, refusal.value.fatal) == (reason, 1, fatal)
    assert len(fake.asked) == 1


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_so_the_key_goes_nowhere_else(fake, code):
    with fake_endpoint() as elsewhere:
        fake.otherwise = status(code, Location=f"{elsewhere.url}/chat/completions")
        with pytest.raises(Unanswered, match="redirects are not followed") as refusal:
            ask(fake)
        assert refusal.value.fatal is True
        assert elsewhere.asked == []


def test_a_connection_that_cannot_be_made_is_tried_again():
    with fake_endpoint() as gone:
        pass
    clock = Clock()
    with pytest.raises(Unanswered, match="the endpoint cannot be reached"):
        ask(gone, clock)
    assert clock.slept == [2, 4, 8]


def test_an_answer_that_does_not_come_in_time_is_tried_again(fake):
    clock = Clock()

    def slow(_asked):
        clock.time += 6
        return saying("Why?")

    fake.replies = [slow, saying("Why not?")]
    assert ask(fake, clock).text == "Why not?"
    assert clock.slept == [2]


def test_a_server_that_says_nothing_runs_into_the_timeout_of_the_connection(fake):
    import threading

    enough = threading.Event()

    def silent(_asked):
        enough.wait(10)
        return saying("Why?")

    fake.replies = [silent]
    try:
        answer = ask_endpoint(Endpoint(fake.url), BODY, timeout=0.2, timing=Clock().timing)
    finally:
        enough.set()
    assert answer == Answer("What shows that?", "served-1", "stop", 2)


def test_an_answer_that_breaks_off_is_tried_again(fake):
    code, _, content = saying("Why?")
    fake.replies = [(code, {"Content-Length": str(len(content) + 9), "Connection": "close"}, content)]
    assert ask(fake).tries == 2


@pytest.mark.parametrize(
    "content",
    [
        b"<html>busy</html>",
        b"\xff\xfe",
        b"[]",
        b"7",
        b"{}",
        b'{"choices": []}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": {"content": ["Why?"]}}]}',
        b'{"choices": [{"message": {"content": null}}]}',
        b"[" * 100_000,
    ],
)
def test_anything_but_a_chat_completion_is_no_answer(fake, content):
    fake.otherwise = status(200, content)
    with pytest.raises(Unanswered, match="not in the form of chat completions") as refusal:
        ask(fake)
    assert (refusal.value.fatal, len(fake.asked)) == (False, 1)


def test_an_endless_answer_is_not_read_to_its_end(fake):
    fake.otherwise = status(200, b" " * (ANSWER_BYTES + 1))
    with pytest.raises(Unanswered, match="longer than a megabyte"):
        ask(fake)


def test_a_model_that_declines_is_told_from_an_answer(fake):
    fake.replies = [saying(None, refusal="I cannot help with that.")]
    assert ask(fake) == Answer("", "served-1", "refusal", 1)


@pytest.mark.parametrize("model", [None, 7, "x" * 201, "a\nb"])
def test_a_model_name_that_cannot_be_shown_is_dropped(fake, model):
    _, _, content = saying("Why?")
    fake.replies = [status(200, json.dumps({**json.loads(content), "model": model}).encode())]
    assert ask(fake).model == ""


def keys(fake):
    return [one.headers.get("Idempotency-Key") for one in fake.asked]


def test_the_same_request_for_the_same_purpose_carries_the_same_key_and_no_other_does(fake):
    for purpose, body in (
        ("run 1", BODY),
        ("run 1", dict(BODY)),
        ("run 2", BODY),
        ("run 1", BODY | {"n": 1}),
    ):
        ask_endpoint(Endpoint(fake.url), body, timeout=5, timing=Clock().timing, purpose=purpose)
    first, again, *others = keys(fake)
    assert again == first
    assert len({first, *others}) == 3
    assert all(len(key) == 64 and set(key) <= set("0123456789abcdef") for key in keys(fake))


def test_without_a_purpose_no_key_is_sent(fake):
    ask(fake)
    assert keys(fake) == [None]


@pytest.mark.parametrize(("code", "distinct"), [(409, 1), (429, 1), (502, 1), (503, 1), (504, 1), (500, 4)])
def test_only_an_error_that_the_endpoint_would_repeat_changes_the_key(fake, code, distinct):
    fake.replies = [status(code)] * 3
    assert ask(fake, purpose="run 1").tries == 4
    assert len(set(keys(fake))) == distinct


def test_an_endpoint_that_keeps_its_errors_is_asked_past_them_also_after_a_worker_was_killed(fake):
    kept, coming = {}, [status(500), saying("Why?")]

    def reply(asked):
        key = asked.headers["Idempotency-Key"]
        if key not in kept:
            kept[key] = coming.pop(0)
        return kept[key]

    fake.otherwise = reply
    assert [ask(fake, purpose="run 1").text for _ in range(2)] == ["Why?", "Why?"]
    assert (len(fake.asked), len(kept)) == (4, 2)


def test_whoever_asks_may_stop_it_before_each_try(fake):
    class Stop(Exception):
        pass

    calls = []

    def heartbeat():
        calls.append(1)
        if len(calls) == 3:
            raise Stop

    fake.otherwise = status(500)
    with pytest.raises(Stop):
        ask(fake, heartbeat=heartbeat)
    assert len(fake.asked) == 2
