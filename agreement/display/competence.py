"""Annotators' competence as a table for the page and as CSV."""

from __future__ import annotations

import csv
import io
from typing import Any

from django.utils.translation import gettext

from agreement.competence.crowd_models import METHODS, REASONS
from agreement.display.cells import DASH, number
from core.csv_safety import made_safe

METHOD_NAMES = {"dawid_skene": "Dawid-Skene", "mace": "MACE"}
SHOWN = 40
"""Annotators that the page names; the file has all."""


def competence_table(result: dict[str, Any]) -> dict[str, Any]:
    """Return a row an annotator with the competence in each table by each method, and what was left out."""
    fitted = [section for section in result["sections"] if not section["reason"]]
    judged: dict[str, int] = {}
    for section in fitted:
        for person in section["annotators"]:
            judged[person["pseudonym"]] = judged.get(person["pseudonym"], 0) + person["n"]
    names = sorted(judged, key=lambda name: -judged[name])[:SHOWN] if len(judged) > SHOWN else list(judged)
    by_name = [{person["pseudonym"]: person for person in section["annotators"]} for section in fitted]
    rows = [
        {
            "pseudonym": name,
            "cells": [
                number(people[name][method]) if name in people else DASH
                for people in by_name
                for method in METHODS
            ],
        }
        for name in names
    ]
    return {
        "heads": [{"code": section["code"], "name": section["name"]} for section in fitted],
        "methods": [METHOD_NAMES[method] for _ in fitted for method in METHODS],
        "rows": rows,
        "others": [number_of for section in fitted for number_of in section["other_than_majority"].values()],
        "left_out": len(judged) - len(rows),
        "reasons": _reasons(result),
        "library": result["library"],
        "seed": result["seed"],
    }


def _reasons(result: dict[str, Any]) -> list[dict[str, str]]:
    """Return the tables without figures, those of one reason together."""
    found: dict[str, list[str]] = {}
    for section in result["sections"]:
        if section["reason"]:
            found.setdefault(section["reason"], []).append(section["name"])
    return [{"names": ", ".join(names), "why": gettext(REASONS[reason])} for reason, names in found.items()]


def competence_csv(result: dict[str, Any]) -> str:
    """Return the competence of each annotator in each table, a row each; or a reason."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["section", "name", "annotator", "n", *METHODS, "reason"])
    for section in result["sections"]:
        named = [made_safe(section["key"]), made_safe(section["name"])]
        if section["reason"]:
            writer.writerow([*named, "", "", *("" for _ in METHODS), section["reason"]])
            continue
        for person in section["annotators"]:
            writer.writerow(
                [*named, person["pseudonym"], person["n"], *(person[method] for method in METHODS), ""]
            )
    return out.getvalue()
