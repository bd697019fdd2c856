"""The overview of a report: its sections least agreed first, each figure with its interval, and notes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, ngettext

from agreement.display.cells import DASH, Cell, Notes, cell, count, number
from agreement.display.charts import Axis, Whisker, axis_of, whisker_of
from agreement.display.wording import sentence_words
from agreement.report.figures import ChangeFigures, GroupFigures, Keyed, ReportFigures, SectionFigures

ALPHA = "krippendorff_alpha"
OVERVIEW = {"observed_agreement": "pₐ", "pabak": "PABAK", "gwet_ac1": "AC1"}
"""The coefficients beside alpha, and what they are called where room is short."""

_OF_TYPES = ("type", "group", "all")


@dataclass(frozen=True, slots=True)
class Row:
    """A section of the report: a type, a group, all types, or a comparison of labels."""

    key: str
    kind: str
    code: str
    name: str
    hue: str
    letter: str
    n_pairable: int | str
    yes_rate: Cell | None
    cells: list[tuple[str, Cell]]
    alpha: Cell
    whisker: Whisker | None
    span: Cell | None
    disputed: int
    paradox: bool


@dataclass(frozen=True, slots=True)
class Overview:
    """What the first table shows, least agreed first, and what stands below it.

    `paradoxes` are (section, sentence) where kappa and alpha are low although nearly all agree, `readings`
    where they are low for another reason.
    """

    rows: list[Row]
    pooled: list[Row]
    axis: Axis
    paradoxes: list[tuple[str, str]]
    readings: list[tuple[str, str]]
    notes: Notes
    has_spans: bool


def overview(figures: ReportFigures) -> Overview:
    """Return the table of the overview: single types (or comparisons), then groups and all types."""
    sections = figures["sections"]
    groups = {group["key"]: group for group in figures["groups"]}
    axis = axis_of(section["estimates"][ALPHA] for section in sections)
    single = [section for section in sections if section["kind"] not in ("group", "all")]
    if figures["protocol"] == "focus":
        single.sort(key=_least_agreed)
    pooled = [section for section in sections if section["kind"] in ("group", "all")]
    has_spans = any(section["spans"] for section in sections)
    notes = Notes("types")
    return Overview(
        rows=[_row(section, groups, axis, has_spans, notes) for section in single],
        pooled=[_row(section, groups, axis, has_spans, notes) for section in pooled],
        axis=axis,
        paradoxes=[
            (section_name(section), sentence_words(section["paradox"]))
            for section in [*single, *pooled]
            if section["paradox"]
        ],
        readings=[
            (section_name(section), sentence_words(sentence))
            for section in [*single, *pooled]
            for sentence in section.get("readings", ())
        ],
        notes=notes,
        has_spans=has_spans,
    )


def _least_agreed(section: SectionFigures) -> tuple[int, float, str]:
    """Order by alpha; what has none comes after, by observed agreement; what nobody judged is last."""
    alpha = section["estimates"][ALPHA]["value"]
    observed = section["estimates"]["observed_agreement"]["value"]
    if alpha is not None:
        return 0, alpha, section["key"]
    return (1, observed, section["key"]) if observed is not None else (2, 0.0, section["key"])


def _row(
    section: SectionFigures, groups: dict[str, GroupFigures], axis: Axis, has_spans: bool, notes: Notes
) -> Row:
    group = groups.get(section["group"] or "")
    estimates = section["estimates"]
    return Row(
        key=section["key"],
        kind=section["kind"],
        code=section["code"],
        name=section_name(section),
        hue=group["hue"] if group else "",
        letter=group["letter"] if group else "",
        n_pairable=count(section["n_pairable"]),
        yes_rate=notes.noted(_yes_rate(section)) if section["kind"] in _OF_TYPES else None,
        cells=[(short, notes.noted(cell(estimates[name]))) for name, short in OVERVIEW.items()],
        alpha=notes.noted(cell(estimates[ALPHA], below=_mean(section))),
        whisker=whisker_of(estimates[ALPHA], axis),
        span=notes.noted(_span(section)) if has_spans else None,
        disputed=section["queue"].get("disputed", 0),
        paradox=bool(section["paradox"]),
    )


def _mean(section: SectionFigures) -> str:
    mean = section.get("mean_of_types", {}).get(ALPHA)
    if not mean or mean["value"] is None:
        return ""
    return gettext("mean %(value)s") % {"value": number(mean["value"])}


def mean_words(section: SectionFigures, name: str = ALPHA) -> str:
    """Return the plain mean of a coefficient over the types of a section, "" where it has no such mean."""
    mean = section.get("mean_of_types", {}).get(name)
    if not mean or mean["value"] is None:
        return ""
    words = ngettext("mean over %(n)s type %(value)s", "mean over %(n)s types %(value)s", mean["n"])
    return words % {"n": mean["n"], "value": number(mean["value"])}


def _yes_rate(section: SectionFigures) -> Cell:
    rate = section.get("yes_rate")
    return Cell(number(rate), why="" if rate is not None else gettext("nobody judged this type"))


def _span(section: SectionFigures) -> Cell:
    if not section["spans"]:
        return Cell(DASH, why=gettext("this type asks for no span"))
    return cell(section["spans"]["similarity"]["token_jaccard"], spans=True)


def section_name(section: Keyed) -> str:
    """Return a section's name in the reader's language; types and groups are called as in the codebook."""
    name = section["name"]
    return name if ":" in section["key"] else gettext(name)


def whole_section(figures: ReportFigures) -> SectionFigures:
    """Return the section of all types, or of the three labels."""
    return next(section for section in figures["sections"] if section["kind"] in ("all", "labels"))


def cards(figures: ReportFigures, change: ChangeFigures) -> dict[str, Any]:
    """Return the four figures at the top: alpha, its change, the overlap of spans (or useful), the queue."""
    whole = whole_section(figures)
    useful = next((section for section in figures["sections"] if section["kind"] == "useful"), None)
    moved = change.get("sections", {}).get(whole["key"]) if change else None
    return {
        "alpha": cell(whole["estimates"][ALPHA]),
        "mean": mean_words(whole),
        "change": cell(moved["differences"][ALPHA], signed=True) if moved else None,
        "recurring": moved["n_both"] if moved else 0,
        "span": cell(whole["spans"]["similarity"]["token_jaccard"], spans=True) if whole["spans"] else None,
        "useful": cell(useful["estimates"][ALPHA]) if useful else None,
        "queue": whole["queue"].get("total", 0),
        "compared": whole["n_pairable"],
    }


def answer_names(figures: ReportFigures) -> dict[str, str]:
    """Return the words for the codes of answers and reasons."""
    coded = {entry["code"]: entry["name"] for entry in [*figures["categories"], *figures["reasons"]]}
    return coded | {"yes": gettext("yes"), "no": gettext("no"), "?": gettext("cannot judge")}
