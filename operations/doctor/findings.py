"""What a check of the doctor found."""

from dataclasses import dataclass
from typing import Any

OK, NOTE, FAILED, SKIPPED = "ok", "note", "failed", "skipped"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: its name, what was found, and what to do where that is not as it should be.

    A `note` is worth knowing and fails nothing; what is `skipped` does not apply here.
    """

    check: str
    state: str
    message: str
    todo: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "check": self.check,
            "ok": self.state != FAILED,
            "state": self.state,
            "message": self.message,
            "todo": self.todo,
        }


def ok(check: str, message: str) -> Finding:
    return Finding(check, OK, message)


def note(check: str, message: str, todo: str = "") -> Finding:
    return Finding(check, NOTE, message, todo)


def failed(check: str, message: str, todo: str) -> Finding:
    return Finding(check, FAILED, message, todo)


def skipped(check: str, message: str) -> Finding:
    return Finding(check, SKIPPED, message)
