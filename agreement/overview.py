"""The figures of a report as the rows that people read: numbers as text, notes for what is undefined or doubtful."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agreement.charts import Axis, Whisker, axis_of, level, stacked_bar, whisker_of
from agreement.wording import COEFFICIENTS, SIMILARITIES, SPAN_ALPHAS, reason_text

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
    noted: bool


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


def cell(estimate: Figures | None, *, signed: bool = False) -> Cell:
    """Return an estimate as text with its interval, or a dash with the reason."""
    if estimate is None:
        return Cell(DASH)
    if estimate["value"] is None:
        return Cell(DASH, why=reason_text(estimate["reason"]))
    interval = ""
    if estimate.get("low") is not None:
        interval = f"[{number(estimate['low'], signed=signed)}, {number(estimate['high'], signed=signed)}]"
    doubt = estimate.get("caution") or estimate.get("interval_reason")
    return Cell(
        number(estimate["value"], signed=signed),
        interval=interval,
        doubt=reason_text(doubt),
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
        notes=_notes(shown),
        undefined=_undefined(shown),
        has_spans=any(section["spans"] for section in sections),
    )


def _least_agreed(section: Figures) -> tuple[int, float, str]:
    """Order by alpha; what has none comes after those that have, by observed agreement, unjudged types last."""
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
        name=section["name"],
        hue=group.get("hue", ""),
        letter=group.get("letter", ""),
        n_pairable=section["n_pairable"],
        yes_rate=Cell(number(rate), why="" if rate is not None else "nobody judged this type"),
        cells=[cell(estimates[name]) for name in OVERVIEW],
        alpha=cell(estimates[ALPHA]),
        whisker=whisker_of(estimates[ALPHA], axis),
        span=cell(spans["similarity"]["token_jaccard"]) if spans else None,
        disputed=section["queue"].get("disputed", 0),
        noted=bool(section["paradox"] or estimates[ALPHA].get("caution")),
    )


def _notes(sections: list[Figures]) -> list[tuple[str, str]]:
    """Return (name, sentence) for kappa paradoxes and for alphas whose interval cannot be trusted."""
    notes = []
    for section in sections:
        if section["paradox"]:
            notes.append((section["name"], section["paradox"]))
        alpha = section["estimates"][ALPHA]
        if alpha["value"] is not None:
            doubt = alpha.get("caution") or alpha.get("interval_reason")
            if doubt:
                notes.append((section["name"], f"The interval of alpha: {reason_text(doubt)}."))
    return notes


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
                reasons.setdefault(reason_text(estimate["reason"]), []).append(_SHORT[name])
        for reason, names in reasons.items():
            what = "" if len(names) == len(estimates) else f" ({', '.join(names)})"
            found.setdefault(reason, []).append(section["name"] + what)
    return [(reason, ", ".join(names)) for reason, names in found.items()]


_SHORT = {
    "observed_agreement": "p_a",
    "pabak": "PABAK",
    "gwet_ac1": "AC1",
    ALPHA: "alpha",
    "token_jaccard": "spans",
}


def coefficient_table(figures: Figures) -> tuple[list[str], list[dict[str, Any]]]:
    """Return headers and rows with every coefficient, its interval and standard error, and n, n' and N."""
    names = [
        name for name in COEFFICIENTS if name not in ("rating_weighted_agreement", "pair_pooled_agreement")
    ]
    rows = [
        {
            "name": section["name"],
            "counts": (section["n_items"], section["n_pairable"], section["n_pairable_ratings"]),
            "cells": [(cell(section["estimates"][name]), section["estimates"][name]["se"]) for name in names],
        }
        for section in figures["sections"]
    ]
    return [COEFFICIENTS[name] for name in names], rows


def span_table(figures: Figures) -> list[dict[str, Any]]:
    """Return a row for each section with spans: every similarity, the two alphas, and how many spans."""
    return [
        {
            "name": section["name"],
            "n_pairs": section["spans"]["similarity"]["exact"]["n_pairs"],
            "cells": [
                *(cell(section["spans"]["similarity"][name]) for name in SIMILARITIES),
                *(cell(section["spans"][name]) for name in SPAN_ALPHAS),
            ],
            "n_gold": section["spans"]["n_gold"],
            "n_disagreement": section["spans"]["n_disagreement"],
            "by_characters": section["spans"]["counted_by_characters"],
        }
        for section in figures["sections"]
        if section["spans"]
    ]


SPAN_HEADERS = [*SIMILARITIES.values(), *SPAN_ALPHAS.values()]


def applicability(figures: Figures) -> list[dict[str, Any]]:
    """Return how often each answer was given, by type, as numbers and as parts of a bar (FOCUS's Figure 4)."""
    kind = "type" if figures["protocol"] == "focus" else "labels"
    sections = [section for section in figures["sections"] if section["kind"] == kind]
    longest = max((sum(section["labels"].values()) for section in sections), default=0)
    rows = []
    for section in sections:
        labels = section["labels"]
        order = ["yes", "no"] if kind == "type" else list(labels)
        counts = [labels[name] for name in order]
        total = sum(counts)
        rows.append(
            {
                "code": section["code"],
                "name": section["name"],
                "counts": [
                    {"name": name, "n": count, "share": number(count / total if total else None)}
                    for name, count in zip(order, counts, strict=True)
                ],
                "bar": list(zip(order, stacked_bar(counts, longest), strict=True)),
                "cannot_judge": section["n_cannot_judge"],
            }
        )
    return rows


def annotator_table(figures: Figures) -> dict[str, Any]:
    """Return rates by type (or label shares), agreement with the rest and seconds, an annotator a row."""
    focus = figures["protocol"] == "focus"
    types = [section for section in figures["sections"] if section["kind"] == "type"]
    labels = [category["code"] for category in figures["categories"]]
    rows = []
    for person in figures["annotators"]:
        if focus:
            shares = [person["types"][section["code"]]["shares"]["yes"] for section in types]
        else:
            shares = [person["shares"][code] for code in labels]
        rows.append(
            {
                "pseudonym": person["pseudonym"],
                "n": person["n"],
                "shares": [cell(share) for share in shares],
                "with_rest": cell(person["with_rest"]),
                "cannot_judge": person["n_cannot_judge"],
                "seconds": number(person["median_seconds"], 0),
            }
        )
    heads = (
        [(section["code"], section["name"]) for section in types]
        if focus
        else [(category["code"], category["name"]) for category in figures["categories"]]
    )
    return {"heads": heads, "rows": rows}


def pair_matrix(figures: Figures, limit: int = 12) -> dict[str, Any] | None:
    """Return Cohen's kappa of each pair over all types (or the three labels); None for a crowd of annotators."""
    names = [person["pseudonym"] for person in figures["annotators"]]
    if not 2 <= len(names) <= limit:
        return None
    pairs = {(pair["first"], pair["second"]): pair for pair in _whole(figures)["pairs"]}
    rows = []
    for row, name in enumerate(names):
        cells: list[dict[str, Any] | None] = []
        for column in range(len(names)):
            pair = pairs.get((min(row, column), max(row, column)))
            if row == column:
                cells.append(None)
            elif pair is None:
                cells.append({"cell": Cell(DASH, why="they share no item"), "observed": DASH, "n": 0})
            else:
                cells.append(
                    {
                        "cell": cell(pair["kappa"]),
                        "observed": number(pair["observed_agreement"]["value"]),
                        "n": pair["n_common"],
                    }
                )
        rows.append((name, cells))
    return {"names": names, "rows": rows}


def cross_table(figures: Figures, field_name: str, whose: str) -> dict[str, Any] | None:
    """Return one cross table with the share of items beside each count; None where there is no such field."""
    table = next((table for table in figures["cross"] if table["field"] == field_name), None)
    if table is None:
        return None
    names = {section["code"]: section["name"] for section in figures["sections"]}
    names |= {category["code"]: category["name"] for category in figures["categories"]}
    columns = range(len(table["values"]))
    rows = []
    for row in table["rows"]:
        counts = row[whose]
        highest = max(counts, default=0)
        rows.append(
            {
                "name": names[row["code"]],
                "cells": [
                    {"n": counts[at], "level": level(counts[at] / highest if highest else None)}
                    for at in columns
                ],
                "total": sum(counts),
            }
        )
    return {
        "field": field_name,
        "heads": list(zip(table["values"], table["n_items"], strict=True)),
        "rows": rows,
    }


def _whole(figures: Figures) -> Figures:
    """Return the section of all types, or of the three labels."""
    return next(section for section in figures["sections"] if section["kind"] in ("all", "labels"))


def cards(figures: Figures, change: Figures) -> dict[str, Any]:
    """Return the four figures at the top: alpha, its change, the overlap of spans (or useful), the queue."""
    whole = _whole(figures)
    useful = next((section for section in figures["sections"] if section["kind"] == "useful"), None)
    moved = change.get("sections", {}).get(whole["key"]) if change else None
    return {
        "alpha": cell(whole["estimates"][ALPHA]),
        "change": cell(moved["differences"][ALPHA], signed=True) if moved else None,
        "recurring": moved["n_both"] if moved else 0,
        "span": cell(whole["spans"]["similarity"]["token_jaccard"]) if whole["spans"] else None,
        "useful": cell(useful["estimates"][ALPHA]) if useful else None,
        "queue": whole["queue"].get("total", 0),
    }
