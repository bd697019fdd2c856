"""A round with suggestions on the page: the anchoring, and every figure with and without, side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django.utils.translation import gettext

from agreement.display.cells import Notes, cell
from agreement.display.overview import section_name
from agreement.display.tables import coefficient_table, span_headers, span_table
from agreement.report.figures import ReportFigures, SplitFigures

Table = Callable[[ReportFigures, Notes], list[dict[str, Any]]]


def suggestion_tables(figures: ReportFigures, notes: Notes) -> dict[str, Any] | None:
    """Return what the page shows of the suggestions of a round; None where it has none."""
    found = figures.get("suggestions")
    if found is None:
        return None
    halves = {
        gettext("with"): _of_split(figures, found["with_suggestion"]),
        gettext("without"): _of_split(figures, found["without_suggestion"]),
    }
    names = {section["key"]: section["name"] for section in figures["sections"]}
    return {
        **found,
        "anchoring": [
            {
                "name": section_name({"key": row["key"], "name": row["name"] or names.get(row["key"], "")}),
                "counts": (row["n_shown"], row["n_hidden"]),
                "cells": notes.each(
                    [cell(row["shown"]), cell(row["hidden"]), cell(row["difference"], signed=True)]
                ),
            }
            for row in found["anchoring"]
        ],
        "heads": coefficient_table(figures, Notes())[0],
        "rows": _beside(halves, notes, lambda half, noted: coefficient_table(half, noted)[1]),
        "span_heads": span_headers(figures),
        "span_rows": _beside(halves, notes, span_table),
    }


def _of_split(figures: ReportFigures, split: SplitFigures) -> ReportFigures:
    told = {key: value for key, value in figures.items() if key != "encoder"}
    return cast(ReportFigures, {**told, "sections": split["sections"]})


def _beside(halves: dict[str, ReportFigures], notes: Notes, table: Table) -> list[dict[str, Any]]:
    """Return the rows of a table of both halves, those of a section one below the other."""
    rows = [(how, row) for how, half in halves.items() for row in table(half, notes)]
    order = list(dict.fromkeys(row["name"] for _, row in rows))
    together = {name: [(how, row) for how, row in rows if row["name"] == name] for name in order}
    return [
        {**row, "how": how, "first": place == 0, "of": len(found)}
        for found in together.values()
        for place, (how, row) in enumerate(found)
    ]
