"""What the second implementations said of a report, figure by figure, as a table for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agreement.wording import COEFFICIENTS, SIMILARITIES

UNDEFINED = "undefined: "


def crosscheck_table(result: Mapping[str, Any]) -> list[dict[str, Any]]:
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


def crosscheck_whys(result: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """Return each reason why figures were not checked, or not as a whole, with those it holds for."""
    names: dict[str, list[str]] = {}
    for row in crosscheck_table(result):
        for why in row["why"]:
            names.setdefault(why, []).append(row["name"])
    return list(names.items())


def _name(figure: str, *, pairs: bool) -> str:
    return "Cohen's kappa, pair by pair" if pairs else {**COEFFICIENTS, **SIMILARITIES}[figure]
