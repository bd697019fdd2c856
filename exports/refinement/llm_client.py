"""One question to a language model over the chat-completions interface that most servers speak.

Standard library only. Redirects are not followed and no password file is read: the key goes to the address
that the installation names and nowhere else. Whatever an endpoint says in an error is dropped, because some
repeat the key in it.
"""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException, IncompleteRead
from typing import Any

TRIES = 4
FIRST_WAIT = 2.0
LONGEST_WAIT = 60.0
"""Seconds between two tries: doubled each time, or what the endpoint asks for, never longer than this."""

ANSWER_BYTES = 1 << 20
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Timing:
    """The clock and the sleep that waiting goes by; tests put in their own."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask; the key is in no printed form of it."""

    url: str
    key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said: `model` as the endpoint names it, `ending` its reason to stop."""

    text: str
    model: str
    ending: str
    tries: int


class Unanswered(Exception):
    """There is no answer. `fatal`: the next question would fare no better, with a wrong key for instance.

    `passing`: the same question may be answered later, since nothing was wrong with it.
    """

    def __init__(self, reason: str, *, tries: int, fatal: bool = False, passing: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.tries = tries
        self.fatal = fatal
        self.passing = passing


class Pause:
    """Keeps the starts of two requests a given number of seconds apart, second tries too."""

    def __init__(self, seconds: float, timing: Timing) -> None:
        self._seconds = seconds
        self._timing = timing
        self._next = timing.clock()

    def wait(self) -> None:
        left = self._next - self._timing.clock()
        if left > 0:
            self._timing.sleep(left)

    def begin(self) -> None:
        self.wait()
        self._next = self._timing.clock() + self._seconds


class _Again(Exception):
    """This try failed in a way that may pass; `wait` is what the endpoint asks for, in seconds."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait = wait


_FATAL = {
    401: "the endpoint does not accept the key",
    403: "the endpoint does not allow this with the key",
    404: "the endpoint knows no such model or address",
}


def chat_body(
    prompt: str,
    *,
    model: str,
    tokens_field: str,
    max_tokens: int,
    temperature: float | None,
    seed: int | None,
) -> dict[str, Any]:
    """Return the request that asks a model one thing. What is None is not sent."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": "user", "content": prompt}],
        tokens_field: max_tokens,
    }
    sampling = {"temperature": temperature, "seed": seed}
    return body | {name: value for name, value in sampling.items() if value is not None}


def ask_endpoint(
    endpoint: Endpoint,
    body: dict[str, Any],
    *,
    timeout: float,
    timing: Timing,
    heartbeat: Callable[[], None] = lambda: None,
) -> Answer:
    """Ask once, again after 429, 5xx, a timeout or a broken connection, TRIES times at most.

    `heartbeat` is called before each try and may raise to stop. Raises Unanswered, with a reason of ours.
    """
    wait = FIRST_WAIT
    for tries in range(1, TRIES + 1):
        heartbeat()
        try:
            text, model, ending = _once(endpoint, body, timeout, timing)
        except _Again as again:
            if tries == TRIES:
                raise Unanswered(again.reason, tries=tries, passing=True) from None
            timing.sleep(min(wait if again.wait is None else again.wait, LONGEST_WAIT))
            wait *= 2
        except Unanswered as refusal:
            refusal.tries = tries
            raise
        else:
            return Answer(text, model, ending, tries)
    raise AssertionError("the last try returns or raises")


def _once(endpoint: Endpoint, body: dict[str, Any], timeout: float, timing: Timing) -> tuple[str, str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "Elenchus"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    request = urllib.request.Request(
        f"{endpoint.url}/chat/completions", json.dumps(body).encode(), headers, method="POST"
    )
    deadline = timing.clock() + timeout
    try:
        with _opener().open(request, timeout=timeout) as response:
            if response.status != 200:
                raise _refusal(response.status, response.headers.get("Retry-After"), timing)
            content = _read(response, deadline, timing)
    except TimeoutError:
        raise _Again(f"no answer within {timeout:g} seconds") from None
    except OSError as error:
        timed_out = isinstance(getattr(error, "reason", None), TimeoutError)
        words = f"no answer within {timeout:g} seconds" if timed_out else "the endpoint cannot be reached"
        raise _Again(words) from None
    except HTTPException:
        raise _Again("the endpoint broke off its answer") from None
    return _content(content)


def _opener() -> urllib.request.OpenerDirector:
    """Return an opener that goes through the environment's proxy and returns every status as it is."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
    ):
        opener.add_handler(handler)
    return opener


def _read(response: Any, deadline: float, timing: Timing) -> bytes:
    content = b""
    while piece := response.read1(_PIECE):
        content += piece
        if len(content) > ANSWER_BYTES:
            raise Unanswered("the answer is longer than a megabyte", tries=0)
        # The timeout of the connection starts anew with every byte.
        if timing.clock() > deadline:
            raise TimeoutError
    if response.length:  # read1 says nothing of an answer that ends too early
        raise IncompleteRead(content, response.length)
    return content


def _refusal(status: int, retry_after: str | None, timing: Timing) -> Exception:
    words = f"the endpoint answered with status {status}"
    if status == 429 or status >= 500:
        return _Again(words, _seconds(retry_after, timing))
    if 300 <= status < 400:
        return Unanswered(f"{words}: redirects are not followed", tries=0, fatal=True)
    if status in _FATAL:
        return Unanswered(f"{_FATAL[status]} (status {status})", tries=0, fatal=True)
    return Unanswered(words, tries=0)


def _seconds(retry_after: str | None, timing: Timing) -> float | None:
    """Read Retry-After: seconds, or a date of HTTP. None where it is neither."""
    if retry_after is None:
        return None
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after[:9])
    try:
        when = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - timing.now()).total_seconds())


def _content(content: bytes) -> tuple[str, str, str]:
    try:
        given = json.loads(content)
        choice = given["choices"][0]
        text, ending = choice["message"]["content"], choice.get("finish_reason")
        declined = choice["message"].get("refusal")
        model = given.get("model")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise Unanswered("the answer is not in the form of chat completions", tries=0) from None
    if text is None and declined:
        text, ending = "", "refusal"
    if not isinstance(text, str):
        raise Unanswered("the answer is not in the form of chat completions", tries=0)
    known = isinstance(model, str) and len(model) <= 200 and model.isprintable()
    return text, model if known else "", ending if isinstance(ending, str) else ""
