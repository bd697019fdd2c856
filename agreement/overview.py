"""The figures of a report as people read them: numbers as text, notes on what is undefined or doubtful."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext

from agreement.charts import Axis, Whisker, axis_of, level, whisker_of
from agreement.wording import reason_text, sentence_words

MINUS = "−"
DASH = "–"
ALPHA = "krippendorff_alpha"
OVERVIEW = ("observed_agreement", "pabak", "gwet_ac1")

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure as text; `why` says why it is undefined, `doubt` why its interval is not to be trusted."""

    text: str
    interval: str = ""
    why: str = ""
    doubt: str = ""
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A section of the report: a type, a group, all types, or a comparison of labels."""

    key: str
    kind: str
    code: str
    name: str
    hue: str
    letter: str
    n_pairable: int
    yes_rate: Cell
    cells: list[Cell]
    alpha: Cell
    whisker: Whisker | None
    span: Cell | None
    disputed: int
    note: str


@dataclass(frozen=True, slots=True)
class Overview:
    """What the first table shows, least agreed first, and the notes below it."""

    rows: list[Row]
    pooled: list[Row]
    axis: Axis
    notes: list[tuple[str, str]] = field(default_factory=list)
    undefined: list[tuple[str, str]] = field(default_factory=list)
    has_spans: bool = False


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


def cell(estimate: Figures | None, *, signed: bool = False, spans: bool = False) -> Cell:
    """Return an estimate as text with its interval, or a dash with the reason."""
    if estimate is None:
        return Cell(DASH)
    if estimate["value"] is None:
        return Cell(DASH, why=gettext(reason_text(estimate["reason"], spans=spans)))
    interval = ""
    if estimate.get("low") is not None:
        interval = f"[{number(estimate['low'], signed=signed)}, {number(estimate['high'], signed=signed)}]"
    doubt = estimate.get("caution") or estimate.get("interval_reason")
    return Cell(
        number(estimate["value"], signed=signed),
        interval=interval,
        doubt=gettext(reason_text(doubt)),
        level=level(estimate["value"]),
    )


def overview(figures: Figures) -> Overview:
    """Return the table of the overview: single types (or comparisons), then groups and all types."""
    sections = figures["sections"]
    groups = {group["key"]: group for group in figures["groups"]}
    axis = axis_of(section["estimates"][ALPHA] for section in sections)
    single = [section for section in sections if section["kind"] not in ("group", "all")]
    if figures["protocol"] == "focus":
        single.sort(key=_least_agreed)
    pooled = [section for section in sections if section["kind"] in ("group", "all")]
    shown = [*single, *pooled]
    return Overview(
        rows=[_row(section, groups, axis) for section in single],
        pooled=[_row(section, groups, axis) for section in pooled],
        axis=axis,
        notes=[(section_name(section), _note(section)) for section in shown if _note(section)],
        undefined=_undefined(shown),
        has_spans=any(section["spans"] for section in sections),
    )


def _least_agreed(section: Figures) -> tuple[int, float, str]:
    """Order by alpha; what has none comes after, by observed agreement; what nobody judged is last."""
    alpha = section["estimates"][ALPHA]["value"]
    observed = section["estimates"]["observed_agreement"]["value"]
    if alpha is not None:
        return 0, alpha, section["key"]
    return (1, observed, section["key"]) if observed is not None else (2, 0.0, section["key"])


def _row(section: Figures, groups: dict[str, Figures], axis: Axis) -> Row:
    group = groups.get(section["group"] or "", {})
    estimates = section["estimates"]
    rate = section.get("yes_rate")
    spans = section["spans"]
    return Row(
        key=section["key"],
        kind=section["kind"],
        code=section["code"],
        name=section_name(section),
        hue=group.get("hue", ""),
        letter=group.get("letter", ""),
        n_pairable=section["n_pairable"],
        yes_rate=Cell(number(rate), why="" if rate is not None else gettext("nobody judged this type")),
        cells=[cell(estimates[name]) for name in OVERVIEW],
        alpha=cell(estimates[ALPHA]),
        whisker=whisker_of(estimates[ALPHA], axis),
        span=cell(spans["similarity"]["token_jaccard"], spans=True) if spans else None,
        disputed=section["queue"].get("disputed", 0),
        note=_note(section),
    )


def _note(section: Figures) -> str:
    """Return what to know about a section: the kappa paradox, and why its interval is not to be trusted."""
    alpha = section["estimates"][ALPHA]
    doubt = (alpha.get("caution") or alpha.get("interval_reason")) if alpha["value"] is not None else None
    sentences = [sentence_words(section["paradox"] or "")]
    if doubt:
        sentences.append(
            gettext("The interval of alpha: %(doubt)s.") % {"doubt": gettext(reason_text(doubt))}
        )
    return " ".join(sentence for sentence in sentences if sentence)


def _undefined(sections: list[Figures]) -> list[tuple[str, str]]:
    """Return (reason, what is undefined for it) for the dashes of the table."""
    found: dict[str, list[str]] = {}
    for section in sections:
        estimates = {name: section["estimates"][name] for name in (*OVERVIEW, ALPHA)}
        if section["spans"]:
            estimates["token_jaccard"] = section["spans"]["similarity"]["token_jaccard"]
        reasons: dict[str, list[str]] = {}
        for name, estimate in estimates.items():
            if estimate["value"] is None:
                reason = gettext(reason_text(estimate["reason"], spans=name == "token_jaccard"))
                reasons.setdefault(reason, []).append(_SHORT[name])
        for reason, names in reasons.items():
            what = "" if len(names) == len(estimates) else f" ({', '.join(names)})"
            found.setdefault(reason, []).append(section_name(section) + what)
    return [(reason, ", ".join(names)) for reason, names in found.items()]


_SHORT = {
    "observed_agreement": "p_a",
    "pabak": "PABAK",
    "gwet_ac1": "AC1",
    ALPHA: "alpha",
    "token_jaccard": "spans",
}


def section_name(section: Figures) -> str:
    """Return a section's name in the reader's language; types and groups are called as in the codebook."""
    name: str = section["name"]
    return name if ":" in section["key"] else gettext(name)


def whole_section(figures: Figures) -> Figures:
    """Return the section of all types, or of the three labels."""
    return next(section for section in figures["sections"] if section["kind"] in ("all", "labels"))


def cards(figures: Figures, change: Figures) -> dict[str, Any]:
    """Return the four figures at the top: alpha, its change, the overlap of spans (or useful), the queue."""
    whole = whole_section(figures)
    useful = next((section for section in figures["sections"] if section["kind"] == "useful"), None)
    moved = change.get("sections", {}).get(whole["key"]) if change else None
    return {
        "alpha": cell(whole["estimates"][ALPHA]),
        "change": cell(moved["differences"][ALPHA], signed=True) if moved else None,
        "recurring": moved["n_both"] if moved else 0,
        "span": cell(whole["spans"]["similarity"]["token_jaccard"], spans=True) if whole["spans"] else None,
        "useful": cell(useful["estimates"][ALPHA]) if useful else None,
        "queue": whole["queue"].get("total", 0),
    }


def answer_names(figures: Figures) -> dict[str, str]:
    """Return the words for the codes of answers and reasons."""
    coded = {entry["code"]: entry["name"] for entry in [*figures["categories"], *figures["reasons"]]}
    return coded | {"yes": gettext("yes"), "no": gettext("no"), "?": gettext("cannot judge")}
