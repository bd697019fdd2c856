"""What a run may cost, counted before each request: no budget is passed whatever becomes of a worker."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from assist.asking.llm_client import Answer
from assist.models import AssistRun
from core.errors import Refused

BYTES_PER_TOKEN = 2.0
"""Of a prompt, until an endpoint has said how it counts: few scripts take more tokens."""

WRAPPING = 16
"""Tokens that an endpoint puts around a prompt."""


class BudgetSpent(Refused):
    """The next request might pass the budget, so it was not sent."""


def tokens_expected(prompt: str) -> int:
    """Return about how many tokens a prompt has: four bytes of most texts are one.

    >>> tokens_expected("What shows that?")
    20
    """
    return WRAPPING + -(-len(prompt.encode()) // 4)


class Budget:
    """Counts the requests and tokens of a run. A request is reserved at its worst before it is sent."""

    def __init__(self, run: AssistRun) -> None:
        self.requests, self.tokens, self.reserved = run.requests, run.tokens, run.reserved
        self._most_requests, self._most_tokens = run.budget_requests, run.budget_tokens
        self._answer = run.max_tokens
        self._per_byte = 0.0
        self._bytes = 0
        self._cost = 0

    @property
    def counts(self) -> dict[str, Any]:
        """The columns of the run."""
        return {"requests": self.requests, "tokens": self.tokens, "reserved": self.reserved}

    def prompt_begin(self, prompt: str) -> None:
        """Say which prompt the next requests send."""
        self._bytes = len(prompt.encode())
        rate = self._per_byte or 1 / BYTES_PER_TOKEN
        self._cost = WRAPPING + int(self._bytes * rate) + 1 + self._answer

    def request_begin(self) -> dict[str, Any]:
        """Reserve a request, and return the columns to write before it is sent. Raises BudgetSpent."""
        if self._most_requests is not None and self.requests >= self._most_requests:
            raise BudgetSpent(
                "not_ready",
                gettext("The budget of %(n)s requests is used up. Resume with a higher one to go on.")
                % {"n": self._most_requests},
            )
        if self._most_tokens is not None and self.tokens + self.reserved + self._cost > self._most_tokens:
            raise BudgetSpent(
                "not_ready",
                gettext(
                    "%(used)s of the budget of %(n)s tokens are used, and the next request may take "
                    "%(cost)s. Resume with a higher budget to go on."
                )
                % {
                    "used": self.tokens + self.reserved,
                    "n": self._most_tokens,
                    "cost": self._cost,
                },
            )
        self.requests += 1
        self.reserved += self._cost
        return self.counts

    def request_failed(self) -> None:
        """Free what a request reserved that the endpoint did not answer."""
        self.reserved -= self._cost

    def request_answered(self, answer: Answer) -> None:
        """Count what the endpoint says an answer took; at its worst where it says nothing."""
        self.reserved -= self._cost
        if answer.prompt_tokens is None and answer.completion_tokens is None:
            self.tokens += self._cost
            return
        asked = answer.prompt_tokens or 0
        self.tokens += asked + (answer.completion_tokens or 0)
        if self._bytes and asked > WRAPPING:
            self._per_byte = max(self._per_byte, (asked - WRAPPING) / self._bytes)
