"""Figures as people read them in a table: numbers as text, intervals, and lettered notes below the table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext

from agreement.display.charts import level
from agreement.display.wording import interval_doubts, reason_text
from agreement.statistics.figures import EstimateFigures

MINUS = "−"
DASH = "–"

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure as text; `why` says why it is undefined, `doubt` why its interval is not to be trusted.

    `below` is what stands below it besides the interval: a standard error, a count. `mark` is the letter of
    the note below the table that says what is undefined or doubtful, `note` the id of that note.
    """

    text: str
    interval: str = ""
    why: str = ""
    doubt: str = ""
    level: int | None = None
    below: str = ""
    mark: str = ""
    note: str = ""

    @property
    def sentence(self) -> str:
        """What there is to say of the figure, in words; "" for nothing."""
        if self.why:
            return gettext("Undefined: %(why)s") % {"why": self.why}
        if self.doubt and self.interval:
            return gettext("Interval not to be trusted: %(doubt)s") % {"doubt": self.doubt}
        return gettext("No interval: %(doubt)s") % {"doubt": self.doubt} if self.doubt else ""


@dataclass(slots=True)
class Notes:
    """The notes below one table: each sentence once, lettered in the order in which its cells need them.

    key: begins the ids of the notes, one for each table of a page.
    """

    key: str = ""
    marks: dict[str, str] = field(default_factory=dict)

    def mark(self, sentence: str) -> str:
        """Return the letter of a sentence, the next one where it is new."""
        return self.marks.setdefault(sentence, letters(len(self.marks)))

    def noted(self, cell: Cell) -> Cell:
        """Return the cell with the letter of its note; as it is where there is nothing to say."""
        if not cell.sentence:
            return cell
        mark = self.mark(cell.sentence)
        return replace(cell, mark=mark, note=f"{self.key}-{mark}")

    def each(self, cells: Iterable[Cell]) -> list[Cell]:
        """Return the cells of a row, each with the letter of its note."""
        return [self.noted(cell) for cell in cells]

    @property
    def listed(self) -> list[tuple[str, str]]:
        """The notes as (letter, sentence), for below the table."""
        return [(mark, sentence) for sentence, mark in self.marks.items()]


def letters(place: int) -> str:
    """Return the letters of the note at a place, counted from 0: after z come aa, ab and so on.

    >>> letters(0), letters(25), letters(26), letters(701), letters(702)
    ('a', 'z', 'aa', 'zz', 'aaa')
    """
    found = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        found = chr(ord("a") + letter) + found
    return found


def number(value: float | None, digits: int = 2, *, signed: bool = False) -> str:
    """Return a number with a true minus sign, never "−0.00"; a dash for None.

    >>> number(-0.123), number(-0.001), number(0.2, signed=True), number(None)
    ('−0.12', '0.00', '+0.20', '–')
    """
    if value is None:
        return DASH
    text = f"{abs(value):.{digits}f}"
    if float(text) == 0:
        return text
    return (MINUS if value < 0 else "+" if signed else "") + text


def count(number: int | None) -> int | str:
    """Return a number of items or answers, a dash where it is not told."""
    return DASH if number is None else number


def cell(
    estimate: EstimateFigures | None, *, signed: bool = False, spans: bool = False, below: str = ""
) -> Cell:
    """Return an estimate as text with its interval, or a dash with the reason."""
    if estimate is None:
        return Cell(DASH)
    if estimate["value"] is None:
        return Cell(DASH, why=gettext(reason_text(estimate["reason"], spans=spans)), below=below)
    interval = ""
    if estimate.get("low") is not None:
        interval = f"[{number(estimate['low'], signed=signed)}, {number(estimate['high'], signed=signed)}]"
    return Cell(
        number(estimate["value"], signed=signed),
        interval=interval,
        doubt="; ".join(gettext(reason_text(code)) for code in interval_doubts(estimate)),
        level=level(estimate["value"]),
        below=below,
    )
