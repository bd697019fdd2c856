"""A drawing as standalone SVG: text stays text, colours are attributes, same calls give same bytes."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from html import escape

INK, QUIET, LINE, PAPER = "#1c1e22", "#5a5e66", "#c9c6be", "#ffffff"
FONT = "Helvetica, Arial, 'Liberation Sans', 'Noto Sans', sans-serif"

# What XML 1.0 cannot hold, even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """Return the text for an element or a quoted attribute; what XML cannot hold becomes U+FFFD."""
    return escape(_NOT_XML.sub("\ufffd", text))


def text_width(text: str, size: float) -> float:
    """Return about how wide a text is: fonts differ, so the estimate is generous."""
    ems = sum(1.0 if unicodedata.east_asian_width(each) in "WF" else 0.56 for each in text)
    return ems * size


def shortened(text: str, size: float, width: float) -> str:
    """Return the text, or as much of its beginning as fits with an ellipsis."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(f"{text}…", size) > width:
        text = text[:-1]
    return f"{text.rstrip()}…"


class Drawing:
    """Elements in the order in which they are drawn; the height grows with what is put at the bottom."""

    def __init__(self, width: float, label: str) -> None:
        self.width = width
        self.height = 0.0
        self.label = label
        self._elements: list[str] = []

    def text(
        self, x: float, y: float, text: str, *, size: float = 12, fill: str = INK, anchor: str = "start",
        bold: bool = False,
    ) -> None:  # fmt: skip
        more = "" if anchor == "start" else f' text-anchor="{anchor}"'
        more += ' font-weight="700"' if bold else ""
        self._elements.append(
            f'<text x="{_number(x)}" y="{_number(y)}" font-size="{_number(size)}" fill="{fill}"{more}>'
            f"{xml_text(text)}</text>"
        )

    def line(
        self, x1: float, y1: float, x2: float, y2: float, *, stroke: str = INK, width: float = 1,
        dashed: bool = False, role: str = "",
    ) -> None:  # fmt: skip
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self._elements.append(
            f'<line{_role(role)} x1="{_number(x1)}" y1="{_number(y1)}" x2="{_number(x2)}" y2="{_number(y2)}" '
            f'stroke="{stroke}" stroke-width="{_number(width)}"{dash}/>'
        )

    def rect(
        self, x: float, y: float, width: float, height: float, *, fill: str, stroke: str = "none",
        role: str = "", radius: float = 0,
    ) -> None:  # fmt: skip
        rounded = f' rx="{_number(radius)}"' if radius else ""
        self._elements.append(
            f'<rect{_role(role)} x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" '
            f'height="{_number(height)}"{rounded} fill="{fill}" stroke="{stroke}"/>'
        )

    def circle(self, x: float, y: float, radius: float, *, fill: str, stroke: str, role: str = "") -> None:
        self._elements.append(
            f'<circle{_role(role)} cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}" fill="{fill}" '
            f'stroke="{stroke}" stroke-width="2"/>'
        )

    def note(self, text: str, *, size: float = 10.5) -> None:
        """Put a note at the bottom, over as many lines as it needs."""
        # textwrap counts characters: half an em each, a whole one for wide scripts.
        wide = any(unicodedata.east_asian_width(each) in "WF" for each in text)
        columns = int((self.width - 24) / (size * (0.8 if wide else 0.5)))
        for line in textwrap.wrap(text, columns):
            self.height += size + 4
            self.text(12, self.height, line, size=size, fill=QUIET)

    def svg(self) -> str:
        """Return the file, which ends in a newline."""
        width, height = _number(self.width), _number(self.height + 12)
        label = xml_text(self.label)
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                f'viewBox="0 0 {width} {height}" font-family="{FONT}" role="img" aria-label="{label}">',
                f"<title>{label}</title>",
                f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
                *self._elements,
                "</svg>\n",
            ]
        )


def _number(value: float) -> str:
    return f"{round(value, 1):g}"


def _role(role: str) -> str:
    return f' class="{role}"' if role else ""
