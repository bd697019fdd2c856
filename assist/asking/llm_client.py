"""One question to a language model over the chat-completions interface that most servers speak.

Redirects are not followed, and no proxy, certificate or password file is taken from the environment: the key
goes to the address that the installation names and nowhere else. Whatever an endpoint says in an error is
dropped, because some repeat the key in it.

See docs/decisions/assistants.md.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx2

from core.canonical_json import sha256_of

TRIES = 4
FIRST_WAIT = 2.0
LONGEST_WAIT = 60.0
"""Seconds between two tries: doubled each time, or what the endpoint asks for, never longer than this."""

ANSWER_BYTES = 1 << 20


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
    """What the model said: `model` as the endpoint names it, `ending` its reason to stop.

    The tokens are those that the endpoint counted; None where it says nothing of them.
    """

    text: str
    model: str
    ending: str
    tries: int
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


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

    def is_over(self) -> bool:
        """Whether the next request may start at once."""
        return self._timing.clock() >= self._next

    def wait(self) -> None:
        left = self._next - self._timing.clock()
        if left > 0:
            self._timing.sleep(left)

    def begin(self) -> None:
        self.wait()
        self._next = self._timing.clock() + self._seconds


class _Again(Exception):
    """This try failed in a way that may pass; `wait` is what the endpoint asks for, in seconds.

    `is_answer`: the endpoint itself answered, and would again with the same key of the request.
    """

    def __init__(self, reason: str, wait: float | None = None, *, is_answer: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait = wait
        self.is_answer = is_answer


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


def purpose_of(job: str, made: datetime, key: int, *about: object, unanswered: datetime | None) -> str:
    """Name what a request is for: the same after its worker was killed, another once it had no answer.

    `unanswered` is when that was last. When the job was made tells it from one with the same key in another
    installation.
    """
    words = [job, made.isoformat(), key, *about, unanswered.isoformat() if unanswered else ""]
    return " ".join(map(str, words))


def ask_endpoint(
    endpoint: Endpoint,
    body: dict[str, Any],
    *,
    timeout: float,
    timing: Timing,
    heartbeat: Callable[[], None] = lambda: None,
    purpose: str = "",
) -> Answer:
    """Ask once, again after 409, 429, 5xx, a timeout or a broken connection, TRIES times at most.

    `heartbeat` is called before each try and may raise to stop. Raises Unanswered, with a reason of ours.
    `purpose` names what the answer is for: the same body for the same purpose carries the same
    Idempotency-Key, in another process too, so that an endpoint which knows the header answers it once.
    """
    wait, errors = FIRST_WAIT, 0
    for tries in range(1, TRIES + 1):
        heartbeat()
        try:
            key = sha256_of([purpose, body, errors]) if purpose else ""
            return _once(endpoint, body, timeout, timing, tries, key)
        except _Again as again:
            errors += again.is_answer
            if tries == TRIES:
                raise Unanswered(again.reason, tries=tries, passing=True) from None
            timing.sleep(min(wait if again.wait is None else again.wait, LONGEST_WAIT))
            wait *= 2
        except Unanswered as refusal:
            refusal.tries = tries
            raise
    raise AssertionError("the last try returns or raises")


def _once(
    endpoint: Endpoint, body: dict[str, Any], timeout: float, timing: Timing, tries: int, key: str
) -> Answer:
    # An answer as it is sent: one that grows when it is unpacked could pass the limit on its size.
    headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "Elenchus"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    if key:
        headers["Idempotency-Key"] = key
    deadline = timing.clock() + timeout
    try:
        with _client().stream(
            "POST", f"{endpoint.url}/chat/completions", json=body, headers=headers, timeout=timeout
        ) as response:
            if response.status_code != 200:
                raise _refusal(response.status_code, response.headers.get("Retry-After"), timing)
            content = _read(response, deadline, timing)
    except (httpx2.TimeoutException, TimeoutError):
        raise _Again(f"no answer within {timeout:g} seconds") from None
    except (httpx2.RemoteProtocolError, httpx2.ReadError):
        raise _Again("the endpoint broke off its answer") from None
    except (httpx2.HTTPError, httpx2.InvalidURL):
        raise _Again("the endpoint cannot be reached") from None
    return _content(content, tries)


@cache
def _client() -> httpx2.Client:
    """Return the client of this process: it keeps connections, and neither cookies nor an endpoint's key."""
    no_cookies = CookieJar(policy=DefaultCookiePolicy(allowed_domains=[]))
    return httpx2.Client(trust_env=False, follow_redirects=False, cookies=no_cookies)


def _read(response: httpx2.Response, deadline: float, timing: Timing) -> bytes:
    content = b""
    for piece in response.iter_raw():
        content += piece
        if len(content) > ANSWER_BYTES:
            raise Unanswered("the answer is longer than a megabyte", tries=0)
        # The timeout of the connection starts anew with every byte.
        if timing.clock() > deadline:
            raise TimeoutError
    return content


def _refusal(status: int, retry_after: str | None, timing: Timing) -> Exception:
    words = f"the endpoint answered with status {status}"
    # 409: a request with the same key is being answered, for a worker that was killed.
    if status in (409, 429) or status >= 500:
        # Who keeps what a key was answered keeps this error too; a gateway's 502 to 504 says nothing of it.
        return _Again(words, _seconds(retry_after, timing), is_answer=status == 500)
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


def _content(content: bytes, tries: int) -> Answer:
    try:
        given = json.loads(content)
        choice = given["choices"][0]
        text, ending = choice["message"]["content"], choice.get("finish_reason")
        declined = choice["message"].get("refusal")
        model, usage = given.get("model"), given.get("usage")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise Unanswered("the answer is not in the form of chat completions", tries=0) from None
    if text is None and declined:
        text, ending = "", "refusal"
    if not isinstance(text, str):
        raise Unanswered("the answer is not in the form of chat completions", tries=0)
    known = isinstance(model, str) and len(model) <= 200 and model.isprintable()
    return Answer(
        text,
        model if known else "",
        ending if isinstance(ending, str) else "",
        tries,
        _counted(usage, "prompt_tokens"),
        _counted(usage, "completion_tokens"),
    )


def _counted(usage: Any, name: str) -> int | None:
    found = usage.get(name) if isinstance(usage, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 2**31 else None
