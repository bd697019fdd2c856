"""The charts of a report as files for a paper: SVG, and the same SVG as PDF with its text as text.

On a light background, readable without colour: a group is told by its letter, an interval that is not to be
trusted by dashes and a hollow dot, what is undefined by a dash with its reason below the chart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import translation

from agreement.display.cells import DASH, MINUS, Notes, cell, number
from agreement.display.charts import axis_of
from agreement.display.overview import ALPHA, overview
from agreement.display.svg import INK, LINE, PAPER, QUIET, Drawing, shortened, text_width
from agreement.display.wording import reason_text
from agreement.report.figures import ReportFigures, ShownChange
from agreement.statistics.figures import EstimateFigures

Figures = dict[str, Any]

HUES = {
    "blue": "#00649e",
    "purple": "#8a4573",
    "yellow": "#7a5d00",
    "green": "#00705a",
    "orange": "#a84400",
    "sky": "#1a6a80",
    "grey": "#5a5e66",
}
"""The light values of the hues in tokens.css."""

LABEL_HUES = {"USE": HUES["green"], "UN": "#7a5d00", "IN": "#a3341a"}

WIDTH, MARGIN, ROW, TOP = 720.0, 12.0, 22.0, 72.0
NAME_X, NAME_SIZE, NAME_WIDTH = 40.0, 12.0, 262.0
VALUE_SIZE = 11.0


class ChartMissing(LookupError):
    """There is no chart of this name, or nothing to draw in it; the message says why."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A horizontal scale from `low` to `high` between two places."""

    low: float
    high: float
    left: float
    right: float

    def x(self, value: float) -> float:
        """Return the place of a value, held inside the scale."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.left + share * (self.right - self.left), 1)


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a chart: what it is called, its group's hue and letter, and its estimate."""

    name: str
    hue: str
    letter: str
    estimate: EstimateFigures
    pooled: bool = False
    n: int | None = None


def chart_svg(name: str, figures: ReportFigures, change: ShownChange, *, title: str, guideline: int) -> str:
    """Return a chart of CHARTS as SVG, in English like every file. Raises ChartMissing.

    change: that of the report with its conditions, empty where no round came before; title and guideline: the
    name of the round and the version of its guideline, for the heading.
    """
    if name not in CHARTS:
        raise ChartMissing(f"There is no chart “{name}”; there are {', '.join(CHARTS)}.")
    # It shares the words of the page's table, which are in the reader's language.
    with translation.override("en"):
        return CHARTS[name](figures, change, title, guideline).svg()


def chart_pdf(svg: str) -> bytes:
    """Return the PDF of a chart on one page of its size, with the fonts it uses inside."""
    # Imported here: 80 MB that only a download needs. Never render in a process that forks afterwards.
    import vl_convert

    return vl_convert.svg_to_pdf(svg)


def _alpha(figures: ReportFigures, change: ShownChange, title: str, guideline: int) -> Drawing:
    by_key = {section["key"]: section for section in figures["sections"]}
    table = overview(figures)
    entries = [
        Entry(
            row.name,
            HUES.get(row.hue, INK),
            row.letter,
            by_key[row.key]["estimates"][ALPHA],
            pooled=row.kind in ("group", "all"),
            n=by_key[row.key]["n_pairable"],
        )
        for row in (*table.rows, *table.pooled)
    ]
    what = "types, least agreed first" if figures["protocol"] == "focus" else "comparisons"
    return whiskers(
        entries,
        heading=f"Krippendorff's alpha: {title}",
        subtitle=f"{what}; 95% bootstrap intervals over items",
        scale=lambda left, right: Scale(axis_of(entry.estimate for entry in entries).low, 1.0, left, right),
    )


def _change(figures: ReportFigures, change: ShownChange, title: str, guideline: int) -> Drawing:
    moved = change.get("sections") or {}
    entries = [
        Entry(
            section["name"],
            _hue(figures, section["group"]),
            _letter(figures, section["group"]),
            moved[section["key"]]["differences"][ALPHA],
            pooled=section["kind"] in ("group", "all"),
        )
        for section in figures["sections"]
        if section["key"] in moved
    ]
    if not entries:
        raise ChartMissing("No closed round came before this one, so there is no change to draw.")
    drawing = whiskers(
        entries,
        heading=f"Change of alpha: {title} against {change['name']}",
        subtitle=(
            "difference of Krippendorff's alpha with its 95% interval; guideline "
            f"version {change['guideline']}, then {guideline}"
        ),
        scale=lambda left, right: _around_zero([entry.estimate for entry in entries], left, right),
        signed=True,
    )
    drawing.note(change["conditions"]["says"])
    return drawing


def _applicability(figures: ReportFigures, change: ShownChange, title: str, guideline: int) -> Drawing:
    if figures["protocol"] != "focus":
        return _labels(figures, title)
    sections = [section for section in figures["sections"] if section["kind"] == "type"]
    drawing = Drawing(WIDTH, f"Applicability: yes and no judgements by type, {title}")
    _heading(drawing, f"Applicability: {title}", "judgements by type: filled yes, outlined no")
    left = NAME_X + _name_width(section["name"] for section in sections) + 12
    counts = {
        section["key"]: (section["labels"]["yes"] or 0, section["labels"]["no"] or 0) for section in sections
    }
    scale = Scale(0, max(1, *map(sum, counts.values())), left, WIDTH - MARGIN - 96)
    for row, section in enumerate(sections):
        y = TOP + row * ROW
        hue = _hue(figures, section["group"])
        _name(drawing, y, section["name"], hue, _letter(figures, section["group"]))
        yes, no = counts[section["key"]]
        if yes:
            drawing.rect(left, y - 11, scale.x(yes) - left, 14, fill=hue, stroke=hue, role="yes")
        if no:
            middle = scale.x(yes)
            drawing.rect(middle, y - 11, scale.x(yes + no) - middle, 14, fill=PAPER, stroke=hue, role="no")
        unsaid = DASH if section["labels"]["yes"] is None else "not judged"
        value = f"{yes} yes, {no} no" if yes + no else unsaid
        drawing.text(WIDTH - MARGIN, y, value, size=VALUE_SIZE, anchor="end")
    drawing.height = TOP + len(sections) * ROW - 8
    if figures["n_cannot_judge"]:
        drawing.note(f"{figures['n_cannot_judge']} “cannot judge” are left out.")
    return drawing


def _labels(figures: ReportFigures, title: str) -> Drawing:
    section = next(section for section in figures["sections"] if section["kind"] == "labels")
    names = {category["code"]: category["name"] for category in figures["categories"]}
    drawing = Drawing(WIDTH, f"Labels: judgements by label, {title}")
    labels = {code: count or 0 for code, count in section["labels"].items()}
    total = sum(labels.values())
    _heading(drawing, f"Labels: {title}", f"{total} judgements by label")
    left = NAME_X + _name_width(names.values()) + 12
    scale = Scale(0, max(1, *labels.values()), left, WIDTH - MARGIN - 96)
    for row, (code, count) in enumerate(labels.items()):
        y, hue = TOP + row * ROW, LABEL_HUES.get(code, INK)
        _name(drawing, y, names.get(code, code), hue, code)
        if count:
            drawing.rect(left, y - 11, scale.x(count) - left, 14, fill=hue, stroke=hue, role="label")
        share = number(count / total) if total else DASH
        drawing.text(WIDTH - MARGIN, y, f"{count} ({share})", size=VALUE_SIZE, anchor="end")
    drawing.height = TOP + len(labels) * ROW - 8
    return drawing


CHARTS: Mapping[str, Callable[[ReportFigures, ShownChange, str, int], Drawing]] = {
    "alpha": _alpha,
    "applicability": _applicability,
    "change": _change,
}


def whiskers(
    entries: Sequence[Entry],
    *,
    heading: str,
    subtitle: str,
    scale: Callable[[float, float], Scale],
    signed: bool = False,
) -> Drawing:
    """Draw a row an entry: its name, its dot and whisker on one scale, and its numbers."""
    drawing, notes, doubts = Drawing(WIDTH, heading), Notes(), Notes()
    _heading(drawing, heading, subtitle)
    counted = any(entry.n is not None for entry in entries)
    left = NAME_X + _name_width(entry.name for entry in entries) + 16
    right = WIDTH - MARGIN - (190 if counted else 150)
    across = scale(left, right)
    bottom = TOP + len(entries) * ROW - 8
    for tick in _ticks(across):
        x = across.x(tick)
        drawing.line(x, TOP - 16, x, bottom, stroke=QUIET if tick == 0 else LINE, role="tick")
        drawing.text(x, TOP - 20, _tick_text(tick, signed=signed), size=10, fill=QUIET, anchor="middle")
    if counted:
        drawing.text(WIDTH - MARGIN, TOP - 20, "n′", size=10, fill=QUIET, anchor="end")
    for row, entry in enumerate(entries):
        y = TOP + row * ROW
        if entry.pooled and row and not entries[row - 1].pooled:
            drawing.line(MARGIN, y - 16, WIDTH - MARGIN, y - 16, stroke=LINE)
        _name(drawing, y, entry.name, entry.hue, entry.letter)
        value = _whisker(drawing, y, entry, across, notes, doubts, signed=signed)
        drawing.text(WIDTH - MARGIN - (38 if counted else 0), y, value, size=VALUE_SIZE, anchor="end")
        if entry.n is not None:
            drawing.text(WIDTH - MARGIN, y, str(entry.n), size=VALUE_SIZE, anchor="end", fill=QUIET)
    drawing.height = bottom
    if counted:
        drawing.note("n′: units with two judgements or more.")
    for reason, mark in notes.marks.items():
        drawing.note(f"{DASH} ({mark}) undefined: {reason}.")
    for reason in doubts.marks:
        drawing.note(f"Dashed, or a hollow dot, and marked *: {reason}.")
    return drawing


def _whisker(
    drawing: Drawing, y: float, entry: Entry, across: Scale, notes: Notes, doubts: Notes, *, signed: bool
) -> str:
    """Draw dot and whisker of an entry; return its numbers as text."""
    estimate, shown = entry.estimate, cell(entry.estimate, signed=signed)
    if estimate["value"] is None:
        return f"{DASH} ({notes.mark(reason_text(estimate['reason']))})"
    if shown.doubt:
        doubts.mark(shown.doubt)
    middle = y - 4
    if estimate["low"] is not None and estimate["high"] is not None:
        low, high = across.x(estimate["low"]), across.x(estimate["high"])
        drawing.line(
            low, middle, high, middle, stroke=entry.hue, width=2, dashed=bool(shown.doubt), role="whisker"
        )
    drawing.circle(
        across.x(estimate["value"]),
        middle,
        4,
        fill=PAPER if shown.doubt else entry.hue,
        stroke=entry.hue,
        role="dot",
    )
    return " ".join(part for part in (shown.text, shown.interval, "*" if shown.doubt else "") if part)


def _heading(drawing: Drawing, heading: str, subtitle: str) -> None:
    drawing.text(MARGIN, 18, shortened(heading, 13, WIDTH - 2 * MARGIN), size=13, bold=True)
    drawing.text(MARGIN, 33, shortened(subtitle, 10.5, WIDTH - 2 * MARGIN), size=10.5, fill=QUIET)


def _name(drawing: Drawing, y: float, name: str, hue: str, letter: str) -> None:
    if letter:
        drawing.rect(MARGIN, y - 12, 22, 16, fill=PAPER, stroke=hue, radius=3)
        drawing.text(MARGIN + 11, y, letter, size=10, fill=hue, anchor="middle", bold=True)
    drawing.text(NAME_X, y, shortened(name, NAME_SIZE, NAME_WIDTH), size=NAME_SIZE)


def _name_width(names: Iterable[str]) -> float:
    return min(NAME_WIDTH, max((text_width(name, NAME_SIZE) for name in names), default=0))


def _around_zero(estimates: Sequence[Mapping[str, Any]], left: float, right: float) -> Scale:
    """Return a scale with 0 in the middle on which all differences fit."""
    ends = [
        abs(end)
        for estimate in estimates
        for end in (estimate["value"], estimate["low"], estimate["high"])
        if end is not None
    ]
    reach = next((step for step in (0.25, 0.5, 1.0) if max(ends, default=0) <= step), 2.0)
    return Scale(-reach, reach, left, right)


def _ticks(scale: Scale) -> list[float]:
    step = 0.5 if scale.high - scale.low > 1.5 else 0.2 if scale.low >= -0.2 and scale.high == 1 else 0.25
    first = -int(-scale.low / step + 1e-9) if scale.low < 0 else 0
    return [round(tick * step, 2) for tick in range(first, int(scale.high / step + 1e-9) + 1)]


def _tick_text(tick: float, *, signed: bool) -> str:
    sign = MINUS if tick < 0 else "+" if signed and tick > 0 else ""
    return f"{sign}{abs(tick):g}"


def _hue(figures: ReportFigures, group: str | None) -> str:
    return next((HUES.get(entry["hue"], INK) for entry in figures["groups"] if entry["key"] == group), INK)


def _letter(figures: ReportFigures, group: str | None) -> str:
    return next((entry["letter"] for entry in figures["groups"] if entry["key"] == group), "")
