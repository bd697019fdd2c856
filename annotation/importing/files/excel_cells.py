"""The value of a cell of a workbook: what was written in it, or what Excel has made of that."""

from __future__ import annotations

import datetime
import functools
import re
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext
from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format
from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel

from annotation.importing.files.excel_sheet import RawCell, column_letters
from annotation.importing.files.excel_workbook import Damaged
from annotation.importing.files.lost_cells import Lost, lost_text

KNOWN_FORMATS = BUILTIN_FORMATS
_EXACT_DIGITS = 15

_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_PAIRS = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_PARTS = re.compile(r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.|\[[^\]]*\]')


class CellValues:
    """Turns the cells of one sheet into values. `formats` are the number formats by style."""

    def __init__(self, strings: Sequence[str], formats: Sequence[str], *, since_1904: bool) -> None:
        self._strings = strings
        self._formats = formats
        self._epoch = CALENDAR_MAC_1904 if since_1904 else CALENDAR_WINDOWS_1900

    def value(self, cell: RawCell, row: int) -> Any:
        """Return a cell as JSON has it, or as Lost. Raises Damaged with the cell's address."""
        address = f"{column_letters(cell.column)}{row}"
        try:
            found = self._value(cell)
        except (ValueError, IndexError, OverflowError):
            raise Damaged(gettext("its cell %(cell)s cannot be read") % {"cell": address}) from None
        if isinstance(found, Lost):
            why = gettext("cell %(cell)s: %(why)s") % {"cell": address, "why": found.why}
            return Lost(found.value, found.shown, found.kind, why, address)
        return found

    def _value(self, cell: RawCell) -> Any:
        raw, kind = cell.value, cell.kind
        if raw is None or (raw == "" and cell.is_formula and kind == "n"):
            why = gettext("holds a formula whose value was not saved: open the workbook in Excel and save it")
            return Lost("", "", gettext("formulas without a saved value, left empty"), why)
        if kind == "s" or kind == "str" or kind == "inlineStr":
            return self._text(self._shared(int(raw)) if kind == "s" else raw, cell.style)
        if raw == "":
            return ""
        if kind == "b":
            truth = raw.strip() in ("1", "true")
            why = gettext("expected a text, found %(value)s, which Excel takes for a truth value") % {
                "value": truth
            }
            return Lost(truth, str(truth).upper(), gettext("truth values"), why)
        if kind == "e":
            return lost_text(raw) or _error(raw)
        if kind == "d":
            return _date(raw.removesuffix("Z"))
        return self._number(raw.strip(), self._format(cell.style))

    def _shared(self, number: int) -> str:
        if number < 0:
            raise IndexError(number)
        return self._strings[number]

    def _format(self, style: int) -> str:
        return self._formats[style] if 0 <= style < len(self._formats) else "General"

    def _text(self, raw: str, style: int) -> Any:
        text = _unescaped(raw) if "_x" in raw else raw
        if lost := lost_text(text):
            return lost
        if text and not _shows_texts(self._format(style)):
            why = gettext("is shown otherwise than it is stored (number format %(format)s)") % {
                "format": self._format(style)
            }
            return Lost(text, text, gettext("texts shown otherwise than they are stored"), why)
        return text

    def _number(self, raw: str, format: str) -> Any:
        number = float(raw)
        if not abs(number) < 1e300:
            raise Damaged(raw)
        if is_date_format(format):
            return self._date(number, format)
        if abs(number) >= 10**_EXACT_DIGITS:
            why = gettext(
                "the number has more than 15 digits, and Excel keeps no more: format the column as Text "
                "and fill it in again"
            )
            whole = int(raw) if raw.lstrip("+-").isdecimal() else number
            return Lost(whole, raw, gettext("numbers of more than 15 digits"), why)
        if number.is_integer():
            integer = int(number)
            if _shows_whole_numbers(format, integer):
                return integer
            why = gettext(
                "%(number)s is shown otherwise than it is stored (number format %(format)s): "
                "format the column as Text and fill it in again"
            ) % {"number": integer, "format": format}
            return Lost(integer, str(integer), gettext("numbers shown otherwise than they are stored"), why)
        shown = f"{number:.{_EXACT_DIGITS}g}"
        why = gettext("expected a text, found %(value)s; format the column as Text and fill it in again") % {
            "value": shown
        }
        if float(shown) != number:
            kind = gettext("numbers with more digits than Excel shows")
        elif format in ("General", "@"):
            kind = ""
        else:
            kind = gettext("numbers shown otherwise than they are stored")
        return Lost(number, shown, kind, why)

    def _date(self, number: float, format: str) -> Lost:
        try:
            return _date(from_excel(number, self._epoch, timedelta=is_timedelta_format(format)))
        except (ValueError, OverflowError):
            why = gettext("is no date that there is")
            return Lost("", "", gettext("dates that do not exist, left empty"), why)


def _date(value: datetime.datetime | datetime.date | datetime.time | datetime.timedelta | str) -> Lost:
    words = str(value) if isinstance(value, datetime.timedelta | str) else value.isoformat()
    why = gettext(
        "Excel has made a date or time of it (%(value)s): format the column as Text and fill it in again"
    ) % {"value": words}
    return Lost(words, words, gettext("dates and times"), why)


def _error(raw: str) -> Lost:
    why = gettext("%(error)s is an error of the spreadsheet, not what was written") % {"error": raw[:40]}
    return Lost("", "", gettext("errors of the spreadsheet, left empty"), why)


def _unescaped(text: str) -> str:
    """Return a text without Excel's escapes, each read once: _x005F_ is the underscore of a written one.

    >>> _unescaped("two_x000D_\\nlines"), _unescaped("written _x005F_x000D_")
    ('two\\r\\nlines', 'written _x000D_')
    """
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return _PAIRS.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), plain)


@functools.cache
def _sections(format: str) -> tuple[str, ...]:
    """Return the sections of a number format, without what shows no character: colours, places, widths."""

    def part(match: re.Match[str]) -> str:
        literal = match["quoted"] or match["escaped"] or ""
        # A section may not fall apart at what is written in quotes.
        return "".join("?" if character != " " else "" for character in literal)

    return tuple(section.strip() for section in _PARTS.sub(part, format).split(";"))


@functools.cache
def _shows_texts(format: str) -> bool:
    """Whether texts are shown as they are stored.

    >>> _shows_texts("General"), _shows_texts('0;0;0;"no "@'), _shows_texts(";;;")
    (True, False, False)
    """
    sections = _sections(format)
    if len(sections) > 3:
        return sections[3] in ("@", "General")
    return "@" not in sections[-1] or sections[-1] == "@"


def _shows_whole_numbers(format: str, number: int) -> bool:
    """Whether a whole number is shown with its own digits and nothing else.

    >>> [_shows_whole_numbers(format, 7) for format in ("General", "0_ ", "000", '0"%"', "#,##0", "0.00")]
    [True, True, False, False, False, False]
    """
    sections = _sections(format)
    section = sections[1] if number < 0 and len(sections) > 1 else sections[0]
    if number == 0 and len(sections) > 2:
        section = sections[2]
    return (
        section in ("General", "0", "@")
        or (section == "#" and number != 0)
        or (number < 0 and section in ("-0", "-General", "-#"))
    )
