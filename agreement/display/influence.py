"""The figures without each annotator and by field as tables for the page, as CSV and as LaTeX."""

from __future__ import annotations

import csv
import io
from typing import Any

from agreement.display.cells import Figures, Notes, cell, number
from agreement.display.csv_latex import latex_text
from agreement.display.wording import COEFFICIENTS
from agreement.what_if.influence import INFLUENCED
from core.csv_safety import made_safe

_MEASURED = ("value", "low", "high", "reason", "interval_reason", "caution")


def influence_tables(result: Figures, notes: Notes) -> dict[str, Any]:
    """Return the rows without each annotator, over all types or labels, and a table for each field."""
    whole = next(section for section in result["sections"] if section["kind"] in ("all", "labels"))
    return {
        "heads": [COEFFICIENTS[name] for name in INFLUENCED],
        "people": [
            {
                "pseudonym": person["pseudonym"],
                "without": notes.each(cell(person["estimates"][name]) for name in INFLUENCED),
                "moved": notes.each(cell(person["differences"][name], signed=True) for name in INFLUENCED),
            }
            for person in whole["annotators"]
        ],
        "fields": [
            {
                "field": table["field"],
                "rows": [
                    {
                        "value": row["value"],
                        "n_items": row["n_items"],
                        "cells": notes.each(cell(row["estimates"][name]) for name in INFLUENCED),
                    }
                    for row in table["values"]
                ],
            }
            for table in result["fields"]
        ],
    }


def influence_csv(result: Figures) -> str:
    """Return every figure, one a row: without an annotator with its difference to all, or by a field."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    moved = [f"difference_{name}" for name in _MEASURED]
    writer.writerow(
        ["section", "name", "without", "field", "field_value", "figure", "n_pairable", *_MEASURED, *moved]
    )
    for section in result["sections"]:
        named = [made_safe(section["key"]), made_safe(section["name"])]
        for person in section["annotators"]:
            for name in INFLUENCED:
                pair = person["estimates"][name], person["differences"][name]
                cells = [estimate[key] for estimate in pair for key in _MEASURED]
                writer.writerow([*named, person["pseudonym"], "", "", name, person["n_pairable"], *cells])
    whole = next(section for section in result["sections"] if section["kind"] in ("all", "labels"))
    for table in result["fields"]:
        for row in table["values"]:
            of_value = [
                *(made_safe(whole["key"]), made_safe(whole["name"]), ""),
                *(made_safe(table["field"]), made_safe(row["value"])),
            ]
            for name in INFLUENCED:
                cells = [row["estimates"][name][key] for key in _MEASURED]
                writer.writerow([*of_value, name, row["n_pairable"], *cells, *("" for _ in _MEASURED)])
    return out.getvalue()


def influence_latex(result: Figures) -> str:
    """Return a booktabs table of alpha: without each annotator of each section, and by each field."""
    lines = [
        "\\begin{tabular}{llrrrr}",
        "\\toprule",
        r" & & $\alpha$ & 95\% interval & difference & 95\% interval, paired \\",
    ]
    for section in result["sections"]:
        for place, person in enumerate(section["annotators"]):
            lines += ["\\midrule"] if place == 0 else []
            first = latex_text(section["name"]) if place == 0 else ""
            estimate, difference = (person[key]["krippendorff_alpha"] for key in ("estimates", "differences"))
            cells = [first, f"without {latex_text(person['pseudonym'])}"]
            lines.append(" & ".join([*cells, *_latex(estimate), *_latex(difference, signed=True)]) + r" \\")
    for table in result["fields"]:
        for place, row in enumerate(table["values"]):
            lines += ["\\midrule"] if place == 0 else []
            cells = [latex_text(table["field"]) if place == 0 else "", latex_text(row["value"])]
            estimate = row["estimates"]["krippendorff_alpha"]
            lines.append(" & ".join([*cells, *_latex(estimate), "", ""]) + r" \\")
    whole = next(section for section in result["sections"] if section["kind"] in ("all", "labels"))
    notes = [r"$\alpha$: Krippendorff, nominal; difference to all annotators, resampled together"]
    if whole["kind"] == "all":
        notes.append(f"{latex_text(whole['name'])}: types as strata, each against its own chance")
    notes += [r"$^{*}$ interval not to be trusted: too few items carry information"]
    lines += ["\\bottomrule", *(f"\\multicolumn{{6}}{{l}}{{\\footnotesize {note}}} \\\\" for note in notes)]
    return "\n".join([*lines, "\\end{tabular}"]) + "\n"


def _latex(estimate: Figures, *, signed: bool = False) -> list[str]:
    if estimate["value"] is None:
        return ["--", "--"]

    def text(value: float) -> str:
        return number(value, signed=signed).replace("−", "$-$")

    if estimate["low"] is None:
        return [text(estimate["value"]), "--"]
    mark = "$^{*}$" if estimate["caution"] else ""
    return [text(estimate["value"]), f"[{text(estimate['low'])}, {text(estimate['high'])}]{mark}"]
