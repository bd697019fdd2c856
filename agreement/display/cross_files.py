"""A cross table of answers by a field of the items as a file: CSV, LaTeX, and a chart (FOCUS's Table 11)."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import cast

from agreement.display.cells import DASH
from agreement.display.chart_files import HUES, MARGIN, TOP, WIDTH
from agreement.display.csv_latex import latex_text
from agreement.display.svg import INK, LINE, PAPER, QUIET, Drawing, shortened, text_width
from agreement.report.figures import CrossTable, ReportFigures, ShownCrossTable, Whose
from core.csv_safety import made_safe

WHOSE_WORDS = {
    "each": "every judgement",
    "any": "units where at least one annotator said so",
    "consensus": "units where more than half said so",
}
FEW_VALUES = 20
"""A field with more values than this is no table that anybody reads at once."""
LONG_VALUE = 40
"""Characters; a field with longer values is free text."""

ROW, NAME_WIDTH = 24.0, 230.0


class CrossMissing(LookupError):
    """The report has no such table; the message says what it has."""


def cross_fields(tables: Sequence[CrossTable]) -> list[str]:
    """Return the fields of a report's cross tables, first the one to begin with.

    Fields with few, short values come first: topics before others, then those with the fewest values. Free
    text and fields with nearly a value an item come last.
    """
    return [table["field"] for table in sorted(tables, key=_place)]


def _place(table: CrossTable) -> tuple[bool, bool, bool, int, str]:
    values = table["values"]
    free_text = max((len(value) for value in values), default=0) > LONG_VALUE
    # Of a grouping most values stand with several items.
    one_each = 2 * sum(n > 1 for n in table["n_items"]) < len(values)
    many = len(values) > FEW_VALUES
    return free_text or one_each, many, table["field"] != "topic", len(values), table["field"]


def cross_of(figures: ReportFigures, field: str, whose: str) -> ShownCrossTable:
    """Return field, whose, values, n_items and rows (code, name, counts) of one table. Raises CrossMissing.

    Without a field it is the one that the page opens on. A count is None where the type was not asked.
    """
    fields = cross_fields(figures["cross"])
    if not fields:
        raise CrossMissing("No field of the items groups them, so there is no such table.")
    field = field or fields[0]
    table = next((table for table in figures["cross"] if table["field"] == field), None)
    if table is None:
        raise CrossMissing(f"There is no field “{field}”; there are {', '.join(fields)}.")
    known = [name for name in table["rows"][0] if name != "code"]
    if whose not in known:
        raise CrossMissing(f"There are no answers “{whose}”; there are {', '.join(known)}.")
    names = {section["code"]: section["name"] for section in figures["sections"]}
    names |= {category["code"]: category["name"] for category in figures["categories"]}
    of = cast(Whose, whose)
    rows = [(row["code"], names.get(row["code"], row["code"]), row[of]) for row in table["rows"]]
    return {**table, "whose": whose, "rows": rows}


def cross_csv(table: ShownCrossTable) -> str:
    """Return a cross table as CSV: a row with the number of items by value, then a row a type or label."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["code", "name", "whose", *map(made_safe, table["values"]), "sum"])
    writer.writerow(["", "items", "", *table["n_items"], ""])
    for code, name, counts in table["rows"]:
        cells = ["" if count is None else count for count in counts]
        writer.writerow([made_safe(code), made_safe(name), table["whose"], *cells, _sum(counts)])
    return out.getvalue()


def cross_latex(table: ShownCrossTable) -> str:
    """Return a cross table as a booktabs table, the number of items below each value."""
    lines = [
        f"% Answers by {_one_line(table['field'])}: {WHOSE_WORDS.get(table['whose'], table['whose'])}.",
        f"\\begin{{tabular}}{{l{'r' * (len(table['values']) + 1)}}}",
        "\\toprule",
        " & ".join(["", *map(latex_text, table["values"]), "sum"]) + r" \\",
        " & ".join(["items", *map(str, table["n_items"]), ""]) + r" \\",
        "\\midrule",
    ]
    for _, name, counts in table["rows"]:
        cells = ["--" if count is None else str(count) for count in counts]
        lines.append(" & ".join([latex_text(name), *cells, str(_sum(counts))]) + r" \\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"]) + "\n"


def cross_svg(figures: ReportFigures, table: ShownCrossTable, *, title: str) -> str:
    """Return a cross table as a chart: a square a count, filled by how large it is, in English."""
    what = "Types" if figures["protocol"] == "focus" else "Labels"
    heading = f"{what} by {table['field']}: {title}"
    drawing = Drawing(WIDTH, heading)
    drawing.text(MARGIN, 18, shortened(heading, 13, WIDTH - 2 * MARGIN), size=13, bold=True)
    drawing.text(
        MARGIN,
        33,
        f"{WHOSE_WORDS.get(table['whose'], table['whose'])}; darker is more",
        size=10.5,
        fill=QUIET,
    )
    left = MARGIN + min(NAME_WIDTH, max(text_width(name, 12) for _, name, _ in table["rows"])) + 14
    wide = (WIDTH - MARGIN - left) / len(table["values"])
    highest = max((count or 0 for _, _, counts in table["rows"] for count in counts), default=0)
    marks = [_letters(at) for at in range(len(table["values"]))]
    for at, mark in enumerate(marks):
        drawing.text(left + (at + 0.5) * wide, TOP - 20, mark, size=10, fill=QUIET, anchor="middle")
    for row, (_, name, counts) in enumerate(table["rows"]):
        y = TOP + row * ROW
        drawing.text(MARGIN, y, shortened(name, 12, NAME_WIDTH), size=12)
        for at, count in enumerate(counts):
            share = (count or 0) / highest if highest else 0
            fill = PAPER if count is None else _tint(share)
            drawing.rect(
                left + at * wide + 1, y - 15, wide - 2, ROW - 3, fill=fill, stroke=LINE, role="count"
            )
            text = DASH if count is None else str(count)
            if text_width(text, 10) <= wide - 2:
                ink = PAPER if share > 0.55 else INK
                drawing.text(left + (at + 0.5) * wide, y, text, size=10, fill=ink, anchor="middle")
    drawing.height = TOP + len(table["rows"]) * ROW - 8
    for mark, value, number in zip(marks, table["values"], table["n_items"], strict=True):
        drawing.note(f"{mark}: {_one_line(value)} ({number} item{'' if number == 1 else 's'})")
    if any(count is None for _, _, counts in table["rows"] for count in counts):
        drawing.note(f"{DASH}: not asked.")
    return drawing.svg()


def _sum(counts: Sequence[int | None]) -> int:
    return sum(count for count in counts if count is not None)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _letters(at: int) -> str:
    """Return a, b, …, z, aa, ab, … for a place from 0."""
    return chr(ord("a") + at) if at < 26 else _letters(at // 26 - 1) + chr(ord("a") + at % 26)


def _tint(share: float) -> str:
    """Return the colour between paper and blue."""
    blue = [int(HUES["blue"][place : place + 2], 16) for place in (1, 3, 5)]
    return "#" + "".join(f"{round(255 + share * (part - 255)):02x}" for part in blue)
