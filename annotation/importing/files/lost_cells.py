"""What a spreadsheet has made of what was typed: cells that have lost the form they were written in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

CELL_OF_EXCEL = 32_767
"""Characters, UTF-16 units, that Excel keeps of a cell. It cuts what is longer without a word."""

_ERRORS = frozenset(
    [
        "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA", "#SPILL!",
        "#CONNECT!", "#BLOCKED!", "#UNKNOWN!", "#FIELD!", "#CALC!", "#BUSY!", "#PYTHON!", "#EXTERNAL!",
        "#TIMEOUT!",
        # The same in German, French, Spanish, Italian and Portuguese, as a CSV file has them.
        "#BEZUG!", "#WERT!", "#NV", "#ZAHL!", "#ÜBERLAUF!", "#KALK!", "#NOM?", "#VALEUR!", "#NOMBRE!",
        "#PROPAGATION!", "#CALCUL!", "#¡NULO!", "#¡DIV/0!", "#¡VALOR!", "#¡REF!", "#¿NOMBRE?", "#¡NUM!",
        "#N/D", "#¡DESBORDAMIENTO!", "#¡CALC!", "#RIF!", "#VALORE!", "#NOME?", "#VALOR!", "#NÚM!",
    ]
)  # fmt: skip
_SCIENTIFIC = re.compile(r"[+-]?\d(?:[.,]\d{1,14})?E[+-]\d{2,3}", re.ASCII)
_TOO_NARROW = re.compile(r"#{4,}")
_LONG_NUMBER = re.compile(r"\d{15}0{2,}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Lost:
    """A cell that has lost its written form: what is left of it, and why that is no id and no text.

    `value` is what further columns keep, `shown` the same as a text; `kind` says for a note what it is,
    `cell` where it stands.
    """

    value: Any
    shown: str
    kind: str
    why: str
    cell: str = ""


def lost_text(text: str) -> Lost | None:
    """Say what a spreadsheet has lost where this text stands, or None where it is a text like any other.

    >>> lost_text("#NAME?").why, lost_text("1.23457E+15") is None, lost_text("#metoo")
    ('#NAME? is an error of the spreadsheet, not what was written', False, None)
    """
    if len(text) > 24:
        return None
    if text[:1] == "#":
        if text in _ERRORS:
            why = gettext("%(error)s is an error of the spreadsheet, not what was written") % {"error": text}
            return Lost("", "", gettext("errors of the spreadsheet, left empty"), why)
        if _TOO_NARROW.fullmatch(text):
            why = gettext("%(cell)s stands for what was too wide for its column") % {"cell": text}
            return Lost("", "", gettext("cells that were too narrow, left empty"), why)
    elif "E" in text and _SCIENTIFIC.fullmatch(text):
        why = gettext(
            "%(number)s is how a spreadsheet writes a long number, whose digits are lost: "
            "format the column as Text and fill it in again"
        ) % {"number": text}
        return Lost(text, text, gettext("numbers whose digits are lost"), why)
    return None


def cut_columns(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what to say of each text that is exactly as long as Excel lets a cell be."""
    for column, value in values.items():
        if not isinstance(value, str) or not CELL_OF_EXCEL // 2 <= len(value) <= CELL_OF_EXCEL:
            continue
        if len(value) + sum(character > "\uffff" for character in value) == CELL_OF_EXCEL:
            yield gettext(
                "%(column)s has exactly 32,767 characters, where Excel cuts a cell off: its end is most "
                "likely missing"
            ) % {"column": column}


def ends_in_zeros(number: str) -> bool:
    """Whether an id looks as a spreadsheet leaves a number of more than 15 digits: zeros for the others.

    >>> ends_in_zeros("1234567890123450000"), ends_in_zeros("1234567890123456789")
    (True, False)
    """
    return _LONG_NUMBER.fullmatch(number) is not None
