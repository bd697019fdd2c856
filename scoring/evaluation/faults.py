"""What is wrong with a system's file: each fault with file, item and place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

LISTED = 50


class Fault(NamedTuple):
    """One thing that keeps a file from being scored, or a note on how it was read."""

    file: str
    item: str
    place: str
    message: str

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.item, self.place) if part)
        return ": ".join(part for part in (self.file, where, self.message) if part)


class CannotScore(Exception):
    """There is nothing to score, or not so; in words that say what to do."""


class AnswersRefused(CannotScore):
    """Rows of systems' files were refused, and nothing was scored."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__(f"{len(faults)} faults")
        self.faults = tuple(faults)

    def lines(self) -> list[str]:
        """Return the first faults, and how many more there are."""
        lines = [str(fault) for fault in self.faults[:LISTED]]
        more = len(self.faults) - LISTED
        return [*lines, f"… and {more} more"] if more > 0 else lines


@dataclass(slots=True)
class Findings:
    """Collects faults and notes about one file."""

    file: str
    faults: list[Fault] = field(default_factory=list)
    notes: list[Fault] = field(default_factory=list)

    def fault(self, message: str, item: str = "", place: str = "") -> None:
        self.faults.append(Fault(self.file, item, place, message))

    def note(self, message: str, item: str = "", place: str = "") -> None:
        self.notes.append(Fault(self.file, item, place, message))
