"""What a use case says when it refuses. Every message tells the person what to do."""

from collections.abc import Mapping
from typing import Any


class Refused(Exception):
    """A use case was asked for something that the rules forbid; nothing was changed.

    `code` is a stable word for programs, `errors` one message a field, `row` the stored judgement where
    the refusal is about its revision, `member` whom it is about where somebody is let in no more: a page
    that was open before tells by it whether that is its own person or whoever logged in since.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        errors: dict[str, str] | None = None,
        row: Mapping[str, Any] | None = None,
        member: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.errors = errors or {}
        self.row = row
        self.member = member


class NotFound(Refused):
    """There is no such thing in what this person may see."""

    def __init__(self, message: str) -> None:
        super().__init__("not_found", message)


class NotAllowed(Refused):
    """The person may see the project but not do this."""

    def __init__(self, message: str, *, member: int | None = None) -> None:
        super().__init__("not_allowed", message, member=member)
