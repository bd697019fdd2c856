"""The tables behind the overview of a report: every coefficient, spans, answers, annotators, cross tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from django.utils.translation import gettext, ngettext

from agreement.display.cells import DASH, Cell, Figures, Notes, cell, count, number
from agreement.display.charts import level, stacked_bar
from agreement.display.overview import section_name, whole_section
from agreement.display.wording import (
    AGAINST,
    BERTSCORE,
    COEFFICIENTS,
    ITEM_MEANS,
    LABEL_SIGNS,
    SET_ALPHAS,
    SIMILARITIES,
    span_alphas,
)
from agreement.report.bertscore_figures import bertscore_figure
from agreement.report.comparison import SHOWN as CHANGE_SHOWN
from agreement.report.figures import (
    ChangeFigures,
    CrosscheckFigures,
    MeanFigures,
    ReportFigures,
    Whose,
    WithSelfFigures,
)
from agreement.statistics.figures import EstimateFigures, PairFigures


def coefficient_table(figures: ReportFigures, notes: Notes) -> tuple[list[str], list[dict[str, Any]]]:
    """Return headers and rows with every coefficient, its interval and standard error, and n, n' and N."""
    names = [
        name for name in COEFFICIENTS if name not in ("rating_weighted_agreement", "pair_pooled_agreement")
    ]
    rows = [
        {
            "name": section_name(section),
            "counts": [count(section[name]) for name in ("n_items", "n_pairable", "n_pairable_ratings")],
            "cells": notes.each(_with_error(section["estimates"][name]) for name in names),
        }
        for section in figures["sections"]
    ]
    return [COEFFICIENTS[name] for name in names], rows


def stacked_table(figures: ReportFigures, notes: Notes) -> tuple[list[str], list[dict[str, Any]]]:
    """Return headers and three rows a group and all types: together, mean over types, stacked."""
    names = ("observed_agreement", "cohen_kappa", "fleiss_kappa", "pabak", "gwet_ac1", "krippendorff_alpha")
    rows = []
    for section in figures["sections"]:
        if "stacked" not in section:
            continue
        kinds = {
            gettext("together"): [cell(section["estimates"][name]) for name in names],
            gettext("mean over types"): [mean_cell(section["mean_of_types"][name]) for name in names],
            gettext("stacked"): [value_cell(section["stacked"][name]) for name in names],
        }
        rows += [
            {"name": section_name(section), "how": how, "first": place == 0, "cells": notes.each(cells)}
            for place, (how, cells) in enumerate(kinds.items())
        ]
    return [COEFFICIENTS[name] for name in names], rows


def sets_table(figures: ReportFigures, notes: Notes) -> list[dict[str, Any]]:
    """Return a row for each alpha over the sets of types of a text; nothing where there is no such figure."""
    return [
        {
            "name": gettext(words),
            "counts": [count(sets[name]) for name in ("n_items", "n_pairable", "n_sets")],
            "cell": notes.noted(cell(sets[key])),
        }
        for section in figures["sections"]
        for sets in [cast(dict[str, Any], section.get("sets"))]
        if sets
        for key, words in SET_ALPHAS.items()
    ]


def mean_cell(mean: MeanFigures | None) -> Cell:
    """Return the plain mean over types, with the number of types that have the figure below it."""
    if not mean or mean["value"] is None:
        return Cell(DASH)
    n = mean["n"]
    return Cell(number(mean["value"]), below=ngettext("of %(n)s type", "of %(n)s types", n) % {"n": n})


def value_cell(estimate: EstimateFigures) -> Cell:
    """Return an estimate of which the interval was not asked for."""
    return cell({**estimate, "interval_reason": None})


def _with_error(estimate: EstimateFigures) -> Cell:
    if estimate["se"] is None:
        return cell(estimate)
    return cell(estimate, below=gettext("SE %(se)s") % {"se": number(estimate["se"], 3)})


def span_table(figures: ReportFigures, notes: Notes) -> list[dict[str, Any]]:
    """Return a row for each section with spans: every similarity, the alphas, and how many spans.

    A similarity that is undefined for some of the pairs has its own number of pairs below it. BERTScore comes
    last, where the report was made with an encoder.
    """
    return [
        {
            "name": section_name(section),
            "n_pairs": count(section["spans"]["similarity"]["exact"]["n_pairs"]),
            "cells": notes.each(
                [
                    *_similarity_cells(
                        section["spans"]["similarity"],
                        {name: found["n_pairs"] for name, found in section["spans"]["similarity"].items()},
                    ),
                    *(cell(section["spans"][name], spans=True) for name in span_alphas(figures)),
                    *([cell(bertscore_figure(section), spans=True)] if "encoder" in figures else []),
                ]
            ),
            "n_gold": count(section["spans"]["n_gold"]),
            "n_disagreement": count(section["spans"]["n_disagreement"]),
            "by_characters": section["spans"]["counted_by_characters"],
        }
        for section in figures["sections"]
        if section["spans"]
    ]


def _similarity_cells(
    similarities: Mapping[str, EstimateFigures], counts: Mapping[str, int]
) -> Iterator[Cell]:
    """Yield the cells of all similarities, with the count of each where it is below that of the row."""
    for name in SIMILARITIES:
        n = counts[name] or 0
        few = 0 < n < (counts["exact"] or 0)
        yield cell(similarities[name], spans=True, below=f"n = {n}" if few else "")


def against_table(figures: ReportFigures, notes: Notes) -> list[dict[str, Any]]:
    """Return two rows for each section with spans: against gold only, and against gold plus disagreement."""
    return [
        {
            "name": section_name(section),
            "against": gettext(words),
            "first": target == next(iter(AGAINST)),
            "n_spans": section["spans"]["against"][target]["exact"]["n_spans"],
            "cells": notes.each(
                [
                    *_similarity_cells(
                        section["spans"]["against"][target],
                        {
                            name: found["n_spans"]
                            for name, found in section["spans"]["against"][target].items()
                        },
                    ),
                    *([cell(bertscore_figure(section, target), spans=True)] if "encoder" in figures else []),
                ]
            ),
        }
        for section in figures["sections"]
        # A report of older code has none until it is computed again.
        if section["spans"] and "against" in section["spans"]
        for target, words in AGAINST.items()
    ]


def item_means_table(figures: ReportFigures, notes: Notes) -> list[dict[str, Any]]:
    """Return two rows for each section with spans: the two means in which each text weighs the same."""
    return [
        {
            "name": section_name(section),
            "mean": gettext(words),
            "first": way == next(iter(ITEM_MEANS)),
            "n_texts": section["spans"][way]["exact"]["n_texts"],
            "cells": notes.each(
                _similarity_cells(
                    section["spans"][way],
                    {name: found["n_texts"] for name, found in section["spans"][way].items()},
                )
            ),
        }
        for section in figures["sections"]
        # A report of older code has none until it is computed again.
        if section["spans"] and "joint" in section["spans"]
        for way, words in ITEM_MEANS.items()
    ]


def against_headers(figures: ReportFigures) -> list[str]:
    """Return what stands above the cells of `against_table`."""
    return [*SIMILARITIES.values(), *([BERTSCORE] if "encoder" in figures else [])]


def span_headers(figures: ReportFigures) -> list[str]:
    """Return what stands above the cells of `span_table`."""
    return [
        *SIMILARITIES.values(),
        *span_alphas(figures).values(),
        *([BERTSCORE] if "encoder" in figures else []),
    ]


SIGN_WIDTH = 14.0
"""The least width of a part of a bar that has room for its label's sign."""


def applicability(figures: ReportFigures) -> list[dict[str, Any]]:
    """Return how often each answer was given, by type, as numbers and parts of a bar (FOCUS's Figure 4).

    Labels of CQs-Gen come with their code as `label`, and with their sign where the part has room for it.
    """
    kind = "type" if figures["protocol"] == "focus" else "labels"
    names = {entry["code"]: entry["name"] for entry in figures["categories"]} if kind == "labels" else {}
    sections = [section for section in figures["sections"] if section["kind"] == kind]
    longest = max((sum(filter(None, section["labels"].values())) for section in sections), default=0)
    rows = []
    for section in sections:
        labels = section["labels"]
        order = ["yes", "no"] if kind == "type" else list(labels)
        counts = [labels[code] or 0 for code in order]
        total = sum(counts)
        rows.append(
            {
                "code": section["code"],
                "name": section_name(section),
                "counts": [
                    {
                        "name": names.get(code) or gettext(code),
                        "label": code if code in LABEL_SIGNS else "",
                        "n": count(labels[code]),
                        "share": number(n / total if total else None),
                    }
                    for code, n in zip(order, counts, strict=True)
                ],
                "bar": [
                    _part(code, part) for code, part in zip(order, stacked_bar(counts, longest), strict=True)
                ],
                "cannot_judge": count(section["n_cannot_judge"]),
            }
        )
    return rows


def _part(code: str, part: dict[str, float]) -> dict[str, Any]:
    sign = LABEL_SIGNS.get(code, "")
    return {
        **part,
        "label": code if sign else "",
        "sign": sign if part["width"] >= SIGN_WIDTH else "",
        "middle": part["x"] + part["width"] / 2,
    }


def change_table(figures: ReportFigures, change: ChangeFigures, notes: Notes) -> list[dict[str, Any]]:
    """Return how coefficients moved against the round before, a section a row; nothing without one."""
    moved = change.get("sections", {})
    return [
        {
            "code": section["code"],
            "name": section_name(section),
            "counts": [moved[section["key"]][name] for name in ("n_both", "n_before", "n_after")],
            "cells": notes.each(
                cell(moved[section["key"]]["differences"][name], signed=True) for name in CHANGE_SHOWN
            ),
        }
        for section in figures["sections"]
        if section["key"] in moved
    ]


CHANGE_HEADERS = [COEFFICIENTS[name] for name in CHANGE_SHOWN]


def annotator_table(
    figures: ReportFigures, notes: Notes, resolved: Mapping[str, Figures] | None = None, limit: int = 40
) -> dict[str, Any]:
    """Return rates by type (or label shares), agreement with the rest and seconds, an annotator a row.

    resolved: what `agreement.adjudication.against_decisions.agreement_with_decisions` found, where leads have
    decided something. Of a crowd only those with the most judgements are shown; `left_out` counts the
    others.
    """
    focus = figures["protocol"] == "focus"
    sections = [section for section in figures["sections"] if section["kind"] == "type"]
    heads = [
        (entry["code"], entry["name"], "" if focus or entry["code"] not in LABEL_SIGNS else entry["code"])
        for entry in (sections if focus else figures["categories"])
    ]
    people = figures["annotators"]
    if len(people) > limit:
        people = sorted(people, key=lambda person: -person["n"])[:limit]
    with_self = any("with_self" in person for person in people)
    rows = []
    for person in people:
        if focus:
            shares = [person["types"][code]["shares"]["yes"] for code, _, _ in heads]
        else:
            shares = [person["shares"][code] for code, _, _ in heads]
        rows.append(
            {
                "pseudonym": person["pseudonym"],
                "n": person["n"],
                "shares": notes.each(cell(share) for share in shares),
                "with_rest": notes.noted(cell(person["with_rest"])),
                "with_self": notes.noted(_with_self(person.get("with_self"))) if with_self else None,
                "resolved": notes.noted(_resolved(resolved.get(person["pseudonym"]))) if resolved else None,
                "cannot_judge": person["n_cannot_judge"],
                "seconds": number(person["median_seconds"], 0),
            }
        )
    return {
        "heads": heads,
        "rows": rows,
        "resolved": bool(resolved),
        "with_self": with_self,
        "left_out": len(figures["annotators"]) - len(rows),
    }


def _with_self(found: WithSelfFigures | None) -> Cell:
    """Return the agreement with oneself; below it the overlap of the spans and the units answered twice."""
    if found is None or not found["n"]:
        return Cell(DASH, why=gettext("this annotator answered nothing twice"))
    spans = found["token_jaccard"]
    overlap = f"J {number(spans['value'])} · " if spans["n_pairs"] else ""
    return cell(found["observed_agreement"], below=f"{overlap}{found['n']}")


def _resolved(found: Figures | None) -> Cell:
    """Return the agreement with what leads decided; below it kappa and the number of decided units."""
    if found is None or not found["n"]:
        return Cell(DASH, why=gettext("nothing this annotator judged is decided"))
    return cell(found["agreement"], below=f"κ {cell(found['kappa']).text} · {found['n']}")


def pair_matrix(figures: ReportFigures, notes: Notes, limit: int = 12) -> dict[str, Any] | None:
    """Return Cohen's kappa of each pair over all types (or the three labels); None for a crowd."""
    names = [person["pseudonym"] for person in figures["annotators"]]
    if not 2 <= len(names) <= limit:
        return None
    pairs = {(pair["first"], pair["second"]): pair for pair in whole_section(figures)["pairs"]}
    rows: list[tuple[str, list[Cell | None]]] = []
    for row, name in enumerate(names):
        others = (pairs.get((min(row, other), max(row, other))) for other in range(len(names)))
        cells = [None if other == row else _pair(pair) for other, pair in enumerate(others)]
        rows.append((name, [found and notes.noted(found) for found in cells]))
    return {"names": names, "rows": rows}


def _pair(pair: PairFigures | None) -> Cell:
    """Return the kappa of two annotators; below it the observed agreement and the number of common units."""
    if pair is None:
        return Cell(DASH, why=gettext("they share no item"), below=f"{DASH} · 0")
    observed = number(pair["observed_agreement"]["value"])
    return cell(pair["kappa"], below=f"{observed} · {pair['n_common']}")


def cross_table(figures: ReportFigures, field_name: str, whose: str) -> dict[str, Any] | None:
    """Return one cross table with the share of items beside each count; None where there is no such field.

    whose: one of `crosstable.WHOSE`, or the pseudonym of one annotator.
    """
    table = next((table for table in figures["cross"] if table["field"] == field_name), None)
    if table is None:
        return None
    names = {section["code"]: section["name"] for section in figures["sections"]}
    names |= {category["code"]: category["name"] for category in figures["categories"]}
    annotators = table.get("annotators", [])
    columns = range(len(table["values"]))
    shown: list[list[int | None]] = []
    rows = []
    for row in table["rows"]:
        counts = row["by"][annotators.index(whose)] if whose in annotators else row[cast(Whose, whose)]
        shown.append(counts)
        known = [count for count in counts if count is not None]
        highest = max(known, default=0)
        rows.append(
            {
                "name": names[row["code"]],
                "label": row["code"] if figures["protocol"] != "focus" and row["code"] in LABEL_SIGNS else "",
                "cells": [_counted(counts[at], highest) for at in columns],
                "total": sum(known) if known else DASH,
            }
        )
    return {
        "field": field_name,
        "heads": list(zip(table["values"], table["n_items"], strict=True)),
        "annotators": annotators,
        "incomplete": any(count is None for counts in shown for count in counts),
        "rows": rows,
    }


def _counted(n: int | None, highest: int) -> dict[str, Any]:
    """Return a count with its level among the others of its row, a dash where nothing was answered."""
    if n is None:
        return {"n": DASH, "level": None}
    return {"n": n, "level": level(n / highest if highest else None)}


UNDEFINED = "undefined: "


def crosscheck_table(result: CrosscheckFigures) -> list[dict[str, Any]]:
    """Return a row a figure of a stored `crosscheck_result`; none where older code stored it.

    Undefined figures need no check: they are left out, and so is a figure that is undefined everywhere.
    """
    rows = []
    for figure in result.get("figures", ()):
        why = {words: n for words, n in figure["why"].items() if not words.startswith(UNDEFINED)}
        numbers = {
            "checked": figure["checked"],
            "subset": figure["checked_subset"],
            "not_checked": figure["not_checked"] - (sum(figure["why"].values()) - sum(why.values())),
            "differs": figure["differs"],
        }
        if any(numbers.values()):
            rows.append(
                {
                    "name": _name(figure["name"], pairs=figure["pairs"]),
                    "library": figure["library"] or "",
                    **numbers,
                    "why": list(why),
                }
            )
    return rows


def crosscheck_whys(result: CrosscheckFigures) -> list[tuple[str, list[str]]]:
    """Return each reason why figures were not checked, or not as a whole, with those it holds for."""
    names: dict[str, list[str]] = {}
    for row in crosscheck_table(result):
        for why in row["why"]:
            names.setdefault(why, []).append(row["name"])
    return list(names.items())


def _name(figure: str, *, pairs: bool) -> str:
    return "Cohen's kappa, pair by pair" if pairs else {**COEFFICIENTS, **SIMILARITIES}[figure]
