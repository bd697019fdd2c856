"""The mark that keeps spreadsheets from running a CSV cell as a formula, and the way back.

`made_safe` and `taken_back` undo each other for every text, so what leaves by CSV comes back unchanged.
"""

from __future__ import annotations

import re

# Spreadsheets pass over a tab or a line break at the start, and some read the wide forms as the narrow ones.
_STARTS = r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
_RISKY = re.compile(f"'*{_STARTS}")
_MARKED = re.compile(f"'+{_STARTS}")


def made_safe(cell: str) -> str:
    """Put an apostrophe before a cell that a spreadsheet would run.

    >>> made_safe("=1+1"), made_safe("'=1+1"), made_safe("'tis")
    ("'=1+1", "''=1+1", "'tis")
    """
    return f"'{cell}" if _RISKY.match(cell) else cell


def taken_back(cell: str) -> str:
    """Take away the apostrophe that `made_safe` has put.

    >>> taken_back("'=1+1"), taken_back("''=1+1"), taken_back("'tis"), taken_back("=1+1")
    ('=1+1', "'=1+1", "'tis", '=1+1')
    """
    return cell[1:] if cell[:1] == "'" and _MARKED.match(cell) else cell
